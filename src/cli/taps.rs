//! `octomind taps check`: lints a tap, for its authors and their pipelines.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use serde_json::json;

use super::exit::Exit;
use crate::config::{Env, Paths, Problem};
use crate::tap::catalogue::Places;
use crate::tap::check::{Checked, Which, check};
use crate::tap::registry::{HOST_VARIABLE, Taps};
use crate::tap::{Finding, PartKind, Severity, Tap, TapKind};
use crate::text::{sanitize, sanitize_line};

#[derive(Debug, PartialEq, clap::Subcommand)]
pub enum TapsCommand {
    /// Find what is wrong in a tap; ends with 1 when there are errors
    Check(CheckArguments),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct CheckArguments {
    /// Folder of the tap; without it every connected tap
    pub folder: Option<PathBuf>,
    /// End with 1 on warnings too
    #[arg(long)]
    pub strict: bool,
    /// Show what is only worth knowing too
    #[arg(long)]
    pub notes: bool,
    /// One JSON object with all findings
    #[arg(long)]
    pub json: bool,
}

/// Runs the command for this process.
///
/// # Errors
/// When the output cannot be written.
pub fn run(command: &TapsCommand, out: &mut dyn Write, err: &mut dyn Write) -> Result<ExitCode> {
    let TapsCommand::Check(arguments) = command;
    run_in(arguments, &Env::from_process(), out, err).map(ExitCode::from)
}

/// The same for a given environment.
///
/// # Errors
/// When the output cannot be written.
pub fn run_in(arguments: &CheckArguments, env: &Env, out: &mut dyn Write, err: &mut dyn Write) -> Result<Exit> {
    let connected = Taps::open(&Paths::from_env(env)).hosted_at(env.get(HOST_VARIABLE));
    let listing = connected.listing(std::time::SystemTime::now());
    let taps: Vec<Tap> = listing.taps.into_iter().map(|standing| standing.tap).collect();
    let (taps, which) = match &arguments.folder {
        Some(folder) if !folder.is_dir() => {
            let shown = folder.display().to_string();
            writeln!(err, "octomind: {} is no folder; give the folder of a tap", sanitize_line(&shown))?;
            return Ok(Exit::Usage);
        }
        Some(folder) => with_folder(folder, taps),
        None => (taps, Which::Every),
    };
    let places = Places { taps: taps.into_iter().map(Arc::new).collect(), ..Places::default() };
    let checked = check(&places, &which);
    // A list that cannot be read hides taps, so nothing was checked of those.
    let unread: &[Problem] = if which == Which::Every { &listing.problems } else { &[] };
    let text = match arguments.json {
        true => as_json(&checked, unread)?,
        false => sanitize(&as_text(&checked, unread, arguments.notes)).into_owned(),
    };
    out.write_all(env.mask_secrets(&text).as_bytes())?;
    let failed = !unread.is_empty()
        || checked.count(Severity::Error) > 0
        || (arguments.strict && checked.count(Severity::Warning) > 0);
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// The folder's tap before all others: what it refers to may be in them.
fn with_folder(folder: &Path, others: Vec<Tap>) -> (Vec<Tap>, Which) {
    let real = folder.canonicalize().ok();
    let (same, others): (Vec<Tap>, Vec<Tap>) =
        others.into_iter().partition(|tap| real.is_some() && tap.root.canonicalize().ok() == real);
    let name = match same.first() {
        Some(connected) => connected.name.clone(),
        None => {
            let last = real.as_deref().unwrap_or(folder).file_name().and_then(|name| name.to_str()).unwrap_or("tap");
            format!("local/{}", last.trim_start_matches("octomind-"))
        }
    };
    let kind = same.into_iter().next().map_or(TapKind::Linked, |connected| connected.kind);
    let own = Tap { name: name.clone(), kind, root: folder.to_path_buf(), unavailable: None };
    let taps = std::iter::once(own).chain(others.into_iter().filter(|tap| tap.name != name)).collect();
    (taps, Which::Only(name))
}

fn as_text(checked: &Checked, unread: &[Problem], notes: bool) -> String {
    let mut text: String = unread.iter().map(|problem| format!("{problem}\n\n")).collect();
    for finding in checked.findings.iter().filter(|finding| notes || finding.severity != Severity::Note) {
        text.push_str(&format!("{}\n\n", finding.problem.called(word(finding.severity))));
    }
    let names: Vec<&str> = checked.taps.iter().map(|tap| tap.name.as_str()).collect();
    let parts = checked.parts;
    let read = format!(
        "{}: {}, {}, {}",
        names.join(", "),
        count(parts.agents, "agent", "agents"),
        count(parts.capabilities, "capability", "capabilities"),
        count(parts.skills, "skill", "skills"),
    );
    text.push_str(&format!("{read}: {}\n", summary(checked, unread.len(), notes)));
    text
}

fn summary(checked: &Checked, unread: usize, shown: bool) -> String {
    let counts = [
        (checked.count(Severity::Error) + unread, "error", "errors"),
        (checked.count(Severity::Warning), "warning", "warnings"),
        (checked.count(Severity::Note), "note", "notes"),
    ];
    let said: Vec<String> =
        counts.iter().filter(|(of, ..)| *of > 0).map(|(of, one, many)| count(*of, one, many)).collect();
    let more = if counts[2].0 > 0 && !shown { " (see them with --notes)" } else { "" };
    match said.is_empty() {
        true => "no problems".to_owned(),
        false => format!("{}{more}", said.join(", ")),
    }
}

fn count(of: usize, one: &str, many: &str) -> String {
    if of == 1 { format!("1 {one}") } else { format!("{of} {many}") }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn kind(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Tap => "tap",
        PartKind::Agent => "agent",
        PartKind::Capability => "capability",
        PartKind::Skill => "skill",
        PartKind::Plugin => "plugin",
        PartKind::Dep => "dep",
        PartKind::Workflow => "workflow",
    }
}

fn as_json(checked: &Checked, unread: &[Problem]) -> Result<String> {
    let listed = unread.iter().map(|problem| finding_json(Severity::Error, "", "tap", "taps.toml", problem));
    let of_part = |finding: &Finding| {
        finding_json(finding.severity, &finding.tap, kind(finding.part.kind), &finding.part.name, &finding.problem)
    };
    let findings: Vec<serde_json::Value> = listed.chain(checked.findings.iter().map(of_part)).collect();
    let value = json!({
        "taps": checked.taps.iter().map(|tap| &tap.name).collect::<Vec<_>>(),
        "agents": checked.parts.agents,
        "capabilities": checked.parts.capabilities,
        "skills": checked.parts.skills,
        "errors": checked.count(Severity::Error) + unread.len(),
        "warnings": checked.count(Severity::Warning),
        "notes": checked.count(Severity::Note),
        "findings": findings,
    });
    Ok(format!("{}\n", crate::text::in_json(&serde_json::to_string_pretty(&value)?)))
}

fn finding_json(severity: Severity, tap: &str, kind: &str, name: &str, problem: &Problem) -> serde_json::Value {
    let place = problem.place.as_deref();
    json!({
        "severity": word(severity),
        "tap": tap,
        "part": { "kind": kind, "name": name },
        "file": problem.file,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "message": problem.message,
        "hint": problem.hint,
    })
}

#[cfg(test)]
mod tests;
