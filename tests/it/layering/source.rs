/// A source file, and the same text with comments, strings and character literals blanked out.
pub struct Source {
    pub path: String,
    pub text: String,
    pub code: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned(), code: blank(text) }
    }

    pub fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.ends_with("_tests.rs") || self.path.contains("/tests/")
    }

    /// The folder or file right under `src`.
    pub fn layer(&self) -> &str {
        let rest = self.path.strip_prefix("src/").unwrap_or(&self.path);
        rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs")
    }

    pub fn line_of(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }

    /// How many modules the file stands below the crate root.
    pub fn depth(&self) -> usize {
        let rest = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let parts = rest.split('/').count();
        if matches!(rest.rsplit('/').next(), Some("mod.rs" | "main.rs" | "lib.rs")) { parts - 1 } else { parts }
    }

    /// Places where `word` stands as a path of its own, not as the tail of a longer name.
    pub fn places<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = self.code[..*at].chars().next_back();
            let after = self.code[at + word.len()..].chars().next();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
                && (word.ends_with(':') || !after.is_some_and(|c| c.is_alphanumeric() || c == '_'))
        })
    }

    /// Line, name and length of each function longer than `most` lines.
    pub fn long_functions(&self, most: usize) -> Vec<(usize, String, usize)> {
        let mut found = Vec::new();
        for at in self.places("fn") {
            let rest = self.code[at + 2..].trim_start();
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(open) = self.code[at..].find(['{', ';']).map(|offset| at + offset) else { continue };
            if name.is_empty() || self.code[open..].starts_with(';') {
                continue;
            }
            let Some(close) = closing(&self.code, open) else { continue };
            let length = self.line_of(close) - self.line_of(at) + 1;
            if length > most {
                found.push((self.line_of(at), name, length));
            }
        }
        found
    }
}

fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in code[open..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

/// Same length, same newlines; what is not code becomes spaces.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => text[at..].find('\n').map_or(bytes.len(), |offset| at + offset),
            [b'/', b'*', ..] => text[at..].find("*/").map_or(bytes.len(), |offset| at + offset + 2),
            [b'r', b'#' | b'"', ..] if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => raw_string_end(text, at),
            [b'"', ..] => string_end(bytes, at),
            [b'\'', b'\\', ..] => text[at + 3..].find('\'').map_or(bytes.len(), |offset| at + offset + 4),
            [b'\'', ..] => character_end(text, at),
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        for byte in &mut out[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    String::from_utf8(out).unwrap()
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

fn raw_string_end(text: &str, at: usize) -> usize {
    let hashes = text[at + 1..].bytes().take_while(|byte| *byte == b'#').count();
    if text.as_bytes().get(at + 1 + hashes) != Some(&b'"') {
        return at;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    let body = at + 2 + hashes;
    text[body..].find(&close).map_or(text.len(), |offset| body + offset + close.len())
}

/// A lifetime is no literal.
fn character_end(text: &str, at: usize) -> usize {
    let mut rest = text[at + 1..].char_indices();
    match (rest.next(), rest.next()) {
        (Some((_, letter)), Some((offset, '\''))) if letter != '\'' => at + 1 + offset + 1,
        _ => at,
    }
}
