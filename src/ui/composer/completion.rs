use std::sync::Arc;

use super::{Composer, Draft};
use crate::proto::slash;
use crate::proto::slash_takes::{Takes, takes};
use crate::ui::state::filtered;

/// Commands whose argument starts what it names.
const STARTING: [&str; 3] = ["role", "skill", "session"];

/// Rows a completion list has at most.
pub(super) const MAX_CANDIDATES: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// `/` at the very beginning.
    Command,
    /// What a command takes, after its name.
    Argument,
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
    /// The mark was moved by hand.
    pub moved: bool,
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
    /// Nothing has to be typed after it.
    pub whole: bool,
}

/// Names that commands take and that only a configuration knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    pub providers: Vec<String>,
    /// Whole names of models that are known to be there or were written down.
    pub models: Vec<String>,
    pub roles: Vec<String>,
}

/// Something that has a name, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offered {
    pub name: String,
    pub title: String,
}

/// What is told to the composer only when a command asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offer {
    Turns,
    Themes,
    Sessions,
}

/// Files that `@` offers for a query, relative to the project, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub query: String,
    pub paths: Arc<Vec<String>>,
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
    /// What is typed is all there is to it: what is marked would add nothing, or nobody chose it.
    pub fn nothing_left(&self) -> bool {
        let Some(open) = self.completion.as_ref().filter(|_| self.caret() == self.text().len()) else { return false };
        match open.kind {
            CompletionKind::File => false,
            CompletionKind::Command => open.is_complete(),
            CompletionKind::Argument => {
                // Agents and skills bring things along that run: only what was chosen replaces what was typed.
                let starts = slash::parse(self.text()).is_some_and(|(command, _)| {
                    // Of a model that is named in full another one may only be longer.
                    let named = open.query.split_once(':').is_some_and(|(_, model)| !model.is_empty());
                    STARTING.contains(&command.name) || (command.name == "model" && named)
                });
                open.is_complete() || ((open.query.is_empty() || starts) && !open.moved)
            }
        }
    }

    /// Marks another row; goes round at the ends.
    pub fn completion_move(&mut self, by: isize) {
        if let Some(completion) = &mut self.completion {
            let len = completion.candidates.len().cast_signed();
            if len > 0 {
                completion.moved = true;
                completion.selected = (completion.selected.cast_signed() + by).rem_euclid(len).unsigned_abs();
            }
        }
    }

    /// Whether the marked row makes a command to which nothing can be added.
    pub fn would_be_whole(&self) -> bool {
        let whole = |open: &Completion| open.kind != CompletionKind::File && open.chosen().is_some_and(|one| one.whole);
        self.caret() == self.text().len() && self.completion.as_ref().is_some_and(whole)
    }

    /// Puts the marked row in.
    pub fn complete(&mut self) -> bool {
        let marked = |open: &Completion| {
            let chosen = open.chosen()?;
            Some((open.start, chosen.insert.clone(), chosen.whole))
        };
        let Some((start, insert, whole)) = self.completion.as_ref().and_then(marked) else { return false };
        self.replace(start..self.caret(), &insert);
        if whole {
            self.completion = None;
        }
        true
    }

    /// Closes the list; it stays closed for this word.
    pub fn dismiss_completion(&mut self) {
        self.dismissed = self.completion.take().map(|completion| completion.start);
    }

    /// What the word under the caret asks for, when that is not what was asked for last.
    pub fn wants_files(&mut self) -> Option<String> {
        let Some((CompletionKind::File, _, query)) = word(&self.draft) else {
            // The next list is made afresh: files come and go.
            self.asked = None;
            return None;
        };
        if self.asked.as_ref() == Some(&query) {
            return None;
        }
        self.asked = Some(query.clone());
        Some(query)
    }

    /// Takes an answer up; one to an older question only until there is a newer one.
    pub fn set_found(&mut self, found: Found) {
        let asked = self.asked.as_ref();
        if asked == Some(&found.query) || asked != Some(&self.found.query) {
            let marked = self.completion.as_ref().filter(|open| open.moved).and_then(Completion::chosen).cloned();
            self.found = found;
            self.refresh_completion();
            self.mark_again(marked);
        }
    }

    /// Takes up what can be named of a kind, while it is asked for.
    pub fn offer(&mut self, kind: Offer, offered: Vec<Offered>) {
        if self.offers.get(&kind) == Some(&offered) {
            return;
        }
        let marked = self.completion.as_ref().filter(|open| open.moved).and_then(Completion::chosen).cloned();
        self.offers.insert(kind, offered);
        self.refresh_completion();
        self.mark_again(marked);
    }

    /// What is asked for where the caret stands and may have changed since it was told.
    pub fn wants_offer(&self) -> Option<Offer> {
        if self.modal.is_normal() {
            return None;
        }
        takes_at(&self.draft.text[..self.draft.caret])?.iter().find_map(|takes| match takes {
            Takes::Turn => Some(Offer::Turns),
            Takes::Theme => Some(Offer::Themes),
            Takes::Session => Some(Offer::Sessions),
            _ => None,
        })
    }

    /// What was marked by hand stays marked while more is found.
    fn mark_again(&mut self, marked: Option<Candidate>) {
        if let (Some(open), Some(marked)) = (&mut self.completion, marked)
            && let Some(at) = open.candidates.iter().position(|one| *one == marked)
        {
            open.selected = at;
            open.moved = true;
        }
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
            CompletionKind::Argument => self.arguments(&query),
            CompletionKind::File => self.file_candidates(&query),
        };
        self.completion = (!candidates.is_empty()).then_some(Completion {
            kind,
            start,
            query,
            candidates,
            selected: 0,
            moved: false,
        });
    }

    fn file_candidates(&self, query: &str) -> Vec<Candidate> {
        let paths: Vec<&String> = self.found.paths.iter().collect();
        // Few, and until the answer comes those of the question before.
        let mut best = if query == self.found.query { paths } else { filtered(paths, query, |path| (*path).clone()) };
        best.truncate(MAX_CANDIDATES);
        let candidate = |path: &String| Candidate {
            label: format!("@{path}"),
            detail: String::new(),
            doc: String::new(),
            insert: format!("@{path} "),
            whole: true,
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
    if takes_at(before).is_some_and(|takes| !takes.is_empty()) {
        return Some((CompletionKind::Argument, start, typed.to_owned()));
    }
    let query = typed.strip_prefix('@')?;
    Some((CompletionKind::File, start, query.to_owned()))
}

/// What the command in front of the caret can be given where the caret stands; `None` without one.
pub(super) fn takes_at(before: &str) -> Option<&'static [Takes]> {
    let (command, _) = slash::parse(before)?;
    let start = before.rfind(char::is_whitespace)?;
    let given: Vec<&str> = before[..start].split_whitespace().skip(1).collect();
    Some(takes(command.name, &given))
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
            whole: command.arguments.is_empty(),
        })
        .collect()
}
