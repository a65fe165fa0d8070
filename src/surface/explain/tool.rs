//! Why a tool is shown to the model or not.

use super::facts::Facts;
use super::records::Records;
use super::{Chain, Explanation, Kind, capability, fix, list};
use crate::proto::{ServerReferences, ServerStep, SurfaceChange, SurfaceTool, ToolGone};
use crate::surface::built_in::{self, Built, BuiltIn, NOT_BUILT};

/// What a name means: one tool of one server.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    server: &'a str,
    tool: &'a str,
    /// As the surface recorded it.
    shown: Option<&'a SurfaceTool>,
    /// As it was before it went.
    gone: Option<&'a ToolGone>,
}

impl<'a> Found<'a> {
    pub fn of_server(server: &'a str) -> Self {
        Self { server, tool: "", shown: None, gone: None }
    }
}

/// Nothing when no record names it.
pub(super) fn explain(records: Records<'_>, subject: &str) -> Option<Explanation> {
    let Some(found) = listed(records, subject).or_else(|| gone(records, subject)) else {
        return of_the_program(records, subject);
    };
    if found.server.is_empty() {
        return Some(of_the_program(records, subject).unwrap_or_else(|| nobodys(subject)));
    }
    let mut chain = Chain::default();
    let by = found.shown.or(found.gone.map(|gone| &gone.tool)).map(|tool| tool.by.as_slice()).unwrap_or_default();
    let brings = capability_of(records, &found, by);
    if let Some(name) = brings {
        let facts = Facts::gather(records, name);
        capability::stages(&mut chain, records, name, &facts);
        as_of_its_tool(&mut chain, name);
    }
    server(&mut chain, records, found);
    definition(&mut chain, &found);
    asked_for(&mut chain, records, &found, by);
    let shown = chain.failed.is_none() && found.shown.is_some();
    let state = if shown { "shown to the model" } else { "not shown to the model" };
    let cost = found.shown.filter(|_| shown).map(|tool| format!(" · {} tok per turn", tool.tokens));
    let headline = format!("{}.{} · {state}{}", found.server, found.tool, cost.unwrap_or_default());
    let here = match brings {
        _ if !shown => format!("no record tells whether {} lists it now", found.server),
        Some(name) => match by {
            [_, _, ..] => format!("it is here because {} bring it", list(by)),
            _ => format!("it is here because {name} brings it"),
        },
        None if by.is_empty() => format!("it is here because {} offers it", found.server),
        None => format!("it is here because {} asks for it", list(&words(records, by))),
    };
    Some(chain.finish(subject, Kind::Tool, headline, here))
}

/// Why the capability is off explains more than that its server is.
fn as_of_its_tool(chain: &mut Chain, capability: &str) {
    if let Some((answer, _)) = &mut chain.failed {
        *answer = match answer.strip_prefix("it left in ") {
            Some(when) => format!("it left with {capability} in {when}"),
            None => format!("{capability}, which brings it, is off: {answer}"),
        };
    }
}

/// A tool that comes with the program and is not here. Nothing when there is none of this name.
fn of_the_program(records: Records<'_>, subject: &str) -> Option<Explanation> {
    const STAGE: &str = "server";
    let BuiltIn { server, capability, built } = built_in::tool(subject)?;
    let mut chain = Chain::default();
    let facts = Facts::gather(records, capability);
    if built == Built::No {
        let of = vec![format!("a tool of {server}, which comes with the program")];
        chain.no(STAGE, of, format!("{subject} {NOT_BUILT}"), None);
    } else if facts.known {
        capability::stages(&mut chain, records, capability, &facts);
        as_of_its_tool(&mut chain, capability);
    }
    match records.trouble(server) {
        Some((what, advice)) => chain.no(STAGE, Vec::new(), format!("its server {server} {what}"), advice),
        None => {
            let fix = format!("bring it in with {}", fix::enable(records, capability));
            chain.no(STAGE, Vec::new(), format!("nobody brought its server {server}"), Some(fix));
        }
    }
    let headline = format!("{server}.{subject} · not shown to the model");
    Some(chain.finish(subject, Kind::Tool, headline, String::new()))
}

