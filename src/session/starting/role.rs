//! A role of the configuration, or an agent with everything laid into it, as a session works in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use super::pipeline::Parts;
use super::telling::Telling;
use crate::config::schema::{Config, Server};
use crate::config::{self, ResolvedRole};
use crate::proto::{FixedCapability, Level};
use crate::session::seams::Role;
use crate::session::server_specs::{ORCHESTRATION, RUNTIME, Wanted, local_tools, spec};
use crate::tap::fill::{Key, Needs, fill_what_there_is};
use crate::tap::resolve::{Expanded, ExpandedCapability, SPECIALIST_SENTENCE};

/// A role of the configuration.
///
/// # Errors
/// When there is none of this name.
pub(in crate::session) fn local_role(parts: &Parts, name: &str) -> Result<Role, String> {
    let resolved = config::resolve_role(&parts.loaded.config, name).map_err(|error| error.to_string())?;
    Ok(finished(parts, resolved))
}

fn finished(parts: &Parts, resolved: ResolvedRole) -> Role {
    let mut notices: Vec<(Level, String)> =
        resolved.notices.iter().map(|notice| (Level::Warning, notice.to_string())).collect();
    let (mut servers, mut own, mut absent) = (Vec::new(), BTreeMap::new(), Vec::new());
    let env = parts.env.read().unwrap_or_else(PoisonError::into_inner);
    for choice in &resolved.servers {
        match spec(choice, &resolved.name, &env) {
            Wanted::Server(spec) => servers.push(*spec),
            Wanted::Own(filter) => drop(own.insert(choice.server.name.as_str(), filter)),
            Wanted::NotYet => absent.push(choice.server.name.as_str()),
            Wanted::Unusable(why) => notices.push((Level::Warning, why)),
        }
    }
    for name in absent {
        let text = format!("The built-in server {name} is not part of this version yet; roles work without.");
        notices.push((Level::Info, text));
    }
    servers.extend(local_tools(&parts.workdir));
    Role {
        name: resolved.name,
        system: resolved.system,
        welcome: resolved.welcome,
        profile: resolved.profile,
        servers,
        runtime: own.remove(RUNTIME),
        orchestration: own.remove(ORCHESTRATION),
        capabilities: Vec::new(),
        notices,
    }
}

/// An agent, without what could not be had.
pub(super) fn of_agent(
    parts: &Parts,
    config: &Config,
    expanded: &Expanded,
    missing: &[Key],
    left_out: &BTreeSet<String>,
    telling: &Telling,
) -> Role {
    let mut expanded = expanded.clone();
    expanded.role.system = text(parts, &expanded.role.system);
    expanded.role.welcome = text(parts, &expanded.role.welcome);
    let lacking = lacking(config, &expanded, missing);
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|key| key.name.as_str()).collect();
        let stays = if lacking.is_empty() { String::new() } else { format!("; off for it: {}", lacking.join(", ")) };
        let text = format!("No value for {}{stays}.", names.join(", "));
        telling.notice(Level::Warning, text, Some("/role with the same name asks again.".to_owned()));
    }
    let unprepared = unprepared(&expanded, left_out);
    tell_left_out(&expanded, left_out, &unprepared, telling);
    // That nobody has a server was said of the manifest already.
    let unknown = unknown(config, &expanded);
    let off: BTreeSet<String> = lacking.into_iter().chain(unprepared).chain(unknown).collect();
    without(&mut expanded, &off);
    if !expanded.role.mcp.server_refs.iter().any(|name| name == ORCHESTRATION) {
        expanded.role.system = without_specialists(&expanded.role.system);
        expanded.role.welcome = without_specialists(&expanded.role.welcome);
    }
    let config = expanded.configuration(config);
    match config::resolve_role(&config, &expanded.role.name) {
        Ok(resolved) => Role { capabilities: fixed(&expanded, left_out), ..finished(parts, resolved) },
        // It was just put there.
        Err(error) => Role {
            name: expanded.role.name.clone(),
            system: expanded.role.system.clone(),
            welcome: expanded.role.welcome.clone(),
            profile: expanded.role.model.over(&config.model),
            servers: local_tools(&parts.workdir).into_iter().collect(),
            runtime: None,
            orchestration: None,
            capabilities: Vec::new(),
            notices: vec![(Level::Warning, error.to_string())],
        },
    }
}

