//! Oversized tool results, narrowed to what the task needs.
//!
//! Owns: which results are looked at, what is asked, what of the answer counts, the narrowed text.
//!
//! Does not own: the prefix cut before, the spill file, the call, the history; those are the session's.
//!
//! Invariant: what is kept is word for word from the original. Lines that report an error are kept. What
//! was not shown to the model is never dropped as irrelevant. A bad answer leaves the result whole.

mod answer;
mod diagnostic;
mod narrow;
mod prompt;
mod view;

use super::Ask;
use crate::proto::{CallId, CondensedResult, Keep, PlanView, ToolOutcome};
use crate::text::tokens::estimate;
use view::View;

/// A threshold below counts as this, in tokens. Source: seeds, supervisor.
pub const LOWEST_THRESHOLD: u64 = 512;

/// Results looked at in one round. Source: engine reference, condense.
pub const MOST: usize = 32;

/// The multiplier's bounds. Source: seeds, supervisor.
pub const MULTIPLIER: std::ops::RangeInclusive<f32> = 0.5..=2.0;

/// Savings above which the multiplier goes down, and below which it goes up; of what was looked at.
const WORTH_IT: f64 = 0.5;
const NOT_WORTH_IT: f64 = 0.1;
/// A step of the multiplier.
const STEP: f32 = 1.25;

/// A result of the round, as the agent would get it.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    pub call: &'a CallId,
    pub tool: &'a str,
    pub outcome: ToolOutcome,
    /// `None` when it is not plain text alone.
    pub text: Option<&'a str>,
}

/// What the agent is after.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    pub goal: &'a str,
    pub plan: &'a PlanView,
    /// What the agent wrote when it made the calls.
    pub intent: &'a str,
}

/// Effective threshold in tokens; `None` = off.
pub fn threshold(configured: u64, multiplier: f32) -> Option<u64> {
    let multiplier = if multiplier.is_finite() { multiplier } else { 1.0 };
    let multiplier = multiplier.clamp(*MULTIPLIER.start(), *MULTIPLIER.end());
    let moved = (configured as f64 * f64::from(multiplier)).round() as u64;
    (configured > 0).then_some(moved.max(LOWEST_THRESHOLD))
}

/// A result that is looked at.
#[derive(Debug)]
struct Candidate {
    call: CallId,
    tool: String,
    outcome: ToolOutcome,
    text: String,
    tokens: u64,
    view: View,
    /// Lines that report an error, from 1.
    errors: Vec<u32>,
    /// Lines in which the text tells what it is.
    marks: Vec<u32>,
    keep: Keep,
    /// Error lines that the answer did not name.
    saved: u32,
    trouble: Option<String>,
}

/// One round's candidates.
#[derive(Debug)]
pub struct Round {
    candidates: Vec<Candidate>,
    /// Results above the threshold beyond [`MOST`].
    pub passed_over: u32,
    ask: Ask,
}

/// What becomes of one candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrowed {
    pub record: CondensedResult,
    /// `None` = stays whole; `trouble` of the record says why, if it was to be narrowed.
    pub text: Option<String>,
}

impl Round {
    /// `None` when nothing is above the threshold. Of more than [`MOST`] the largest are looked at.
    pub fn new(results: &[Offered], threshold: u64, need: &Need) -> Option<Self> {
        let sized = results.iter().filter_map(|result| {
            let text = result.text?;
            let tokens = estimate(text);
            (tokens > threshold).then_some((result, text, tokens))
        });
        let mut sized: Vec<_> = sized.enumerate().collect();
        sized.sort_by_key(|(at, (_, _, tokens))| (std::cmp::Reverse(*tokens), *at));
        let passed_over = sized.len().saturating_sub(MOST) as u32;
        sized.truncate(MOST);
        sized.sort_by_key(|(at, _)| *at);
        if sized.is_empty() {
            return None;
        }
        let views = view::views(&sized.iter().map(|(_, (_, text, _))| *text).collect::<Vec<_>>());
        let candidate = |((_, (result, text, tokens)), view): ((usize, (&Offered, &str, u64)), View)| Candidate {
            call: result.call.clone(),
            tool: result.tool.to_owned(),
            outcome: result.outcome,
            text: text.to_owned(),
            tokens,
            trouble: view.shown.is_empty().then(|| "its lines are too long to be looked at".to_owned()),
            view,
            errors: diagnostic::errors(text),
            marks: diagnostic::marks(text),
            keep: Keep::All,
            saved: 0,
        };
        let candidates: Vec<Candidate> = sized.into_iter().zip(views).map(candidate).collect();
        let ask = prompt::ask(&candidates, need);
        Some(Self { candidates, passed_over, ask })
    }