/// The model called something that no server had.
fn nobodys(subject: &str) -> Explanation {
    let mut chain = Chain::default();
    let answer = "it was called, and no server has or had a tool of this name";
    chain.no("server", Vec::new(), answer, Some(super::LOOK.to_owned()));
    chain.finish(subject, Kind::Tool, format!("{subject} · not there"), String::new())
}

/// The capability that it is there for, or was, unless the role asks for it too.
fn capability_of<'a>(records: Records<'a>, found: &Found<'a>, by: &'a [String]) -> Option<&'a str> {
    if by.iter().any(|name| name == "role") {
        return None;
    }
    let named = by.iter().find(|name| !name.starts_with("skill ")).map(String::as_str);
    named.or_else(|| found.shown.is_none().then(|| behind(records, found)).flatten())
}

/// `role` becomes the role's name.
pub(super) fn words(records: Records<'_>, by: &[String]) -> Vec<String> {
    let role = || format!("the role {}", records.role);
    by.iter().map(|name| if name == "role" { role() } else { name.clone() }).collect()
}

fn means(subject: &str, server: &str, tool: &str, wire_name: &str) -> bool {
    subject == wire_name
        || subject == tool
        || subject.strip_prefix(server).and_then(|rest| rest.strip_prefix('.')) == Some(tool)
}

/// Of the surface's record. A name on the wire comes first.
fn listed<'a>(records: Records<'a>, subject: &str) -> Option<Found<'a>> {
    let recorded = &records.surface.tools;
    let exact = recorded.iter().find(|tool| tool.wire_name == subject);
    let known =
        exact.or_else(|| recorded.iter().find(|known| means(subject, &known.server, &known.tool, &known.wire_name)))?;
    Some(Found { server: &known.server, tool: &known.tool, shown: Some(known), gone: None })
}

fn referred<'a>(records: Records<'a>, server: &str) -> Option<&'a ServerReferences> {
    records.surface.references.iter().find(|known| known.server == server)
}

/// It was there once, was called, or a capability that came or went asked for it by its name.
fn gone<'a>(records: Records<'a>, subject: &str) -> Option<Found<'a>> {
    let was = records.tools_gone.iter().rev().find(|gone| {
        let tool = &gone.tool;
        means(subject, &tool.server, &tool.tool, &tool.wire_name)
    });
    if let Some(gone) = was {
        return Some(Found { server: &gone.tool.server, tool: &gone.tool.tool, shown: None, gone: Some(gone) });
    }
    let called = records.past.called.iter().map(|(server, tool)| (server.as_str(), tool.as_str()));
    // One that a server had before one that nobody had.
    let called = called.rev().find(|(server, tool)| means(subject, server, tool, tool));
    let asked = || {
        steps(records).find_map(|(_, step)| {
            let tool = step.tools.iter().find(|tool| means(subject, &step.server, tool, tool))?;
            Some((step.server.as_str(), tool.as_str()))
        })
    };
    let (server, tool) = called.or_else(asked)?;
    Some(Found { server, tool, shown: None, gone: None })
}

/// What was done to servers and for which capability, the newest first.
fn steps<'a>(records: Records<'a>) -> impl Iterator<Item = (&'a str, &'a ServerStep)> {
    records.surface_events.iter().rev().flat_map(|event| {
        let (capability, steps): (&str, &[ServerStep]) = match &event.change {
            SurfaceChange::Activated(told) => (&told.capability, &told.servers),
            SurfaceChange::Deactivated(told) => (&told.capability, &told.servers),
            SurfaceChange::Routed(_) | SurfaceChange::Refused(_) => ("", &[]),
        };
        steps.iter().map(move |step| (capability, step))
    })
}

