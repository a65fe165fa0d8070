//! Keymap and theme files by name: the person's own first, then the built-in ones, with `inherits`.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::problem::{Problem, meant};
use crate::config;

/// One file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Path, or `theme dark (built in)`.
    pub file: String,
    pub source: String,
}

/// Files from the most general to the one that was named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chain {
    /// Empty when the name leads nowhere usable.
    pub documents: Vec<Document>,
    pub problems: Vec<Problem>,
}

/// Longest line of inheritance.
const MAX_DEPTH: usize = 8;

/// Follows `inherits` from the named file. A file that inherits its own name means the built-in one.
pub fn chain(name: &str, folder: Option<&Path>, kind: &str, built_in: &[(&str, &str)]) -> Chain {
    let mut chain = Chain::default();
    let mut wanted = name.to_owned();
    let mut visited: Vec<(String, bool)> = Vec::new();
    // Where the name that is looked for was written.
    let mut named: Option<(Document, Range<usize>)> = None;
    let problem = |named: &Option<(Document, Range<usize>)>, file: &str, message: String| match named {
        Some((document, span)) => Problem::at(&document.file, &document.source, span.clone(), message),
        None => Problem::whole(file, message),
    };
    loop {
        let own = !visited.contains(&(wanted.clone(), true));
        let (document, is_own) = match find(&wanted, folder.filter(|_| own), kind, built_in) {
            Found::Here(document, is_own) => (document, is_own),
            Found::Nowhere if !own => {
                chain.problems.push(problem(&named, &wanted, circle(&visited, &wanted)));
                return Chain { documents: Vec::new(), ..chain };
            }
            Found::Nowhere => {
                let hint = meant(&wanted, built_in.iter().map(|(name, _)| *name));
                let message = format!("there is no {kind} `{wanted}`");
                chain.problems.push(problem(&named, &format!("{kind} {wanted}"), message).hint(hint));
                return Chain { documents: Vec::new(), ..chain };
            }
            Found::Unreadable(file, error) => {
                chain.problems.push(Problem::whole(&file, format!("it cannot be read: {error}")));
                return Chain { documents: Vec::new(), ..chain };
            }
        };
        let again = visited.contains(&(wanted.clone(), is_own));
        if again || visited.len() >= MAX_DEPTH {
            let message = match again {
                true => circle(&visited, &wanted),
                false => format!("`inherits` goes through more than {MAX_DEPTH} files"),
            };
            chain.problems.push(problem(&named, &document.file, message));
            return Chain { documents: Vec::new(), ..chain };
        }
        visited.push((wanted.clone(), is_own));
        let inherits = match inherits(&document) {
            Ok(inherits) => inherits,
            Err(problem) => {
                chain.problems.push(problem);
                return Chain { documents: Vec::new(), ..chain };
            }
        };
        chain.documents.insert(0, document.clone());
        match inherits {
            Some((parent, span)) => {
                wanted = parent;
                named = Some((document, span));
            }
            None => return chain,
        }
    }
}

/// `a → b → a`
fn circle(visited: &[(String, bool)], wanted: &str) -> String {
    let names: Vec<&str> = visited.iter().map(|(name, _)| name.as_str()).chain([wanted]).collect();
    format!("`inherits` goes round in a circle: {}", names.join(" → "))
}

enum Found {
    /// True for a file of the person's.
    Here(Document, bool),
    Nowhere,
    Unreadable(String, std::io::Error),
}

fn find(name: &str, folder: Option<&Path>, kind: &str, built_in: &[(&str, &str)]) -> Found {
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
    let path = folder.filter(|_| plain).map(|folder| folder.join(format!("{name}.toml")));
    if let Some(path) = path {
        let file = path.display().to_string();
        match config::read_ordinary(&path) {
            Ok(bytes) => {
                let source = String::from_utf8_lossy(&bytes).into_owned();
                return Found::Here(Document { file, source }, true);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Found::Unreadable(file, error),
        }
    }
    match built_in.iter().find(|(known, _)| *known == name) {
        Some((_, source)) => {
            let file = format!("{kind} {name} (built in)");
            Found::Here(Document { file, source: (*source).to_owned() }, false)
        }
        None => Found::Nowhere,
    }
}

fn inherits(document: &Document) -> Result<Option<(String, Range<usize>)>, Problem> {
    let table = DeTable::parse(&document.source).map_err(|error| syntax(document, &error))?;
    let value = table.get_ref().iter().find(|(key, _)| key.get_ref().as_ref() == "inherits").map(|(_, value)| value);
    match value.map(|value| (value.get_ref(), value.span())) {
        None => Ok(None),
        Some((DeValue::String(name), span)) => Ok(Some((name.to_string(), span))),
        Some((_, span)) => Err(Problem::at(&document.file, &document.source, span, "`inherits` is a name in quotes")),
    }
}

/// The problem a file has that is no TOML.
pub fn syntax(document: &Document, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(0..0);
    Problem::at(&document.file, &document.source, span, error.message().to_owned())
}
