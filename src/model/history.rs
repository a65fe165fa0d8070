use std::collections::BTreeSet;

use crate::proto::{
    Attachment, Body, CallId, Content, Event, Origin, ReasoningBlock, ToolCall, ToolOutcome, TurnOutcome,
};

/// The conversation, folded from a session's events. What a request is built from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    items: Vec<HistoryItem>,
    /// Positions of the person's messages in the running turn that no reply has followed yet.
    unanswered: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HistoryItem {
    User { content: Content, attachments: Vec<Attachment> },
    Assistant { text: String, reasoning: Vec<ReasoningBlock>, calls: Vec<ToolCall>, model: String },
    Result { call: CallId, content: Content, outcome: ToolOutcome },
}

impl History {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(&event.body);
        }
        history
    }

    /// Takes up what belongs to the conversation; all other events change nothing.
    pub fn apply(&mut self, body: &Body) {
        match body {
            Body::TurnStarted { .. } => self.unanswered.clear(),
            // What a failed turn never got an answer to would be said again with the next message.
            Body::TurnEnded { outcome: TurnOutcome::Failed(_), .. } => {
                for position in std::mem::take(&mut self.unanswered).into_iter().rev() {
                    self.items.remove(position);
                }
            }
            Body::TurnEnded { .. } => self.unanswered.clear(),
            Body::UserMessage { content, attachments, origin } => {
                if *origin == Origin::Person {
                    self.unanswered.push(self.items.len());
                }
                self.items.push(HistoryItem::User { content: content.clone(), attachments: attachments.clone() })
            }
            Body::SkillActivated { text, .. } => {
                self.items.push(HistoryItem::User { content: text.clone(), attachments: Vec::new() });
            }
            Body::AssistantMessage { text, reasoning, calls, model, .. } => {
                if !text.trim().is_empty() || !calls.is_empty() {
                    self.unanswered.clear();
                }
                self.items.push(HistoryItem::Assistant {
                    text: text.clone(),
                    reasoning: reasoning.clone(),
                    calls: calls.clone(),
                    model: model.clone(),
                });
            }
            Body::ToolFinished { call, content, outcome, .. } => {
                self.items.push(HistoryItem::Result { call: call.clone(), content: content.clone(), outcome: *outcome })
            }
            Body::ResultNarrowed { call, content, .. } => self.narrow(call, content),
            _ => {}
        }
    }

    fn narrow(&mut self, narrowed: &CallId, now: &Content) {
        let result = self.items.iter_mut().rev().find_map(|item| match item {
            HistoryItem::Result { call, content, .. } if call == narrowed => Some(content),
            _ => None,
        });
        if let Some(content) = result {
            content.clone_from(now);
        }
    }

    pub fn items(&self) -> &[HistoryItem] {
        &self.items
    }

    /// Whether the running turn has a message of the person that no reply followed.
    pub fn has_unanswered(&self) -> bool {
        !self.unanswered.is_empty()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Calls of the last assistant message that have no result yet.
    pub fn unanswered(&self) -> Vec<ToolCall> {
        let mut answered = BTreeSet::new();
        for item in self.items.iter().rev() {
            match item {
                HistoryItem::Result { call, .. } => {
                    answered.insert(call);
                }
                HistoryItem::Assistant { calls, .. } => {
                    return calls.iter().filter(|call| !answered.contains(&call.id)).cloned().collect();
                }
                HistoryItem::User { .. } => {}
            }
        }
        Vec::new()
    }
}
