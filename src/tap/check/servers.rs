//! `[[mcp.servers]]`, beyond what its reader demands.

use std::ops::Range;

use super::agents::list;
use super::{pins, placeholders};
use crate::config::tree::{Node, Table, Value};
use crate::config::{Problem, Source, looks_secret};
use crate::tap::document::Report;

/// The servers that are part of the program.
const BUILT_IN: [&str; 6] = ["agent", "core", "files", "local", "orchestration", "runtime"];

/// A value under a secret's name that is at least this long is one, and not a switch.
const SECRET: usize = 12;

pub(super) fn check(source: &Source, table: &Table, report: &mut Report) {
    let Some(mcp) = table.get("mcp").and_then(|entry| entry.node.table()) else { return };
    for server in list(mcp, "servers") {
        for field in ["command", "args", "url", "cwd", "env", "headers"] {
            if let Some(entry) = server.get(field) {
                placeholders::of_server(source, entry.node.span.clone(), report);
            }
        }
        built_in(source, server, report);
        address(source, server, report);
        versions(source, server, report);
        for field in ["env", "headers"] {
            secrets(source, server, field, report);
        }
    }
}

fn text<'table>(server: &'table Table, field: &str) -> Option<(&'table str, Range<usize>)> {
    let node = &server.get(field)?.node;
    Some((node.text()?, node.span.clone()))
}

fn built_in(source: &Source, server: &Table, report: &mut Report) {
    let Some((name, span)) = text(server, "name") else { return };
    if text(server, "type").is_some_and(|(kind, _)| kind == "builtin") && !BUILT_IN.contains(&name) {
        let message = format!("no server called `{name}` is part of the program, so it cannot start");
        report.error(Problem::at(source, span, message).hint(format!("there are: {}", BUILT_IN.join(", "))));
    }
}

fn address(source: &Source, server: &Table, report: &mut Report) {
    let Some((url, span)) = text(server, "url") else { return };
    let known_later = url.contains("${") || url.contains("{{");
    if !known_later && !url.starts_with("https://") && !url.starts_with("http://") {
        let problem = Problem::at(source, span, "this is no address, so the server cannot be reached");
        report.error(problem.hint("url = \"https://…\""));
    }
}

/// A server that changes under its users is another server tomorrow.
fn versions(source: &Source, server: &Table, report: &mut Report) {
    let Some((command, command_span)) = text(server, "command") else { return };
    let arguments: &[Node] = match server.get("args").map(|entry| &entry.node.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    };
    let words: Vec<&str> = std::iter::once(command).chain(arguments.iter().filter_map(Node::text)).collect();
    for (package, registry) in pins::loose(&words) {
        let holder = arguments.iter().find(|node| node.text().is_some_and(|text| text.contains(package)));
        let span = holder.map_or(command_span.clone(), |node| within(source, &node.span, package));
        let message = format!("`{package}` has no exact version, so what runs can change from one day to the next");
        report.warning(Problem::at(source, span, message).hint(format!("write {}", registry.form())));
    }
}

/// Where a part of a string stands; all of it when it is written in another way.
fn within(source: &Source, string: &Range<usize>, part: &str) -> Range<usize> {
    let found = source.text.get(string.clone()).and_then(|text| text.find(part));
    found.map_or(string.clone(), |at| string.start + at..string.start + at + part.len())
}

fn secrets(source: &Source, server: &Table, field: &str, report: &mut Report) {
    let Some(values) = server.get(field).and_then(|entry| entry.node.table()) else { return };
    for (name, entry) in values {
        let Some(value) = entry.node.text() else { continue };
        let refers = value.contains("{{") || value.contains("${");
        let looks = looks_secret(name) && value.len() >= SECRET && !value.contains(' ');
        if looks && !refers && !value.starts_with(['/', '~', '.']) {
            let message = format!("`{name}` seems to hold a secret, which everyone who has this tap can read");
            // The excerpt would print it once more.
            let problem = Problem::at(source, entry.key.clone(), message).hint(format!("write {{{{ENV:{name}}}}}"));
            report.warning(without_excerpt(problem));
        }
    }
}

fn without_excerpt(mut problem: Problem) -> Problem {
    if let Some(place) = &mut problem.place {
        let shown: String = place.excerpt.chars().take(place.indent + place.length).collect();
        place.excerpt = format!("{shown} = …");
    }
    problem
}
