//! What a role comes to: its model, its words, and the servers and tools it may use. Pure.

use std::collections::BTreeSet;

use super::keys::nearest;
use super::problem::Notice;
use super::schema::{Config, ModelProfile, Role, Server};

/// A role with everything it inherits.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedRole {
    pub name: String,
    pub profile: ModelProfile,
    /// Placeholders not yet filled in.
    pub system: String,
    /// "" = no banner.
    pub welcome: String,
    /// In the order of `server_refs`, then those that bind themselves.
    pub servers: Vec<ServerChoice>,
    /// References that lead nowhere and servers that were left out, each one sentence.
    pub notices: Vec<Notice>,
}

/// A server of the role.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerChoice {
    /// As configured; placeholders not yet filled in.
    pub server: Server,
    /// Tool names or `prefix_*`; empty = all.
    pub filter: Vec<String>,
    /// What set the filter: `tools` of a server, `allowed_tools` of a role or of [mcp]; "" = nothing.
    pub filtered_by: String,
}

/// No role of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no role `{name}`; {hint}")]
pub struct UnknownRole {
    pub name: String,
    pub hint: String,
}

/// Resolves a local role.
///
/// Precedence of the model: the role's own fields, then for tags the name under `[taps]`, then
/// `[model]`. What was asked for on the command line (`--model`) is the caller's to lay over it.
///
/// # Errors
/// When no `[[roles]]` has this name.
pub fn resolve_role(config: &Config, name: &str) -> Result<ResolvedRole, UnknownRole> {
    let role = config.roles.iter().find(|role| role.name == name).ok_or_else(|| unknown(config, name))?;
    let mut profile = role.model.over(&config.model);
    if role.model.name.is_none()
        && name.contains(':')
        && let Some(model) = config.taps.get(name)
    {
        profile.name.clone_from(model);
    }
    let mut notices = Vec::new();
    let servers = servers(config, role, &mut notices);
    let (system, welcome) = (role.system.clone(), role.welcome.clone());
    Ok(ResolvedRole { name: name.to_owned(), profile, system, welcome, servers, notices })
}

/// The role that a start without a name takes: the configured default, or one that can stand in for
/// it, which is then said.
///
/// # Errors
/// When no role can stand in.
pub fn default_role(config: &Config) -> Result<(&Role, Option<Notice>), UnknownRole> {
    let find = |name: &str| config.roles.iter().find(|role| role.name == name);
    if let Some(role) = find(&config.default) {
        return Ok((role, None));
    }
    let domain = config.default.split(':').next().unwrap_or_default();
    let role = find(domain)
        .or_else(|| find("assistant"))
        .or_else(|| config.roles.first())
        .ok_or_else(|| unknown(config, &config.default))?;
    let notice = Notice::new(format!(
        "the default `{}` is not a role here; `{}` was started instead",
        config.default, role.name
    ));
    Ok((role, Some(notice)))
}

fn unknown(config: &Config, name: &str) -> UnknownRole {
    let names = || config.roles.iter().map(|role| role.name.as_str());
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    UnknownRole { name: name.to_owned(), hint }
}

fn servers(config: &Config, role: &Role, notices: &mut Vec<Notice>) -> Vec<ServerChoice> {
    let mut seen = BTreeSet::new();
    let mut choices = Vec::new();
    let mut wanted: Vec<(&Server, Binding)> = Vec::new();
    for reference in &role.mcp.server_refs {
        match config.mcp.servers.iter().find(|server| server.name == *reference) {
            Some(server) if seen.insert(&server.name) => wanted.push((server, Binding::Referenced)),
            Some(_) => {}
            None => notices.push(Notice::new(missing_server(config, role, reference))),
        }
    }
    let binds = |server: &&Server| server.auto_bind.contains(&role.name);
    for server in config.mcp.servers.iter().filter(binds) {
        match wanted.iter_mut().find(|(known, _)| known.name == server.name) {
            Some((_, binding)) => *binding = Binding::Own,
            None => wanted.push((server, Binding::Own)),
        }
    }
    for pattern in &role.mcp.allowed_tools {
        if let Some((prefix, _)) = pattern.split_once(':')
            && !wanted.iter().any(|(server, _)| server_part(pattern, &server.name).is_some())
        {
            notices.push(Notice::new(format!(
                "role {}: allowed_tools names `{pattern}`, but `{prefix}` is not among its servers",
                role.name
            )));
        }
    }
    for (server, binding) in wanted {
        match choose(config, role, server, binding) {
            Ok(choice) => choices.push(choice),
            Err(notice) => notices.push(notice),
        }
    }
    choices
}

