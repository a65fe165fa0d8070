//! Why a capability is on the surface or not.

use super::facts::{Facts, Told};
use super::records::Records;
use super::{Chain, Explanation, Kind, fix, gate, list};
use crate::proto::{
    Cause, Deactivation, Departure, DynamicCapability, IntentSource, RefusalReason, RouteOutcome, Routing,
    ServerAction, ServerStep, Stage,
};
use crate::surface::built_in::NOT_BUILT;

/// Nothing when no record names it.
pub(super) fn explain(records: Records<'_>, name: &str) -> Option<Explanation> {
    let facts = Facts::gather(records, name);
    if !facts.known {
        return None;
    }
    let mut chain = Chain::default();
    stages(&mut chain, records, name, &facts);
    let (mut headline, here) = standing(records, name, &facts);
    if chain.failed.is_none()
        && let Some(how) = servers(&mut chain, records, &facts, &here)
    {
        headline.push_str(how);
    }
    Some(chain.finish(name, Kind::Capability, headline, here))
}

pub(super) fn stages(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    let stop = facts.stop(&records.surface.domain);
    source(chain, records, name, facts, stop);
    triggers(chain, records, name, facts, stop);
    domain(chain, records, name, facts, stop);
    environment(chain, records, name, facts, stop);
    comparison(chain, records, name, facts, stop);
    activation(chain, records, name, facts);
    presence(chain, records, name, facts);
}

fn source(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    let mut evidence = Vec::new();
    if let Some(tap) = facts.tap() {
        let provider = facts.provider().map(|provider| format!(", provider {provider}")).unwrap_or_default();
        evidence.push(format!("{tap}{provider}"));
    }
    evidence.extend(facts.expanded.map(str::to_owned));
    match stop {
        _ if facts.lost => {
            chain.no("tap", evidence, "no connected tap has it any more", Some(super::LOOK.to_owned()));
        }
        Some(stage @ Stage::Unresolved { .. }) => {
            chain.no("tap", evidence, format!("it {}", stage.sentence()), fix::stage(records, name, stage));
        }
        _ if evidence.is_empty() => chain.unknown("tap", "no record tells of which tap it is"),
        _ => chain.yes("tap", evidence),
    }
}

fn triggers(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "triggers";
    match stop {
        Some(stage @ Stage::NoTriggers) => {
            chain.no(STAGE, Vec::new(), format!("it {}", stage.sentence()), fix::stage(records, name, stage));
        }
        _ if facts.fixed.is_some() => chain.skipped(STAGE, vec!["not needed: the role names it".to_owned()]),
        _ if facts.scored.is_some() => chain.yes(STAGE, Vec::new()),
        _ if facts.is_here() => chain.skipped(STAGE, vec!["not needed: it was asked for by name".to_owned()]),
        // The order of the stages: who stopped later passed this one.
        Some(Stage::OutOfDomain { .. } | Stage::EnvironmentUnready { .. } | Stage::PhrasesUnready) => {
            chain.yes(STAGE, Vec::new());
        }
        _ if facts.listed.is_some_and(|listed| listed.stage.is_none()) => chain.yes(STAGE, Vec::new()),
        _ if facts.listed.is_some() => chain.skipped(STAGE, vec!["it has none".to_owned()]),
        _ => chain.unknown(STAGE, "no message was compared with it"),
    }
}

fn domain(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "domain";
    let of = &records.surface.domain;
    let here = if of.is_empty() { "the session has no domain".to_owned() } else { format!("the session is of {of}") };
    match stop {
        Some(stage @ Stage::OutOfDomain { domains, .. }) => {
            let mut evidence = vec![here, format!("it is for {}", list(domains))];
            evidence.extend(before(facts));
            chain.no(STAGE, evidence, format!("it {}", stage.sentence()), fix::stage(records, name, stage));
        }
        _ if facts.passes() => chain.yes(STAGE, vec![here]),
        Some(Stage::EnvironmentUnready { .. } | Stage::PhrasesUnready) => chain.yes(STAGE, vec![here]),
        _ => chain.unknown(STAGE, here),
    }
}

fn environment(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "environment";
    match (stop, facts.recorded_stop()) {
        (Some(stage @ Stage::EnvironmentUnready { missing }), _) => {
            let mut evidence: Vec<String> = missing.iter().map(|key| format!("{key} is not set")).collect();
            evidence.extend(facts.near.map(|(told, score)| gate::would_have(told, score)));
            evidence.extend(before(facts));
            chain.no(STAGE, evidence, format!("it {}", stage.sentence()), fix::stage(records, name, stage));
        }
        (_, Some(Stage::EnvironmentUnready { missing })) if facts.passes() && !facts.is_here() => {
            chain.yes(STAGE, missing.iter().map(|key| format!("{key} was not set then, and is now")).collect());
        }
        (Some(Stage::PhrasesUnready), _) => chain.yes(STAGE, Vec::new()),
        _ if facts.passes() => chain.yes(STAGE, Vec::new()),
        _ => chain.unknown(STAGE, "no message was compared with it"),
    }
}

