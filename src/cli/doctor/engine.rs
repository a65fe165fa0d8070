//! The encoder, models, programs, the sandbox.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Check;
use crate::config::{Config, Env, Paths};
use crate::embed::{Options, Service, backend};
use crate::model::{self, HttpProbe, Otherwise};
use crate::proto::EncoderState;
use crate::sandbox::Level;

/// How long the encoder may take to load before it is called slow.
const LOADING: Duration = Duration::from_secs(20);

pub async fn checks(config: &Config, paths: &Paths, env: &Env) -> Vec<Check> {
    vec![encoder(config, paths, env).await, chat_model(config, env).await]
}

async fn encoder(config: &Config, paths: &Paths, env: &Env) -> Check {
    let name = "encoder";
    let service = Service::new(Options::new(&config.encoder.model, paths, env));
    service.start();
    let mut state = service.state();
    let settled = |state: &EncoderState| {
        matches!(state, EncoderState::Ready { .. } | EncoderState::Failed { .. } | EncoderState::Downloading { .. })
    };
    let settled = match tokio::time::timeout(LOADING, state.wait_for(settled)).await {
        Ok(Ok(state)) => state.clone(),
        Ok(Err(_)) => return Check::error(name, "its thread ended", "start again; report it if it happens again"),
        Err(_) => {
            let what = format!("{} is not loaded after {} s", config.encoder.model, LOADING.as_secs());
            return Check::warning(name, what, "the machine is busy, or the model is too large for it");
        }
    };
    match settled {
        EncoderState::Failed { why, advice } => Check::error(name, why, advice),
        EncoderState::Downloading { model, .. } => Check::warning(
            name,
            format!("{model} is not downloaded yet; until it is, the embedded model stands in"),
            "start octomind with a network, or set [encoder] model = \"embedded\"",
        ),
        EncoderState::Ready { model, load_ms, note, .. } => loaded(&model, load_ms, note, env),
        EncoderState::Idle | EncoderState::Loading { .. } => Check::warning(name, "still loading", "ask again"),
    }
}

fn loaded(model: &str, load_ms: u64, note: Option<String>, env: &Env) -> Check {
    let name = "encoder";
    let backend = backend::choose(env);
    let library = backend.library.as_ref().map_or(String::new(), |library| format!(" from {}", library.display()));
    let what = format!("{model} on {}{library}, loaded in {load_ms} ms", backend.name);
    let passed_over = backend.passed_over.join("; ");
    match (note, backend.kind, backend.passed_over.is_empty()) {
        (Some(note), ..) => {
            Check::warning(name, format!("{what}; {note}"), "mend [encoder] model, or set it to embedded")
        }
        (None, backend::Kind::OnnxRuntime, _) => Check::ok(name, what),
        (None, backend::Kind::Tract, true) => Check::ok(
            name,
            format!("{what}; no ONNX Runtime was found, which would be faster (ORT_DYLIB_PATH names one)"),
        ),
        (None, backend::Kind::Tract, false) => Check::warning(
            name,
            format!("{what}; ONNX Runtime was passed over: {passed_over}"),
            "put version 1.24 or newer there, or point ORT_DYLIB_PATH to one; without it everything works, more slowly",
        ),
    }
}

async fn chat_model(config: &Config, env: &Env) -> Check {
    let name = "model";
    let asked = config.model.name.trim();
    let advice = "set a key such as ANTHROPIC_API_KEY, start a local model server, or look around: octomind tour";
    if asked.is_empty() || asked == "auto" {
        let (chosen, _) = model::choose(env, &HttpProbe, Otherwise::Nothing).await;
        return if chosen.is_empty() {
            Check::error(name, "no provider's key is set and no model server answers on this machine", advice)
        } else {
            Check::ok(name, format!("auto means {chosen}; its key was not tried"))
        };
    }
    match model::open(asked, config, env) {
        Ok(_) => Check::ok(name, format!("{asked}; its key was not tried")),
        Err(fault) => Check::error(name, format!("{asked}: {}", fault.message), fault.advice),
    }
}

/// What other programs offer, and what this one lacks.
pub fn programs(config: &Config, env: &Env) -> Vec<Check> {
    vec![versions(), git(env), sandbox(config, &crate::sandbox::level()), servers(config, env)]
}

fn git(env: &Env) -> Check {
    let name = "git";
    let mut asked = Command::new("git");
    if let Some(path) = env.get("PATH") {
        asked.env("PATH", path);
    }
    let answer = asked.arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    match answer {
        Ok(answer) if answer.status.success() => {
            Check::ok(name, String::from_utf8_lossy(&answer.stdout).trim().to_owned())
        }
        _ => Check::warning(
            name,
            "the program was not found; taps are fetched without it, agents that work with repositories need it",
            "install git",
        ),
    }
}

pub fn sandbox(config: &Config, level: &Level) -> Check {
    let name = "sandbox";
    let asked = if config.sandbox { "asked for" } else { "not asked for (--sandbox, or sandbox = true)" };
    let what = format!("{}; {asked}", level.words());
    match (level, config.sandbox) {
        (Level::Complete { .. }, _) => Check::ok(name, what),
        (Level::Unavailable { .. }, true) => {
            let advice = "nothing starts without a person until it is; without the sandbox: -c sandbox=false";
            Check::error(name, what, advice)
        }
        (Level::Unavailable { .. }, false) => {
            Check::warning(name, what, "without it, what an agent runs can write wherever you can")
        }
        (Level::Partial { .. }, _) => Check::warning(name, what, "a newer kernel closes the gap"),
    }
}

/// What was built, and what it runs on.
fn versions() -> Check {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let (kernel, release, machine) = (text(system.sysname()), text(system.release()), text(system.machine()));
    Check::ok("version", format!("octomind {}, {kernel} {release}, {machine}", env!("CARGO_PKG_VERSION")))
}

/// Servers of the configuration whose program cannot be found.
pub fn servers(config: &Config, env: &Env) -> Check {
    let name = "servers";
    let missing: Vec<String> = config
        .mcp
        .servers
        .iter()
        .filter_map(|server| Some((&server.name, server.command.as_deref()?)))
        .filter(|(_, program)| !program.is_empty() && !program.contains('$') && !found(program, env))
        .map(|(server, program)| format!("{server} wants {program}"))
        .collect();
    let count = crate::proto::counted(config.mcp.servers.len(), "server");
    if missing.is_empty() {
        return Check::ok(name, format!("{count} in the configuration"));
    }
    let advice = "install the program, or write its whole path into the server's command";
    Check::error(name, format!("not found: {}", missing.join("; ")), advice)
}

fn found(program: &str, env: &Env) -> bool {
    let runs = |file: &Path| file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok();
    if program.contains('/') {
        return runs(Path::new(program));
    }
    std::env::split_paths(env.get("PATH").unwrap_or_default()).any(|folder| runs(&folder.join(program)))
}
