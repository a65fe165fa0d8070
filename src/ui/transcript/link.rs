//! What in a text leads somewhere: addresses, and lines of files.
//!
//! A text never lies about where it leads: an address is found in the very words that are shown, and
//! one that was cut is none.

use std::sync::Arc;

use crate::text;

/// Where a piece of text leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `http`, `https` or `mailto`, visible ASCII throughout.
    Address(Arc<str>),
    /// As the text names it; relative to the session's folder.
    File { path: Arc<str>, line: Option<u32> },
}

impl Target {
    /// The one line that says where it leads.
    pub fn words(&self) -> String {
        match self {
            Self::Address(address) => address.to_string(),
            Self::File { path, line: Some(line) } => format!("{path}:{line}"),
            Self::File { path, line: None } => path.to_string(),
        }
    }
}

/// Bytes of a text that lead somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub start: u32,
    pub end: u32,
    pub target: Target,
}

/// Longer addresses are no links: terminals refuse them.
const MAX_ADDRESS: usize = 2000;

/// Endings of host names, which would else look like endings of files before a port.
const HOSTS: [&str; 12] =
    ["com", "org", "net", "io", "dev", "local", "localhost", "internal", "app", "ai", "edu", "lan"];

/// Links in shown words, in order, beside those that are known.
pub fn find(content: &str, known: &[Link]) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    let bytes = content.as_bytes();
    let mut at = 0;
    while let Some(colon) = bytes[at..].iter().position(|byte| *byte == b':').map(|by| at + by) {
        let place = address(content, colon, at).or_else(|| file(content, colon, at));
        at = colon + 1;
        let Some((start, end, target)) = place else { continue };
        at = at.max(end);
        let (start, end) = (start as u32, end as u32);
        if known.iter().all(|link| link.end <= start || end <= link.start) {
            found.push(Link { start, end, target });
        }
    }
    found
}

/// What a Markdown link leads to. `None` for schemes and characters that nobody should follow.
pub fn target(destination: &str) -> Option<Target> {
    if destination.is_empty() || destination.starts_with('#') || text::sanitize_line(destination) != destination {
        return None;
    }
    match destination.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" if rest.len() > 2 && rest.starts_with("//") => address_target(destination),
            "mailto" if rest.contains('@') => address_target(destination),
            "file" => own_file(rest),
            _ => None,
        },
        _ => {
            let path = destination.split(['#', '?']).next().unwrap_or_default();
            let (path, line) = match path.rsplit_once(':') {
                Some((path, line)) => (path, Some(line.parse().ok()?)),
                None => (path, None),
            };
            (!path.is_empty() && !path.starts_with("//")).then(|| Target::File { path: decoded(path).into(), line })
        }
    }
}

/// `src/main.rs:3` is a place, not a scheme: schemes have no dots or slashes here.
fn is_scheme(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
}

fn address_target(address: &str) -> Option<Target> {
    let fine = address.len() <= MAX_ADDRESS && address.bytes().all(|byte| byte.is_ascii_graphic());
    fine.then(|| Target::Address(address.into()))
}

/// A file of this machine; of another one nothing is opened.
fn own_file(rest: &str) -> Option<Target> {
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = path.split(['#', '?']).next().unwrap_or_default();
    path.starts_with('/').then(|| Target::File { path: decoded(path).into(), line: None })
}

/// `%20` and kin as the characters they stand for; what does not decode stays.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    let decoded = String::from_utf8(out).unwrap_or_else(|_| path.to_owned());
    if text::sanitize_line(&decoded) == decoded { decoded } else { path.to_owned() }
}

/// An address whose scheme ends at this colon.
fn address(content: &str, colon: usize, from: usize) -> Option<(usize, usize, Target)> {
    let head = &content[from..colon];
    let scheme = ["https", "http", "file", "mailto"].into_iter().find(|scheme| {
        let before = head.len().checked_sub(scheme.len()).filter(|at| head.is_char_boundary(*at));
        before.is_some_and(|at| {
            head[at..].eq_ignore_ascii_case(scheme) && !head[..at].ends_with(|letter: char| letter.is_alphanumeric())
        })
    })?;
    let start = colon - scheme.len();
    let body = &content[colon + 1..];
    if scheme != "mailto" && !body.starts_with("//") {
        return None;
    }
    let stops = |letter: char| {
        !letter.is_ascii_graphic() || matches!(letter, '"' | '<' | '>' | '`' | '\'' | '|' | '\\' | '{' | '}' | '^')
    };
    let length = body.find(stops).unwrap_or(body.len());
    // Words that go on in another script, or were cut, do not show the whole of it.
    if body[length..].starts_with(|letter: char| letter == '…' || (!letter.is_ascii() && letter.is_alphanumeric())) {
        return None;
    }
    let mut whole = &content[start..colon + 1 + length];
    loop {
        let opens = |open: char, close: char| whole.matches(open).count() >= whole.matches(close).count();
        whole = match whole.chars().next_back() {
            Some('.' | ',' | ';' | ':' | '!' | '?' | '*') => &whole[..whole.len() - 1],
            Some(')') if !opens('(', ')') => &whole[..whole.len() - 1],
            Some(']') if !opens('[', ']') => &whole[..whole.len() - 1],
            _ => break,
        };
    }
    Some((start, start + whole.len(), target(whole)?))
}

