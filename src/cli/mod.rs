//! The command line: what the process is asked to do, and how it ends.
//!
//! Owns: the definitions of commands and flags ([`args`]), whether a person is there ([`mode`]), runs
//! without one ([`headless`]), exit codes ([`exit`]), the log file, the small listing commands.
//!
//! Does not own: what a session does, what a configuration means, anything on the full screen.
//!
//! Invariant: nothing slow happens before the workbench paints, and a run without a person never
//! waits for one.

pub mod args;
mod catalogue;
mod clean;
pub mod config;
pub mod doctor;
pub mod exit;
pub mod explain;
pub mod headless;
mod hold;
pub mod keys;
pub mod logging;
pub mod mode;
pub mod notes;
pub mod recorded;
pub mod routing;
mod run;
mod sessions;
mod start;
pub mod table;
pub mod tap;
pub mod taps;
mod vars;
pub mod what_if;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use args::{Bundled, CommandLine, Refusal, Subcommands};
use exit::Exit;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Env, Paths};
use crate::mcp::bundled::files;
use crate::sandbox::{self, watch};
use crate::session::shelf::Shelf;
use crate::session::store;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == watch::WORD) {
        watch::run(words);
        return Exit::Done.into();
    }
    watch::close_on_exec();
    outlive_file_limit();
    let mut out = clean::Clean::new(io::stdout());
    let outcome = dispatch(std::env::args_os(), &mut out, &mut io::stderr());
    ended(outcome.and_then(|code| Ok(out.flush().map(|()| code)?)))
}

/// A file at the limit of its size is an error of the write, and not the end of the process in the
/// middle of the screen: what has a handler does not kill. Children get the default back.
fn outlive_file_limit() {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    // The handler stays when this is dropped. Without it everything works as far as the limit.
    let _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
}

/// Turns a failure into words and a code. A reader that went away is no failure to speak of.
fn ended(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        let closed = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        };
        if error.chain().any(closed) {
            return Exit::OutputClosed.into();
        }
        let words = format!("{error:#}");
        let _ = writeln!(io::stderr(), "octomind: {}", crate::text::sanitize(&words));
        Exit::Failed.into()
    })
}

fn dispatch(
    words: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let line = match args::parse(words) {
        Ok(line) => line,
        Err(Refusal::Help(text)) => {
            out.write_all(text.as_bytes())?;
            return Ok(Exit::Done.into());
        }
        Err(Refusal::Usage(text)) => {
            err.write_all(crate::text::sanitize(&text).as_bytes())?;
            return Ok(Exit::Usage.into());
        }
    };
    let CommandLine { command, run: options } = line;
    match command {
        Some(Subcommands::Config(arguments)) => config::run(&arguments, out, err),
        Some(Subcommands::Mcp { server: Bundled::Files }) => serve_files(),
        Some(Subcommands::Explain(arguments)) => explain::run(&arguments, out, err),
        Some(Subcommands::Notes(arguments)) => notes::run(&arguments, out, err),
        Some(Subcommands::WhatIf(arguments)) => what_if::run(&arguments, out, err),
        Some(Subcommands::Routing { command }) => routing::run(&command, out, err),
        Some(Subcommands::Doctor { json }) => doctor::run(doctor::Form::of(json), out, err),
        Some(Subcommands::Sessions { command: None }) => list_sessions(out),
        Some(Subcommands::Sessions { command: Some(command) }) => {
            let folder = Paths::from_env(&Env::from_process()).sessions;
            sessions::change(&Shelf::new(folder, None), command, now(), out, err)
        }
        Some(Subcommands::Agents(asked)) => catalogue::agents(&asked, &Env::from_process(), &workdir()?, out, err),
        Some(Subcommands::Capabilities(asked)) => {
            catalogue::capabilities(&asked, &Env::from_process(), &workdir()?, out, err)
        }
        Some(Subcommands::Tap(arguments)) => tap::run(&arguments, out, err),
        Some(Subcommands::Untap { tap }) => tap::untap(&tap, out, err),
        Some(Subcommands::Taps { command }) => taps::run(&command, out, err),
        Some(Subcommands::Keys(arguments)) => keys::run(&arguments, out, err),
        Some(Subcommands::Vars { preview, expand }) => list_vars(vars::Length::of(preview, expand), out),
        None => run::run(None, options, err),
        Some(Subcommands::Run { tag, options }) => run::run(tag, options, err),
        Some(Subcommands::Tour { sandbox }) => {
            let model = Some(TOUR.to_owned());
            run::run(None, args::RunOptions { model, sandbox, ..args::RunOptions::default() }, err)
        }
    }
}

/// The scripted model that shows one around.
const TOUR: &str = "script:tour";

fn serve_files() -> anyhow::Result<ExitCode> {
    let root = workdir()?;
    sandbox::inherit();
    if !watch::is_watched() {
        watch::start().context("the watcher of child processes could not be started")?;
    }
    let runtime = runtime()?;
    let served = runtime.block_on(files::serve(tokio::io::stdin(), tokio::io::stdout(), root));
    // The thread that reads standard input cannot be ended.
    runtime.shutdown_background();
    served?;
    Ok(Exit::Done.into())
}

fn list_sessions(out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let folder = Paths::from_env(&Env::from_process()).sessions;
    let summaries = store::list(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    sessions::write(&summaries, now(), out)?;
    Ok(Exit::Done.into())
}

fn list_vars(length: vars::Length, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let env = Env::from_process();
    let context = runtime()?.block_on(vars::gather(&workdir()?, &env, SystemTime::now()));
    vars::write(&context, length, out)?;
    Ok(Exit::Done.into())
}

/// Two workers are enough: everything heavy waits for the network or for children.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the async runtime could not be started")
}

fn workdir() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the current folder is gone; change into one that exists")
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis().try_into().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_file_size_signal_does_not_kill() {
        super::outlive_file_limit();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        assert_ne!(caught & 1 << (rustix::process::Signal::XFSZ.as_raw() - 1), 0);
    }
}
