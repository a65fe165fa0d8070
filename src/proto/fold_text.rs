//! How the text of a reply grows in the snapshot. Pure and total.

use super::{Body, Entry, EntryKind, Event, Order, Snapshot};

impl Snapshot {
    pub(super) fn extend_text(&mut self, event: &Event, offset: u64, delta: &str) {
        let Some(order) = event.order else { return };
        if self.transcript.get(order).is_none() {
            let kind = EntryKind::Assistant {
                text: String::new(),
                streaming: true,
                interrupted: false,
                scripted: self.session.model.scripted,
            };
            self.transcript.put(order, event.at, kind);
        }
        self.transcript.edit(order, |kind| {
            if let EntryKind::Assistant { text, streaming: true, .. } = kind {
                append_at(text, offset, delta);
            }
        });
    }

    pub(super) fn extend_reasoning(&mut self, event: &Event, offset: u64, delta: &str) {
        let Some(order) = event.order else { return };
        if self.transcript.get(order).is_none() {
            let kind = EntryKind::Thinking { text: String::new(), streaming: true, elapsed_ms: 0 };
            self.transcript.put(order, event.at, kind);
        }
        let begun = self.transcript.get(order).map_or(event.at, |entry| entry.at);
        self.transcript.edit(order, |kind| {
            if let EntryKind::Thinking { text, streaming: true, elapsed_ms } = kind {
                append_at(text, offset, delta);
                *elapsed_ms = event.at.saturating_sub(begun);
            }
        });
    }

    /// The message's text stands at the event's order; its reasoning stands one slot before.
    pub(super) fn complete_message(&mut self, event: &Event) {
        let Body::AssistantMessage { text, reasoning, reasoning_ms, stop, scripted, .. } = &event.body else { return };
        let Some(order) = event.order else { return };
        let thought: String = reasoning.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n");
        if let (Some(before), false) = (order.before(), thought.is_empty()) {
            let kind = EntryKind::Thinking { text: thought, streaming: false, elapsed_ms: *reasoning_ms };
            self.transcript.put(before, event.at, kind);
        } else if let Some(before) = order.before() {
            self.stop_thinking(before);
        }
        if !text.is_empty() || self.transcript.get(order).is_some() {
            let interrupted = matches!(stop, super::StopReason::Interrupted | super::StopReason::Cut);
            let kind = EntryKind::Assistant { text: text.clone(), streaming: false, interrupted, scripted: *scripted };
            self.transcript.put(order, event.at, kind);
        }
    }

    /// Reasoning that was shown and is not part of the message stays, but grows no more.
    pub(super) fn stop_thinking(&mut self, order: Order) {
        if matches!(self.transcript.get(order), Some(Entry { kind: EntryKind::Thinking { streaming: true, .. }, .. })) {
            self.transcript.edit(order, |kind| {
                if let EntryKind::Thinking { streaming, .. } = kind {
                    *streaming = false;
                }
            });
        }
    }
}

/// Appends a delta that begins at `offset`. A stream that begins again (a retry) replaces what was
/// there; a delta that was seen before, or after a gap, is left out (the completed message brings
/// the whole).
fn append_at(text: &mut String, offset: u64, delta: &str) {
    if offset == 0 {
        text.clear();
    }
    if text.len() as u64 == offset {
        text.push_str(delta);
    }
}
