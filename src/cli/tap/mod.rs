//! `octomind tap` and `octomind untap`: which taps are connected.
//!
//! Owns: the words and exit codes of these commands, progress on a terminal, the list. Does not own:
//! fetching and the list's file ([`registry`](crate::tap::registry)), what is in a tap.
//!
//! Invariant: what failed is named on standard error with what to do, and ends with a code above 0.

mod init;
mod list;
mod progress;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use super::exit::Exit;
use crate::config::{Env, Paths};
use crate::tap::git::{Bounds, GitFault, Work};
use crate::tap::registry::{Connected, HOST_VARIABLE, How, Outcome, Refreshed, RegistryFault, Taps, Which};
use crate::text::sanitize_line;

use progress::Style;

pub use init::InitArguments;

#[derive(Debug, Default, PartialEq, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TapArguments {
    #[command(subcommand)]
    pub command: Option<TapCommand>,
    /// Tap to connect, as in user/repo, or an https or file address; without it, the taps are listed
    #[arg(value_name = "USER/REPO")]
    pub tap: Option<String>,
    /// Folder to link under that name instead of cloning, or an address to clone
    #[arg(value_name = "PATH", requires = "tap", conflicts_with = "refresh")]
    pub place: Option<String>,
    /// Fetch what is new, for this tap or for all
    #[arg(long)]
    pub refresh: bool,
    /// Print the list as JSON
    #[arg(long, conflicts_with_all = ["tap", "refresh"])]
    pub json: bool,
}

#[derive(Debug, PartialEq, clap::Subcommand)]
pub enum TapCommand {
    /// Make a new tap with one of everything in it, and connect it
    Init(InitArguments),
}

/// Runs `octomind tap`.
///
/// # Errors
/// When the output cannot be written.
pub fn run(arguments: &TapArguments, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    run_with(&open(), arguments, Style::of_process(), out, err)
}

fn run_with(
    taps: &Taps,
    arguments: &TapArguments,
    style: Style,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    if let Some(TapCommand::Init(arguments)) = &arguments.command {
        return init::run(arguments, taps, style, out, err);
    }
    let exit = match &arguments.tap {
        tap if arguments.refresh => {
            let which = tap.clone().map_or(Which::All, Which::One);
            let done = working(style, err, |work| taps.refresh(&which, work))?;
            told(done, err, |all, err| refreshed(&all, out, err))?
        }
        None => list::write(taps, arguments.json, SystemTime::now(), out, err)?,
        Some(tap) => {
            let done = working(style, err, |work| taps.connect(tap, arguments.place.as_deref(), work))?;
            told(done, err, |done, _| connected(&done, out))?
        }
    };
    Ok(exit.into())
}

/// Runs `octomind untap`.
///
/// # Errors
/// When the output cannot be written.
pub fn untap(name: &str, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    untap_with(&open(), name, out, err)
}

fn untap_with(taps: &Taps, name: &str, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let exit = told(taps.disconnect(name), err, |done, _| {
        match &done.left {
            Some(left) => writeln!(out, "{} is disconnected; its files are still in {}", done.name, left.display())?,
            None => writeln!(out, "{} is disconnected", done.name)?,
        }
        Ok(Exit::Done)
    })?;
    Ok(exit.into())
}

fn open() -> Taps {
    let env = Env::from_process();
    Taps::open(&Paths::from_env(&env)).hosted_at(env.get(HOST_VARIABLE))
}

/// Does the work on another thread, tells how far it is, and ends it when the person does.
fn working<Value: Send>(
    style: Style,
    err: &mut dyn Write,
    work: impl FnOnce(Work<'_>) -> Value + Send,
) -> anyhow::Result<Value> {
    let stop = CancellationToken::new();
    let runtime = super::runtime()?;
    let inner = stop.clone();
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            inner.cancel();
        }
    });
    let (sender, receiver) = std::sync::mpsc::channel();
    let value = std::thread::scope(|scope| {
        let stop = &stop;
        let thread = scope.spawn(move || {
            let sender = std::sync::Mutex::new(sender);
            let progress = move |name: &str, progress| {
                if let Ok(sender) = sender.lock() {
                    // Nobody reads any more only when standard error is closed.
                    let _ = sender.send((name.to_owned(), progress));
                }
            };
            work(Work { bounds: Bounds::default(), stop, progress: &progress })
        });
        // What cannot be shown is no reason to stop fetching.
        let _ = progress::show(&receiver, style, err);
        thread.join()
    });
    runtime.shutdown_background();
    value.map_err(|_| anyhow::anyhow!("the work ended unexpectedly"))
}

/// What was done, or why not.
fn told<Value>(
    outcome: Result<Value, RegistryFault>,
    err: &mut dyn Write,
    tell: impl FnOnce(Value, &mut dyn Write) -> io::Result<Exit>,
) -> io::Result<Exit> {
    match outcome {
        Ok(value) => tell(value, err),
        Err(fault) => {
            writeln!(err, "octomind: {}", sanitize_line(&fault.to_string()))?;
            Ok(exit_of(&fault))
        }
    }
}

/// A command that cannot be meant so is a matter of usage; the rest went wrong on the way.
fn exit_of(fault: &RegistryFault) -> Exit {
    match fault {
        RegistryFault::Name { .. }
        | RegistryFault::Unnamed { .. }
        | RegistryFault::BuiltIn { .. }
        | RegistryFault::Known { .. }
        | RegistryFault::Unknown { .. }
        | RegistryFault::NoClone { .. }
        | RegistryFault::NoFolder { .. }
        | RegistryFault::Git(GitFault::Address { .. }) => Exit::Usage,
        RegistryFault::Git(GitFault::Stopped) => Exit::Interrupted,
        RegistryFault::Broken { .. } => Exit::Config,
        _ => Exit::Failed,
    }
}

fn connected(done: &Connected, out: &mut dyn Write) -> io::Result<Exit> {
    let (name, root) = (&done.name, done.root.display());
    match done.how {
        How::Cloned => writeln!(out, "{name} is connected; it was cloned to {root}")?,
        How::Linked => {
            let told = "changes there count at once, and a workbench that runs looks for it with its next message";
            writeln!(out, "{name} is connected to the folder {root}; {told}")?;
        }
        How::Already => writeln!(out, "{name} was connected to that already; its files are in {root}")?,
    }
    for note in &done.notes {
        writeln!(out, "note: {}", sanitize_line(note))?;
    }
    Ok(Exit::Done)
}

fn refreshed(all: &[Refreshed], out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let mut exit = Exit::Done;
    for Refreshed { name, outcome } in all {
        match outcome {
            Outcome::Updated { commit } => writeln!(out, "{name} is new: {}", short(commit))?,
            Outcome::Unchanged => writeln!(out, "{name} has not changed")?,
            Outcome::Failed(fault) => {
                writeln!(err, "octomind: {name} stays as it is: {}", sanitize_line(&fault.to_string()))?;
                exit = exit_of(fault);
            }
        }
    }
    Ok(exit)
}

/// As people quote commits.
fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

#[cfg(test)]
mod tests;
