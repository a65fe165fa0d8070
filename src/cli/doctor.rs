//! `octomind doctor`: what this machine and its configuration offer, one line each, and what to do.
//!
//! Owns: the list of checks and how they are shown. Does not own: the parts that are asked.
//!
//! Invariant: a check says what it found in one sentence and never ends the others; no key is shown.

mod engine;
mod locks;
mod places;
mod terminal;

use std::io::Write;
use std::process::ExitCode;
use std::time::SystemTime;

use serde::Serialize;

use super::exit::Exit;
use super::table::{Look, Tone};
use crate::config::{Env, Loaded, Paths, Sources, load, references};
use crate::proto::ApprovalMode;
use crate::text::{sanitize_line, width};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Lines,
    Json,
}

impl Form {
    pub fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Lines }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// Works, with less than there could be.
    Warning,
    /// Something will not work, or is unsafe.
    Error,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    pub what: String,
    /// What to do, where there is something.
    pub advice: Option<String>,
}

impl Check {
    pub fn ok(name: &'static str, what: impl Into<String>) -> Self {
        Self { name, state: State::Ok, what: what.into(), advice: None }
    }

    pub fn warning(name: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Warning, what: what.into(), advice: Some(advice.into()) }
    }

    pub fn error(name: &'static str, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Error, what: what.into(), advice: Some(advice.into()) }
    }
}

/// What `--json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Written<'a> {
    version: u32,
    /// No check found an error.
    ok: bool,
    checks: &'a [Check],
}

/// Runs the checks for this process.
pub fn run(form: Form, out: &mut dyn Write, _err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let workdir = super::workdir()?;
    let env = Env::from_process();
    let paths = Paths::from_env(&env);
    let (env, ignored) = env.with_files(&paths, &workdir);
    let mut loaded = load(&Sources::read(&paths, &workdir, Vec::new()));
    let (problems, notices) = references(&loaded.config, &loaded.origins);
    loaded.problems.extend(problems);
    loaded.notices.extend(notices);
    loaded.problems.extend(ignored);
    let look = Look::of_stdout(&env);
    let now = SystemTime::now();
    let mut checks = vec![configuration(&loaded), approval(&loaded)];
    checks.extend(places::checks(&paths, &workdir));
    checks.extend(places::taps(&paths, &env, &loaded.config, now));
    let runtime = super::runtime()?;
    checks.extend(runtime.block_on(engine::checks(&loaded.config, &paths, &env)));
    checks.push(locks::check(&paths.sessions));
    checks.extend(terminal::checks(&env, look));
    checks.extend(engine::programs(&loaded.config, &env));
    for check in &mut checks {
        check.what = env.mask_secrets(&check.what).into_owned();
    }
    match form {
        Form::Lines => write(&checks, look, out)?,
        Form::Json => {
            let ok = checks.iter().all(|check| check.state != State::Error);
            let text = serde_json::to_string_pretty(&Written { version: 1, ok, checks: &checks })?;
            writeln!(out, "{}", crate::text::in_json(&text))?;
        }
    }
    Ok(exit(&checks).into())
}

fn exit(checks: &[Check]) -> Exit {
    if checks.iter().any(|check| check.state == State::Error) { Exit::Failed } else { Exit::Done }
}

/// Names are in a column of their own; what does not fit goes on below itself.
fn write(checks: &[Check], look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let column = checks.iter().map(|check| width(check.name)).max().unwrap_or(0);
    let indent = column + 4;
    for check in checks {
        let mark = match check.state {
            State::Ok => look.tint(Tone::Good, "✔"),
            State::Warning => look.tint(Tone::Doubtful, "!"),
            State::Error => look.tint(Tone::Bad, "✘"),
        };
        let what = look.paragraph(indent, &sanitize_line(&check.what));
        writeln!(out, "{mark} {:column$}  {what}", check.name)?;
        if let Some(advice) = &check.advice {
            let advice = look.paragraph(indent + 2, &sanitize_line(advice));
            writeln!(out, "{:indent$}{} {advice}", "", look.tint(Tone::Quiet, "→"))?;
        }
    }
    let count = |state: State| checks.iter().filter(|check| check.state == state).count();
    match (count(State::Error), count(State::Warning)) {
        (0, 0) => writeln!(out, "\nEverything is in order."),
        (0, doubtful) => writeln!(out, "\nIt works; to look at: {doubtful}."),
        (bad, doubtful) => writeln!(out, "\nTo mend: {bad}; to look at: {doubtful}."),
    }
}

fn configuration(loaded: &Loaded) -> Check {
    let files = loaded.sources.files.iter().chain(&loaded.sources.project);
    let read: Vec<&str> = files.map(|source| source.label.as_str()).collect();
    let from = if read.is_empty() { "no file; the built-in defaults are in force".to_owned() } else { read.join(", ") };
    let name = "configuration";
    match loaded.problems.as_slice() {
        [] => Check::ok(name, from),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
            let see = "octomind config --validate shows each with its place";
            Check::error(name, format!("{}{more}", first.headline()), see)
        }
    }
}

/// Which tool calls wait for a yes, and who says so.
fn approval(loaded: &Loaded) -> Check {
    let mode = loaded.config.ui.approval;
    let meaning = match mode {
        ApprovalMode::Off => "no tool call waits for your yes",
        ApprovalMode::Writes => "calls that may change something wait for your yes",
        ApprovalMode::All => "every tool call waits for your yes",
    };
    Check::ok("approval", format!("{}, {}: {meaning}", mode.word(), loaded.origins.of("ui.approval")))
}

#[cfg(test)]
mod tests;
