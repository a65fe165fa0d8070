//! Why a tool is shown to the model or not.

use super::facts::Facts;
use super::{Chain, Explanation, Kind, capability, list};
use crate::proto::{EntryKind, ServerState, ServerStep, Snapshot, SurfaceChange, SurfaceTool};

/// What a name means: one tool of one server.
struct Found {
    server: String,
    tool: String,
    /// As the surface recorded it, or as its server lists it now.
    shown: Option<SurfaceTool>,
}

/// Nothing when no record names it.
pub(super) fn explain(snapshot: &Snapshot, subject: &str) -> Option<Explanation> {
    let found = listed(snapshot, subject).or_else(|| gone(snapshot, subject))?;
    let mut chain = Chain::default();
    let by = found.shown.as_ref().map(|shown| shown.by.clone()).unwrap_or_default();
    server(&mut chain, snapshot, &found);
    definition(&mut chain, &found);
    asked_for(&mut chain, &found, &by);
    let reason = by.iter().find(|name| *name != "role" && !name.starts_with("skill "));
    let reason = reason.cloned().or_else(|| behind(snapshot, &found));
    let from_capability = match (&reason, by.iter().any(|name| name == "role")) {
        (Some(name), false) => Some(name),
        _ => None,
    };
    if let Some(name) = from_capability {
        let mut own = Chain::default();
        capability::stages(&mut own, snapshot, name, &Facts::gather(snapshot, name));
        // Why the capability is off explains more than that its server is.
        if own.failed.is_some() {
            let (answer, fix) = own.failed.take().unwrap_or_default();
            chain.failed = Some((format!("{name}, which brings it, is off: {answer}"), fix));
        }
        chain.stages.extend(own.stages);
    }
    let shown = chain.failed.is_none();
    let state = if shown { "shown to the model" } else { "not shown to the model" };
    let cost = found.shown.as_ref().filter(|_| shown).map(|tool| format!(" · {} tok per turn", tool.tokens));
    let headline = format!("{}.{} · {state}{}", found.server, found.tool, cost.unwrap_or_default());
    let here = match from_capability {
        Some(name) => format!("it is here because {name} brings it"),
        None if by.is_empty() => format!("it is here because {} offers it", found.server),
        None => format!("it is here because {} asks for it", list(&words(snapshot, &by))),
    };
    Some(chain.finish(subject, Kind::Tool, headline, here))
}

/// `role` becomes the role's name.
fn words(snapshot: &Snapshot, by: &[String]) -> Vec<String> {
    let role = || format!("the role {}", snapshot.session.role);
    by.iter().map(|name| if name == "role" { role() } else { name.clone() }).collect()
}

fn means(subject: &str, server: &str, tool: &str, wire_name: &str) -> bool {
    subject == wire_name
        || subject == tool
        || subject.strip_prefix(server).and_then(|rest| rest.strip_prefix('.')) == Some(tool)
}

/// Of the surface's record, or of the servers as they are now. A name on the wire comes first.
fn listed(snapshot: &Snapshot, subject: &str) -> Option<Found> {
    let recorded = &snapshot.surface.tools;
    let exact = recorded.iter().find(|tool| tool.wire_name == subject);
    let known =
        exact.or_else(|| recorded.iter().find(|known| means(subject, &known.server, &known.tool, &known.wire_name)));
    if let Some(known) = known {
        return Some(Found { server: known.server.clone(), tool: known.tool.clone(), shown: Some(known.clone()) });
    }
    snapshot.servers.iter().find_map(|server| {
        let tool = server.tools.iter().find(|tool| means(subject, &server.name, &tool.name, &tool.wire_name))?;
        let quarantined = tool.quarantine.as_ref().map(|quarantine| quarantine.reason.clone());
        let filtered = || tool.filtered_by.as_ref().map(|by| format!("left out by {by}"));
        let shown = SurfaceTool {
            server: server.name.clone(),
            tool: tool.name.clone(),
            wire_name: tool.wire_name.clone(),
            tokens: tool.tokens,
            left_out: quarantined.or_else(filtered),
            by: referrers(snapshot, &server.name),
        };
        Some(Found { server: server.name.clone(), tool: tool.name.clone(), shown: Some(shown) })
    })
}

fn referrers(snapshot: &Snapshot, server: &str) -> Vec<String> {
    let found = snapshot.surface.references.iter().find(|known| known.server == server);
    found.map(|known| known.by.clone()).unwrap_or_default()
}