/// `path.ext:line` or `path.ext:line:column`, where the colon is the first of these.
fn file(content: &str, colon: usize, from: usize) -> Option<(usize, usize, Target)> {
    let bytes = content.as_bytes();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'@');
    let back = bytes[from..colon].iter().rev().take_while(|byte| part(byte)).count();
    let start = colon - back;
    let path = &content[start..colon];
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = ending.len() <= 10
        && ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_host = !path.contains('/') && HOSTS.contains(&ending);
    let begins =
        content[..start].chars().next_back().is_none_or(|letter| letter.is_ascii() || !letter.is_alphanumeric());
    if !is_ending || is_host || !begins || stem.is_empty() && !path.contains('/') || path.starts_with("//") {
        return None;
    }
    let digits = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line = digits(colon + 1);
    let mut end = colon + 1 + line;
    if !(1..=7).contains(&line) {
        return None;
    }
    let number = content[colon + 1..end].parse().ok().filter(|number| *number > 0)?;
    if bytes.get(end) == Some(&b':') && (1..=5).contains(&digits(end + 1)) {
        end += 1 + digits(end + 1);
    }
    let goes_on =
        content[end..].starts_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '…' | '/'));
    (!goes_on).then(|| (start, end, Target::File { path: path.into(), line: Some(number) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(content: &str) -> Vec<(String, String)> {
        let found = find(content, &[]).into_iter();
        found.map(|link| (content[link.start as usize..link.end as usize].to_owned(), link.target.words())).collect()
    }

    #[test]
    fn addresses_and_lines_of_files_are_found_in_the_words_that_show_them() {
        for (content, wanted) in [
            ("see https://a.example/x?y=1#z.", vec!["https://a.example/x?y=1#z"]),
            ("(https://a.example/wiki/A_(b))", vec!["https://a.example/wiki/A_(b)"]),
            ("\"HTTP://a.example\", mailto:a@b.example!", vec!["HTTP://a.example", "mailto:a@b.example"]),
            ("  --> src/ui/run.rs:12:5", vec!["src/ui/run.rs:12:5"]),
            ("src/a.rs:12:let b = 3;", vec!["src/a.rs:12"]),
            ("main.rs:7", vec!["main.rs:7"]),
            ("at http://127.0.0.1:8080/x.rs:3", vec!["http://127.0.0.1:8080/x.rs:3"]),
            ("./a.py:3 and /b/c.d.ts:40", vec!["./a.py:3", "/b/c.d.ts:40"]),
        ] {
            let words: Vec<String> = shown(content).into_iter().map(|(words, _)| words).collect();
            assert_eq!(words, wanted, "{content}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
        for content in [
            "12:30:10",
            "127.0.0.1:8080",
            "example.com:443",
            "localhost:80",
            "library/redis:7",
            "javascript:alert(1)",
            "ftp://host.example:21",
            "xhttps://a.example",
            "https://",
            "https://a.exam…",
            "https://ex\u{430}mple.com",
            "src/a.rs:0",
            "src/a.rs:12abc",
            "src/a.rs:12345678",
            ".rs:3",
            "file://other.example/etc/passwd",
        ] {
            assert_eq!(shown(content), [], "{content}");
        }
    }

    #[test]
    fn a_markdown_link_leads_to_four_schemes_and_to_files() {
        let words = |destination: &str| target(destination).map(|target| target.words());
        for (destination, wanted) in [
            ("https://a.example/", Some("https://a.example/")),
            ("src/a%20b.rs:3", Some("src/a b.rs:3")),
            ("docs/x.md#part", Some("docs/x.md")),
            ("file:///etc/hosts", Some("/etc/hosts")),
            ("mailto:a@b.example", Some("mailto:a@b.example")),
            ("#part", None),
            ("", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("vscode://x/y", None),
            ("https://a.example/\u{1b}]8;;x", None),
            ("https://a.example/\u{202e}gpj", None),
            ("https://\u{430}.example", None),
            ("file://host.example/x", None),
            ("//host/x", None),
            ("a%0ab.md", Some("a%0ab.md")),
        ] {
            assert_eq!(words(destination).as_deref(), wanted, "{destination}");
        }
        assert_eq!(target(&format!("https://a.example/{}", "x".repeat(MAX_ADDRESS))), None);
    }

    #[test]
    fn known_links_are_left_alone() {
        let known = [Link { start: 0, end: 17, target: Target::Address("https://other.example".into()) }];
        assert_eq!(find("https://a.example https://b.example", &known).len(), 1);
    }
}
