//! Which keys texts and servers need, who wants them, and filling them in. Pure, but for the mask that
//! learns what was filled in.

use std::collections::BTreeMap;
use std::fmt;

use super::keep::Places;
use crate::config::Env;
use crate::config::expand::{Marker, marker};
use crate::config::schema::Server;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// Kept for this person, in `inputs.toml`.
    Input,
    /// A variable of the environment, kept in `./.env`.
    Env,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub kind: KeyKind,
    pub name: String,
}

impl Key {
    pub fn input(name: impl Into<String>) -> Self {
        Self { kind: KeyKind::Input, name: name.into() }
    }

    pub fn env(name: impl Into<String>) -> Self {
        Self { kind: KeyKind::Env, name: name.into() }
    }
}

/// As it stands in a text.
impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            KeyKind::Input => "INPUT",
            KeyKind::Env => "ENV",
        };
        write!(formatter, "{{{{{kind}:{}}}}}", self.name)
    }
}

/// What there is to fill with.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    pub env: &'a Env,
    pub inputs: &'a BTreeMap<String, String>,
}

impl<'a> Values<'a> {
    /// Set but empty counts as unset.
    pub fn get(&self, key: &Key) -> Option<&'a str> {
        self.of(key.kind, &key.name)
    }

    fn of(&self, kind: KeyKind, name: &str) -> Option<&'a str> {
        match kind {
            KeyKind::Env => self.env.get(name),
            KeyKind::Input => self.inputs.get(name).map(String::as_str).filter(|value| !value.is_empty()),
        }
    }
}

/// One key, and everything that wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub key: Key,
    /// `capability database-postgres of muvon/tap`, in the order they came.
    pub wanted_by: Vec<String>,
}

/// Every key that is needed, in the order in which it was met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs(Vec<Need>);

impl Needs {
    /// Adds what a prompt, a welcome or another text needs.
    pub fn text(&mut self, text: &str, wanted_by: &str) {
        for (found, _) in markers(text) {
            match found {
                Marker::Env(name) => self.add(Key::env(name), wanted_by),
                Marker::Input(name) => self.add(Key::input(name), wanted_by),
                Marker::Literal(_) | Marker::Malformed(_) => {}
            }
        }
    }

    /// Adds what a server's fields need.
    pub fn server(&mut self, server: &Server, wanted_by: &str) {
        let fields = server.command.iter().chain(&server.url).chain(&server.cwd).chain(&server.args);
        for text in fields.chain(server.env.values()).chain(server.headers.values()) {
            self.text(text, wanted_by);
        }
    }

    pub fn add(&mut self, key: Key, wanted_by: &str) {
        let wanted_by = wanted_by.to_owned();
        match self.0.iter_mut().find(|need| need.key == key) {
            Some(need) if need.wanted_by.contains(&wanted_by) => {}
            Some(need) => need.wanted_by.push(wanted_by),
            None => self.0.push(Need { key, wanted_by: vec![wanted_by] }),
        }
    }

    pub fn all(&self) -> &[Need] {
        &self.0
    }

    /// Those that have no value.
    pub fn missing(&self, values: Values<'_>) -> Vec<Need> {
        self.0.iter().filter(|need| values.get(&need.key).is_none()).cloned().collect()
    }
}

/// The text with every placeholder filled in, or all keys that have no value. What only looks like
/// a placeholder stays as it is.
///
/// # Errors
/// The keys without a value, each once.
pub fn fill(text: &str, values: Values<'_>) -> Result<String, Vec<Key>> {
    let (filled, missing) = fill_what_there_is(text, values);
    if missing.is_empty() { Ok(filled) } else { Err(missing) }
}

/// The same; placeholders without a value stay as they are written, and are named.
pub fn fill_what_there_is(text: &str, values: Values<'_>) -> (String, Vec<Key>) {
    let mut filled = String::with_capacity(text.len());
    let mut missing: Vec<Key> = Vec::new();
    let mut done = 0;
    for (found, range) in markers(text) {
        filled.push_str(&text[done..range.start]);
        done = range.end;
        let key = match found {
            Marker::Literal(plain) => {
                filled.push_str(plain);
                continue;
            }
            Marker::Malformed(_) => {
                done = range.start;
                continue;
            }
            Marker::Env(name) => Key::env(name),
            Marker::Input(name) => Key::input(name),
        };
        match values.get(&key) {
            Some(value) => {
                values.env.mask().add_given(&key.name, value);
                filled.push_str(value);
            }
            None => {
                filled.push_str(&text[range]);
                if !missing.contains(&key) {
                    missing.push(key);
                }
            }
        }
    }
    filled.push_str(&text[done..]);
    (filled, missing)
}

/// Every marker with its place in the text.
fn markers(text: &str) -> impl Iterator<Item = (Marker<'_>, std::ops::Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += text.get(at..)?.find('{')?;
            match marker(&text[at..]) {
                Some((found, length)) => {
                    // After one that is none, the rest is looked at all the same.
                    let skipped = if matches!(found, Marker::Malformed(_)) { 2 } else { length };
                    let range = at..at + skipped;
                    at += skipped;
                    return Some((found, range));
                }
                None => at += 1,
            }
        }
    })
}

/// A value that nobody can be asked for: the key, what wants it, where it is kept and how to set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub key: Key,
    pub wanted_by: Vec<String>,
    /// The file it is kept in.
    pub file: String,
}

impl Missing {
    pub fn new(need: Need, places: &Places) -> Self {
        let file = places.file(&need.key).display().to_string();
        Self { key: need.key, wanted_by: need.wanted_by, file }
    }

    /// What to do about it, as one sentence.
    pub fn advice(&self) -> String {
        let (name, file) = (&self.key.name, &self.file);
        match self.key.kind {
            KeyKind::Env => format!("Export {name}, or add the line {name}=… to {file}."),
            KeyKind::Input => {
                let key = if name.contains('.') { format!("{name:?}") } else { name.clone() };
                format!("Add the line {key} = \"…\" to {file}, or start it once in a terminal, where it is asked for.")
            }
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs = if self.wanted_by.len() == 1 { "needs" } else { "need" };
        write!(formatter, "{} has no value; {} {needs} it. {}", self.key, self.wanted_by.join(", "), self.advice())
    }
}

impl std::error::Error for Missing {}
