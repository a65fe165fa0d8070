//! What is said again near the end of a request, so that the agent does not lose it.
//!
//! Owns: when it is said, and the text.
//!
//! Does not own: where it stands in the request. It never becomes a part of the history.
//!
//! Invariant: the goal and the prohibitions are the person's own words, the plan is the runtime's;
//! nothing that a tool returned is in it.

use super::prohibit::Prohibition;
use super::quoted;
use crate::proto::{PhaseState, PlanView, Recitation};
use crate::text::tokens;

/// Tokens between the person's message and the end of the request from which on it is said again.
pub const FAR: u64 = 8_000;

/// Bytes of the goal that are said; the middle of a longer one is left out.
const GOAL_MOST: usize = 4_000;

/// Phases and prohibitions that are said at the most, the latest ones.
const LINES_MOST: usize = 24;

/// What a request is about to be sent with.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// The person's message that the turn is about.
    pub goal: &'a str,
    pub plan: &'a PlanView,
    pub prohibitions: &'a [Prohibition],
    pub verification: Verification,
    /// Rounds of tool calls in this turn so far.
    pub rounds: u32,
    /// Estimated tokens after the person's message.
    pub distance_tokens: u64,
}

/// Who looks at the stop of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    Gate,
    Nobody,
}

/// What to say again, if anything.
#[must_use]
pub fn recite(live: &Live<'_>) -> Option<Recitation> {
    let unfinished = live.plan.phases.iter().any(|phase| !phase.state.is_over());
    let holding: Vec<&Prohibition> = live.prohibitions.iter().filter(|one| one.holds()).collect();
    let why = if unfinished {
        format!("{} of {} phases of the plan are done", live.plan.done(), live.plan.phases.len())
    } else if live.distance_tokens >= FAR {
        format!("the request lies about {} tokens back", live.distance_tokens)
    } else if !holding.is_empty() && live.rounds > 0 {
        "the person forbade something".to_owned()
    } else {
        return None;
    };
    let plan = if unfinished { plan_lines(live.plan) } else { Vec::new() };
    let skipped = holding.len().saturating_sub(LINES_MOST);
    let holding_last = &holding[skipped..];
    let prohibitions: Vec<String> = holding_last.iter().map(|one| one.line()).collect();
    let data: Vec<String> = holding_last.iter().map(|one| one.data()).collect();
    let policy = policy(live.verification, &holding);
    let goal = shortened(live.goal);
    let text = quoted::note("recite", &text(&goal, &plan, &data, &policy));
    let tokens = tokens::estimate(&text);
    Some(Recitation { why, goal, plan, prohibitions, policy, text, tokens })
}

fn text(goal: &str, plan: &[String], prohibitions: &[String], policy: &str) -> String {
    let mut text =
        format!("From the runtime, as a reminder; not a new request.\nWhat the person asked: {}", quoted::json(goal));
    if !plan.is_empty() {
        text.push_str("\nPlan:");
        plan.iter().for_each(|line| text.push_str(&format!("\n- {}", quoted::json(line))));
    }
    if !prohibitions.is_empty() {
        text.push_str("\nThe person does not want this, in their own words; it holds until they say otherwise:");
        prohibitions.iter().for_each(|line| text.push_str(&format!("\n- {line}")));
    }
    format!("{text}\nVerification: {policy}")
}

fn plan_lines(plan: &PlanView) -> Vec<String> {
    let line = |(number, phase): (usize, &crate::proto::PhaseView)| {
        let state = match &phase.state {
            PhaseState::Open => "open".to_owned(),
            PhaseState::Active => "active".to_owned(),
            PhaseState::Done => "done".to_owned(),
            PhaseState::Held { why } => format!("held: {why}"),
            PhaseState::Closed { .. } => "closed".to_owned(),
        };
        match phase.state {
            PhaseState::Done | PhaseState::Closed { .. } => format!("{number}. {} ({state})", phase.title),
            _ => format!("{number}. {} ({state}); done when: {}", phase.title, phase.done_when),
        }
    };
    (1..).zip(&plan.phases).map(line).take(LINES_MOST).collect()
}

/// How the work is verified.
fn policy(verification: Verification, holding: &[&Prohibition]) -> String {
    let forbidden = holding.iter().any(|one| one.is_about_checks());
    let stop = match verification {
        Verification::Gate => "An independent verifier looks at every stop against what was asked.",
        Verification::Nobody => "Nobody verifies the stop but you.",
    };
    let check = match forbidden {
        true => "Leave out the checks that the person does not want; make others if something changed.",
        false => "After the last change, run a check that can fail, and read what it says.",
    };
    format!("{stop} {check}")
}

/// The beginning and the end of a long text.
fn shortened(goal: &str) -> String {
    let goal = goal.trim();
    if goal.len() <= GOAL_MOST {
        return goal.to_owned();
    }
    let head = &goal[..goal.floor_char_boundary(GOAL_MOST * 3 / 4)];
    let tail = &goal[goal.ceil_char_boundary(goal.len() - GOAL_MOST / 4)..];
    format!("{head}\n[… {} bytes left out …]\n{tail}", goal.len() - head.len() - tail.len())
}

#[cfg(test)]
mod tests;
