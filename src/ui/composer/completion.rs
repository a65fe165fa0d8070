use std::sync::Arc;

use super::{Composer, Draft};
use crate::proto::slash;
use crate::ui::state::filtered;

/// Rows a completion list has at most.
const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// `/` at the very beginning.
    Command,
    /// `@` before a word.
    File,
}

/// An open completion list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    pub kind: CompletionKind,
    /// Where the word with its sign begins, in bytes.
    pub start: usize,
    /// What was typed after the sign.
    pub query: String,
    /// Best first.
    pub candidates: Vec<Candidate>,
    pub selected: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What stands in the list.
    pub label: String,
    /// Arguments or nothing.
    pub detail: String,
    pub doc: String,
    /// What replaces the word.
    pub insert: String,
}

/// Files that `@` offers, relative to the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Files {
    #[default]
    Unknown,
    /// Being listed.
    Asked,
    Known(Arc<Vec<String>>),
}

impl Completion {
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates.get(self.selected)
    }

    /// The word is already what the marked row would make of it.
    pub fn is_complete(&self) -> bool {
        self.chosen().is_some_and(|candidate| candidate.label.trim_start_matches(['/', '@']) == self.query)
    }
}

impl Composer {
    /// Marks another row; goes round at the ends.
    pub fn completion_move(&mut self, by: isize) {
        if let Some(completion) = &mut self.completion {
            let len = completion.candidates.len().cast_signed();
            if len > 0 {
                completion.selected = (completion.selected.cast_signed() + by).rem_euclid(len).unsigned_abs();
            }
        }
    }

    /// Puts the marked row in.
    pub fn complete(&mut self) -> bool {
        let Some((start, insert)) =
            self.completion.as_ref().and_then(|open| Some((open.start, open.chosen()?.insert.clone())))
        else {
            return false;
        };
        self.replace(start..self.caret(), &insert);
        self.completion = None;
        true
    }

    /// Closes the list; it stays closed for this word.
    pub fn dismiss_completion(&mut self) {
        self.dismissed = self.completion.take().map(|completion| completion.start);
    }

    /// Whether the word under the caret asks for files that nobody listed yet.
    pub fn wants_files(&self) -> bool {
        self.files == Files::Unknown && matches!(word(&self.draft), Some((CompletionKind::File, ..)))
    }

    pub fn set_files(&mut self, files: Files) {
        self.files = files;
        self.refresh_completion();
    }

    pub(super) fn refresh_completion(&mut self) {
        let Some((kind, start, query)) = word(&self.draft) else {
            self.completion = None;
            self.dismissed = None;
            return;
        };
        if self.dismissed == Some(start) {
            return;
        }
        self.dismissed = None;
        let candidates = match kind {
            CompletionKind::Command => commands(&query),
            CompletionKind::File => self.file_candidates(&query),
        };
        self.completion =
            (!candidates.is_empty()).then_some(Completion { kind, start, query, candidates, selected: 0 });
    }

    fn file_candidates(&self, query: &str) -> Vec<Candidate> {
        let Files::Known(files) = &self.files else { return Vec::new() };
        let paths: Vec<&String> = files.iter().collect();
        let mut best = filtered(paths, query, |path| (*path).clone());
        best.truncate(MAX_CANDIDATES);
        let candidate = |path: &String| Candidate {
            label: format!("@{path}"),
            detail: String::new(),
            doc: String::new(),
            insert: format!("@{path} "),
        };
        best.into_iter().map(candidate).collect()
    }
}

/// The word under the caret that may be completed: kind, where it begins, what follows the sign.
fn word(draft: &Draft) -> Option<(CompletionKind, usize, String)> {
    let before = &draft.text[..draft.caret];
    let start =
        before.rfind(char::is_whitespace).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let typed = &before[start..];
    if let Some(query) = typed.strip_prefix('/').filter(|query| start == 0 && !query.contains('/')) {
        return Some((CompletionKind::Command, start, query.to_owned()));
    }
    let query = typed.strip_prefix('@')?;
    Some((CompletionKind::File, start, query.to_owned()))
}

/// Commands whose name or alias begins so, then those it is found in.
fn commands(query: &str) -> Vec<Candidate> {
    let query = query.to_ascii_lowercase();
    let names =
        |command: &slash::Slash| [command.name].into_iter().chain(command.aliases.iter().copied()).collect::<Vec<_>>();
    let begins = |command: &&slash::Slash| names(command).iter().any(|name| name.starts_with(&query));
    let holds = |command: &&slash::Slash| names(command).iter().any(|name| name.contains(&query));
    let first = slash::COMMANDS.iter().filter(begins);
    let then = slash::COMMANDS.iter().filter(|command| !begins(command) && holds(command));
    first
        .chain(then)
        .map(|command| Candidate {
            label: format!("/{}", command.name),
            detail: command.arguments.to_owned(),
            doc: command.doc.to_owned(),
            insert: if command.arguments.is_empty() {
                format!("/{}", command.name)
            } else {
                format!("/{} ", command.name)
            },
        })
        .collect()
}
