use crate::proto::{Attachment, QueueId, SubmitMode};

/// A message that waits for its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    pub id: QueueId,
    pub text: String,
    pub attachments: Vec<Attachment>,
    pub mode: SubmitMode,
}

/// Messages typed while a turn runs, in the order they were typed.
#[derive(Debug, Default)]
pub struct Queue {
    last: u32,
    waiting: Vec<Waiting>,
}

impl Queue {
    pub fn push(&mut self, text: String, attachments: Vec<Attachment>, mode: SubmitMode) -> QueueId {
        self.last += 1;
        let id = QueueId(self.last);
        self.waiting.push(Waiting { id, text, attachments, mode });
        id
    }

    /// False when the message is gone already.
    pub fn edit(&mut self, id: QueueId, text: &str) -> bool {
        let found = self.waiting.iter_mut().find(|waiting| waiting.id == id);
        found.map(|waiting| text.clone_into(&mut waiting.text)).is_some()
    }

    /// False when the message is gone already.
    pub fn withdraw(&mut self, id: QueueId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting.id != id);
        self.waiting.len() < before
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Everything that waits, as it was typed.
    pub fn take_all(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    /// At a tool boundary: all that steer.
    pub fn take_steering(&mut self) -> Vec<Waiting> {
        self.waiting.extract_if(.., |waiting| waiting.mode == SubmitMode::Steer).collect()
    }

    /// At the turn's end: all that wanted to steer and came too late; without any, the first of the
    /// others. They begin the next turn together.
    pub fn take_next(&mut self) -> Vec<Waiting> {
        let late = self.take_steering();
        if !late.is_empty() || self.waiting.is_empty() {
            return late;
        }
        vec![self.waiting.remove(0)]
    }
}
