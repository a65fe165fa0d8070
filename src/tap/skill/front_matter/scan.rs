//! From lines to fields.

use std::ops::Range;

use super::super::remark::Remark;
use super::lines::{Line, lines};
use super::{Field, FrontMatter, Kind, Piece, Value, block, flow};

pub struct Scanner<'a> {
    text: &'a str,
    lines: Vec<Line<'a>>,
    at: usize,
    /// Indentation of the keys.
    base: usize,
    kind_of: &'a dyn Fn(&str) -> Kind,
    found: FrontMatter,
}

struct Key<'a> {
    name: &'a str,
    span: Range<usize>,
    /// Byte of the file after the colon.
    after: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, header: Range<usize>, kind_of: &'a dyn Fn(&str) -> Kind) -> Self {
        let lines = lines(text, header);
        let base = lines.iter().find(|line| !line.is_blank() && !line.is_comment()).map_or(0, |line| line.indent);
        Self { text, lines, at: 0, base, kind_of, found: FrontMatter::default() }
    }

    pub fn run(mut self) -> FrontMatter {
        while let Some(line) = self.lines.get(self.at).copied() {
            self.at += 1;
            if line.is_blank() || line.is_comment() {
                continue;
            }
            match key(&line) {
                Some(key) if line.indent <= self.base => self.field(line, &key),
                _ if line.content().trim().trim_matches([']', '}', ',']).is_empty() => {}
                _ => self.found.remarks.push(
                    Remark::warning(line.span(), "this line is no `key: value` and was ignored")
                        .hint("indent it if it belongs to the key above"),
                ),
            }
        }
        self.found
    }

    fn field(&mut self, line: Line<'a>, key: &Key<'a>) {
        let kind = (self.kind_of)(key.name);
        let value = match kind {
            Kind::Text => self.text_value(line, key),
            Kind::List => self.list_value(line, key),
            Kind::Ignored => {
                self.below(self.base);
                Value::Nothing
            }
        };
        let known = kind != Kind::Ignored;
        if known && self.found.field(key.name).is_some() {
            let message = format!("`{}` is here a second time; the first one counts", key.name);
            self.found.remarks.push(Remark::warning(key.span.clone(), message).hint("remove one of them"));
            return;
        }
        self.found.fields.push(Field { key: key.name.to_owned(), key_span: key.span.clone(), value });
    }

    /// The lines after the present one that belong to it: indented further, blank, or items of a list
    /// at its own indentation.
    fn below(&mut self, indent: usize) -> Vec<Line<'a>> {
        let own_list = self.next_written().is_some_and(|line| line.indent == indent && is_item(&line));
        let belongs = |line: &Line<'a>| {
            line.is_blank() || line.indent > indent || (own_list && (is_item(line) || line.is_comment()))
        };
        let start = self.at;
        while self.lines.get(self.at).is_some_and(belongs) {
            self.at += 1;
        }
        // Blank lines at the end are nobody's, but a block with `+` keeps them.
        self.lines[start..self.at].to_vec()
    }

    fn next_written(&self) -> Option<Line<'a>> {
        self.lines[self.at..].iter().find(|line| !line.is_blank() && !line.is_comment()).copied()
    }

    fn text_value(&mut self, line: Line<'a>, key: &Key<'a>) -> Value {
        let (start, rest) = self.rest(line, key.after);
        let below = self.below(self.base);
        if let Some(header) = block::header(rest) {
            let text = block::text(header, self.base, &below);
            return Value::Text(Piece { text, span: start..end_of(&below, start + rest.len()), exact: false });
        }
        if below.iter().find(|line| !line.is_blank() && !line.is_comment()).is_some_and(is_item) && rest.is_empty() {
            let message = format!("`{}` wants a text, and here is a list", key.name);
            self.found.remarks.push(Remark::warning(key.span.clone(), message));
            return Value::Nothing;
        }
        if rest.starts_with('#') {
            return if below.is_empty() { Value::Nothing } else { folded("", start..start, &below) };
        }
        match self.try_quoted(start, rest, &below) {
            Some(piece) => Value::Text(piece),
            None if rest.is_empty() && below.iter().all(Line::is_blank) => Value::Nothing,
            None => folded(rest, start..start + rest.len(), &below),
        }
    }

    fn list_value(&mut self, line: Line<'a>, key: &Key<'a>) -> Value {
        let (start, rest) = self.rest(line, key.after);
        let below = self.below(self.base);
        let limit = end_of(&below, start + rest.len());
        if block::header(rest).is_some() {
            return Value::List(block::items(&below));
        }
        if rest.starts_with('[') {
            // The closing bracket may stand at the indentation of the key.
            let closing = self.lines.get(self.at).filter(|line| line.content().starts_with(']')).map(Line::end);
            if let Some(list) = flow::list(self.text, start..closing.unwrap_or(limit)) {
                return Value::List(list);
            }
            let message = "this list has no `]`; it was read as if it had";
            self.found.remarks.push(Remark::warning(start..start + rest.len(), message).hint("close it with `]`"));
            return Value::List(flow::open_list(self.text, start + 1..start + rest.len()));
        }
        if rest.starts_with('{') {
            let message = format!("`{}` wants a list, and here is a map; it was ignored", key.name);
            self.found.remarks.push(Remark::warning(start..start + rest.len(), message).hint("write [a, b]"));
            return Value::Nothing;
        }
        let mut items = Vec::new();
        if !rest.is_empty() && !rest.starts_with('#') {
            match self.try_quoted(start, rest, &[]) {
                Some(piece) => items.push(piece),
                None => items.push(Piece { text: rest.to_owned(), span: start..start + rest.len(), exact: true }),
            }
        }
        items.extend(self.items(&below));
        Value::List(items)
    }

    /// `- item` lines; a line indented further goes on with the item above it.
    fn items(&mut self, below: &[Line<'a>]) -> Vec<Piece> {
        let mut items: Vec<Piece> = Vec::new();
        let mut dash = self.base;
        for line in below.iter().filter(|line| !line.is_blank() && !line.is_comment()) {
            let content = line.content().trim_end();
            let body = match content.strip_prefix('-') {
                Some(body) => {
                    dash = line.indent;
                    body.trim_start()
                }
                None if line.indent > dash && !items.is_empty() => {
                    if let Some(last) = items.last_mut() {
                        last.text.push(' ');
                        last.text.push_str(content);
                        last.span.end = line.start + line.indent + content.len();
                        last.exact = false;
                    }
                    continue;
                }
                None => content,
            };
            let start = line.start + line.indent + content.len() - body.len();
            match self.try_quoted(start, body, &[]) {
                Some(piece) => items.push(piece),
                None if body.is_empty() => {}
                None => items.push(Piece { text: body.to_owned(), span: start..start + body.len(), exact: true }),
            }
        }
        items
    }

    /// A quoted value with nothing but a comment after it. One that does not end is said, and is then
    /// read without its quote.
    fn try_quoted(&mut self, start: usize, rest: &str, below: &[Line<'a>]) -> Option<Piece> {
        if !rest.starts_with(['"', '\'']) {
            return None;
        }
        let limit = end_of(below, start + rest.len());
        match flow::quoted(self.text, start..limit) {
            Some(quoted) => {
                let line_end = self.text[quoted.end..].find('\n').map_or(self.text.len(), |at| quoted.end + at);
                let after = self.text[quoted.end..line_end.max(quoted.end)].trim();
                (after.is_empty() || after.starts_with('#')).then_some(quoted.piece)
            }
            None => {
                let span = start..start + rest.len();
                let message = "this quote is never closed; the text was taken without it";
                self.found.remarks.push(Remark::warning(span.clone(), message).hint("close the quote or remove it"));
                let span = span.start + 1..span.end;
                Some(Piece { text: rest[1..].to_owned(), span, exact: true })
            }
        }
    }

    /// What stands after the colon, trimmed, and where.
    fn rest(&self, line: Line<'a>, after: usize) -> (usize, &'a str) {
        let raw = &self.text[after..line.end()];
        let start = after + raw.len() - raw.trim_start().len();
        (start, raw.trim())
    }
}

fn is_item(line: &Line<'_>) -> bool {
    line.content() == "-" || line.content().starts_with("- ") || line.content().starts_with("-\t")
}

fn end_of(below: &[Line<'_>], otherwise: usize) -> usize {
    below.iter().rev().find(|line| !line.is_blank()).map_or(otherwise, Line::end)
}

/// A plain text that goes on over indented lines; a blank line between them is a line break.
fn folded(first: &str, span: Range<usize>, below: &[Line<'_>]) -> Value {
    let mut text = first.to_owned();
    let mut exact = true;
    let mut blank = 0;
    for line in below {
        if line.is_blank() {
            blank += 1;
            continue;
        }
        match (text.is_empty(), blank) {
            (true, _) => {}
            (false, 0) => text.push(' '),
            (false, blank) => text.push_str(&"\n".repeat(blank)),
        }
        text.push_str(line.content().trim_end());
        exact = false;
        blank = 0;
    }
    let end = end_of(below, span.end);
    Value::Text(Piece { text, span: span.start..end, exact })
}

/// `key:`, `key :`, `"key":`, and `key:value` without a space.
fn key<'a>(line: &Line<'a>) -> Option<Key<'a>> {
    let content = line.content();
    let start = line.start + line.indent;
    let (name, skip, rest) = match content.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = content[1..].find(quote)? + 1;
            (&content[1..end], 1, &content[end + 1..])
        }
        _ => {
            let end = content.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.')))?;
            (&content[..end], 0, &content[end..])
        }
    };
    let colon = rest.trim_start().strip_prefix(':')?;
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let from = start + skip;
    Some(Key { name, span: from..from + name.len(), after: line.end() - colon.len() })
}
