//! Why a capability is on the surface or not.

use super::facts::{Facts, Told};
use super::{Chain, Explanation, Kind, fix, gate, list, turn_at};
use crate::proto::{
    Cause, Deactivation, Decision, Departure, DynamicCapability, RefusalReason, RouteOutcome, Routing, ServerAction,
    ServerStep, Snapshot, Stage,
};

/// Nothing when no record names it.
pub(super) fn explain(snapshot: &Snapshot, name: &str) -> Option<Explanation> {
    let facts = Facts::gather(snapshot, name);
    if !facts.known {
        return None;
    }
    let mut chain = Chain::default();
    stages(&mut chain, snapshot, name, &facts);
    let (headline, here) = standing(snapshot, name, &facts);
    Some(chain.finish(name, Kind::Capability, headline, here))
}

pub(super) fn stages(chain: &mut Chain, snapshot: &Snapshot, name: &str, facts: &Facts<'_>) {
    // What is here passed everything; what a refusal says is older or about something else.
    let stop = if facts.is_here() { None } else { stopped(facts) };
    source(chain, name, facts, stop);
    triggers(chain, name, facts, stop);
    domain(chain, snapshot, name, facts, stop);
    environment(chain, name, facts, stop);
    comparison(chain, name, facts, stop);
    activation(chain, name, facts);
    presence(chain, snapshot, name, facts);
}

/// The stage that a refusal or the last routing that looked at it names.
fn stopped<'a>(facts: &Facts<'a>) -> Option<&'a Stage> {
    let refused = facts.refusal.and_then(|(turn, refusal)| match &refusal.why {
        RefusalReason::Stage(stage) => Some((turn, stage)),
        _ => None,
    });
    // It left because the new role may not have it: that stage is the answer until it is looked at again.
    let left = facts.departure.and_then(|(turn, gone)| match &gone.why {
        Departure::RoleChanged { stage: Some(stage), .. } => Some((turn, stage)),
        _ => None,
    });
    let refused = left.or(refused);
    let latest = match (refused, facts.stopped) {
        // Compared since it was refused: the routing knows better.
        (Some((turn, _)), None) if facts.scored.is_some_and(|(scored, _)| scored > turn) => None,
        (Some(refused), Some(stopped)) => Some(if stopped.0 > refused.0 { stopped } else { refused }),
        (refused, stopped) => refused.or(stopped),
    };
    latest.map(|(_, stage)| stage)
}

fn source(chain: &mut Chain, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    let mut evidence = Vec::new();
    if let Some(tap) = facts.tap() {
        let provider = facts.provider().map(|provider| format!(", provider {provider}")).unwrap_or_default();
        evidence.push(format!("{tap}{provider}"));
    }
    if let Some(Decision::CapabilityExpanded { why, .. }) = facts.expanded {
        evidence.push(why.clone());
    }
    match stop {
        Some(stage @ Stage::Unresolved { .. }) => {
            chain.no("tap", evidence, format!("it {}", stage.sentence()), fix::stage(name, stage));
        }
        _ if evidence.is_empty() => chain.unknown("tap", "no record tells of which tap it is"),
        _ => chain.yes("tap", evidence),
    }
}

fn triggers(chain: &mut Chain, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "triggers";
    match stop {
        Some(stage @ Stage::NoTriggers) => {
            chain.no(STAGE, Vec::new(), format!("it {}", stage.sentence()), fix::stage(name, stage));
        }
        _ if facts.fixed.is_some() => chain.skipped(STAGE, vec!["not needed: the role names it".to_owned()]),
        _ if facts.scored.is_some() => chain.yes(STAGE, Vec::new()),
        _ if facts.is_here() => chain.skipped(STAGE, vec!["not needed: it was asked for by name".to_owned()]),
        // The order of the stages: who stopped later passed this one.
        Some(Stage::OutOfDomain { .. } | Stage::EnvironmentUnready { .. } | Stage::PhrasesUnready) => {
            chain.yes(STAGE, Vec::new());
        }
        _ => chain.unknown(STAGE, "no message was compared with it"),
    }
}

