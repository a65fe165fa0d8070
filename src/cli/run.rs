//! A run: session and front end, until both are over.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::args::{Format, RunOptions};
use super::exit::Exit;
use super::headless::{Printer, Signals, Sink, follow};
use super::mode::{Mode, Screen};
use super::{logging, runtime, start, workdir};
use crate::config::Env;
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
        .and_then(|input| start::prepare(role, options, input, screen, Env::from_process(), &workdir));
    let start = match prepared {
        Ok(start) => start,
        Err(refused) => {
            err.write_all(refused.text.as_bytes())?;
            return Ok(refused.exit.into());
        }
    };
    for problem in &start.ignored {
        writeln!(err, "{}", start.env.mask_secrets(&problem.to_string()))?;
    }
    let mask = start.env.mask().clone();
    logging::start(&start.paths.logs, start.loaded.config.log_level, start.env.get("RUST_LOG"), mask);
    let runtime = runtime()?;
    let ended = match start.mode {
        Mode::Headless(format) => runtime.block_on(headless(start, format, screen)),
        Mode::Workbench => workbench(&runtime, start, err),
    };
    // A thread that reads or writes what nobody serves any more cannot be ended.
    runtime.shutdown_background();
    ended.map(ExitCode::from)
}

/// Must be called within the runtime.
fn begin(start: start::Start, person: bool, first: impl Future<Output = ()> + Send + 'static) -> Handle {
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
    };
    session::start_after(start, first)
}

async fn headless(mut start: start::Start, format: Format, screen: Screen) -> anyhow::Result<Exit> {
    let signals = Signals::listen()?;
    let sink = Sink::new(io::stdout(), io::stderr())?;
    let message = std::mem::take(&mut start.message);
    let Handle { port, hub, done } = begin(start, false, std::future::ready(()));
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
fn workbench(runtime: &tokio::runtime::Runtime, start: start::Start, err: &mut dyn Write) -> anyhow::Result<Exit> {
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
        roles: config.roles.iter().map(|role| role.name.clone()).collect(),
    };
    let options = ui::Options {
        names,
        settings: start.loaded.config.ui.clone(),
        config_folder: Some(start.paths.config_folder.clone()),
        data_folder: start.paths.data.clone(),
        workdir: start.workdir.clone(),
        painted: Arc::clone(&painted),
    };
    let Handle { port, hub, done } = {
        let _inside = runtime.enter();
        begin(start, true, async move { painted.notified().await })
    };
    drop(hub);
    let commands = port.commands.clone();
    let shown = async {
        tokio::select! {
            left = ui::run(port, options) => left,
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
    if let Some(farewell) = left.farewell() {
        writeln!(err, "{farewell}")?;
    }
    Ok(match left.reason {
        Reason::Quit | Reason::SessionOver if left.panics.is_empty() => Exit::Done,
        Reason::Quit | Reason::SessionOver => Exit::Failed,
        Reason::Interrupted => Exit::Interrupted,
        Reason::Terminated | Reason::Hangup => Exit::Terminated,
    })
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
fn workbench(_: &tokio::runtime::Runtime, _: start::Start, _: &mut dyn Write) -> anyhow::Result<Exit> {
    Err(super::mode::ModeError::NoWorkbench.into())
}
