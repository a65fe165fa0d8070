//! One `<provider>.toml`.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use super::environment;
use crate::config::keys::{Kind, ROLE_MCP, TableKeys, may, table};
use crate::config::schema::{RoleMcp, Server};
use crate::config::tree::Table;
use crate::config::{Problem, Source};
use crate::tap::Provider;
use crate::tap::document::{self, Report};
use crate::tap::header;
use crate::tap::manifest::{DEPS, MCP, WrittenMcp};

static KEYS: TableKeys =
    table(&[may("deps", Kind::Table(&DEPS)), may("roles", Kind::Table(&ROLES)), may("mcp", Kind::Table(&MCP))]);

static ROLES: TableKeys = table(&[may("mcp", Kind::Table(&ROLE_MCP))]);

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    roles: WrittenRoles,
    #[serde(default)]
    mcp: WrittenMcp,
}

#[derive(Default, Deserialize)]
struct WrittenRoles {
    #[serde(default)]
    mcp: WrittenRoleMcp,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WrittenRoleMcp {
    server_refs: Vec<String>,
    allowed_tools: Vec<String>,
}

/// Reads a provider; nothing when it would be another than its author meant.
pub(super) fn read(source: &Source, name: &str, file: &Path, report: &mut Report) -> Option<Provider> {
    let head = header::lines(source);
    let title = header::prose(&head, "Title", source, report);
    let description = header::prose(&head, "Description", source, report);
    let before = report.findings.len();
    let table = document::read(source, &KEYS, report)?;
    if report.has_error_since(before) {
        return None;
    }
    let deps = document::deps(source, &table, report);
    let written: Written = document::typed(source, &table, report)?;
    let role = RoleMcp { server_refs: written.roles.mcp.server_refs, allowed_tools: written.roles.mcp.allowed_tools };
    compare(source, &table, &role, &written.mcp.servers, report);
    if deps.is_empty() && role.server_refs.is_empty() {
        let problem = Problem::at(source, 0..0, "this provider has neither deps nor servers, so it adds nothing");
        report.warning(problem.hint("[deps] require = [\"org/tool\"], or [roles.mcp] and [[mcp.servers]]"));
    }
    Some(Provider {
        name: name.to_owned(),
        links_to: None,
        file: file.to_path_buf(),
        title,
        description,
        deps,
        server_refs: role.server_refs,
        allowed_tools: role.allowed_tools,
        environment: environment::keys(&written.mcp.servers),
        servers: written.mcp.servers,
    })
}

/// Names what references, servers and patterns do not fit together.
fn compare(source: &Source, table: &Table, role: &RoleMcp, servers: &[Server], report: &mut Report) {
    let roles = table.get("roles").and_then(|entry| entry.node.table());
    let mcp = roles.and_then(|roles| roles.get("mcp")?.node.table());
    let places = |name: &str| mcp.map(|mcp| document::texts(mcp, name)).unwrap_or_default();
    for (reference, span) in places("server_refs") {
        if !servers.iter().any(|server| server.name == reference) {
            let message = format!("server_refs names `{reference}`, which this file does not declare");
            report.warning(Problem::at(source, span, message).hint("add its [[mcp.servers]]"));
        }
    }
    for (pattern, span) in places("allowed_tools") {
        if let Some((server, _)) = pattern.split_once(':')
            && !role.server_refs.iter().any(|reference| reference == server)
        {
            let message = format!("allowed_tools names `{pattern}`, but `{server}` is not among server_refs");
            report.warning(Problem::at(source, span, message));
        }
    }
    for server in servers.iter().filter(|server| !role.server_refs.contains(&server.name)) {
        let span = server_place(table, &server.name);
        let message = format!("the server `{}` is not among server_refs, so it is never used", server.name);
        report.warning(Problem::at(source, span, message).hint("name it in [roles.mcp] server_refs"));
    }
    if mcp.is_some_and(|mcp| mcp.contains_key("server_refs") && !mcp.contains_key("allowed_tools")) {
        let span = roles.and_then(|roles| roles.get("mcp")).map_or(0..0, |entry| entry.key.clone());
        let message = "allowed_tools is missing, so every tool of its servers is allowed";
        report.warning(Problem::at(source, span, message).hint("allowed_tools = [\"server:*\"] says so"));
    }
}

fn server_place(table: &Table, name: &str) -> Range<usize> {
    let servers = table.get("mcp").and_then(|entry| entry.node.table()?.get("servers"));
    let list = servers.map(|entry| &entry.node.value);
    match list {
        Some(crate::config::tree::Value::List(list)) => {
            list.iter().find(|node| node.name() == Some(name)).map_or(0..0, |node| node.span.clone())
        }
        _ => 0..0,
    }
}