fn domain(chain: &mut Chain, snapshot: &Snapshot, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "domain";
    let of = &snapshot.surface.domain;
    let here = if of.is_empty() { "the session has no domain".to_owned() } else { format!("the session is of {of}") };
    match stop {
        Some(stage @ Stage::OutOfDomain { domains, .. }) => {
            let evidence = vec![here, format!("it is for {}", list(domains))];
            chain.no(STAGE, evidence, format!("it {}", stage.sentence()), fix::stage(name, stage));
        }
        _ if facts.is_here() || facts.scored.is_some() || facts.activation.is_some() => chain.yes(STAGE, vec![here]),
        Some(Stage::EnvironmentUnready { .. } | Stage::PhrasesUnready) => chain.yes(STAGE, vec![here]),
        _ => chain.unknown(STAGE, here),
    }
}

fn environment(chain: &mut Chain, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    const STAGE: &str = "environment";
    match stop {
        Some(stage @ Stage::EnvironmentUnready { missing }) => {
            let evidence = missing.iter().map(|key| format!("{key} is not set")).collect();
            chain.no(STAGE, evidence, format!("it {}", stage.sentence()), fix::stage(name, stage));
        }
        Some(Stage::PhrasesUnready) => chain.yes(STAGE, Vec::new()),
        _ if facts.is_here() || facts.scored.is_some() || facts.activation.is_some() => chain.yes(STAGE, Vec::new()),
        _ => chain.unknown(STAGE, "no message was compared with it"),
    }
}

fn comparison(chain: &mut Chain, name: &str, facts: &Facts<'_>, stop: Option<&Stage>) {
    if let Some(stage @ Stage::PhrasesUnready) = stop {
        return chain.no(gate::STAGE, Vec::new(), format!("it {}", stage.sentence()), fix::stage(name, stage));
    }
    let here = facts.dynamic.or(facts.held.first().copied()).map(|known| &known.cause);
    let came = here.or(facts.activation.map(|(_, activation)| &activation.cause));
    if facts.fixed.is_some() {
        return chain.skipped(gate::STAGE, vec!["not needed: the role names it".to_owned()]);
    }
    if !facts.is_here()
        && let Some(told) = missed_since(name, facts)
    {
        return match &told.1.outcome {
            RouteOutcome::Skipped(skip) => gate::skipped(chain, name, told, skip),
            _ => gate::stopped(chain, name, told),
        };
    }
    match (came, facts.chosen) {
        (Some(Cause::Auto), Some(told)) => gate::passed(chain, name, told),
        (Some(Cause::Auto), None) => match here.and(facts.dynamic).and_then(|known| known.score.zip(known.margin)) {
            Some((score, margin)) => chain.yes(gate::STAGE, vec![format!("score {score:.4}, margin {margin:.4}")]),
            None => chain.unknown(gate::STAGE, "the record of the comparison is not kept any more"),
        },
        (Some(cause), _) => chain.skipped(gate::STAGE, vec![format!("not needed: {}", asked_by(cause))]),
        (None, _) if facts.refusal.is_some() => chain.skipped(gate::STAGE, Vec::new()),
        (None, _) => {
            let answer = match facts.expanded {
                Some(_) => "an earlier role named it, this one does not",
                None => "nothing asked for it yet: no message was compared with it",
            };
            chain.no(gate::STAGE, Vec::new(), answer, Some(format!("bring it in with {}", fix::enable(name))));
        }
    }
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

fn activation(chain: &mut Chain, name: &str, facts: &Facts<'_>) {
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
            fix::refusal(name, &refusal.why),
        );
    }
    let failed = facts.departure.filter(|_| !facts.is_here());
    if let Some((turn, Deactivation { why: why @ Departure::Failed { why: told }, servers, .. })) = failed {
        let mut evidence = vec![format!("t{}", turn.0)];
        evidence.extend(steps(servers));
        let answer = format!("it could not be made to work: {told}");
        return chain.no(STAGE, evidence, answer, Some(fix::departure(name, why)));
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
        };
        format!("server {}: {done}", step.server)
    })
}