/// The capability that brought the server of a tool that is not there any more.
fn behind<'a>(records: Records<'a>, found: &Found<'_>) -> Option<&'a str> {
    let allows = |step: &ServerStep| crate::config::allows(&step.tools, found.tool);
    let step = steps(records).find(|(_, step)| step.server == found.server && allows(step));
    step.map(|(capability, _)| capability)
}

pub(super) fn server(chain: &mut Chain, records: Records<'_>, found: Found<'_>) {
    const STAGE: &str = "server";
    let name = found.server;
    let Some(reference) = referred(records, name) else {
        let answer = match found.gone {
            Some(gone) if gone.tool.by.iter().any(|by| by == "role") => {
                format!("the role had its server {name} until t{}, this one does not", gone.turn.0)
            }
            Some(gone) => format!("its server {name} left the surface after t{}", gone.turn.0),
            None => format!("its server {name} is not on the surface"),
        };
        let fix = match bringing(records, &found) {
            Some(capability) => format!("bring it back with {}", fix::enable(records, capability)),
            None => "enable a capability that brings it, see /capability list".to_owned(),
        };
        return chain.no(STAGE, vec![format!("nobody refers to {name}")], answer, Some(fix));
    };
    let stands = if reference.trouble.is_some() { "is there for" } else { "runs for" };
    let mut evidence = vec![format!("{name} {stands} {}", list(&words(records, &reference.by)))];
    if records.surface.fixed_servers.iter().any(|fixed| fixed == name) {
        evidence.push("the role owns it: the surface never stops it".to_owned());
    }
    match records.trouble(name) {
        Some((what, advice)) => {
            evidence.push(what.clone());
            chain.no(STAGE, evidence, format!("its server {name} {what}"), advice);
        }
        None => chain.yes(STAGE, evidence),
    }
}

/// A capability that may come and would bring the tool, as far as a record tells.
fn bringing<'a>(records: Records<'a>, found: &Found<'a>) -> Option<&'a str> {
    let may_come = |name: &&str| records.surface.offered(name).is_some_and(|one| one.stage.is_none());
    let by = found.gone.into_iter().flat_map(|gone| &gone.tool.by).map(String::as_str);
    // A role's capability is mostly called like its server.
    behind(records, found).into_iter().chain(by).chain([found.server]).find(may_come)
}

fn definition(chain: &mut Chain, found: &Found<'_>) {
    const STAGE: &str = "definition";
    match (found.shown, found.gone) {
        (Some(SurfaceTool { left_out: Some(why), .. }), _) => {
            let fix = match why.starts_with("left out") {
                true => "name it in allowed_tools there, or enable a capability that asks for it",
                false => "mend its definition on the server, then restart that",
            };
            let answer = format!("it is kept from the model: {why}");
            chain.no(STAGE, vec![why.clone()], answer, Some(fix.to_owned()));
        }
        (Some(shown), _) => {
            let named = format!("called {} on the wire, {} tok per turn", shown.wire_name, shown.tokens);
            chain.yes(STAGE, vec![named]);
        }
        (None, Some(gone)) => {
            let answer = format!("its server {} does not list it; it did until t{}", found.server, gone.turn.0);
            let fix = "wait until that is ready, or restart it in the Servers overlay";
            chain.no(STAGE, Vec::new(), answer, Some(fix.to_owned()));
        }
        (None, None) => chain.unknown(STAGE, format!("no record lists the tools of {}", found.server)),
    }
}

fn asked_for(chain: &mut Chain, records: Records<'_>, found: &Found<'_>, by: &[String]) {
    const STAGE: &str = "filter";
    match (&found.shown, by.is_empty()) {
        (None, _) => chain.skipped(STAGE, Vec::new()),
        (Some(_), false) => chain.yes(STAGE, vec![format!("asked for by {}", list(&words(records, by)))]),
        (Some(_), true) => chain.unknown(STAGE, "no record tells who asks for it"),
    }
}