fn comparison(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    if let Some(stage @ Stage::PhrasesUnready) = stop {
        let evidence = facts.latest.map(gate::message).into_iter().collect();
        return chain.no(gate::STAGE, evidence, format!("it {}", stage.sentence()), fix::stage(records, name, stage));
    }
    let here = facts.dynamic.or(facts.held.first().copied()).map(|known| &known.cause);
    let came = here.or(facts.activation.map(|(_, activation)| &activation.cause));
    if facts.fixed.is_some() {
        return chain.skipped(gate::STAGE, vec!["not needed: the role names it".to_owned()]);
    }
    if !facts.is_here()
        && let Some(told) = missed_since(name, facts)
    {
        return gate::stopped(chain, records, name, told, before(facts));
    }
    match (came, facts.chosen) {
        (Some(Cause::Auto), Some(told)) => gate::passed(chain, name, told),
        (Some(Cause::Auto), None) => match here.and(facts.dynamic).and_then(|known| known.score.zip(known.margin)) {
            Some((score, margin)) => chain.yes(gate::STAGE, vec![format!("score {score:.4}, margin {margin:.4}")]),
            None => chain.unknown(gate::STAGE, "the record of the comparison is not kept any more"),
        },
        (Some(cause), _) => chain.skipped(gate::STAGE, vec![format!("not needed: {}", asked_by(cause))]),
        (None, _) => unasked(chain, records, name, facts),
    }
}

/// How it left, where that is not the answer.
fn before(facts: &Facts<'_>) -> Vec<String> {
    let Some((turn, gone)) = facts.departure else { return Vec::new() };
    let until = format!("it was on until t{}: {}", turn.0, left(&gone.why));
    std::iter::once(until).chain(steps(&gone.servers)).collect()
}

/// No message chose it and nobody brought it.
fn unasked(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    let (evidence, answer) = match (facts.refusal, facts.expanded, facts.latest) {
        (Some((turn, refusal)), ..) => {
            let RefusalReason::Stage(stage) = &refusal.why else { return chain.skipped(gate::STAGE, Vec::new()) };
            let asked = format!("t{}: asked for by {}", turn.0, refusal.cause.word());
            let was = stage.sentence();
            (vec![asked], format!("it was refused in t{} because it {was}; nothing asked for it since", turn.0))
        }
        (None, Some(_), _) => (Vec::new(), "an earlier role named it, this one does not".to_owned()),
        (None, None, Some(_)) => (Vec::new(), "no message was compared with it since it can be".to_owned()),
        (None, None, None) => (Vec::new(), "nothing asked for it yet: no message was compared so far".to_owned()),
    };
    chain.no(gate::STAGE, evidence, answer, Some(format!("bring it in with {}", fix::enable(records, name))));
}

/// The comparison that kept it away: the last one when it never came, or one since it left that it might
/// have won.
fn missed_since<'a>(name: &str, facts: &Facts<'a>) -> Option<Told<'a, Routing>> {
    if facts.refusal.is_some_and(|(turn, _)| facts.latest.is_none_or(|(latest, _)| latest <= turn)) {
        return None;
    }
    let (turn, latest) = facts.latest?;
    match facts.departure {
        None if facts.activation.is_some() => None,
        // Skipped, or compared with it.
        None if matches!(latest.outcome, RouteOutcome::Skipped(_)) => Some((turn, latest)),
        None => facts.scored,
        Some((left, _)) => {
            let (turn, scored) = facts.scored?;
            let good = scored.scores.iter().any(|own| own.capability == name && own.score >= scored.threshold);
            let lost = !matches!(&scored.outcome, RouteOutcome::Activated { capability } if capability == name);
            (turn > left && good && lost).then_some((turn, scored))
        }
    }
}

fn asked_by(cause: &Cause) -> String {
    match cause {
        Cause::Role => "the role names it".to_owned(),
        Cause::Auto => "a message chose it".to_owned(),
        Cause::Person => "you asked for it".to_owned(),
        Cause::Model => "the model asked for it".to_owned(),
        Cause::Environment => "OCTOMIND_CAPABILITIES names it".to_owned(),
        Cause::Skill { skill } => format!("the skill {skill} declares it"),
    }
}