fn presence(chain: &mut Chain, snapshot: &Snapshot, name: &str, facts: &Facts<'_>) {
    const STAGE: &str = "recency";
    if facts.is_here() {
        return chain.yes(STAGE, references(snapshot, facts));
    }
    if let Some((turn, refusal)) = facts.refusal
        && let RefusalReason::AllPinned { pinned } = &refusal.why
    {
        let answer = format!("there was no place: {} are pinned", list(pinned));
        let evidence = vec![format!("t{}: asked for by {}", turn.0, refusal.cause.word())];
        return chain.no(STAGE, evidence, answer, fix::refusal(name, &refusal.why));
    }
    match facts.departure {
        Some((turn, gone)) if !matches!(gone.why, Departure::Failed { .. }) => {
            let mut evidence = order(snapshot, &gone.why);
            evidence.extend(steps(&gone.servers));
            let answer = format!("it left in t{}: {}", turn.0, left(&gone.why));
            chain.no(STAGE, evidence, answer, Some(fix::departure(name, &gone.why)));
        }
        _ if chain.failed.is_some() => chain.skipped(STAGE, Vec::new()),
        _ => {
            let fix = format!("bring it in with {}", fix::enable(name));
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
fn order(snapshot: &Snapshot, why: &Departure) -> Vec<String> {
    let Departure::Evicted { order, .. } = why else { return Vec::new() };
    let places = order.iter().enumerate().map(|(index, place)| {
        let used = match place.used {
            Some(at) => format!("used {}", turn_at(snapshot, at)),
            None => format!("never used, on since {}", turn_at(snapshot, place.activated)),
        };
        let pinned = if place.pinned { ", pinned" } else { "" };
        format!("{} {}: {used}{pinned}", index + 1, place.capability)
    });
    places.collect()
}

/// Who keeps it and its servers here.
fn references(snapshot: &Snapshot, facts: &Facts<'_>) -> Vec<String> {
    let surface = &snapshot.surface;
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
        evidence.push(last_use(snapshot, known));
    }
    for DynamicCapability { cause, .. } in &facts.held {
        evidence.push(format!("held by {}", cause.word()));
    }
    for reference in &surface.references {
        let of_dynamic = facts.dynamic.into_iter().chain(facts.held.iter().copied());
        let mut named = of_dynamic.flat_map(|known| &known.servers).map(|(server, _)| server);
        let fixed = facts.fixed.is_some_and(|fixed| fixed.servers.contains(&reference.server));
        if fixed || named.any(|server| *server == reference.server) {
            evidence.push(format!("server {} runs for {}", reference.server, list(&reference.by)));
        }
    }
    evidence
}

fn last_use(snapshot: &Snapshot, known: &DynamicCapability) -> String {
    match known.used {
        Some(at) => format!("last used in {}", turn_at(snapshot, at)),
        None => format!("not used since it came in {}", turn_at(snapshot, known.activated)),
    }
}

/// One line on how it stands, and why it is here if it is.
fn standing(snapshot: &Snapshot, name: &str, facts: &Facts<'_>) -> (String, String) {
    let title = facts.dynamic.or(facts.held.first().copied()).map(|known| known.title.as_str());
    let title = title.or(facts.activation.map(|(_, told)| told.title.as_str()));
    let title = title.or(facts.listed.map(|item| item.title.as_str())).filter(|title| !title.is_empty());
    let title = title.map(|title| format!(" · {title}")).unwrap_or_default();
    let (state, here) = match (facts.fixed, facts.dynamic, facts.held.first()) {
        (Some(_), _, _) => {
            ("on, with the role", format!("it is here because the role {} names it", snapshot.session.role))
        }
        (None, Some(known), _) => ("on", format!("it is here because {}", asked_by(&known.cause))),
        (None, None, Some(known)) => ("on, held by a skill", format!("it is here because {}", asked_by(&known.cause))),
        (None, None, None) => ("off", "no record says why it is not here".to_owned()),
    };
    (format!("{name}{title} · {state}"), here)
}
