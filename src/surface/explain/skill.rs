//! Why a skill is active or not.

use std::collections::BTreeMap;

use super::records::Records;
use super::{Chain, Explanation, Kind, list};
use crate::proto::{Cause, OfferedSkill, RuleTrace, SkillCause, SkillJudged, SkillView, SurfaceChange, TurnId};

#[derive(Default)]
struct Facts<'a> {
    active: Option<&'a SkillView>,
    listed: Option<&'a OfferedSkill>,
    /// The last message that its rules were judged for.
    judged: Option<&'a SkillJudged>,
    /// It was active once; the turn it came in, and what it was.
    was: Option<(u32, &'a SkillView)>,
}

/// Nothing when no record names it.
pub(super) fn explain(records: Records<'_>, name: &str) -> Option<Explanation> {
    let facts = gather(records, name);
    if facts.active.is_none() && facts.listed.is_none() && facts.judged.is_none() && facts.was.is_none() {
        return None;
    }
    let mut chain = Chain::default();
    source(&mut chain, &facts);
    rules(&mut chain, records, name, &facts);
    activation(&mut chain, records, name, &facts);
    let state = if facts.active.is_some() { "active" } else { "not active" };
    let tokens = facts.active.map(|skill| format!(" · {} tok per turn", skill.tokens)).unwrap_or_default();
    let here = facts.active.map_or_else(String::new, |skill| format!("it is active because {}", because(&skill.cause)));
    Some(chain.finish(name, Kind::Skill, format!("{name} · {state}{tokens}"), here))
}

fn gather<'a>(records: Records<'a>, name: &str) -> Facts<'a> {
    let past = records.past.skills.get(name);
    Facts {
        active: records.skills.iter().find(|skill| skill.name == name),
        listed: records.surface.offered_skill(name),
        judged: past.and_then(|past| past.judged.as_ref()),
        was: past.and_then(|past| past.was.as_ref()).map(|(turn, skill)| (turn.0, skill)),
    }
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
        (None, Some(item)) => vec![item.source.clone(), item.file.clone()],
        (None, None) => Vec::new(),
    };
    let evidence = evidence.into_iter().filter(|line| !line.is_empty()).collect();
    chain.yes("source", evidence);
}

/// No rule is judged there. Nothing is known of the domains when there are none.
fn out_of_reach(domains: &[String], domain: &str) -> bool {
    !domains.is_empty() && !domains.iter().any(|of| of == "*" || (!domain.is_empty() && of == domain))
}

fn domain(chain: &mut Chain, records: Records<'_>, name: &str, domains: &[String]) {
    let of = &records.surface.domain;
    let here = if of.is_empty() { "a session without a domain".to_owned() } else { of.clone() };
    let answer = format!("its rules are for {}, not for {here}", list(domains));
    let evidence = vec![format!("the session is of {here}"), format!("its rules are judged in {}", list(domains))];
    chain.no("domain", evidence, answer, Some(format!("take it up with /skill {name}")));
}

fn rules(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "rules";
    let by_rule = facts.active.is_some_and(|skill| matches!(skill.cause, SkillCause::Rule { .. }));
    if let Some(skill) = facts.active.filter(|_| !by_rule) {
        return chain.skipped(STAGE, vec![format!("not needed: {}", because(&skill.cause))]);
    }
    if let Some(of) = facts.listed.map(|item| item.domains.as_slice()).filter(|_| !by_rule)
        && out_of_reach(of, &records.surface.domain)
    {
        return domain(chain, records, name, of);
    }
    let Some(SkillJudged { turn: TurnId(turn), domain, trace }) = facts.judged else {
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

fn activation(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "activation";
    if facts.active.is_none() {
        return match facts.was {
            Some((turn, _)) if facts.judged.is_none_or(|judged| judged.turn.0 <= turn) => {
                let answer = format!("it came in t{turn} and was forgotten since");
                chain.no(STAGE, Vec::new(), answer, Some(format!("take it up again with /skill {name}")));
            }
            _ => chain.skipped(STAGE, Vec::new()),
        };
    }
    let by = |cause: &Cause| matches!(cause, Cause::Skill { skill } if skill == name);
    let held = records.surface.held.iter().filter(|known| by(&known.cause)).map(|known| known.name.as_str());
    let held: Vec<&str> = held.collect();
    let mut evidence = Vec::new();
    if !held.is_empty() {
        evidence.push(format!("it holds {}", list(&held)));
    }
    evidence.extend(kept_off(records, by).into_iter().filter(|(name, _)| !held.contains(name)).map(|(_, why)| why));
    chain.yes(STAGE, evidence);
}

/// What it declares and does not have, each with the last that was said of it.
fn kept_off<'a>(records: Records<'a>, by: impl Fn(&Cause) -> bool) -> BTreeMap<&'a str, String> {
    let mut told = BTreeMap::new();
    for event in records.surface_events {
        match &event.change {
            SurfaceChange::Activated(one) if by(&one.cause) => {
                told.insert(one.capability.as_str(), String::new());
            }
            SurfaceChange::Refused(one) if by(&one.cause) => {
                told.insert(one.capability.as_str(), one.headline().2);
            }
            SurfaceChange::Deactivated(one) => {
                if let Some(said) = told.get_mut(one.capability.as_str()) {
                    *said = one.headline().2;
                }
            }
            _ => {}
        }
    }
    told.retain(|_, said| !said.is_empty());
    told
}
