use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use super::Repairs;
use crate::model::history::HistoryItem;
use crate::proto::{Content, RepairKind, ToolOutcome};

/// The longest name and call id that all providers take.
const LONGEST: usize = 64;

/// Results by the place of their call: (history index of the assistant message, call position).
#[derive(Debug, Default)]
pub(super) struct Results<'a> {
    by_place: BTreeMap<(usize, usize), (&'a Content, ToolOutcome)>,
    pub(super) orphans: u32,
}

impl<'a> Results<'a> {
    /// A result belongs to the latest earlier call of its id that has none yet: ids may repeat from
    /// turn to turn, and a later turn's call must not take an earlier one's result.
    pub(super) fn assign(items: &'a [HistoryItem]) -> Self {
        let mut open: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
        let mut results = Self::default();
        for (index, item) in items.iter().enumerate() {
            match item {
                HistoryItem::Assistant { calls, .. } => {
                    let mut mine: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
                    for (position, call) in calls.iter().enumerate().rev() {
                        mine.entry(call.id.0.as_str()).or_default().push((index, position));
                    }
                    for (id, places) in mine {
                        open.entry(id).or_default().extend(places);
                    }
                }
                HistoryItem::Result { call, content, outcome } => {
                    match open.get_mut(call.0.as_str()).and_then(Vec::pop) {
                        Some(place) => {
                            results.by_place.insert(place, (content, *outcome));
                        }
                        None => results.orphans += 1,
                    }
                }
                HistoryItem::User { .. } => {}
            }
        }
        results
    }

    pub(super) fn of(&self, index: usize, position: usize) -> Option<(&'a Content, ToolOutcome)> {
        self.by_place.get(&(index, position)).copied()
    }
}

/// Call ids used so far in the request.
#[derive(Debug, Default)]
pub(super) struct Ids {
    used: BTreeSet<String>,
    count: u32,
}

impl Ids {
    /// `wanted` when it can be sent and is free, else a stable stand-in.
    pub(super) fn unique(&mut self, wanted: &str, repairs: &mut Repairs) -> String {
        self.count += 1;
        let base = if wanted.is_empty() { format!("call_{}", self.count) } else { wire_name(wanted) };
        let mut id = base.clone();
        let mut again = 1;
        while !self.used.insert(id.clone()) {
            again += 1;
            let suffix = format!("_{again}");
            id = base.chars().take(LONGEST - suffix.len()).collect::<String>() + &suffix;
        }
        if id != wanted {
            repairs.add(RepairKind::CallId, "changed a call id that was empty, repeated or not allowed");
        }
        id
    }
}

/// The name with every character a provider refuses replaced, and cut with a hash when too long.
pub(super) fn wire_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let clean: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if clean.is_empty() {
        return "unnamed".to_owned();
    }
    if clean.len() <= LONGEST {
        return clean;
    }
    let digest = Sha256::digest(name.as_bytes());
    let hash: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{}_{hash}", &clean[..LONGEST - 1 - hash.len()])
}

/// Arguments that were no object, as the model wrote them.
pub(super) fn raw_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