pub(super) fn missing_server(config: &Config, role: &Role, reference: &str) -> String {
    let near = nearest(reference, config.mcp.servers.iter().map(|server| server.name.as_str()));
    let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("role {}: no server `{reference}` is configured, so its tools are not there{hint}", role.name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// Named in `server_refs`.
    Referenced,
    /// The server's `auto_bind` names the role: all its tools are allowed.
    Own,
}

fn choose(config: &Config, role: &Role, server: &Server, binding: Binding) -> Result<ServerChoice, Notice> {
    let left_out = |by: &str| {
        Notice::new(format!(
            "role {}: server `{}` was left out, as {by} allows none of its tools",
            role.name, server.name
        ))
    };
    let (mut filter, mut filtered_by) = if role.mcp.allowed_tools.is_empty() {
        (widened(server.tools.clone()), format!("`tools` of server {}", server.name))
    } else {
        let mut patterns = matching(&role.mcp.allowed_tools, &server.name);
        if binding == Binding::Own {
            patterns.push("*".to_owned());
        }
        if patterns.is_empty() {
            return Err(left_out("its allowed_tools"));
        }
        (widened(patterns), format!("`allowed_tools` of role {}", role.name))
    };
    if !config.mcp.allowed_tools.is_empty() {
        let limit = matching(&config.mcp.allowed_tools, &server.name);
        let limited = if limit.is_empty() { None } else { intersect(&filter, &widened(limit)) };
        let limited = limited.ok_or_else(|| left_out("[mcp] allowed_tools"))?;
        if limited != filter {
            filtered_by = "`allowed_tools` of [mcp]".to_owned();
        }
        filter = limited;
    }
    if filter.is_empty() {
        filtered_by.clear();
    }
    Ok(ServerChoice { server: server.clone(), filter, filtered_by })
}

/// The part after `server:` if the pattern names this server.
fn server_part<'pattern>(pattern: &'pattern str, server: &str) -> Option<&'pattern str> {
    pattern.strip_prefix(server)?.strip_prefix(':')
}

/// The tool patterns of an allowlist that concern this server: those that name it, and bare ones.
fn matching(allowed: &[String], server: &str) -> Vec<String> {
    allowed
        .iter()
        .filter_map(|pattern| match server_part(pattern, server) {
            Some(tool) => Some(tool),
            None if pattern.contains(':') => None,
            None => Some(pattern.as_str()),
        })
        .map(str::to_owned)
        .collect()
}

/// A filter with `*` in it is none.
fn widened(patterns: Vec<String>) -> Vec<String> {
    if patterns.iter().any(|pattern| pattern == "*") { Vec::new() } else { patterns }
}

/// What both filters let through, as a filter; `None` when that is nothing.
fn intersect(one: &[String], other: &[String]) -> Option<Vec<String>> {
    if one.is_empty() || other.is_empty() {
        return Some(if one.is_empty() { other.to_vec() } else { one.to_vec() });
    }
    let mut both: Vec<String> =
        one.iter().flat_map(|one| other.iter().filter_map(|other| narrower(one, other))).collect();
    both.dedup();
    (!both.is_empty()).then_some(both)
}

fn narrower(one: &str, other: &str) -> Option<String> {
    let within = |inner: &str, outer: &str| match outer.strip_suffix('*') {
        Some(prefix) => inner.trim_end_matches('*').starts_with(prefix),
        None => inner == outer,
    };
    if within(one, other) {
        Some(one.to_owned())
    } else if within(other, one) {
        Some(other.to_owned())
    } else {
        None
    }
}

/// Whether a filter lets a tool through.
pub fn allows(filter: &[String], tool: &str) -> bool {
    filter.is_empty()
        || filter.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => tool.starts_with(prefix),
            None => pattern == tool,
        })
}

#[cfg(test)]
mod tests;