    /// A candidate as the model would get it.
    pub fn text(&self, call: &CallId) -> Option<&str> {
        self.candidates.iter().find(|candidate| candidate.call == *call).map(|candidate| candidate.text.as_str())
    }

    pub fn ask(&self) -> Ask {
        self.ask.clone()
    }

    /// `Err`: the whole round stays as it was, and why. Else the calls that are narrowed; only they need
    /// a file with the whole.
    pub fn answered(&mut self, reply: Result<&str, &str>) -> Result<Vec<CallId>, String> {
        answer::take(&mut self.candidates, reply?)?;
        for candidate in &mut self.candidates {
            if candidate.keep != Keep::All && candidate.narrowed("").is_none() {
                candidate.keep = Keep::All;
                candidate.trouble = Some("narrowing it would save nothing".to_owned());
            }
        }
        let narrowed = self.candidates.iter().filter(|candidate| candidate.keep != Keep::All);
        Ok(narrowed.map(|candidate| candidate.call.clone()).collect())
    }

    /// All candidates, in the order of their calls. `spill` gives the path of a call's whole text; a call
    /// for which there is none stays whole.
    pub fn narrowed(&self, spill: &dyn Fn(&CallId) -> Option<String>) -> Vec<Narrowed> {
        self.candidates.iter().map(|candidate| candidate.settled(spill)).collect()
    }
}

impl Candidate {
    fn settled(&self, spill: &dyn Fn(&CallId) -> Option<String>) -> Narrowed {
        if self.keep == Keep::All {
            return self.whole(self.trouble.clone());
        }
        let Some(path) = spill(&self.call) else {
            return self.whole(Some("the whole could not be written to a file".to_owned()));
        };
        let Some(text) = self.narrowed(&path) else {
            return self.whole(Some("narrowing it would save nothing".to_owned()));
        };
        let record = CondensedResult {
            after: estimate(&text),
            keep: self.keep.clone(),
            error_lines: self.saved,
            spill: Some(path),
            ..self.whole(None).record
        };
        Narrowed { record, text: Some(text) }
    }

    fn whole(&self, trouble: Option<String>) -> Narrowed {
        let record = CondensedResult {
            call: self.call.clone(),
            tool: self.tool.clone(),
            before: self.tokens,
            after: self.tokens,
            keep: Keep::All,
            error_lines: 0,
            spill: None,
            trouble,
        };
        Narrowed { record, text: None }
    }
}

/// Within [`MULTIPLIER`]. `before` and `after` are the tokens of all candidates of a round: when looking
/// saves much, less is needed to look again; when it saves next to nothing, more.
pub fn multiplier_after(multiplier: f32, before: u64, after: u64) -> f32 {
    let multiplier = if multiplier.is_finite() { multiplier } else { 1.0 };
    let saved = before.saturating_sub(after) as f64 / before.max(1) as f64;
    let moved = match saved {
        _ if before == 0 => multiplier,
        WORTH_IT.. => multiplier / STEP,
        ..NOT_WORTH_IT => multiplier * STEP,
        _ => multiplier,
    };
    moved.clamp(*MULTIPLIER.start(), *MULTIPLIER.end())
}

#[cfg(test)]
mod tests;
