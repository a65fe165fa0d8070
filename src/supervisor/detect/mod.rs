//! Whether the agent gets anywhere, from what its calls left behind.
//!
//! Owns: the counts of the loop, no-progress and recovery detectors, when a note is said again, when it
//! is held back, and its words.
//!
//! Does not own: the hard limits of a turn (`session::rules`), and where a note stands.
//!
//! Invariant: deterministic and free. A note only advises; at most one goes out for a round, and the
//! record of it holds the numbers. A successful mutation is always progress.

mod backoff;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use backoff::Backoff;

use super::receipt::{Kind, Receipt};
use crate::proto::{AgentState, Detection, DetectionAction, Detector, ToolOutcome};

/// Rounds in a row with the same calls and results (seeds: supervisor, detectors).
pub const LOOP: u32 = 3;

/// Rounds in a row without a new receipt or a successful mutation (seeds: supervisor, detectors).
pub const NO_PROGRESS: u32 = 5;

/// Failing executions of a command without a later success of it, or failing commands in a row. The
/// seeds give no number; this one is ours.
pub const RECOVERY: u32 = 3;

/// How often a turn that nobody can answer is told to go on after a reply that neither ends it nor
/// calls a tool. Ours.
pub const IDLE: u32 = 2;

/// Calls that a detection names.
const LINES: usize = 16;

/// The detectors of one session.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// Everything that was found out in this turn.
    seen: BTreeSet<u64>,
    last: Option<u64>,
    equal: u32,
    stale: u32,
    /// Lines of the calls of stale rounds.
    stale_lines: Vec<String>,
    /// Failing commands by their target: what they are for people, and how often they failed.
    failing: BTreeMap<String, (String, u32)>,
    /// Commands that failed in a row.
    row: Vec<String>,
    backoffs: [Backoff; 3],
    idle: u32,
}

/// What a detector has counted.
struct Counted {
    detector: Detector,
    count: u32,
    threshold: u32,
    calls: Vec<String>,
    text: String,
}

impl Watch {
    /// Another message of the person's: what was known before says nothing about it.
    pub fn new_turn(&mut self) {
        *self = Self::default();
    }

    /// Takes in a round of tool calls, and the state of the reply that made them. What was detected,
    /// with at most one note.
    pub fn round(&mut self, receipts: &[Receipt], state: Option<AgentState>) -> Vec<Detection> {
        if receipts.is_empty() {
            return Vec::new();
        }
        self.count_equal(receipts);
        self.count_stale(receipts);
        let failed = self.count_failing(receipts);
        let mut counted = vec![self.looping(receipts)];
        counted.extend(failed.then(|| self.recovering()));
        counted.push(self.stalled());
        let mut covered = None;
        let mut found = Vec::new();
        for one in counted {
            let held = suppression(one.detector, state).or(covered);
            let reached = one.count >= one.threshold;
            let backoff = &mut self.backoffs[one.detector as usize];
            let Some(action) = backoff.action(one.count, one.threshold, held, one.text) else {
                covered = covered.or((reached && held.is_none()).then_some("another note covers it"));
                continue;
            };
            if reached {
                covered = covered.or(Some("another note covers it"));
            }
            let Counted { detector, count, threshold, calls, .. } = one;
            found.push(Detection { detector, count, threshold, calls, action });
        }
        found
    }

    /// For a turn that nobody can answer: the note after a reply that says there is more to do and
    /// yet calls no tool.
    pub fn idle_note(&mut self, state: Option<AgentState>) -> Option<String> {
        let goes_on = matches!(state, Some(AgentState::Exploring | AgentState::Progressing));
        if !goes_on || self.idle >= IDLE {
            return None;
        }
        self.idle += 1;
        Some(words::idle())
    }

    fn count_equal(&mut self, receipts: &[Receipt]) {
        let never_equal = receipts.iter().any(|receipt| receipt.outcome == ToolOutcome::Lost || receipt.mutated());
        if never_equal {
            (self.last, self.equal) = (None, 0);
            return;
        }
        let mut calls: Vec<u64> = receipts.iter().map(call_key).collect();
        calls.sort_unstable();
        let round = hash(&calls);
        self.equal = if self.last == Some(round) { self.equal + 1 } else { 1 };
        self.last = Some(round);
    }

