//! The scripted model: `script:<file.toml>` and the embedded `script:tour`.
//!
//! Owns: the script's grammar, which turn answers which message, which answer the supervisor gets, and
//! playing it with its pacing.
//!
//! Does not own: running the tools that a script calls; those are the session's real ones.
//!
//! Invariant: which reply is played follows from the request alone, so a resumed session goes on
//! where it stopped. Only faults that clear up after some tries, and answers that are given some times,
//! count in memory.

mod file;
mod pick;
mod play;
mod supervised;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{DeltaStream, Model, Replay, Request, Traits};
use crate::proto::{Fault, FaultKind, ModelInfo, Purpose};
use file::Script;

/// The script behind `octomind tour`.
const TOUR: &str = include_str!("../../../assets/tour.toml");

#[derive(Debug)]
pub struct Scripted {
    name: String,
    script: Script,
    /// What `{{cwd}}` stands for.
    folder: String,
    /// Tries so far by place (user message, reply), for faults that clear up.
    tries: Mutex<HashMap<(usize, usize), u32>>,
    /// How often each answer to the supervisor was given, for those that are given only some times.
    answered: Mutex<HashMap<usize, u32>>,
}

impl Scripted {
    /// Opens `script:` + `rest`.
    pub fn open(rest: &str) -> Result<Self, Fault> {
        let text = match rest {
            "tour" => TOUR.to_owned(),
            path => std::fs::read_to_string(Path::new(path)).map_err(|error| {
                Fault::new(
                    FaultKind::UnknownModel,
                    format!("The script {path} cannot be read: {error}."),
                    "Name a script file after `script:`, or use `script:tour`.",
                )
            })?,
        };
        Self::parse(rest, &text)
    }

    /// `text` is the script's TOML, `rest` the name to show.
    pub fn parse(rest: &str, text: &str) -> Result<Self, Fault> {
        let script = file::parse(text).map_err(|problem| {
            let mut fault = Fault::new(
                FaultKind::BadRequest,
                format!("The script {rest} is not valid at {}: {}.", problem.place, problem.message),
                "Mend the script; its keys are turn, match, at, reply, text, reasoning, calls, usage, fault, supervise, asks.",
            );
            fault.detail = problem.excerpt;
            fault
        })?;
        let folder = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
        Ok(Self { name: format!("script:{rest}"), script, folder, tries: Mutex::default(), answered: Mutex::default() })
    }

    fn count_try(&self, place: (usize, usize)) -> u32 {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        let count = tries.entry(place).or_insert(0);
        *count += 1;
        *count
    }
}

impl Model for Scripted {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            name: self.name.clone(),
            context_window: self.script.context_window,
            scripted: true,
            priced: self.script.priced,
        }
    }

    fn traits(&self) -> Traits {
        Traits { tools: true, images: true, reasoning: Replay::Welcome, structured_output: true }
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> DeltaStream {
        if let Purpose::Supervisor(mechanic) = request.purpose {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            let steps = supervised::steps(&self.script.supervised, mechanic, &request, &mut answered);
            return play::play(steps, request.idle_timeout, cancel);
        }
        let steps = match pick::pick(&self.script, &request) {
            Ok(picked) => {
                let tries = self.count_try(picked.place);
                play::steps(&picked, &request, &self.folder, tries)
            }
            Err(fault) => Arc::from([play::Step::Fail(fault)]),
        };
        play::play(steps, request.idle_timeout, cancel)
    }

    fn wire(&self, request: &Request) -> serde_json::Value {
        super::openai::body(&super::openai::Dialect::plain(), "scripted", request)
    }
}
