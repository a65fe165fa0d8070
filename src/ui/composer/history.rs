use super::{Composer, Draft};
use crate::config::Mask;

/// Messages kept.
pub const MAX_HISTORY: usize = 500;

/// Messages sent before, oldest first, and where the person stands among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    entries: Vec<String>,
    /// Index into the entries while walking.
    position: Option<usize>,
    /// What was being written when the walk began.
    stash: Draft,
}

impl History {
    /// From what was kept of earlier runs.
    pub fn load(&mut self, entries: Vec<String>) {
        let later = std::mem::replace(&mut self.entries, entries);
        self.entries.extend(later);
        self.position = None;
    }

    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Keeps a sent message; the same one twice in a row is kept once.
    pub fn push(&mut self, text: &str) {
        self.position = None;
        if text.trim().is_empty() || self.entries.last().is_some_and(|last| last == text) {
            return;
        }
        self.entries.push(text.to_owned());
        let excess = self.entries.len().saturating_sub(MAX_HISTORY);
        self.entries.drain(..excess);
    }

    /// Lets go of a value that turned out to be a secret.
    pub fn forget(&mut self, value: &str) {
        let mask = Mask::of([value.to_owned()]);
        self.entries.retain_mut(|entry| keep_masked(entry, value, &mask));
        self.position = None;
    }
}

/// Masks a secret in a message, as the journal has it; false when nothing but the secret is in it.
pub fn keep_masked(entry: &mut String, value: &str, mask: &Mask) -> bool {
    if entry.trim() == value {
        return false;
    }
    *entry = mask.owned(std::mem::take(entry));
    true
}

impl Composer {
    /// To the message sent before. False when there is none.
    pub fn history_previous(&mut self) -> bool {
        let to = match self.history.position {
            Some(position) => position.checked_sub(1),
            None => self.history.entries.len().checked_sub(1),
        };
        let Some(entry) = to.and_then(|to| self.history.entries.get(to)).cloned() else { return false };
        if self.history.position.is_none() {
            self.history.stash = self.draft.clone();
        }
        self.history.position = to;
        self.show_history(draft_of(&entry));
        true
    }

    /// Begins anew with a message sent before.
    pub fn take_up(&mut self, entry: &str) {
        self.history.position = None;
        self.show_history(draft_of(entry));
    }

    /// Puts back what was being written when the workbench was left.
    pub fn restore(&mut self, text: &str) {
        self.take_up(text);
        self.undo.clear();
        // Nobody asked for a list now.
        self.refresh_completion();
        self.dismiss_completion();
    }

    /// To the message sent after, at last back to what was being written.
    pub fn history_next(&mut self) -> bool {
        let Some(position) = self.history.position else { return false };
        match self.history.entries.get(position + 1).cloned() {
            Some(entry) => {
                self.history.position = Some(position + 1);
                self.show_history(draft_of(&entry));
            }
            None => {
                self.history.position = None;
                let stash = std::mem::take(&mut self.history.stash);
                self.show_history(stash);
            }
        }
        true
    }

    fn show_history(&mut self, draft: Draft) {
        self.set(draft);
        self.completion = None;
    }
}

/// A long message from the history is folded as a paste would be.
fn draft_of(text: &str) -> Draft {
    let mut composer = Composer::default();
    composer.paste(text);
    composer.draft
}