    fn count_stale(&mut self, receipts: &[Receipt]) {
        let mut progress = false;
        for receipt in receipts {
            progress |= receipt.mutated();
            let known = !matches!(receipt.outcome, ToolOutcome::Lost | ToolOutcome::Cancelled);
            progress |= known && self.seen.insert(novelty_key(receipt));
        }
        if progress {
            self.stale = 0;
            self.stale_lines.clear();
            return;
        }
        self.stale += 1;
        for receipt in receipts {
            if self.stale_lines.len() < LINES && !self.stale_lines.contains(&receipt.line) {
                self.stale_lines.push(receipt.line.clone());
            }
        }
    }

    /// Whether a command failed in this round.
    fn count_failing(&mut self, receipts: &[Receipt]) -> bool {
        let mut failed = false;
        for receipt in receipts.iter().filter(|receipt| matches!(receipt.kind, Kind::Command { .. })) {
            match receipt.outcome {
                ToolOutcome::Ok => {
                    self.failing.remove(&receipt.target);
                    self.row.clear();
                }
                ToolOutcome::Error | ToolOutcome::TimedOut => {
                    failed = true;
                    self.failing.entry(receipt.target.clone()).or_insert_with(|| (receipt.line.clone(), 0)).1 += 1;
                    self.row.push(receipt.line.clone());
                }
                // Whether it would have failed is not known.
                ToolOutcome::Cancelled | ToolOutcome::Refused | ToolOutcome::Lost => {}
            }
        }
        failed
    }

    fn looping(&self, receipts: &[Receipt]) -> Counted {
        let calls: Vec<String> = receipts.iter().map(|receipt| receipt.line.clone()).take(LINES).collect();
        let text = if self.equal >= LOOP { words::looping(self.equal, &calls) } else { String::new() };
        Counted { detector: Detector::Loop, count: self.equal, threshold: LOOP, calls, text }
    }

    fn stalled(&self) -> Counted {
        let calls = self.stale_lines.clone();
        let text = if self.stale >= NO_PROGRESS { words::stalled(self.stale, &calls) } else { String::new() };
        Counted { detector: Detector::NoProgress, count: self.stale, threshold: NO_PROGRESS, calls, text }
    }

    fn recovering(&self) -> Counted {
        let most = self.failing.values().max_by_key(|(_, times)| *times);
        let times = most.map_or(0, |(_, times)| *times);
        let row = u32::try_from(self.row.len()).unwrap_or(u32::MAX);
        let (count, calls) = match most {
            Some((line, _)) if times >= row => (times, vec![line.clone()]),
            _ => (row, distinct(&self.row)),
        };
        let text = if count >= RECOVERY { words::recovering(count, &calls) } else { String::new() };
        Counted { detector: Detector::Recovery, count, threshold: RECOVERY, calls, text }
    }
}

/// Why a detector is silent in this state of the agent's.
fn suppression(detector: Detector, state: Option<AgentState>) -> Option<&'static str> {
    match (state?, detector) {
        (AgentState::Done, _) => Some("the agent says that it is done"),
        (AgentState::Blocked, _) => Some("the agent says that it is blocked"),
        (AgentState::NeedInput, _) => Some("the agent says that it needs the person"),
        (AgentState::Exploring, Detector::NoProgress) => Some("the agent says that it is exploring"),
        (AgentState::Exploring | AgentState::Progressing, _) => None,
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What a call was about and what came of it. A call that was refused came to nothing, whatever the
/// refusal said: that may count.
fn call_key(receipt: &Receipt) -> u64 {
    let result = if receipt.outcome == ToolOutcome::Refused { 0 } else { receipt.result };
    hash(&(&receipt.tool, &receipt.target, result, receipt.outcome as u8))
}

/// What would make a receipt new: what came of it, whichever words asked for it (seeds: supervisor,
/// detectors). That a tool's call was refused is news once, whatever stood in it.
fn novelty_key(receipt: &Receipt) -> u64 {
    match receipt.outcome {
        ToolOutcome::Refused => hash(&(&receipt.tool, "refused")),
        outcome => hash(&(receipt.result, outcome as u8)),
    }
}

fn distinct(lines: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines {
        if found.len() < LINES && !found.contains(line) {
            found.push(line.clone());
        }
    }
    found
}

/// The note among what was detected, as the model reads it.
pub fn note(detections: &[Detection]) -> Option<&str> {
    detections.iter().find_map(|detection| match &detection.action {
        DetectionAction::Noted { text } => Some(text.as_str()),
        DetectionAction::Suppressed { .. } | DetectionAction::BackedOff { .. } => None,
    })
}

#[cfg(test)]
mod tests;
