//! One thing to do for each stage that was not passed.

use crate::proto::{Departure, EncoderState, RefusalReason, RouteOutcome, Skip, Stage};

/// Says how to bring it in by hand.
pub(super) fn enable(capability: &str) -> String {
    format!("/capability enable {capability}")
}

pub(super) fn stage(capability: &str, stage: &Stage) -> Option<String> {
    Some(match stage {
        Stage::Unresolved { .. } => {
            format!("mend what is named, or name another provider: {capability} = \"…\" under [capabilities]")
        }
        Stage::NoTriggers => {
            format!("give its config.toml triggers = [\"…\"], or bring it in with {}", enable(capability))
        }
        Stage::OutOfDomain { domains, .. } => match domains.first() {
            Some(domain) => format!("change to a role of that domain: /role {domain}"),
            None => return None,
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

pub(super) fn skip(capability: &str, skip: &Skip) -> String {
    let enable = enable(capability);
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

pub(super) fn outcome(capability: &str, outcome: &RouteOutcome, leads: bool) -> Option<String> {
    let enable = enable(capability);
    Some(match outcome {
        RouteOutcome::Activated { .. } => format!("say more plainly what is to be done, or bring it in with {enable}"),
        RouteOutcome::BelowThreshold => {
            format!("say what is to be done in words nearer to its triggers, or bring it in with {enable}")
        }
        RouteOutcome::NarrowMargin if leads => {
            format!("name in the message what tells the two apart, or bring it in with {enable}")
        }
        RouteOutcome::NarrowMargin => format!("name it in the message, or bring it in with {enable}"),
        RouteOutcome::Skipped(skip) => self::skip(capability, skip),
    })
}

pub(super) fn refusal(capability: &str, why: &RefusalReason) -> Option<String> {
    match why {
        RefusalReason::Unknown { nearest } => nearest.first().map(|near| format!("perhaps {near} is meant")),
        RefusalReason::Stage(stage) => self::stage(capability, stage),
        RefusalReason::AllPinned { pinned } => pinned
            .first()
            .map(|first| format!("unpin one of them, as in /capability unpin {first}, or /capability disable {first}")),
        RefusalReason::Failed { advice, .. } => Some(advice.clone()),
        RefusalReason::NotDynamic { .. } | RefusalReason::HeldBySkill { .. } => None,
    }
}

pub(super) fn departure(capability: &str, why: &Departure) -> String {
    let enable = enable(capability);
    match why {
        Departure::Evicted { .. } => format!("bring it back with {enable}, and pin it to keep it"),
        Departure::RoleChanged { stage: Some(stage), .. } => {
            self::stage(capability, stage).unwrap_or_else(|| "go back to a role that may have it".to_owned())
        }
        Departure::Person | Departure::Model | Departure::RoleChanged { .. } => format!("bring it back with {enable}"),
        Departure::SkillForgotten { skill } => format!("bring it back with /skill {skill}, or with {enable}"),
        Departure::Failed { .. } => format!("mend what is named, then {enable}"),
    }
}
