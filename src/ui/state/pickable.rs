use super::{State, filtered};
use crate::proto::{EntryKind, Order, Origin, Queued};
use crate::text;
use crate::ui::transcript::markdown::{CodeBlock, code_blocks};

/// An own message of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptRow<'a> {
    pub order: Order,
    pub text: &'a str,
}

impl State {
    /// Own messages of this session under a filter, the latest first.
    pub fn prompt_rows(&self, filter: &str) -> Vec<PromptRow<'_>> {
        let entries = self.snapshot.transcript.entries().iter().rev();
        let own = entries.filter_map(|entry| match &entry.kind {
            EntryKind::User { text, origin: Origin::Person, .. } => Some(PromptRow { order: entry.order, text }),
            _ => None,
        });
        filtered(own.collect(), filter, |row| row.text.to_owned())
    }

    /// Messages that wait, in the order they will land, under a filter.
    pub fn waiting_rows(&self, filter: &str) -> Vec<&Queued> {
        filtered(self.snapshot.queue.iter().collect(), filter, |queued| queued.text.clone())
    }

    /// The message that waits and is marked in the topmost list.
    pub fn marked_waiting(&self) -> Option<&Queued> {
        use super::{Layer, Listing};
        match self.layers.last() {
            Some(Layer::Picker(picker)) if picker.of == Listing::Waiting => {
                self.waiting_rows(&picker.filter).get(picker.selected).copied()
            }
            _ => None,
        }
    }

    /// Blocks of code in the selected entry, else in the last answer, the last first.
    pub fn code_rows(&self, filter: &str) -> Vec<CodeBlock> {
        let answer = |kind: &EntryKind| match kind {
            EntryKind::Assistant { text, .. } | EntryKind::User { text, .. } => {
                let mut blocks = code_blocks(&text::sanitize(text));
                blocks.reverse();
                blocks
            }
            _ => Vec::new(),
        };
        let transcript = &self.snapshot.transcript;
        let blocks = match self.transcript.selected.and_then(|order| transcript.get(order)) {
            Some(entry) => answer(&entry.kind),
            None => {
                let said = transcript.entries().iter().rev().filter(
                    |entry| matches!(&entry.kind, EntryKind::Assistant { text, .. } if !text.trim().is_empty()),
                );
                said.map(|entry| answer(&entry.kind)).next().unwrap_or_default()
            }
        };
        filtered(blocks, filter, |block| format!("{} {}", block.language, block.text))
    }
}