/// It was called once, or a capability that came or went asked for it by its name.
fn gone(snapshot: &Snapshot, subject: &str) -> Option<Found> {
    let called = snapshot.transcript.entries().iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Tool { server, tool, .. } if means(subject, server, tool, tool) => {
            Some((server.clone(), tool.clone()))
        }
        _ => None,
    });
    let asked = || {
        steps(snapshot).find_map(|(_, step)| {
            let tool = step.tools.iter().find(|tool| means(subject, &step.server, tool, tool))?;
            Some((step.server.clone(), tool.clone()))
        })
    };
    let (server, tool) = called.or_else(asked)?;
    Some(Found { server, tool, shown: None })
}

/// What was done to servers and for which capability, the newest first.
fn steps(snapshot: &Snapshot) -> impl Iterator<Item = (&str, &ServerStep)> {
    snapshot.surface_events.iter().rev().flat_map(|event| {
        let (capability, steps): (&str, &[ServerStep]) = match &event.change {
            SurfaceChange::Activated(told) => (&told.capability, &told.servers),
            SurfaceChange::Deactivated(told) => (&told.capability, &told.servers),
            SurfaceChange::Routed(_) | SurfaceChange::Refused(_) => ("", &[]),
        };
        steps.iter().map(move |step| (capability, step))
    })
}

/// The capability that brought the server of a tool that is not there any more.
fn behind(snapshot: &Snapshot, found: &Found) -> Option<String> {
    if found.shown.is_some() {
        return None;
    }
    let allows = |step: &ServerStep| crate::config::allows(&step.tools, &found.tool);
    let step = steps(snapshot).find(|(_, step)| step.server == found.server && allows(step));
    step.map(|(capability, _)| capability.to_owned())
}

fn server(chain: &mut Chain, snapshot: &Snapshot, found: &Found) {
    const STAGE: &str = "server";
    let name = &found.server;
    let by = referrers(snapshot, name);
    let mut evidence = Vec::new();
    if !by.is_empty() {
        evidence.push(format!("{name} runs for {}", list(&words(snapshot, &by))));
    }
    if snapshot.surface.fixed_servers.contains(name) {
        evidence.push("the role owns it: the surface never stops it".to_owned());
    }
    let state = snapshot.servers.iter().find(|view| view.name == *name).map(|view| &view.state);
    match (state.and_then(trouble), &found.shown) {
        (Some((why, fix)), _) => {
            evidence.push(why.clone());
            chain.no(STAGE, evidence, format!("its server {name} {why}"), fix);
        }
        (None, Some(_)) => chain.yes(STAGE, evidence),
        (None, None) if by.is_empty() => {
            let answer = format!("its server {name} is not on the surface");
            let fix = "enable a capability that brings it, see /capability list";
            chain.no(STAGE, vec![format!("nobody refers to {name}")], answer, Some(fix.to_owned()));
        }
        (None, None) => chain.unknown(STAGE, format!("{name} is there, and no record lists its tools")),
    }
}

/// What is the matter with a server, and what to do about it.
fn trouble(state: &ServerState) -> Option<(String, Option<String>)> {
    let restart = "restart it in the Servers overlay".to_owned();
    let (why, fix) = match state {
        ServerState::Ready { .. } | ServerState::Starting { .. } => return None,
        ServerState::Waiting { reason, .. } => (format!("is down: {reason}"), format!("wait, or {restart}")),
        ServerState::Failed { reason, advice } => (format!("failed: {reason}"), advice.clone()),
        ServerState::NeedsSignIn { reason } => {
            (format!("needs a login: {reason}"), format!("sign in there, then {restart}"))
        }
        ServerState::Disabled { by } => (format!("was switched off by {by}"), restart),
        ServerState::Stopped => ("is stopped".to_owned(), restart),
    };
    Some((why, Some(fix)))
}

fn definition(chain: &mut Chain, found: &Found) {
    const STAGE: &str = "definition";
    match &found.shown {
        Some(SurfaceTool { left_out: Some(why), .. }) => {
            let fix = match why.starts_with("left out") {
                true => "name it in allowed_tools there, or enable a capability that asks for it",
                false => "mend its definition on the server, then restart that",
            };
            chain.no(STAGE, Vec::new(), format!("it is kept from the model: {why}"), Some(fix.to_owned()));
        }
        Some(shown) => {
            let named = format!("called {} on the wire, {} tok per turn", shown.wire_name, shown.tokens);
            chain.yes(STAGE, vec![named]);
        }
        None => chain.skipped(STAGE, Vec::new()),
    }
}

fn asked_for(chain: &mut Chain, found: &Found, by: &[String]) {
    const STAGE: &str = "filter";
    match (&found.shown, by.is_empty()) {
        (None, _) => chain.skipped(STAGE, Vec::new()),
        (Some(_), false) => chain.yes(STAGE, vec![format!("asked for by {}", list(by))]),
        (Some(_), true) => chain.unknown(STAGE, "no record tells who asks for it"),
    }
}
