use std::sync::Arc;

use super::{Composer, Draft};
use crate::proto::slash;
use crate::ui::state::filtered;

/// Commands whose argument starts what it names.
const STARTING: [&str; 2] = ["role", "skill"];

/// Rows a completion list has at most.
const MAX_CANDIDATES: usize = 50;

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
    pub roles: Vec<String>,
}

/// Something that has a name, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offered {
    pub name: String,
    pub title: String,
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
                let starts = slash::parse(self.text()).is_some_and(|(command, _)| STARTING.contains(&command.name));
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
    if let Some((command, _)) = slash::parse(before) {
        let given: Vec<&str> = before[..start].split_whitespace().skip(1).collect();
        if given.is_empty() || takes_second(command.name, &given) {
            return Some((CompletionKind::Argument, start, typed.to_owned()));
        }
    }
    let query = typed.strip_prefix('@')?;
    Some((CompletionKind::File, start, query.to_owned()))
}

/// Whether a command that was given so much takes one more word that can be completed.
fn takes_second(command: &str, given: &[&str]) -> bool {
    matches!((command, given), ("supervisor", [_]) | ("capability", ["pin"]))
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

impl Composer {
    /// What the command at the beginning takes: the words of its own row in the table, or names. What
    /// is typed already and means something stands first, so that enter does not make another of it.
    fn arguments(&self, query: &str) -> Vec<Candidate> {
        let Some((command, _)) = slash::parse(&self.draft.text) else { return Vec::new() };
        let before = &self.draft.text[..self.draft.caret];
        let second = before.split_whitespace().count() > 2 - usize::from(before.ends_with(char::is_whitespace));
        // Each argument has its own words: `[turn|undo] [conversation|files|both]`.
        let arguments: Vec<&str> = command.arguments.split("] [").collect();
        let own = arguments[usize::from(second).min(arguments.len() - 1)].trim_matches(['[', ']']);
        let named = |name: &String| Offered { name: name.clone(), title: String::new() };
        let words: Vec<(Offered, bool)> = match command.name {
            "model" => {
                let provider = |name: &String| Offered { name: format!("{name}:"), title: String::new() };
                self.names.providers.iter().map(|name| (provider(name), false)).collect()
            }
            "role" => self.roles().into_iter().map(|role| (role, true)).collect(),
            "supervisor" if second => {
                ["on", "off", "save"].into_iter().map(|word| (named(&word.to_owned()), true)).collect()
            }
            "capability" if second => self.capabilities.iter().map(|one| (one.clone(), true)).collect(),
            "capability" => {
                let told = |name: &str, title: &str| Offered { name: name.to_owned(), title: title.to_owned() };
                let verbs = [told("discover", "which one fits a task"), told("pin", "never evict it in this session")];
                let verbs = verbs.into_iter().map(|verb| (verb, false));
                verbs.chain(self.capabilities.iter().map(|one| (one.clone(), true))).collect()
            }
            _ if second => Vec::new(),
            "supervisor" => self.switches.iter().map(|switch| (switch.clone(), true)).collect(),
            "skill" => self.skills.iter().map(|skill| (skill.clone(), true)).collect(),
            _ if own.contains('|') || own == "all" => {
                let words = own.split('|').filter(|word| *word != "turn");
                words.map(|word| (named(&word.to_owned()), true)).collect()
            }
            _ => Vec::new(),
        };
        let lower = query.to_ascii_lowercase();
        let mut words: Vec<(Offered, bool)> = words
            .into_iter()
            .filter(|(word, whole)| {
                let word = word.name.as_str();
                // The part of a tag that tells agents of a domain apart is what one remembers.
                let inner =
                    command.name == "role" && word.split_once(':').is_some_and(|(_, spec)| spec.starts_with(&lower));
                (word.starts_with(&lower) || inner) && (*whole || word != lower)
            })
            .collect();
        words.sort_by_key(|(word, _)| word.name != lower);
        let candidate = |(Offered { name, title }, whole)| Candidate {
            label: name.clone(),
            detail: String::new(),
            doc: title,
            insert: name,
            whole,
        };
        words.into_iter().map(candidate).collect()
    }

    /// Roles, domains that have a chief, and agents.
    fn roles(&self) -> Vec<Offered> {
        let agent = |name: &str| self.agents.iter().any(|agent| agent.name == name);
        let roles = self.names.roles.iter().filter(|role| !agent(role));
        let roles = roles.map(|name| Offered { name: name.clone(), title: "a role of the configuration".to_owned() });
        let domains = self.agents.iter().filter_map(|agent| {
            let domain = agent.name.strip_suffix(":chief")?;
            let known = self.names.roles.iter().any(|role| role == domain);
            (!known).then(|| Offered { name: domain.to_owned(), title: agent.title.clone() })
        });
        roles.chain(domains).chain(self.agents.iter().cloned()).collect()
    }
}
