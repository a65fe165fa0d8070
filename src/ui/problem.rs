use std::fmt;
use std::ops::Range;

use crate::config::{self, Source, SourceKind};

/// Something wrong in a keymap or theme file, with its place and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file's path, or `keymap default (built in)`.
    pub file: String,
    /// From 1; 0 when the whole file is meant.
    pub line: usize,
    pub message: String,
    pub hint: Option<String>,
    /// Column, source line and caret; `None` when the whole file is meant.
    pub place: Option<Box<config::Place>>,
}

impl Problem {
    pub fn whole(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: 0, message: message.into(), hint: None, place: None }
    }

    /// `span` is in bytes of `source`.
    pub fn at(file: &str, source: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let before = source.get(..span.start.min(source.len())).unwrap_or(source);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let source = Source::new(SourceKind::File, file, source);
        let place = config::Problem::at(&source, span, "").place;
        Self { file: file.to_owned(), line, message: message.into(), hint: None, place }
    }

    /// The same as the configuration's problems are told: with the line and a caret under it.
    pub fn detailed(&self) -> config::Problem {
        let problem = config::Problem::of_file(&self.file, self.message.clone());
        let problem = config::Problem { place: self.place.clone(), ..problem };
        match &self.hint {
            Some(hint) => problem.hint(hint.clone()),
            None => problem,
        }
    }

    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message)?,
            line => write!(f, "{}:{line}: {}", self.file, self.message)?,
        }
        match &self.hint {
            Some(hint) => write!(f, " (hint: {hint})"),
            None => Ok(()),
        }
    }
}

/// The candidate nearest to `word`, if it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?` for the nearest candidate.
pub fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// Edits that turn one word into the other.
fn distance(first: &str, second: &str) -> usize {
    let second: Vec<char> = second.chars().collect();
    let mut row: Vec<usize> = (0..=second.len()).collect();
    for (i, a) in first.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in second.iter().enumerate() {
            let replace = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[second.len()]
}
