//! Why a task went to an agent, or to none.

use super::records::Records;
use super::{Chain, Explanation, Kind};
use crate::proto::{Matched, Matching, counted};

/// Agents of a ranking that are told one by one.
const TOLD: usize = 12;

/// By the tag of an agent or the id of a run; the last time that one was chosen, or else compared. Nothing when
/// no record names it.
pub(super) fn explain(records: Records<'_>, name: &str) -> Option<Explanation> {
    let all = || records.matchings.iter().rev().map(|(_, matching)| matching.as_ref());
    let chosen = all().find(|one| matches!(&one.outcome, Matched::Agent { tag, id } if tag == name || id == name));
    let compared = || all().find(|one| one.ranked.iter().any(|ranked| ranked.tag == name));
    let left_out = || all().find(|one| one.left_out.iter().any(|(tag, _)| tag == name));
    let matching = chosen.or_else(compared).or_else(left_out)?;
    let tag = match &matching.outcome {
        Matched::Agent { tag, id } if id == name => tag.as_str(),
        _ => name,
    };
    let mut chain = Chain::default();
    let task = format!("t{} \"{}\"", matching.turn.0, matching.excerpt);
    chain.yes("task", vec![task, format!("handed on by {}", matching.caller)]);
    if let Some((_, why)) = matching.left_out.iter().find(|(left, _)| left == tag) {
        chain.no("compared", Vec::new(), format!("it could not be compared: {why}"), None);
    } else {
        chain.yes("compared", ranking(matching));
    }
    gate(&mut chain, matching, tag);
    let state = if chosen.is_some() { "got the task" } else { "did not get the task" };
    let here = match &matching.outcome {
        Matched::Agent { id, .. } => format!("it got the task because it fits it best, and clearly: it worked as {id}"),
        Matched::Nobody { .. } => String::new(),
    };
    Some(chain.finish(name, Kind::Agent, format!("{tag} · {state}"), here))
}

fn ranking(matching: &Matching) -> Vec<String> {
    let mut lines = vec![format!("{} in reach, by their titles and descriptions", counted(count(matching), "agent"))];
    let ranked = matching.ranked.iter().take(TOLD);
    lines.extend(ranked.map(|one| format!("  {:.4}  {}", one.cosine, one.tag)));
    match matching.ranked.len().saturating_sub(TOLD) {
        0 => {}
        more => lines.push(format!("  and {more} more")),
    }
    if !matching.model.is_empty() {
        lines.push(format!("compared by {} on {}", matching.model, matching.backend));
    }
    lines
}

fn count(matching: &Matching) -> u32 {
    u32::try_from(matching.ranked.len() + matching.left_out.len()).unwrap_or(u32::MAX)
}

fn gate(chain: &mut Chain, matching: &Matching, tag: &str) {
    const STAGE: &str = "gate";
    let place = matching.ranked.iter().position(|one| one.tag == tag);
    let cosine = place.map_or(0.0, |place| matching.ranked[place].cosine);
    let (threshold, needed) = (matching.threshold, matching.needed_margin);
    let sign = |passes: bool| if passes { "≥" } else { "<" };
    let mut lines = vec![format!("score {cosine:.4} {} {threshold:.2}", sign(cosine >= threshold))];
    if place == Some(0) {
        let next = matching.ranked.get(1).map_or("nothing", |next| next.tag.as_str());
        let margin = matching.margin;
        lines.push(format!("margin {margin:.4} {} {needed:.2} before {next}", sign(margin >= needed)));
    }
    match &matching.outcome {
        Matched::Agent { tag: chosen, .. } if chosen == tag => chain.yes(STAGE, lines),
        Matched::Agent { tag: chosen, .. } => chain.no(STAGE, lines, format!("{chosen} fits the task better"), None),
        Matched::Nobody { why } => {
            let fix = Some("say in the task more exactly what is to be done".to_owned());
            chain.no(STAGE, lines, format!("nobody got the task: {why}"), fix);
        }
    }
}