fn activation(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "activation";
    if !facts.is_here()
        && let Some((turn, refusal)) = facts.refusal
        && let RefusalReason::Failed { why, .. } = &refusal.why
    {
        let evidence = vec![format!("t{}: asked for by {}", turn.0, refusal.cause.word())];
        return chain.no(
            STAGE,
            evidence,
            format!("it could not be made to work: {why}"),
            fix::refusal(records, name, &refusal.why),
        );
    }
    let failed = facts.departure.filter(|_| !facts.is_here());
    if let Some((turn, Deactivation { why: why @ Departure::Failed { why: told }, servers, .. })) = failed {
        let mut evidence = vec![format!("t{}", turn.0)];
        evidence.extend(steps(servers));
        let answer = format!("it could not be made to work: {told}");
        return chain.no(STAGE, evidence, answer, Some(fix::departure(records, name, why)));
    }
    if let Some(fixed) = facts.fixed {
        return chain.yes(STAGE, vec![with_the_role(&fixed.servers)]);
    }
    let Some((turn, activation)) = facts.activation else {
        match facts.is_here() {
            true => chain.unknown(STAGE, "the record is not kept any more"),
            false => chain.skipped(STAGE, Vec::new()),
        }
        return;
    };
    let mut evidence = vec![format!("t{} by {}", turn.0, activation.cause.word())];
    evidence.extend(steps(&activation.servers));
    if !activation.deps.is_empty() {
        evidence.push(format!("scripts run: {}", list(&activation.deps)));
    }
    if let Some(failed) = &activation.back_for {
        evidence.push(format!("back because {failed}, for which it had gone, did not work"));
    }
    if let Some(evicted) = &activation.evicted {
        evidence.push(format!("{evicted} went for it"));
    }
    chain.yes(STAGE, evidence);
}

fn with_the_role(servers: &[String]) -> String {
    if servers.is_empty() { "with the role".to_owned() } else { format!("with the role: {}", list(servers)) }
}

/// One line for each server: what was done to it.
fn steps(steps: &[ServerStep]) -> impl Iterator<Item = String> {
    steps.iter().map(|step| {
        let tools = if step.tools.is_empty() { "all tools".to_owned() } else { list(&step.tools) };
        let done = match &step.action {
            ServerAction::Started => format!("started for {tools}"),
            ServerAction::Extended => format!("owned by the role, its filter took in {tools}"),
            ServerAction::Shared { with } => format!("running for {}, shared for {tools}", list(with)),
            ServerAction::Narrowed => "owned by the role, kept; its filter went back".to_owned(),
            ServerAction::Kept { by } => format!("kept for {}", list(by)),
            ServerAction::Stopped => "stopped: nobody refers to it any more".to_owned(),
            ServerAction::NeverRan => "never came up".to_owned(),
        };
        format!("server {}: {done}", step.server)
    })
}

fn presence(chain: &mut Chain, records: Records<'_>, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "recency";
    if facts.is_here() {
        return chain.yes(STAGE, references(records, facts));
    }
    if let Some((turn, refusal)) = facts.refusal
        && let RefusalReason::AllPinned { pinned } = &refusal.why
    {
        let answer = format!("there was no place: {} are pinned", list(pinned));
        let mut evidence = vec![format!("t{}: asked for by {}", turn.0, refusal.cause.word())];
        evidence.extend(before(facts));
        return chain.no(STAGE, evidence, answer, fix::refusal(records, name, &refusal.why));
    }
    match facts.departure {
        Some((turn, gone)) if !matches!(gone.why, Departure::Failed { .. }) => {
            let mut evidence = order(records, &gone.why);
            evidence.extend(steps(&gone.servers));
            let answer = format!("it left in t{}: {}", turn.0, left(&gone.why));
            chain.no(STAGE, evidence, answer, Some(fix::departure(records, name, &gone.why)));
        }
        _ if chain.failed.is_some() => chain.skipped(STAGE, Vec::new()),
        _ => {
            let fix = format!("bring it in with {}", fix::enable(records, name));
            chain.no(STAGE, Vec::new(), "no record says why it is not here", Some(fix));
        }
    }
}

fn left(why: &Departure) -> String {
    match why {
        Departure::Evicted { newcomer, .. } => format!("{newcomer} came, and it was the least recently used of four"),
        Departure::Person => "you disabled it".to_owned(),
        Departure::Model => "the model disabled it".to_owned(),
        Departure::RoleChanged { role, why, .. } => format!("the role became {role}: {why}"),
        Departure::SkillForgotten { skill } => format!("the skill {skill} that declared it is off"),
        Departure::Failed { why } => why.clone(),
    }
}

