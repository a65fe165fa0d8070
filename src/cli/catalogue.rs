//! `octomind agents` and `octomind capabilities`: what there is, without a screen.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value, json};

use super::args::Listed;
use super::exit::Exit;
use super::table::{Align, Look, Table};
use crate::config::{Env, Paths, Sources, load};
use crate::tap::catalogue::{Places, build};
use crate::tap::registry::{HOST_VARIABLE, Taps};
use crate::tap::{Agent, Capability, Catalogue, PartKind, Severity};
use crate::text::{in_json, sanitize_line};

/// Where roles come from that no tap has.
const CONFIGURATION: &str = "configuration";

/// Lists agents, roles of the configuration first: a name means them before a domain.
///
/// # Errors
/// When the output cannot be written.
pub fn agents(
    asked: &Listed,
    env: &Env,
    workdir: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (catalogue, paths) = read(env, workdir);
    // What is wrong in the configuration is for `config --validate` to say; its usable roles are listed.
    let roles = match asked.domain {
        Some(_) => Vec::new(),
        None => load(&Sources::read(&paths, workdir, Vec::new())).config.roles,
    };
    let of_domain = |agent: &&Arc<Agent>| asked.domain.as_ref().is_none_or(|domain| agent.tag.domain == *domain);
    let agents: Vec<&Agent> = catalogue.agents.iter().filter(of_domain).map(Arc::as_ref).collect();
    say_of_the_rest(&catalogue, PartKind::Agent, "agent", err)?;
    if agents.is_empty() && roles.is_empty() {
        return none(&catalogue, asked, "agent", err);
    }
    if asked.json {
        let roles = roles.iter().map(|role| json!({ "name": role.name, "from": CONFIGURATION }));
        let agents = agents.iter().map(|agent| as_json(agent));
        writeln!(out, "{}", in_json(&format!("{:#}", Value::from_iter(roles.chain(agents)))))?;
        return Ok(Exit::Done.into());
    }
    let columns = [("NAME", Align::Left), ("TITLE", Align::Left), ("FROM", Align::Left), ("DESCRIPTION", Align::Rest)];
    let mut table = Table::new(&columns);
    for role in &roles {
        table.row([clean(&role.name), String::new(), CONFIGURATION.to_owned(), String::new()]);
    }
    for agent in agents {
        table.row([agent.tag.to_string(), clean(&agent.title), agent.tap.name.clone(), clean(&agent.description)]);
    }
    table.write(Look::of_stdout(env), out)?;
    Ok(Exit::Done.into())
}

fn as_json(agent: &Agent) -> Value {
    json!({
        "name": agent.tag.to_string(),
        "title": agent.title,
        "description": agent.description,
        "capabilities": agent.capabilities,
        "from": agent.tap.name,
        "file": agent.file,
    })
}

/// Lists capabilities; those of one domain are the ones it is offered.
///
/// # Errors
/// When the output cannot be written.
pub fn capabilities(
    asked: &Listed,
    env: &Env,
    workdir: &Path,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let (catalogue, _) = read(env, workdir);
    let of_domain = |capability: &&Arc<Capability>| {
        let domains = &capability.domains;
        asked.domain.as_ref().is_none_or(|domain| domains.is_empty() || domains.contains(domain))
    };
    let found: Vec<&Capability> = catalogue.capabilities.iter().filter(of_domain).map(Arc::as_ref).collect();
    say_of_the_rest(&catalogue, PartKind::Capability, "capability", err)?;
    if found.is_empty() {
        return none(&catalogue, asked, "capability", err);
    }
    if asked.json {
        let all = Value::from_iter(found.iter().map(|one| capability_json(one)));
        writeln!(out, "{}", in_json(&format!("{all:#}")))?;
        return Ok(Exit::Done.into());
    }
    let columns = [
        ("NAME", Align::Left),
        ("PROVIDERS", Align::Left),
        ("FROM", Align::Left),
        ("TRIGGERS", Align::Right),
        ("AS IN", Align::Rest),
    ];
    let mut table = Table::new(&columns);
    for one in found {
        let first = one.triggers.first().map_or_else(|| "named in a manifest".to_owned(), |trigger| clean(trigger));
        let (providers, triggers) = (providers(one).join(", "), one.triggers.len().to_string());
        table.row([clean(&one.name), clean(&providers), one.tap.name.clone(), triggers, first]);
    }
    table.write(Look::of_stdout(env), out)?;
    Ok(Exit::Done.into())
}

/// By name, without the link that names one of the others.
fn providers(capability: &Capability) -> Vec<&str> {
    let links = |provider: &&crate::tap::Provider| provider.links_to.is_none();
    capability.providers.iter().filter(links).map(|provider| provider.name.as_str()).collect()
}

fn capability_json(capability: &Capability) -> Value {
    let default = capability.providers.iter().find(|provider| provider.name == "default");
    json!({
        "name": capability.name,
        "providers": providers(capability),
        "default": default.map(|provider| provider.links_to.as_ref().unwrap_or(&provider.name)),
        "domains": capability.domains,
        "triggers": capability.triggers,
        "from": capability.tap.name,
        "folder": capability.folder,
    })
}

fn read(env: &Env, workdir: &Path) -> (Catalogue, Paths) {
    let paths = Paths::from_env(env);
    let taps = Taps::open(&paths).hosted_at(env.get(HOST_VARIABLE));
    let taps = taps.effective().into_iter().map(Arc::new).collect();
    let catalogue = build(&Places { taps, workdir: workdir.to_path_buf(), ..Places::default() });
    (catalogue, paths)
}

/// What is not in the list and might be looked for there.
fn say_of_the_rest(catalogue: &Catalogue, kind: PartKind, noun: &str, err: &mut dyn Write) -> io::Result<()> {
    for tap in &catalogue.taps {
        if let Some(why) = &tap.unavailable {
            writeln!(err, "note: {} cannot be read: {}", tap.name, sanitize_line(why))?;
        }
    }
    let bad = |finding: &&crate::tap::Finding| finding.severity == Severity::Error && finding.part.kind == kind;
    let mut broken: Vec<&str> =
        catalogue.findings.iter().filter(bad).map(|finding| finding.part.name.as_str()).collect();
    broken.sort_unstable();
    broken.dedup();
    for name in broken {
        if let Some(broken) = catalogue.broken(kind, name) {
            writeln!(err, "note: the {noun} {}", sanitize_line(&broken.to_string()))?;
        }
    }
    Ok(())
}

fn none(catalogue: &Catalogue, asked: &Listed, noun: &str, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match &asked.domain {
        None => writeln!(err, "octomind: there is no {noun}")?,
        Some(domain) => {
            let domains: Vec<&str> = catalogue.domains().collect();
            writeln!(err, "octomind: no {noun} is of the domain {}", sanitize_line(domain))?;
            writeln!(err, "hint: there are {}", domains.join(", "))?;
        }
    }
    Ok(Exit::Failed.into())
}

fn clean(words: &str) -> String {
    sanitize_line(words).into_owned()
}

#[cfg(test)]
mod tests;
