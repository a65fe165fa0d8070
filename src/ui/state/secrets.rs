use std::collections::BTreeSet;

use super::{Pane, Question, State};
use crate::proto::{AskId, AskKind, StartStep, Timestamp};

/// How long after a value the next question for one is expected, milliseconds.
const NEXT_WITHIN_MS: u64 = 3_000;

/// Which questions for secrets come forward by themselves: a value typed where the cursor happens to
/// stand would be sent in clear.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Secrets {
    /// Answered, or left open by the person: those wait until they are gone to.
    pub put_off: BTreeSet<AskId>,
    /// When a value was given last, and whether nothing else was being written.
    pub given: Option<(Timestamp, bool)>,
}

impl State {
    /// The question for a secret that is asked first.
    pub fn open_secret(&self) -> Option<AskId> {
        let mut asks = self.snapshot.asks.iter();
        asks.find(|(ask, _)| matches!(ask.kind, AskKind::Secret { .. })).map(|(ask, _)| ask.id)
    }

    /// Whether the next question for a value may follow at once.
    pub fn more_secrets(&self) -> bool {
        self.just_given() && self.running(StartStep::Placeholders)
    }

    fn just_given(&self) -> bool {
        self.secrets.given.is_some_and(|(at, _)| self.now < at + NEXT_WITHIN_MS)
    }

    /// Brings a secret's question forward over an empty composer, and the next one after a value was
    /// given. What was typed between the two was meant for it.
    pub fn bring_secret(&mut self) {
        let open = |id: &AskId| self.snapshot.asks.iter().any(|(ask, _)| ask.id == *id);
        if !self.secrets.put_off.iter().all(open) {
            let asks = &self.snapshot.asks;
            self.secrets.put_off.retain(|id| asks.iter().any(|(ask, _)| ask.id == *id));
        }
        let busy = self.question.is_some() || !self.layers.is_empty() || !self.pending.keys.is_empty();
        let Some(ask) = self.open_secret().filter(|ask| !busy && !self.secrets.put_off.contains(ask)) else { return };
        let follows = self.just_given();
        if !follows && (self.focus != Pane::Composer || !self.composer.is_empty()) {
            return;
        }
        let alone = self.secrets.given.take().is_some_and(|(_, alone)| alone);
        let text = if follows && alone { self.composer.discard() } else { String::new() };
        self.question = Some(Question { ask, text, offset: 0 });
    }
}
