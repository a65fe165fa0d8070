//! From a text to a manifest.

use std::ops::Range;

use serde::Deserialize;

use super::keys::MANIFEST;
use crate::config::schema::{ModelOverride, Role, RoleMcp, Server};
use crate::config::tree::{Node, Table, Value};
use crate::config::{Problem, Source};
use crate::tap::document::{self, LONGEST_LIST, Report};
use crate::tap::header::{self, Line};
use crate::tap::{Finding, PartKind, Tag, Uses};

/// An agent as its author wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub tag: Tag,
    /// `# Title:`; the tag when there is none.
    pub title: String,
    /// `# Description:`.
    pub description: String,
    /// `# Uses:`, as written: not yet held against what there is.
    pub uses: Vec<Uses>,
    /// Bare names and pins, each once.
    pub capabilities: Vec<String>,
    /// Named by the tag, whatever the file calls it. Placeholders stand as written.
    pub role: Role,
    /// `org/tool`, in order.
    pub deps: Vec<String>,
    pub servers: Vec<Server>,
}

/// What a text came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Nothing when there is no role that could be started; a finding says why.
    pub manifest: Option<Manifest>,
    pub findings: Vec<Finding>,
    /// Bytes of each entry of `uses`.
    pub uses_spans: Vec<Range<usize>>,
    /// Bytes of each entry of `capabilities`.
    pub capability_spans: Vec<Range<usize>>,
}

#[derive(Deserialize)]
struct Written {
    roles: Vec<WrittenRole>,
    #[serde(default)]
    mcp: WrittenMcp,
}

#[derive(Deserialize)]
struct WrittenRole {
    system: String,
    #[serde(default)]
    welcome: String,
    #[serde(default)]
    model: ModelOverride,
    #[serde(default)]
    mcp: RoleMcp,
}

#[derive(Default, Deserialize)]
pub(in crate::tap) struct WrittenMcp {
    #[serde(default)]
    pub servers: Vec<Server>,
}

/// What changes from one session to the next, and so has no place in a system prompt that is cached.
const PER_SESSION: [&str; 2] = ["CWD", "DATE"];

/// Reads the manifest of the agent that this tag names.
pub fn parse(source: &Source, tag: &Tag, tap: &str) -> Parsed {
    let mut report = Report::new(PartKind::Agent, tag.to_string(), tap);
    let head = header::lines(source);
    let title = header::prose(&head, "Title", source, &mut report);
    let description = header::prose(&head, "Description", source, &mut report);
    same_tag(&head, tag, source, &mut report);
    let (uses, uses_spans) = uses(&head, source, &mut report);
    let mut parsed = Parsed { manifest: None, findings: Vec::new(), uses_spans, capability_spans: Vec::new() };
    let said = report.findings.len();
    if let Some(table) = document::read(source, &MANIFEST, &mut report) {
        let explained = report.has_error_since(said);
        let (capabilities, spans) = capabilities(source, &table, &mut report);
        parsed.capability_spans = spans;
        let deps = document::deps(source, &table, &mut report);
        parsed.manifest = role(source, &table, explained, &mut report).map(|(role, servers)| Manifest {
            title: if title.is_empty() { tag.to_string() } else { title },
            role: Role { name: tag.to_string(), ..role },
            tag: Tag { version: None, ..tag.clone() },
            description,
            uses,
            capabilities,
            deps,
            servers,
        });
    }
    parsed.findings = report.findings;
    parsed
}

