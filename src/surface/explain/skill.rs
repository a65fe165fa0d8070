//! Why a skill is active or not.

use super::{Chain, Explanation, Kind, list};
use crate::proto::{
    CatalogueItem, Cause, Decision, EntryKind, RuleTrace, SkillCause, SkillTrace, SkillView, Snapshot, SurfaceChange,
};

#[derive(Default)]
struct Facts<'a> {
    active: Option<&'a SkillView>,
    listed: Option<&'a CatalogueItem>,
    /// The last message that its rules were judged for: the turn, the domain, what came of it.
    judged: Option<(u32, &'a str, &'a SkillTrace)>,
    /// It was active once; the turn it came in, and what it was.
    was: Option<(u32, &'a SkillView)>,
}

/// Nothing when no record names it.
pub(super) fn explain(snapshot: &Snapshot, name: &str) -> Option<Explanation> {
    let facts = gather(snapshot, name);
    if facts.active.is_none() && facts.listed.is_none() && facts.judged.is_none() && facts.was.is_none() {
        return None;
    }
    let mut chain = Chain::default();
    source(&mut chain, &facts);
    rules(&mut chain, name, &facts);
    activation(&mut chain, snapshot, name, &facts);
    let state = if facts.active.is_some() { "active" } else { "not active" };
    let tokens = facts.active.map(|skill| format!(" · {} tok per turn", skill.tokens)).unwrap_or_default();
    let here = facts.active.map_or_else(String::new, |skill| format!("it is active because {}", because(&skill.cause)));
    Some(chain.finish(name, Kind::Skill, format!("{name} · {state}{tokens}"), here))
}

fn gather<'a>(snapshot: &'a Snapshot, name: &str) -> Facts<'a> {
    let mut facts = Facts {
        active: snapshot.skills.iter().find(|skill| skill.name == name),
        listed: snapshot.catalogue.skills.iter().find(|item| item.name == name),
        ..Facts::default()
    };
    for entry in snapshot.transcript.entries() {
        match &entry.kind {
            EntryKind::Decision(Decision::SkillRules { domain, skills }) => {
                if let Some(trace) = skills.iter().find(|trace| trace.skill == name) {
                    facts.judged = Some((entry.order.turn, domain, trace));
                }
            }
            EntryKind::Skill { skill, .. } if skill.name == name => facts.was = Some((entry.order.turn, skill)),
            _ => {}
        }
    }
    facts
}

fn because(cause: &SkillCause) -> String {
    match cause {
        SkillCause::Environment => "OCTOMIND_SKILLS names it".to_owned(),
        SkillCause::Rule { line } => format!("line {} of its rules held", line + 1),
        SkillCause::Person => "you asked for it".to_owned(),
        SkillCause::Model => "the model asked for it".to_owned(),
    }
}

fn source(chain: &mut Chain, facts: &Facts<'_>) {
    let shown = facts.active.or(facts.was.map(|(_, skill)| skill));
    let evidence = match (shown, facts.listed) {
        (Some(skill), _) => vec![skill.source.clone(), skill.file.clone()],
        (None, Some(item)) => vec![item.tap.clone(), item.file.clone()],
        (None, None) => Vec::new(),
    };
    let evidence = evidence.into_iter().filter(|line| !line.is_empty()).collect();
    chain.yes("source", evidence);
}

fn rules(chain: &mut Chain, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "rules";
    let by_rule = facts.active.is_some_and(|skill| matches!(skill.cause, SkillCause::Rule { .. }));
    if let Some(skill) = facts.active.filter(|_| !by_rule) {
        return chain.skipped(STAGE, vec![format!("not needed: {}", because(&skill.cause))]);
    }
    let Some((turn, domain, trace)) = facts.judged else {
        if by_rule {
            return chain.unknown(STAGE, "the record is not kept any more");
        }
        let answer = "no message was judged by its rules yet";
        return chain.no(STAGE, Vec::new(), answer, Some(format!("take it up with /skill {name}")));
    };
    let of = if domain.is_empty() { "no domain".to_owned() } else { format!("domain {domain}") };
    let mut evidence = vec![format!("t{turn}, {of}")];
    evidence.extend(trace.lines.iter().enumerate().flat_map(|(index, line)| shown(index, line)));
    if trace.activated || by_rule {
        return chain.yes(STAGE, evidence);
    }
    let answer = match &trace.reason {
        Some(reason) => reason.clone(),
        None => format!("none of its rules held for the message of t{turn}"),
    };
    let fix = format!("write a message that its rules look for, or take it up with /skill {name}");
    chain.no(STAGE, evidence, answer, Some(fix));
}

fn shown(index: usize, line: &RuleTrace) -> Vec<String> {
    let mark = |held: bool| if held { "held" } else { "did not hold" };
    let mut shown = vec![format!("line {} {}", index + 1, mark(line.held))];
    shown.extend(line.checks.iter().map(|check| format!("  {} {}: {}", check.check, mark(check.held), check.evidence)));
    shown
}

fn activation(chain: &mut Chain, snapshot: &Snapshot, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "activation";
    if facts.active.is_none() {
        return match facts.was {
            Some((turn, _)) if facts.judged.is_none_or(|(judged, ..)| judged <= turn) => {
                let answer = format!("it came in t{turn} and was forgotten since");
                chain.no(STAGE, Vec::new(), answer, Some(format!("take it up again with /skill {name}")));
            }
            _ => chain.skipped(STAGE, Vec::new()),
        };
    }
    let by = |cause: &Cause| matches!(cause, Cause::Skill { skill } if skill == name);
    let held = snapshot.surface.held.iter().filter(|known| by(&known.cause)).map(|known| known.name.as_str());
    let held: Vec<&str> = held.collect();
    let mut evidence = Vec::new();
    if !held.is_empty() {
        evidence.push(format!("it holds {}", list(&held)));
    }
    for event in &snapshot.surface_events {
        let SurfaceChange::Refused(refusal) = &event.change else { continue };
        if by(&refusal.cause) && !held.contains(&refusal.capability.as_str()) {
            evidence.push(refusal.headline().2);
        }
    }
    evidence.dedup();
    chain.yes(STAGE, evidence);
}
