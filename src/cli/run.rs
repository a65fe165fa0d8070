//! A run: session and front end, until both are over.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::args::{Format, RunOptions};
use super::exit::Exit;
use super::headless::{Printer, Signals, Sink, follow};
use super::mode::{Mode, Screen};
use super::{hold, logging, runtime, start, workdir};
use crate::config::Env;
use crate::sandbox::{self, Holding};
use crate::session::{self, Handle};

/// How long a session may take to end after its front end did.
const END_PATIENCE: Duration = Duration::from_secs(10);

/// Does what `run`, `tour` and the bare command ask for.
///
/// # Errors
/// When the system refuses something that a run cannot do without.
pub fn run(role: Option<String>, options: RunOptions, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let screen = if io::stdout().is_terminal() { Screen::Terminal } else { Screen::Other };
    let workdir = workdir()?;
    let prepared = start::read_input(&mut io::stdin())
        .and_then(|input| start::prepare(role, options.clone(), input, screen, Env::from_process(), &workdir));
    let mut start = match prepared {
        Ok(start) => start,
        Err(refused) => {
            err.write_all(refused.text.as_bytes())?;
            return Ok(refused.exit.into());
        }
    };
    for problem in &start.ignored {
        writeln!(err, "{}", start.env.mask_secrets(&problem.to_string()))?;
    }
    // Before there is a second thread: each is held by what its maker is held by.
    let mut holding = match hold::begin(&mut start, err) {
        Ok(holding) => holding,
        Err(refused) => {
            err.write_all(refused.text.as_bytes())?;
            return Ok(refused.exit.into());
        }
    };
    let mask = start.env.mask().clone();
    let log = Log::default();
    let tail = matches!(start.mode, Mode::Workbench).then(|| tail(&log));
    logging::start(&start.paths.logs, start.loaded.config.log_level, start.env.get("RUST_LOG"), mask, tail);
    let runtime = runtime()?;
    let ended = match start.mode {
        Mode::Headless(format) => runtime.block_on(headless(start, holding, format, screen)),
        Mode::Workbench => loop {
            let (here, trust) = (start.workdir.clone(), options.trust);
            match workbench(&runtime, start, holding.clone(), (log.clone(), options.linear), err) {
                Ok(Left::Ended(exit)) => break Ok(exit),
                Ok(Left::For(next)) => match onward(&options, *next, trust, &here) {
                    Ok(onward) => {
                        start = onward;
                        holding = holding.onward(&start.workdir, start.loaded.config.sandbox);
                        start.loaded.config.sandbox = sandbox::is_on();
                    }
                    Err(refused) => {
                        err.write_all(refused.text.as_bytes())?;
                        break Ok(refused.exit);
                    }
                },
                Err(error) => break Err(error),
            }
        },
    };
    // A thread that reads or writes what nobody serves any more cannot be ended.
    runtime.shutdown_background();
    ended.map(ExitCode::from)
}

#[cfg(feature = "tui")]
type Log = crate::ui::LogTail;
#[cfg(not(feature = "tui"))]
type Log = ();

/// What is logged, for the workbench to show.
#[cfg(feature = "tui")]
fn tail(log: &Log) -> logging::Tail {
    use crate::ui::{LogLevel, LogLine};
    let log = log.clone();
    Box::new(move |at, level, target, text| {
        let level = match level {
            tracing::Level::ERROR => LogLevel::Error,
            tracing::Level::WARN => LogLevel::Warning,
            tracing::Level::INFO => LogLevel::Info,
            _ => LogLevel::Debug,
        };
        log.push(LogLine { at, level, target: target.to_owned(), text });
    })
}

#[cfg(not(feature = "tui"))]
fn tail((): &Log) -> logging::Tail {
    Box::new(|_, _, _, _| {})
}

/// How the workbench was left.
#[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "nobody goes anywhere without a workbench"))]
enum Left {
    Ended(Exit),
    For(Box<Onward>),
}

/// The session to go on in, where it worked, and what was typed and not sent.
struct Onward {
    name: String,
    workdir: PathBuf,
    draft: String,
}

/// What another session is started with: the folder it worked in, as long as that is there. What was said
/// of this folder alone is not said of another one.
fn onward(options: &RunOptions, next: Onward, trust: bool, here: &Path) -> Result<start::Start, start::Refused> {
    let workdir = if next.workdir.is_dir() { next.workdir } else { here.to_path_buf() };
    let options = RunOptions {
        resume: Some(next.name),
        set: options.set.clone(),
        trust: trust && workdir == here,
        linear: options.linear,
        schema: options.schema.clone(),
        ..RunOptions::default()
    };
    let input = (super::mode::Input::Terminal, String::new());
    let start = start::prepare(None, options, input, Screen::Terminal, Env::from_process(), &workdir)?;
    // What is started from here stands where the session does. That a folder cannot be entered is told by
    // whoever uses it.
    let _ = std::env::set_current_dir(&start.workdir);
    Ok(start::Start { message: next.draft, ..start })
}

/// Must be called within the runtime.
fn begin(
    start: start::Start,
    holding: Holding,
    person: bool,
    first: impl Future<Output = ()> + Send + 'static,
) -> Handle {
    let start = session::Start {
        loaded: Arc::new(start.loaded),
        paths: start.paths,
        env: start.env,
        workdir: start.workdir,
        role: start.role,
        model: start.model,
        pick: start.pick,
        person,
        trust: start.trust,
        schema: start.schema,
        holding,
    };
    session::start_after(start, first)
}