/// What the agent names and has, as the surface shows it.
fn fixed(expanded: &Expanded, left_out: &BTreeSet<String>) -> Vec<FixedCapability> {
    let there = expanded.capabilities.iter().filter(|one| !left_out.contains(&one.name));
    let fixed = |one: &ExpandedCapability| FixedCapability {
        name: one.name.clone(),
        tap: one.capability.tap.name.clone(),
        provider: one.provider.clone(),
        servers: one.servers.clone(),
    };
    there.map(fixed).collect()
}

/// A prompt that speaks of no tool that is not there: a paragraph of nothing else goes whole.
fn without_specialists(text: &str) -> String {
    if !text.contains(SPECIALIST_SENTENCE) {
        return text.to_owned();
    }
    let paragraph = |paragraph: &str| {
        let rest = paragraph.replace(SPECIALIST_SENTENCE, "");
        (rest == *paragraph || !rest.trim().is_empty()).then_some(rest)
    };
    text.split("\n\n").filter_map(paragraph).collect::<Vec<_>>().join("\n\n")
}

/// Servers that are referred to and that nobody declares.
fn unknown(config: &Config, expanded: &Expanded) -> Vec<String> {
    let known = |name: &String| {
        let own = expanded.servers.iter().any(|one| one.server.name == *name);
        own || config.mcp.servers.iter().any(|server| server.name == *name)
    };
    expanded.role.mcp.server_refs.iter().filter(|name| !known(name)).cloned().collect()
}

/// Servers that want a value which is not there.
fn lacking(config: &Config, expanded: &Expanded, missing: &[Key]) -> Vec<String> {
    let own = expanded.servers.iter().map(|one| &one.server);
    let configured = config.mcp.servers.iter().filter(|one| expanded.role.mcp.server_refs.contains(&one.name));
    own.chain(configured).filter(|server| wants(server, missing)).map(|server| server.name.clone()).collect()
}

fn wants(server: &Server, missing: &[Key]) -> bool {
    let mut needs = Needs::default();
    needs.server(server, "");
    needs.all().iter().any(|need| missing.contains(&need.key))
}

/// Servers that only capabilities refer to whose scripts did not do what they should, whoever brought
/// them.
fn unprepared(expanded: &Expanded, left_out: &BTreeSet<String>) -> Vec<String> {
    let only_left_out = |name: &&String| {
        let mut users = expanded.capabilities.iter().filter(|one| one.servers.contains(name)).peekable();
        let wanted = users.peek().is_some();
        !expanded.own_servers.contains(name) && wanted && users.all(|one| left_out.contains(&one.name))
    };
    expanded.role.mcp.server_refs.iter().filter(only_left_out).cloned().collect()
}

/// What it means for servers that these capabilities are off.
fn tell_left_out(expanded: &Expanded, left_out: &BTreeSet<String>, off: &[String], telling: &Telling) {
    let named = |one: &&ExpandedCapability| left_out.contains(&one.name);
    let of_them: BTreeSet<&String> = expanded.capabilities.iter().filter(named).flat_map(|one| &one.servers).collect();
    let stay: Vec<&str> = of_them.iter().filter(|name| !off.contains(name)).map(|name| name.as_str()).collect();
    let (off, stay) = (off.join(", "), stay.join(", "));
    let text = match (off.is_empty(), stay.is_empty()) {
        (true, true) => return,
        (false, true) => format!("off with it: {off}."),
        (true, false) => format!("{stay} is on all the same: other parts of the agent want it."),
        (false, false) => format!("off with it: {off}; {stay} is on all the same: other parts of the agent want it."),
    };
    let names: Vec<&str> = left_out.iter().map(String::as_str).collect();
    telling.notice(Level::Warning, format!("Without {}: {text}", names.join(", ")), None);
}

fn without(expanded: &mut Expanded, off: &BTreeSet<String>) {
    let mcp = &mut expanded.role.mcp;
    expanded.servers.retain(|one| !off.contains(&one.server.name));
    mcp.server_refs.retain(|name| !off.contains(name));
    let limited = !mcp.allowed_tools.is_empty();
    mcp.allowed_tools.retain(|pattern| pattern.split_once(':').is_none_or(|(server, _)| !off.contains(server)));
    // No pattern at all would allow everything.
    if limited && mcp.allowed_tools.is_empty() {
        mcp.server_refs.clear();
    }
}

/// A text with its values; what has none stays as it is written.
fn text(parts: &Parts, text: &str) -> String {
    parts.with_values(|values| fill_what_there_is(text, values).0)
}
