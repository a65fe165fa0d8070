//! `octomind explain`: why a tool, capability or skill is or is not there, from a session's journal.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::exit::Exit;
use super::recorded::{self, Format};
use super::table::{Look, Tone};
use crate::config::{Env, Paths};
use crate::proto::{Body, Snapshot};
use crate::surface::explain::{ExplainedStage, Explanation, Kind, Passed, explain};
use crate::text::{in_json, sanitize_line};

#[derive(Debug, PartialEq, Args)]
#[command(after_help = HELP)]
pub struct ExplainArguments {
    /// A capability, a skill, an agent that a task was compared with, or a tool: its name on the wire, or
    /// server.tool
    pub subject: String,
    /// Session to look into; default the newest of this folder
    #[arg(short, long, value_name = "NAME")]
    pub session: Option<String>,
    /// As it was at the end of this turn; 0 = before the first
    #[arg(long, value_name = "TURN")]
    pub at: Option<u32>,
    /// Lines for reading, or one JSON object
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

const HELP: &str = "\
Where a name means several, capability:NAME, skill:NAME, tool:NAME, server:NAME and agent:TAG tell them apart.

Exit codes: 0 explained; 1 no record of the session names it; 65 the session cannot be read.

JSON: version, session, turn, subject, kind, headline, stages [{stage, passed, evidence}], answer, fix,
nearest, also. passed is yes, no, not_reached or unknown.";

/// What `--format json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Told<'a> {
    version: u32,
    session: &'a str,
    turn: u32,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

pub fn run(arguments: &ExplainArguments, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let env = Env::from_process();
    let sessions = Paths::from_env(&env).sessions;
    let exit = run_in(arguments, (&sessions, &super::workdir()?), Look::of_stdout(&env), out, err)?;
    Ok(exit.into())
}

fn run_in(
    arguments: &ExplainArguments,
    places: (&Path, &Path),
    look: Look,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let session = arguments.session.as_deref();
    let read = recorded::read(session, places, err, |folder| fold(folder, arguments.at))?;
    let Some(snapshot) = read else { return Ok(Exit::BadInput) };
    let explanation = explain(&snapshot, &arguments.subject);
    match arguments.format {
        Format::Json => {
            let (session, turn) = (snapshot.session.name.as_str(), snapshot.turn.0);
            let told = Told { version: 1, session, turn, explanation: &explanation };
            let json = serde_json::to_string_pretty(&told).map_err(std::io::Error::other)?;
            writeln!(out, "{}", in_json(&json))?;
        }
        Format::Text => write(&explanation, &snapshot, look, out)?,
    }
    Ok(if explanation.kind == Kind::Unknown { Exit::Failed } else { Exit::Done })
}

/// The session as it was at the end of a turn, or as it is; and how many records could not be read.
fn fold(folder: &Path, at: Option<u32>) -> Result<(Snapshot, u64), String> {
    let mut snapshot = Snapshot::default();
    let mut over = false;
    let skipped = recorded::events(folder, |event| {
        over |= matches!((&event.body, at), (Body::TurnStarted { turn }, Some(at)) if turn.0 > at);
        if !over {
            snapshot.apply(&event);
        }
    })?;
    match at {
        Some(at) if !over && at > snapshot.turn.0 => {
            Err(format!("{} has {} turns only, so there is no turn {at}", snapshot.session.name, snapshot.turn.0))
        }
        _ => Ok((snapshot, skipped)),
    }
}

/// Columns of a stage's name.
const STAGE: usize = 12;
/// Blanks before evidence.
const INDENT: usize = STAGE + 4;

fn write(told: &Explanation, snapshot: &Snapshot, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let clean = |text: &str| sanitize_line(text).into_owned();
    writeln!(out, "{}", look.tint(Tone::Heading, &clean(&told.headline)))?;
    let of = format!("{}, t{}", snapshot.session.name, snapshot.turn.0);
    writeln!(out, "{}\n", look.tint(Tone::Quiet, &format!("{} · {}", told.kind.word(), clean(&of))))?;
    for stage in &told.stages {
        write_stage(stage, look, out)?;
    }
    if !told.stages.is_empty() {
        writeln!(out)?;
    }
    writeln!(out, "why   {}", look.paragraph(6, &clean(&told.answer)))?;
    if let Some(fix) = &told.fix {
        writeln!(out, "do    {}", look.paragraph(6, &clean(fix)))?;
    }
    if !told.also.is_empty() {
        writeln!(out, "also  {}", look.paragraph(6, &clean(&told.also.join(", "))))?;
    }
    if told.nearest.len() > 1 {
        let near: Vec<String> = told.nearest.iter().map(|name| clean(name)).collect();
        writeln!(out, "near  {}", look.paragraph(6, &near.join(", ")))?;
    }
    Ok(())
}

fn write_stage(stage: &ExplainedStage, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let (mark, tone) = match stage.passed {
        Passed::Yes => ("✔", Tone::Good),
        Passed::No => ("✘", Tone::Bad),
        Passed::NotReached => ("·", Tone::Quiet),
        Passed::Unknown => ("?", Tone::Doubtful),
    };
    // What is set in stays so.
    let line = |text: &str| {
        let set_in = text.len() - text.trim_start().len();
        let indent = INDENT + set_in;
        format!("{:set_in$}{}", "", look.paragraph(indent, &sanitize_line(text.trim_start())))
    };
    let first = match (stage.evidence.first(), stage.passed) {
        (Some(text), _) => line(text),
        (None, Passed::NotReached) => look.tint(Tone::Quiet, "not reached"),
        (None, _) => String::new(),
    };
    let head = format!("{} {:STAGE$}  {first}", look.tint(tone, mark), stage.stage);
    writeln!(out, "{}", head.trim_end())?;
    for text in stage.evidence.iter().skip(1) {
        writeln!(out, "{:INDENT$}{}", "", line(text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
