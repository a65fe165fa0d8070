//! Whether a batch of calls conflicts with what the role or the person said.
//!
//! Owns: the two questions, what of the answers counts, known denials, the error text.
//!
//! Does not own: guards that stand before it, the deadline, running anything; those are the session's.
//!
//! Invariant: a call is blocked only when two independent answers name it and an exact text of the
//! person's or the role's stands behind it. Any failure allows. Only denials are remembered. No tool's
//! words reach the question but the arguments of the calls.

mod answer;
mod known;
mod prompt;

use std::collections::HashMap;

use serde_json::Value;

use super::Ask;
use super::answer::parse;
pub use super::evidence::UserLine;
use super::quote::{encoded, short};
use crate::proto::{Authorized, BlockedCall, CallId};
use answer::{Answer, Conflict};
pub use known::Known;

#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    pub call: CallId,
    pub tool: String,
    pub arguments: Value,
}

#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    pub calls: &'a [Pending],
    /// The role's own instructions.
    pub role: &'a str,
    pub users: &'a [UserLine],
    /// Constraints of the sessions that this one works for, outermost first.
    pub ancestors: &'a [String],
}

/// What comes next of a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Ask(Ask),
    /// The session fills `requests`.
    Done(Box<Authorized>),
}

#[derive(Debug)]
enum Stage {
    First,
    /// What the first answer found.
    Second(Vec<BlockedCall>),
}

/// Conflicts that rest on nothing; more are not written down.
const DROPPED: usize = 8;

/// One batch, from the question to the decision.
#[derive(Debug)]
pub struct Check {
    /// Those that are asked about, with the key under which a denial is remembered.
    calls: Vec<(Pending, known::Key)>,
    /// Whole texts by their ids.
    sources: HashMap<String, String>,
    second: Option<Ask>,
    stage: Stage,
    outcome: Authorized,
}

impl Check {
    /// The first step: a question, or at once the end when every call is a known denial or there is none.
    pub fn new(batch: &Batch, known: &Known) -> (Self, Step) {
        let context = known::context(batch);
        let mut outcome = Authorized {
            checked: batch.calls.len() as u32,
            blocked: Vec::new(),
            unconfirmed: Vec::new(),
            dropped: Vec::new(),
            cached: false,
            unavailable: None,
            requests: Vec::new(),
        };
        let mut calls = Vec::new();
        for call in batch.calls {
            let key = known::key(&context, call);
            match known.denial(&key, &call.call) {
                Some(blocked) => outcome.blocked.push(blocked),
                None => calls.push((call.clone(), key)),
            }
        }
        outcome.cached = !outcome.blocked.is_empty();
        let sources = prompt::sources(batch);
        let mut check = Self { calls, sources, second: None, stage: Stage::First, outcome };
        if check.calls.is_empty() {
            let step = check.done();
            return (check, step);
        }
        let asked: Vec<&Pending> = check.calls.iter().map(|(call, _)| call).collect();
        let step = match prompt::asks(&asked, batch) {
            Some([first, second]) => {
                check.second = Some(second);
                Step::Ask(first)
            }
            None => {
                check.outcome.unavailable = Some("the batch is too large to be looked at".to_owned());
                check.done()
            }
        };
        (check, step)
    }

    /// `reply` is the whole answer, or in one sentence why there is none. Denials that are confirmed are
    /// remembered in `known`.
    pub fn answered(&mut self, reply: Result<&str, &str>, known: &mut Known) -> Step {
        let answer = match reply.map_err(str::to_owned).and_then(parse::<Answer>) {
            Ok(answer) => answer,
            Err(why) => {
                self.outcome.unavailable = Some(short(&why, 200));
                return self.done();
            }
        };
        let found = self.found(answer);
        match std::mem::replace(&mut self.stage, Stage::First) {
            Stage::First => match (found.is_empty(), self.second.take()) {
                (false, Some(second)) => {
                    self.stage = Stage::Second(found);
                    Step::Ask(second)
                }
                _ => self.done(),
            },
            Stage::Second(first) => {
                for blocked in first {
                    if found.iter().any(|other| other.call == blocked.call) {
                        self.block(blocked, known);
                    } else {
                        self.outcome.unconfirmed.push(format!("{}: {}", blocked.tool, blocked.reason));
                    }
                }
                self.done()
            }
        }
    }

    /// The conflicts of an answer that name a call, a place in it and words that stand in their source;
    /// one a call.
    fn found(&mut self, answer: Answer) -> Vec<BlockedCall> {
        let mut found: Vec<BlockedCall> = Vec::new();
        for conflict in answer.conflicts {
            match self.blocked(&conflict) {
                Ok(blocked) if found.iter().any(|known| known.call == blocked.call) => {}
                Ok(blocked) => found.push(blocked),
                Err(why) if self.outcome.dropped.len() < DROPPED => {
                    let why = format!("{why} ({})", short(&conflict.reason, 160));
                    if !self.outcome.dropped.contains(&why) {
                        self.outcome.dropped.push(why);
                    }
                }
                Err(_) => {}
            }
        }
        found
    }

    fn blocked(&self, conflict: &Conflict) -> Result<BlockedCall, String> {
        let at = (0..self.calls.len()).find(|at| prompt::call_id(*at) == conflict.call);
        let Some((call, _)) = at.and_then(|at| self.calls.get(at)) else {
            return Err(format!("there is no call {:?}", short(&conflict.call, 40)));
        };
        let tool = &call.tool;
        if call.arguments.pointer(&conflict.path).is_none() {
            return Err(format!("{tool}: there is no {:?} in its arguments", short(&conflict.path, 80)));
        }
        let source = self.sources.get(&conflict.source);
        let source = source.ok_or_else(|| format!("{tool}: there is no source {:?}", short(&conflict.source, 40)))?;
        let quote = super::quote::span(source, &conflict.quote);
        let quote = quote.ok_or_else(|| format!("{tool}: its quote does not stand in {}", conflict.source))?;
        Ok(BlockedCall {
            call: call.call.clone(),
            tool: call.tool.clone(),
            reason: short(&conflict.reason, 240),
            source: conflict.source.clone(),
            quote: quote.to_owned(),
        })
    }

    fn block(&mut self, blocked: BlockedCall, known: &mut Known) {
        if let Some((_, key)) = self.calls.iter().find(|(call, _)| call.call == blocked.call) {
            known.remember(*key, &blocked);
        }
        self.outcome.blocked.push(blocked);
    }

    fn done(&self) -> Step {
        Step::Done(Box::new(self.outcome.clone()))
    }
}

/// The error text of a blocked call. Source: engine reference, authorizer.
pub fn error(blocked: &BlockedCall) -> String {
    let who = blocked.source.split(':').next().unwrap_or_default();
    let reason = blocked.reason.trim_end_matches('.');
    let quote = encoded(&blocked.quote, 400);
    format!("[authorizer] Tool not executed: {reason}. {who} source {}: {quote}.", blocked.source)
}

#[cfg(test)]
mod tests;