/// Why it was that one: the whole order.
fn order(records: Records<'_>, why: &Departure) -> Vec<String> {
    let Departure::Evicted { order, .. } = why else { return Vec::new() };
    let places = order.iter().enumerate().map(|(index, place)| {
        let used = match place.used {
            Some(at) => format!("used {}", records.turn_at(at)),
            None => format!("never used, on since {}", records.turn_at(place.activated)),
        };
        let pinned = if place.pinned { ", pinned" } else { "" };
        format!("{} {}: {used}{pinned}", index + 1, place.capability)
    });
    places.collect()
}

/// Who keeps it and its servers here.
fn references(records: Records<'_>, facts: &Facts<'_>) -> Vec<String> {
    let surface = records.surface;
    let mut evidence = Vec::new();
    if facts.fixed.is_some() {
        evidence.push("the role names it: never evicted".to_owned());
    }
    if let Some(known) = facts.dynamic {
        let place = surface.dynamic.iter().position(|one| one.name == known.name).unwrap_or_default() + 1;
        let next = surface.dynamic.iter().find(|one| !one.pinned).is_some_and(|one| one.name == known.name);
        let goes = match (known.pinned, next) {
            (true, _) => ", pinned: it does not go",
            (false, true) => ", the one that goes next",
            (false, false) => "",
        };
        evidence.push(format!("place {place} of {} to go{goes}", surface.dynamic.len()));
        evidence.push(last_use(records, known));
    }
    for DynamicCapability { cause, .. } in &facts.held {
        evidence.push(format!("held by {}", cause.word()));
    }
    for reference in &surface.references {
        let of_dynamic = facts.dynamic.into_iter().chain(facts.held.iter().copied());
        let mut named = of_dynamic.flat_map(|known| &known.servers).map(|(server, _)| server);
        let fixed = facts.fixed.is_some_and(|fixed| fixed.servers.contains(&reference.server));
        if fixed || named.any(|server| *server == reference.server) {
            let stands = if reference.trouble.is_some() { "is there for" } else { "runs for" };
            evidence.push(format!("server {} {stands} {}", reference.server, list(&reference.by)));
        }
    }
    evidence
}

/// Those that it has and that do not work; if there is one, how it stands.
fn servers(chain: &mut Chain, records: Records<'_>, facts: &Facts<'_>, here: &str) -> Option<&'static str> {
    let own = facts.dynamic.into_iter().chain(facts.held.iter().copied());
    let own = own.flat_map(|known| &known.servers).map(|(server, _)| server);
    let own = own.chain(facts.fixed.into_iter().flat_map(|fixed| &fixed.servers));
    let mut troubles = own.filter_map(|server| Some((server, records.trouble(server)?)));
    let (server, (what, advice)) = troubles.next()?;
    let mut evidence = vec![format!("{server} {what}")];
    evidence.extend(troubles.filter(|(other, _)| *other != server).map(|(other, (what, _))| format!("{other} {what}")));
    chain.no("server", evidence, format!("{here}, but its server {server} {what}"), advice);
    Some(match records.is_starting(server) {
        true => ", and a server of it is still starting",
        false if what == NOT_BUILT => ", but a server of it is not built",
        false => ", but a server of it does not work",
    })
}

fn last_use(records: Records<'_>, known: &DynamicCapability) -> String {
    match known.used {
        Some(at) => format!("last used in {}", records.turn_at(at)),
        None => format!("not used since it came in {}", records.turn_at(known.activated)),
    }
}

/// One line on how it stands, and why it is here if it is.
fn standing(records: Records<'_>, name: &str, facts: &Facts<'_>) -> (String, String) {
    let title = facts.dynamic.or(facts.held.first().copied()).map(|known| known.title.as_str());
    let title = title.or(facts.activation.map(|(_, told)| told.title.as_str()));
    let title = title.or(facts.listed.map(|item| item.title.as_str())).filter(|title| !title.is_empty());
    let title = title.map(|title| format!(" · {title}")).unwrap_or_default();
    let pushed = facts.chosen.is_some_and(|(_, routing)| routing.source == IntentSource::Model);
    let asked_by = |cause: &Cause| match cause {
        Cause::Auto if pushed => "an intent of the model's passed the gate".to_owned(),
        cause => asked_by(cause),
    };
    let (state, here) = match (facts.fixed, facts.dynamic, facts.held.first()) {
        (Some(_), _, _) => ("on, with the role", format!("it is here because the role {} names it", records.role)),
        (None, Some(known), held) => {
            let also = held.map(|held| format!(", and {}", asked_by(&held.cause))).unwrap_or_default();
            ("on", format!("it is here because {}{also}", asked_by(&known.cause)))
        }
        (None, None, Some(known)) => ("on, held by a skill", format!("it is here because {}", asked_by(&known.cause))),
        (None, None, None) => ("off", "no record says why it is not here".to_owned()),
    };
    (format!("{name}{title} · {state}"), here)
}
