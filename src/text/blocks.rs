//! What a person wrote, without what they pasted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A message with fewer characters that are not white space has no intent to match.
/// Source: `MIN_INTENT_NON_WS_CHARS`, decisions, Tool surface.
pub const MIN_INTENT_NON_WS_CHARS: usize = 8;

/// The text without `<tag>…</tag>` blocks, nested ones and attributes included, and without comments. What was cut
/// off goes to its end: a comment, and a tag that stands where a block begins and is never closed; in the
/// middle of words (`Vec<String>`, `the <div> tag`) such a tag is ordinary text. Where a block stood between
/// two words, a space is left.
pub fn strip_blocks(text: &str) -> Cow<'_, str> {
    let blocks = blocks(text);
    if blocks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for block in blocks {
        kept.push_str(&text[from..block.start]);
        let after = text[block.end..].chars().next();
        let joins = |letter: char| !letter.is_whitespace();
        if kept.chars().next_back().is_some_and(joins) && after.is_some_and(joins) {
            kept.push(' ');
        }
        from = block.end;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Whether enough is left to match anything against.
pub fn has_intent(text: &str) -> bool {
    text.chars().filter(|letter| !letter.is_whitespace()).take(MIN_INTENT_NON_WS_CHARS).count()
        == MIN_INTENT_NON_WS_CHARS
}

/// Outermost blocks, in order, apart from each other.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks =
        Blocks { text, found: Vec::new(), open: Vec::new(), count: HashMap::new(), closed: HashMap::new() };
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        let start = at + next;
        at = blocks.take(start);
    }
    blocks.cut_off();
    blocks.found
}

/// What was read of a text.
struct Blocks<'a> {
    text: &'a str,
    found: Vec<Range<usize>>,
    /// Tags without an end yet, and where they begin.
    open: Vec<(&'a str, usize)>,
    /// How often each name is open, so that a stray end costs no search.
    count: HashMap<&'a str, usize>,
    /// Where the last block of each name began.
    closed: HashMap<&'a str, usize>,
}

impl<'a> Blocks<'a> {
    /// Takes what begins at a bracket; gives where to go on.
    fn take(&mut self, start: usize) -> usize {
        if let Some(end) = unseen(self.text, start) {
            self.push(start..end);
            return end;
        }
        let Some(tag) = tag(self.text, start) else {
            if is_cut_tag(self.text, start) {
                self.open.push(("", start));
                *self.count.entry("").or_default() += 1;
                return self.text.len();
            }
            return start + 1;
        };
        match tag.kind {
            TagKind::Alone => {}
            TagKind::Start => {
                self.open.push((tag.name, start));
                *self.count.entry(tag.name).or_default() += 1;
            }
            TagKind::End if self.count.get(tag.name).copied().unwrap_or_default() == 0 => {
                // Content that ends its own block: what follows until here is of it all the same.
                if let Some(begin) = self.closed.get(tag.name).copied() {
                    self.push(begin..tag.end);
                }
            }
            TagKind::End => self.close(&tag),
        }
        tag.end
    }

    fn close(&mut self, tag: &Tag<'a>) {
        while let Some((name, begin)) = self.open.pop() {
            *self.count.entry(name).or_default() -= 1;
            self.closed.insert(name, begin);
            if name == tag.name {
                return self.push(begin..tag.end);
            }
        }
    }

    /// With whatever of it was found before, and what it reaches into.
    fn push(&mut self, mut block: Range<usize>) {
        while let Some(last) = self.found.pop_if(|last| last.end > block.start) {
            block.start = block.start.min(last.start);
        }
        while let Some((name, _)) = self.open.pop_if(|(_, begin)| *begin > block.start) {
            *self.count.entry(name).or_default() -= 1;
        }
        self.found.push(block);
    }

    /// From the first tag that begins a block and has no end.
    fn cut_off(&mut self) {
        let begins = |(name, start): &(&str, usize)| name.is_empty() || begins_block(self.text, *start);
        let first = self.open.iter().find(|one| begins(one)).map(|(_, start)| *start);
        if let Some(start) = first {
            self.push(start..self.text.len());
        }
    }
}

/// Whether a tag without an end stands as markup does, and not as a word in prose: at the beginning of a line,
/// or after a space with its content right behind it.
fn begins_block(text: &str, start: usize) -> bool {
    if begins_line(text, start) {
        return true;
    }
    let after_space = text[..start].ends_with(char::is_whitespace);
    let behind = tag(text, start).and_then(|tag| text[tag.end..].chars().next());
    after_space && behind.is_some_and(|next| next.is_alphanumeric() || matches!(next, '<' | '\n'))
}

fn begins_line(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Whether a tag with an attribute begins a line here, and its own end is cut off or far.
fn is_cut_tag(text: &str, start: usize) -> bool {
    let rest = &text[start + 1..];
    let length = name_length(rest);
    let attribute = rest[length..].trim_start();
    let named = name_length(attribute);
    let value = attribute[named..].trim_start();
    length > 0
        && named > 0
        && attribute.len() < rest.len() - length
        && value.strip_prefix('=').is_some_and(|value| value.trim_start().starts_with(['"', '\'']))
        && begins_line(text, start)
}

/// Where a comment, a piece of raw text or an instruction to a program that begins here ends. One that is never
/// closed goes to the end of the text.
fn unseen(text: &str, start: usize) -> Option<usize> {
    let kinds = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (open, close) = kinds.into_iter().find(|(open, _)| text[start..].starts_with(open))?;
    let from = start + open.len();
    match text[from..].find(close) {
        Some(at) => Some(from + at + close.len()),
        // Else it is a question, and not the beginning of a program.
        None => (open != "<?" || name_length(&text[from..]) > 0).then_some(text.len()),
    }
}

/// Bytes of the name that a text begins with; 0 when it begins with none.
fn name_length(text: &str) -> usize {
    if !text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
        return 0;
    }
    text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':')))
        .unwrap_or(text.len())
}

/// Elements of HTML that have no end.
const WITHOUT_END: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Start,
    End,
    /// `<tag/>`.
    Alone,
}

struct Tag<'a> {
    name: &'a str,
    kind: TagKind,
    /// Byte after `>`.
    end: usize,
}

/// A tag has at most this many bytes; what is longer is a comparison in prose.
const MAX_TAG: usize = 1024;

fn tag(text: &str, start: usize) -> Option<Tag<'_>> {
    let rest = &text[start + 1..];
    let (ends, rest_at) = if rest.starts_with('/') { (true, start + 2) } else { (false, start + 1) };
    let rest = &text[rest_at..];
    let length = name_length(rest);
    let name = &rest[..length];
    // An address in brackets is none.
    if name.is_empty() || name.ends_with(':') {
        return None;
    }
    let mut quote = None;
    for (at, letter) in rest[length..].char_indices().take_while(|(at, _)| *at < MAX_TAG) {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '<') => return None,
            (None, '>') => {
                let alone = rest[..length + at].ends_with('/') || WITHOUT_END.contains(&name);
                let kind = match (ends, alone) {
                    (true, _) => TagKind::End,
                    (false, true) => TagKind::Alone,
                    (false, false) => TagKind::Start,
                };
                return Some(Tag { name, kind, end: rest_at + length + at + 1 });
            }
            (None, letter) if at == 0 && !(letter.is_whitespace() || letter == '/') => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
