//! Keymap and theme files by name: the person's own first, then the built-in ones, with `inherits`.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::problem::{Problem, meant};

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
    loop {
        let own = !visited.contains(&(wanted.clone(), true));
        let Some((document, is_own)) = find(&wanted, folder.filter(|_| own), kind, built_in) else {
            let hint = meant(&wanted, built_in.iter().map(|(name, _)| *name));
            chain
                .problems
                .push(Problem::whole(&format!("{kind} {wanted}"), format!("there is no {kind} `{wanted}`")).hint(hint));
            return Chain { documents: Vec::new(), ..chain };
        };
        if visited.contains(&(wanted.clone(), is_own)) || visited.len() >= MAX_DEPTH {
            chain.problems.push(Problem::whole(&document.file, "inherits goes round in a circle"));
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
        chain.documents.insert(0, document);
        match inherits {
            Some(parent) => wanted = parent,
            None => return chain,
        }
    }
}

fn find(name: &str, folder: Option<&Path>, kind: &str, built_in: &[(&str, &str)]) -> Option<(Document, bool)> {
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.');
    let path = folder.filter(|_| plain).map(|folder| folder.join(format!("{name}.toml")));
    if let Some(path) = path
        && let Ok(bytes) = std::fs::read(&path)
    {
        let source = String::from_utf8_lossy(&bytes).into_owned();
        return Some((Document { file: path.display().to_string(), source }, true));
    }
    let (_, source) = built_in.iter().find(|(known, _)| *known == name)?;
    Some((Document { file: format!("{kind} {name} (built in)"), source: (*source).to_owned() }, false))
}

fn inherits(document: &Document) -> Result<Option<String>, Problem> {
    let table = DeTable::parse(&document.source).map_err(|error| syntax(document, &error))?;
    let value = table.get_ref().iter().find(|(key, _)| key.get_ref().as_ref() == "inherits").map(|(_, value)| value);
    match value.map(|value| (value.get_ref(), value.span())) {
        None => Ok(None),
        Some((DeValue::String(name), _)) => Ok(Some(name.to_string())),
        Some((_, span)) => Err(Problem::at(&document.file, &document.source, span, "`inherits` is a name in quotes")),
    }
}

/// The problem a file has that is no TOML.
pub fn syntax(document: &Document, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(0..0);
    Problem::at(&document.file, &document.source, span, error.message().to_owned())
}
