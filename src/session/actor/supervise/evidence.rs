//! What judgements rest on, for every mechanic alike.

use std::collections::HashMap;

use super::super::Actor;
use crate::model::{HistoryItem, build};
use crate::proto::{CallId, Content};
use crate::supervisor::evidence::EventLine;
use crate::supervisor::receipt::{Check, Kind, Receipt};

impl Actor {
    /// What the model was given for each of the calls that are remembered.
    pub(super) fn texts_of_events(&self) -> Vec<String> {
        let blobs = self.rec.journal.blobs();
        let results: HashMap<&CallId, _> = self.rec.history.items().iter().filter_map(result).collect();
        let text = |call: &CallId| results.get(call).map(|content| build::plain(content, &|name| blobs.get(name)));
        self.supervise.watch.events.iter().map(|receipt| text(&receipt.call).unwrap_or_default()).collect()
    }

    /// Every call as it is, also one that shows nothing of the work.
    pub(super) fn calls<'a>(&'a self, texts: &'a [String]) -> Vec<EventLine<'a>> {
        let receipts = self.supervise.watch.events.iter().zip(texts);
        receipts.map(|(receipt, text)| EventLine::new(receipt, text)).collect()
    }

    pub(super) fn events<'a>(&'a self, texts: &'a [String]) -> Vec<EventLine<'a>> {
        let receipts = self.supervise.watch.events.iter().zip(texts);
        receipts.map(|(receipt, text)| EventLine { kind: telling(receipt), ..EventLine::new(receipt, text) }).collect()
    }

    /// The role's own instructions.
    pub(super) fn role_text(&self) -> &str {
        self.prompt.as_ref().map_or(&self.role.system, |prompt| &prompt.system)
    }
}

fn result(item: &HistoryItem) -> Option<(&CallId, &Content)> {
    match item {
        HistoryItem::Result { call, content, .. } => Some((call, content)),
        HistoryItem::User { .. } | HistoryItem::Assistant { .. } => None,
    }
}

/// A command that would have ended well in any case shows nothing of the work.
fn telling(receipt: &Receipt) -> Kind {
    match receipt.check() {
        Check::Unusable(_) => Kind::Read,
        Check::Passed | Check::Failed | Check::None => receipt.kind,
    }
}