async fn headless(mut start: start::Start, holding: Holding, format: Format, screen: Screen) -> anyhow::Result<Exit> {
    let signals = Signals::listen()?;
    let sink = Sink::new(io::stdout(), io::stderr())?;
    let message = std::mem::take(&mut start.message);
    let Handle { port, hub, done } = begin(start, holding, false, std::future::ready(()));
    // A session that is over must be seen to be: no hub of ours may keep its events open.
    drop(hub);
    let printer = Printer::new(format, screen == Screen::Terminal);
    let (exit, failed) = follow(port, message, printer, sink, signals).await;
    let _ = tokio::time::timeout(END_PATIENCE, done).await;
    match failed {
        Some(error) => Err(anyhow::Error::new(error).context("standard output cannot be written")),
        None => Ok(exit),
    }
}

#[cfg(feature = "tui")]
fn workbench(
    runtime: &tokio::runtime::Runtime,
    start: start::Start,
    holding: Holding,
    (log, linear): (Log, bool),
    err: &mut dyn Write,
) -> anyhow::Result<Left> {
    use crate::ui::{self, Reason};
    use anyhow::Context;
    use std::panic::AssertUnwindSafe;

    use crate::proto::Command;
    use tokio::sync::Notify;
    // Nothing of the session takes the processor from the first frame.
    let painted = Arc::new(Notify::new());
    let config = &start.loaded.config;
    let names = ui::composer::Names {
        providers: crate::model::providers(config, &start.env),
        models: crate::model::named(config, &start.env),
        roles: config.roles.iter().map(|role| role.name.clone()).collect(),
    };
    let options = ui::Options {
        names,
        settings: start.loaded.config.ui.clone(),
        configuration: Some(ui::Configuration {
            loaded: Arc::new(start.loaded.clone()),
            file: start.paths.config_file.clone(),
        }),
        config_folder: Some(start.paths.config_folder.clone()),
        data_folder: start.paths.data.clone(),
        workdir: start.workdir.clone(),
        draft: start.message.clone(),
        log,
        mask: start.env.mask().clone(),
        painted: Arc::clone(&painted),
    };
    let linear = ui::linear::is_wanted(&options.settings, linear, |name| start.env.get(name).map(str::to_owned));
    let Handle { port, hub, done } = {
        let _inside = runtime.enter();
        begin(start, holding, true, async move { painted.notified().await })
    };
    drop(hub);
    let commands = port.commands.clone();
    let shown = async {
        tokio::select! {
            left = shown_to(port, options, linear) => left,
            never = panic_on_purpose() => match never {},
        }
    };
    let left = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(shown)));
    if !matches!(left, Ok(Ok(_))) {
        // The session must end too: close its turn and its servers.
        let _ = runtime.block_on(async { tokio::time::timeout(END_PATIENCE, commands.send(Command::Quit)).await });
    }
    drop(commands);
    let _ = runtime.block_on(async { tokio::time::timeout(END_PATIENCE, done).await });
    let left = left.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let left = left.context("the workbench could not be shown")?;
    for panic in &left.panics {
        writeln!(err, "octomind: {panic}")?;
    }
    if let (Reason::Switch, Some(next)) = (left.reason, left.next.clone()) {
        let ui::Next { name, workdir, draft } = next;
        return Ok(Left::For(Box::new(Onward { name, workdir, draft })));
    }
    if let Some(farewell) = left.farewell() {
        writeln!(err, "{farewell}")?;
    }
    Ok(Left::Ended(match left.reason {
        Reason::Quit | Reason::Switch | Reason::SessionOver if left.panics.is_empty() => Exit::Done,
        Reason::Quit | Reason::Switch | Reason::SessionOver => Exit::Failed,
        Reason::Interrupted => Exit::Interrupted,
        Reason::Terminated | Reason::Hangup => Exit::Terminated,
    }))
}

/// The front end that the person gets: the full screen, or plain lines.
#[cfg(feature = "tui")]
async fn shown_to(port: crate::port::Port, options: crate::ui::Options, linear: bool) -> io::Result<crate::ui::Exit> {
    match linear {
        true => crate::ui::linear::run(port, options).await,
        false => crate::ui::run(port, options).await,
    }
}

/// In a debug build tests may make the workbench panic: `OCTOMIND_TEST_PANIC` names a file, and once
/// that is there, it does.
#[cfg(feature = "tui")]
async fn panic_on_purpose() -> std::convert::Infallible {
    let trigger = std::env::var_os("OCTOMIND_TEST_PANIC").filter(|_| cfg!(debug_assertions));
    while let Some(file) = &trigger {
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!std::path::Path::new(file).exists(), "a panic on purpose");
    }
    std::future::pending().await
}

#[cfg(not(feature = "tui"))]
fn workbench(
    _: &tokio::runtime::Runtime,
    _: start::Start,
    _: Holding,
    _: (Log, bool),
    _: &mut dyn Write,
) -> anyhow::Result<Left> {
    Err(super::mode::ModeError::NoWorkbench.into())
}
