//! One thing to do for each stage that was not passed, which will not be refused.

use super::records::Records;
use crate::proto::{Departure, EncoderState, RefusalReason, RouteOutcome, Skip, Stage};
use crate::surface::MAX_DYNAMIC_CAPABILITIES;

/// Says how to bring it in by hand.
pub(super) fn enable(records: Records<'_>, capability: &str) -> String {
    match pinned(records) {
        Some(first) => {
            format!("/capability unpin {first} and then /capability enable {capability}, for four are pinned")
        }
        None => format!("/capability enable {capability}"),
    }
}

/// One of those that are pinned, when that leaves no place for another.
fn pinned(records: Records<'_>) -> Option<&str> {
    let dynamic = &records.surface.dynamic;
    let full = dynamic.len() >= MAX_DYNAMIC_CAPABILITIES && dynamic.iter().all(|known| known.pinned);
    dynamic.first().filter(|_| full).map(|known| known.name.as_str())
}

/// A role of one of these domains that the session can change to.
fn role(records: Records<'_>, domains: &[String]) -> Option<String> {
    let Some(offered) = &records.surface.offered else { return domains.first().cloned() };
    let of = |role: &&String| role.split_once(':').is_some_and(|(domain, _)| domains.iter().any(|of| of == domain));
    offered.roles.iter().find(of).cloned()
}

pub(super) fn stage(records: Records<'_>, capability: &str, stage: &Stage) -> Option<String> {
    let enable = |capability| enable(records, capability);
    Some(match stage {
        Stage::Unresolved { .. } => {
            format!("mend what is named, or name another provider: {capability} = \"…\" under [capabilities]")
        }
        Stage::NoTriggers => {
            format!("give its config.toml triggers = [\"…\"], or bring it in with {}", enable(capability))
        }
        Stage::OutOfDomain { domains, .. } => match role(records, domains) {
            Some(role) => format!("change to a role of that domain: /role {role}"),
            None => format!("connect a tap with a role of {}: no connected one has any", super::list(domains)),
        },
        Stage::EnvironmentUnready { missing } if missing.iter().any(|key| key.starts_with("INPUT:")) => {
            format!("give {} a value: /role with the same name asks for what a person answers", super::list(missing))
        }
        Stage::EnvironmentUnready { missing } => {
            format!("set {} in the environment or in .env; set and empty counts as unset", super::list(missing))
        }
        Stage::PhrasesUnready => {
            format!("wait until its triggers are read, or bring it in with {}", enable(capability))
        }
        Stage::Active => return None,
    })
}

pub(super) fn skip(records: Records<'_>, capability: &str, skip: &Skip) -> String {
    let enable = enable(records, capability);
    match skip {
        Skip::Off => format!("set auto_capabilities = true, or bring it in with {enable}"),
        Skip::NotFresh => format!("say it in a message of your own, or bring it in with {enable}"),
        Skip::TooShort { .. } => format!("say what is to be done in a sentence, or bring it in with {enable}"),
        Skip::NothingEligible => format!("bring it in with {enable}"),
        Skip::EncoderNotReady { encoder: EncoderState::Failed { advice, .. } } => {
            format!("{advice}; until then, bring it in with {enable}")
        }
        Skip::EncoderNotReady { .. } => format!("send it again when the model is there, or bring it in with {enable}"),
    }
}

pub(super) fn outcome(records: Records<'_>, capability: &str, outcome: &RouteOutcome, leads: bool) -> Option<String> {
    let enable = enable(records, capability);
    Some(match outcome {
        RouteOutcome::Activated { .. } => format!("say more plainly what is to be done, or bring it in with {enable}"),
        RouteOutcome::BelowThreshold => {
            format!("say what is to be done in words nearer to its triggers, or bring it in with {enable}")
        }
        RouteOutcome::NarrowMargin if leads => {
            format!("name in the message what tells the two apart, or bring it in with {enable}")
        }
        RouteOutcome::NarrowMargin => format!("name it in the message, or bring it in with {enable}"),
        RouteOutcome::Skipped(skip) => self::skip(records, capability, skip),
    })
}

pub(super) fn refusal(records: Records<'_>, capability: &str, why: &RefusalReason) -> Option<String> {
    match why {
        RefusalReason::Unknown { nearest } => nearest.first().map(|near| format!("perhaps {near} is meant")),
        RefusalReason::Stage(stage) => self::stage(records, capability, stage),
        RefusalReason::AllPinned { .. } => Some(format!("bring it in with {}", enable(records, capability))),
        RefusalReason::Failed { advice, .. } => Some(advice.clone()),
        RefusalReason::NotDynamic { .. } | RefusalReason::HeldBySkill { .. } => None,
    }
}

pub(super) fn departure(records: Records<'_>, capability: &str, why: &Departure) -> String {
    let enable = enable(records, capability);
    match why {
        Departure::Evicted { .. } if pinned(records).is_none() => {
            format!("bring it back with {enable}, and pin it to keep it")
        }
        Departure::Evicted { .. } | Departure::Person | Departure::Model | Departure::RoleChanged { .. } => {
            format!("bring it back with {enable}")
        }
        Departure::SkillForgotten { skill } => format!("bring it back with /skill {skill}, or with {enable}"),
        Departure::Failed { .. } => format!("mend what is named, then {enable}"),
    }
}
