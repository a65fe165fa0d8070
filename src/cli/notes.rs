//! `octomind notes`: what the supervisor saw, asked and decided in a session, from its journal.

mod outline;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::exit::Exit;
use super::recorded::{self, Format};
use super::table::{Look, Tone};
use crate::config::{Env, Paths};
use crate::proto::{Body, Decision, Level, Seq, SupervisorRecord, Timestamp, TurnId};
use crate::session::store;
use crate::text::{sanitize_line, width};

#[derive(Debug, PartialEq, Args)]
#[command(after_help = HELP)]
pub struct NotesArguments {
    /// Session to look into; default the newest of this folder
    #[arg(short, long, value_name = "NAME")]
    pub session: Option<String>,
    /// Only records of these kinds; several with commas
    #[arg(short, long, value_enum, value_delimiter = ',')]
    pub kind: Vec<Kind>,
    /// Every field of each record
    #[arg(short, long, conflicts_with = "format")]
    pub full: bool,
    /// Lines for reading, or one JSON object
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// Who speaks in a record; the word that its line begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// What the agent says of itself at the end of a reply
    Status,
    /// Loops, rounds without progress, commands that go on failing
    Steer,
    /// What was put before the agent again
    Recite,
    /// Verdicts on stops
    Gate,
    Plan,
    /// Results that were narrowed
    Condense,
    Authorizer,
    /// Switches that were flipped, saved or refused
    Switch,
}

const HELP: &str = "\
Times are UTC. Exit codes: 0 listed, also when there is nothing to list; 65 the session cannot be read.

JSON: version, session, records [{seq, at, turn, level, who, text, decision}]; at is in milliseconds since 1970.";

/// What `--format json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Told<'a> {
    version: u32,
    session: &'a str,
    records: Vec<ToldRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct ToldRecord<'a> {
    seq: Seq,
    at: Timestamp,
    turn: TurnId,
    level: Level,
    who: &'static str,
    text: String,
    decision: &'a Decision,
}

pub fn run(arguments: &NotesArguments, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let env = Env::from_process();
    let sessions = Paths::from_env(&env).sessions;
    let exit = run_in(arguments, (&sessions, &super::workdir()?), Look::of_stdout(&env), out, err)?;
    Ok(exit.into())
}

fn run_in(
    arguments: &NotesArguments,
    places: (&Path, &Path),
    look: Look,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Exit> {
    let session = arguments.session.as_deref();
    let read = recorded::read(session, places, err, |folder| collect(folder, &arguments.kind))?;
    let Some(listed) = read else { return Ok(Exit::BadInput) };
    match arguments.format {
        Format::Json => write_json(&listed, out)?,
        Format::Text => write_text(&listed, arguments, look, out)?,
    }
    Ok(Exit::Done)
}

/// The records of one session.
#[derive(Debug, Default)]
struct Listed {
    session: String,
    records: Vec<SupervisorRecord>,
}

/// Reads the whole journal; only the records wanted are kept.
fn collect(folder: &Path, wanted: &[Kind]) -> Result<(Listed, u64), String> {
    let session = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut listed = Listed { session, ..Listed::default() };
    let mut turn = TurnId::default();
    let skipped = recorded::events(folder, |event| match event.body {
        Body::TurnStarted { turn: begun } => turn = begun,
        Body::Decided(decision)
            if Kind::of(&decision).is_some_and(|kind| wanted.is_empty() || wanted.contains(&kind)) =>
        {
            listed.records.push(SupervisorRecord { seq: event.seq, at: event.at, turn, decision });
        }
        _ => {}
    })?;
    Ok((listed, skipped))
}

impl Kind {
    fn of(decision: &Decision) -> Option<Self> {
        match decision {
            Decision::Reported(_) => Some(Self::Status),
            Decision::Detected(_) => Some(Self::Steer),
            Decision::Recited(_) => Some(Self::Recite),
            Decision::Gate(_) => Some(Self::Gate),
            Decision::Planned(_) => Some(Self::Plan),
            Decision::Condensed(_) => Some(Self::Condense),
            Decision::Authorized(_) => Some(Self::Authorizer),
            Decision::Switched(_) => Some(Self::Switch),
            _ => None,
        }
    }

    fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

fn write_json(listed: &Listed, out: &mut dyn Write) -> std::io::Result<()> {
    let records = listed.records.iter().map(|record| {
        let (level, who, text) = record.decision.headline();
        ToldRecord { seq: record.seq, at: record.at, turn: record.turn, level, who, text, decision: &record.decision }
    });
    let told = Told { version: 1, session: &listed.session, records: records.collect() };
    let json = serde_json::to_string_pretty(&told).map_err(std::io::Error::other)?;
    writeln!(out, "{}", crate::text::in_json(&json))
}

fn write_text(listed: &Listed, arguments: &NotesArguments, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let session = sanitize_line(&listed.session);
    if listed.records.is_empty() {
        let kinds: Vec<String> = arguments.kind.iter().map(|kind| kind.word()).collect();
        let of = if kinds.is_empty() { String::new() } else { format!(" of kind {}", kinds.join(", ")) };
        return writeln!(out, "The supervisor left no records{of} in {session}.");
    }
    let days = listed.records.iter().map(|record| record.at / DAY);
    let dates = if days.clone().min() == days.max() { Dates::One } else { Dates::Several };
    let count = match listed.records.len() {
        1 => "1 record".to_owned(),
        many => format!("{many} records"),
    };
    writeln!(out, "{}", look.tint(Tone::Quiet, &format!("{session} · {count} · UTC")))?;
    for record in &listed.records {
        write_record(record, dates, look, out)?;
        if arguments.full {
            outline::write(&record.decision, look, out)?;
        }
    }
    Ok(())
}

/// Milliseconds of one.
const DAY: u64 = 86_400_000;

/// Whether the records are of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dates {
    One,
    Several,
}

fn write_record(record: &SupervisorRecord, dates: Dates, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let (level, who, text) = record.decision.headline();
    let tone = match (&record.decision, level) {
        (_, Level::Error) => Tone::Bad,
        (_, Level::Warning) => Tone::Doubtful,
        (Decision::Gate(_), Level::Info) => Tone::Good,
        (_, Level::Info) => Tone::Heading,
    };
    let place = format!("{:<4} {}  ", format!("t{}", record.turn.0), time(record.at, dates));
    let who = format!("{who:<10}");
    let text = look.paragraph(width(&place) + width(&who) + 2, &sanitize_line(&text));
    writeln!(out, "{}{}  {text}", look.tint(Tone::Quiet, &place), look.tint(tone, &who))
}

fn time(at: Timestamp, dates: Dates) -> String {
    let seconds = at / 1000;
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let (_, month, day) = store::civil(at / DAY);
    match dates {
        Dates::One => clock,
        Dates::Several => format!("{month:02}-{day:02} {clock}"),
    }
}

#[cfg(test)]
mod tests;
