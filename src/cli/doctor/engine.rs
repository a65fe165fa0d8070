//! The encoder, models, programs, the sandbox.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::Check;
use crate::config::{Config, Env, Paths};
use crate::embed::{Options, Service, backend};
use crate::model::{self, HttpProbe, Otherwise};
use crate::proto::EncoderState;

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
    vec![git(env), sandbox(config)]
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

fn sandbox(config: &Config) -> Check {
    let name = "sandbox";
    if config.sandbox {
        let advice = "octomind config --show tells where it is set; without it: -c sandbox=false";
        return Check::error(name, "sandbox = true is set, and it is not built in this version", advice);
    }
    Check::ok(name, "not built in this version")
}
