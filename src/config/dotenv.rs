//! `.env` files: `KEY=value` lines with quotes, comments, `export`, CRLF and a byte-order mark.

use super::problem::Problem;
use super::source::Source;

/// One assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub value: String,
    /// From 1.
    pub line: usize,
    /// Byte offset of the name in the file.
    pub start: usize,
}

/// What a file says: good lines, and a problem for each bad one.
#[derive(Debug, Default)]
pub struct Parsed {
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
}

/// Reads the whole text. A bad line costs only itself.
pub fn parse(source: &Source) -> Parsed {
    let text = source.text.as_str();
    let mut parsed = Parsed::default();
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        let begin = at + (line.len() - line.trim_start().len());
        let trimmed = line.trim();
        let mut next = end + 1;
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            match assignment(text, begin, end) {
                Ok((name, start, value, after)) => {
                    let line = source.line_of(begin);
                    parsed.entries.push(Entry { name, value, line, start });
                    next = line_end(text, after) + 1;
                }
                Err(hint) => parsed.problems.push(
                    Problem::at(source, begin..begin + trimmed.len(), "this line is not `KEY=value`; it was skipped")
                        .hint(hint),
                ),
            }
        }
        at = next;
    }
    parsed
}

/// A project's file set a variable that only the person may set.
pub fn refused(source: &Source, entry: &Entry) -> Problem {
    Problem::at(
        source,
        entry.start..entry.start + entry.name.len(),
        format!("a project's `.env` may not set `{}`; it was left out", entry.name),
    )
    .hint("it could send your keys or programs elsewhere; set it in `<data>/config/.env` or export it")
}

fn line_end(text: &str, from: usize) -> usize {
    text.get(from..).and_then(|rest| rest.find('\n')).map_or(text.len(), |offset| from + offset)
}

type Assignment = (String, usize, String, usize);

fn assignment(text: &str, begin: usize, end: usize) -> Result<Assignment, String> {
    let line = &text[begin..end];
    let after_export = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    let body = after_export.map_or(line, str::trim_start);
    let start = end - body.len();
    let Some(equals) = body.find('=') else { return Err("write KEY=value, or # before a comment".to_owned()) };
    let name = body[..equals].trim();
    if !is_name(name) {
        return Err("a name has letters, digits and _ and does not begin with a digit".to_owned());
    }
    let raw = &body[equals + 1..];
    let value_at = start + equals + 1 + (raw.len() - raw.trim_start().len());
    let (value, after) = value(text, value_at.min(end), end)?;
    Ok((name.to_owned(), start, value, after))
}

/// A variable's name as shells accept it.
pub fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The value and the offset after it. Only a quoted value may go on over the end of its line.
fn value(text: &str, at: usize, end: usize) -> Result<(String, usize), String> {
    let rest = &text[at..];
    let Some(quote @ ('"' | '\'')) = rest.chars().next() else {
        let line = &text[at..end];
        let cut = line.find(" #").or_else(|| line.find("\t#")).unwrap_or(line.len());
        let bare = if line.starts_with('#') { "" } else { line[..cut].trim() };
        return Ok((bare.to_owned(), end));
    };
    let mut value = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((offset, letter)) = letters.next() {
        match letter {
            letter if letter == quote => {
                let after = at + offset + 1;
                let tail = text[after..line_end(text, after)].trim();
                if !tail.is_empty() && !tail.starts_with('#') {
                    return Err("only a # comment may follow the closing quote".to_owned());
                }
                return Ok((value, after));
            }
            '\\' if quote == '"' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped @ ('"' | '\\' | '$'))) => value.push(escaped),
                Some((_, other)) => value.extend(['\\', other]),
                None => break,
            },
            '\r' if rest[offset..].starts_with("\r\n") => {}
            other => value.push(other),
        }
    }
    Err(format!("the closing {quote} is missing"))
}

#[cfg(test)]
mod tests;