fn same_tag(head: &[Line<'_>], tag: &Tag, source: &Source, report: &mut Report) {
    let Some(line) = header::find(head, "Agent", source, report) else { return };
    if line.value != tag.to_string() {
        let message = format!("`# Agent:` says `{}`, but by its place this is {tag}", line.value);
        report.warning(Problem::at(source, line.span, message).hint("the file's folder and name make the tag"));
    }
}

fn uses(head: &[Line<'_>], source: &Source, report: &mut Report) -> (Vec<Uses>, Vec<Range<usize>>) {
    let (mut uses, mut spans) = (Vec::new(), Vec::new());
    let Some(line) = header::find(head, "Uses", source, report) else { return (uses, spans) };
    let mut at = line.span.start;
    for piece in line.value.split_inclusive([',', ' ', '\t']) {
        let entry = piece.trim_end_matches([',', ' ', '\t']);
        let span = at..at + entry.len();
        at += piece.len();
        if entry.is_empty() {
            continue;
        }
        if uses.len() == LONGEST_LIST {
            let message = format!("`# Uses:` has more than {LONGEST_LIST} entries; the others have no effect");
            report.error(Problem::at(source, span, message));
            break;
        }
        match Uses::parse(entry) {
            Ok(entry) if !uses.contains(&entry) => {
                uses.push(entry);
                spans.push(span);
            }
            Ok(_) => {}
            Err(error) => {
                let message = format!("`# Uses:` entry `{entry}` is not understood: {error}");
                let hint = "an entry is a domain, a tag, or * for every domain's chief";
                report.error(Problem::at(source, span, message).hint(hint));
            }
        }
    }
    (uses, spans)
}

fn capabilities(source: &Source, table: &Table, report: &mut Report) -> (Vec<String>, Vec<Range<usize>>) {
    let (mut names, mut spans): (Vec<String>, _) = (Vec::new(), Vec::new());
    for (name, span) in document::texts(table, "capabilities") {
        if names.iter().any(|known| known == name) {
            report.warning(Problem::at(source, span, format!("the capability `{name}` is named twice")));
        } else if is_reference(name) {
            names.push(name.to_owned());
            spans.push(span);
        } else {
            let message = format!("`{name}` is no name of a capability, so it has no effect");
            report
                .error(Problem::at(source, span, message).hint("write a bare name, or owner/name to pin it to a tap"));
        }
    }
    (names, spans)
}

/// `name` or `owner/name`; each is a file name.
fn is_reference(text: &str) -> bool {
    let good = |part: &str| {
        let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(letter)
    };
    match text.split_once('/') {
        Some((owner, name)) => good(owner) && good(name),
        None => good(text),
    }
}

/// `explained`: an error was named in the file's own keys, so that a role that is not there was left
/// out for it.
fn role(source: &Source, table: &Table, explained: bool, report: &mut Report) -> Option<(Role, Vec<Server>)> {
    let Some(Value::List(roles)) = table.get("roles").map(|entry| &entry.node.value) else {
        let problem = Problem::at(source, 0..0, "there is no [[roles]], so this is no agent");
        report.error(problem.hint("add\n[[roles]]\nsystem = \"…\"\nwelcome = \"…\""));
        return None;
    };
    match roles.as_slice() {
        [] if explained => return None,
        [role] => look_at_role(source, role, report),
        [_, second, ..] => {
            let problem = Problem::at(
                source,
                second.span.clone(),
                "there is more than one [[roles]], so which is the agent cannot be told",
            );
            report.error(problem.hint("a manifest has exactly one; put each agent into a file of its own"));
            return None;
        }
        [] => {
            report.error(Problem::at(source, 0..0, "[[roles]] is empty, so this is no agent"));
            return None;
        }
    }
    let written: Written = document::typed(source, table, report)?;
    let role = written.roles.into_iter().next()?;
    let role =
        Role { name: String::new(), system: role.system, welcome: role.welcome, model: role.model, mcp: role.mcp };
    Some((role, written.mcp.servers))
}

fn look_at_role(source: &Source, role: &Node, report: &mut Report) {
    let Some(table) = role.table() else { return };
    if let Some(entry) = table.get("name") {
        let problem = Problem::at(source, entry.key.clone(), "`name` has no effect: the role is named by the tag");
        report.note(problem);
    }
    let Some(system) = table.get("system") else { return };
    if system.node.text().is_some_and(|text| text.trim().is_empty()) {
        report.warning(Problem::at(source, system.node.span.clone(), "`system` is empty"));
    }
    for name in PER_SESSION {
        if let Some(span) = placeholder(source, &system.node.span, name) {
            let message =
                format!("{{{{{name}}}}} stands in `system`, which then changes with every session and is never cached");
            report.warning(Problem::at(source, span, message).hint("put it into `welcome`"));
        }
    }
}

/// Where a placeholder first stands in a part of the text; a doubled one is none.
fn placeholder(source: &Source, within: &Range<usize>, name: &str) -> Option<Range<usize>> {
    let text = source.text.get(within.clone())?;
    let wanted = format!("{{{{{name}}}}}");
    let found = text
        .match_indices(&wanted)
        .find(|(at, _)| !(text[..*at].ends_with("{{") && text[at + wanted.len()..].starts_with("}}")));
    found.map(|(at, _)| within.start + at..within.start + at + wanted.len())
}
