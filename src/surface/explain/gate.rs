//! What the gate made of a capability, in words.

use super::facts::Told;
use super::records::Records;
use super::{Chain, fix};
use crate::proto::{CapabilityScore, IntentSource, RouteOutcome, Routing};

pub(super) const STAGE: &str = "gate";

/// It was chosen by this one.
pub(super) fn passed(chain: &mut Chain, name: &str, told: Told<'_, Routing>) {
    chain.yes(STAGE, evidence(name, told));
}

/// It was not chosen by this one; `before` is worth knowing of the time before.
pub(super) fn stopped(
    chain: &mut Chain,
    records: Records<'_>,
    name: &str,
    told: Told<'_, Routing>,
    before: Vec<String>,
) {
    let (_, routing) = told;
    let mut lines = evidence(name, told);
    lines.extend(before);
    if let RouteOutcome::Skipped(skip) = &routing.outcome {
        let answer = format!("nothing was compared: {}", skip.sentence());
        return chain.no(STAGE, lines, answer, Some(fix::skip(records, name, skip)));
    }
    let leads = routing.scores.first().is_some_and(|best| best.capability == name);
    chain.no(STAGE, lines, sentence(name, routing), fix::outcome(records, name, &routing.outcome, leads));
}

fn sentence(name: &str, routing: &Routing) -> String {
    let place = routing.scores.iter().position(|score| score.capability == name);
    let score = place.map_or(0.0, |place| routing.scores[place].score);
    let other = |index: usize| routing.scores.get(index).map_or("", |score| score.capability.as_str());
    match &routing.outcome {
        RouteOutcome::Activated { capability } => {
            format!("{capability} was chosen by the gate; {name} scored {score:.4}")
        }
        RouteOutcome::NarrowMargin if place == Some(0) => format!(
            "{name} leads {} by {:.4} only, of {:.2} that are needed",
            other(1),
            routing.margin,
            routing.needed_margin
        ),
        RouteOutcome::NarrowMargin => format!(
            "nothing was chosen: {} and {} are too near to each other; {name} scored {score:.4}",
            other(0),
            other(1)
        ),
        RouteOutcome::BelowThreshold => format!("it scored {score:.4}, below {:.2}", routing.threshold),
        RouteOutcome::Skipped(skip) => format!("nothing was compared: {}", skip.sentence()),
    }
}

pub(super) fn message((turn, routing): Told<'_, Routing>) -> String {
    let by = if routing.source == IntentSource::Model { ", asked by the model:" } else { "" };
    format!("t{}{by} \"{}\"", turn.0, routing.excerpt)
}

/// The message, its score with the best triggers, who came before or after, the margin.
fn evidence(name: &str, told: Told<'_, Routing>) -> Vec<String> {
    let (_, routing) = told;
    let mut lines = vec![message(told)];
    let Some(place) = routing.scores.iter().position(|score| score.capability == name) else { return lines };
    let own = &routing.scores[place];
    let sign = if own.score >= routing.threshold { "≥" } else { "<" };
    let rank = format!("{} of {}", place + 1, routing.scores.len());
    lines.push(format!("score {:.4} {sign} {:.2}, {rank}", own.score, routing.threshold));
    lines.extend(own.top.iter().map(|top| format!("  {:.4}  {}", top.cosine, top.trigger)));
    lines.push(rival(place, routing));
    if !routing.model.is_empty() {
        lines.push(format!("compared by {} on {}", routing.model, routing.backend));
    }
    lines
}

/// How it would have stood had it not stopped before.
pub(super) fn would_have((turn, routing): Told<'_, Routing>, score: f32) -> String {
    let sign = if score >= routing.threshold { "≥" } else { "<" };
    let best =
        routing.scores.first().map(|best| format!(", the best compared was {} {:.4}", best.capability, best.score));
    let message = message((turn, routing));
    format!("{message}: it would have scored {score:.4} {sign} {:.2}{}", routing.threshold, best.unwrap_or_default())
}

fn rival(place: usize, routing: &Routing) -> String {
    let shown = |score: &CapabilityScore| format!("{} {:.4}", score.capability, score.score);
    let best = &routing.scores[0];
    if place > 0 {
        return format!("the best was {}", shown(best));
    }
    let sign = if routing.margin >= routing.needed_margin { "≥" } else { "<" };
    let second = routing.scores.get(1).map_or_else(|| "nothing".to_owned(), shown);
    format!("runner-up {second}, margin {:.4} {sign} {:.2}", routing.margin, routing.needed_margin)
}
