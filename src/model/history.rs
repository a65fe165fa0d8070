use std::collections::BTreeSet;

use crate::proto::{Attachment, Body, CallId, Content, Event, ReasoningBlock, ToolCall, ToolOutcome};

/// The conversation, folded from a session's events. What a request is built from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    items: Vec<HistoryItem>,
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
            Body::UserMessage { content, attachments, .. } => {
                self.items.push(HistoryItem::User { content: content.clone(), attachments: attachments.clone() })
            }
            Body::AssistantMessage { text, reasoning, calls, model, .. } => self.items.push(HistoryItem::Assistant {
                text: text.clone(),
                reasoning: reasoning.clone(),
                calls: calls.clone(),
                model: model.clone(),
            }),
            Body::ToolFinished { call, content, outcome, .. } => {
                self.items.push(HistoryItem::Result { call: call.clone(), content: content.clone(), outcome: *outcome })
            }
            _ => {}
        }
    }

    pub fn items(&self) -> &[HistoryItem] {
        &self.items
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
