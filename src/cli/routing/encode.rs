//! Waiting for vectors, and telling how far it is.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::source::Named;
use super::{Fault, Work};
use crate::embed::{Identity, Index, Patience, Service, Vector};
use crate::proto::EncoderState;
use crate::text::{human, sanitize_line};

/// How often one looks whether there is more.
const LOOK: Duration = Duration::from_millis(50);
/// Ready, and still no phrase has a vector: then none will come.
const IDLE_LOOKS: u32 = 40;

/// Whether somebody watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Shown,
    Silent,
}

impl Progress {
    pub fn of_stderr() -> Self {
        if io::stderr().is_terminal() { Self::Shown } else { Self::Silent }
    }

    /// One line that the next one overwrites; an empty text wipes it.
    pub fn tell(self, text: &str, err: &mut dyn Write) {
        if self == Self::Shown {
            // Progress that cannot be shown is no reason to stop.
            let _ = write!(err, "\r\x1b[K{}", sanitize_line(text)).and_then(|()| err.flush());
        }
    }
}

/// Which encoder gave the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EncoderShown {
    pub model: String,
    pub backend: String,
    /// SHA-256 of the model's files.
    pub hash: String,
}

/// Waits until the encoder that was asked for is loaded.
pub async fn open(work: &mut Work<'_>) -> Result<EncoderShown, Fault> {
    work.service.start();
    let mut state = work.service.state();
    while !work.service.is_loaded() {
        let now = state.borrow_and_update().clone();
        if let EncoderState::Failed { why, advice } = now {
            work.progress.tell("", work.err);
            return Err(Fault::Encoder(format!("the encoder cannot be used: {why}\nhint: {advice}")));
        }
        work.progress.tell(&words(&now), work.err);
        // The worker says nothing more while it loads.
        let _ = tokio::time::timeout(LOOK, state.changed()).await;
    }
    work.progress.tell("", work.err);
    let identity = work.service.identity().ok_or_else(|| Fault::Encoder("the encoder went away".to_owned()))?;
    refuse_another(&work.model, &identity, &work.service)?;
    let hash = identity.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(EncoderShown { model: identity.name, backend: identity.backend, hash })
}

/// The figures of another model would be believed to be those of the one that was asked for.
fn refuse_another(asked: &str, identity: &Identity, service: &Service) -> Result<(), Fault> {
    let fell_back = identity.name == "embedded" && !matches!(asked.trim(), "" | "embedded");
    if !fell_back {
        return Ok(());
    }
    let why = service.notes().first().cloned().unwrap_or_else(|| format!("`{asked}` cannot be used"));
    Err(Fault::Encoder(format!("{why}\nhint: another model is not what you asked to measure; see --model")))
}

fn words(state: &EncoderState) -> String {
    match state {
        EncoderState::Downloading { model, done, total } => {
            let of = total.map_or(String::new(), |total| format!(" of {}", human::bytes(total)));
            format!("downloading {model}: {}{of}", human::bytes(*done))
        }
        EncoderState::Idle | EncoderState::Loading { .. } => "loading the encoder".to_owned(),
        EncoderState::Ready { .. } | EncoderState::Failed { .. } => String::new(),
    }
}

/// The vectors of all phrases, from disk where they are.
pub async fn phrases(named: &[Named], work: &mut Work<'_>) -> Result<Arc<Index>, Fault> {
    let texts: BTreeSet<&str> =
        named.iter().flat_map(|named| &named.phrases).map(|phrase| phrase.text.as_str()).collect();
    let count = texts.len();
    work.service.want(texts.into_iter().map(str::to_owned).collect());
    let mut idle = 0;
    loop {
        let index = work.service.index();
        let state = work.service.state().borrow().clone();
        match state {
            EncoderState::Failed { why, .. } => return Err(Fault::Encoder(format!("the encoder failed: {why}"))),
            EncoderState::Ready { .. } if index.is_complete() => {
                // Complete and empty is also what an index is before anything was asked of it.
                idle += 1;
                if !index.is_empty() || idle > IDLE_LOOKS {
                    work.progress.tell("", work.err);
                    return Ok(index);
                }
            }
            _ => {}
        }
        work.progress.tell(&format!("triggers {}/{count}", index.len()), work.err);
        tokio::time::sleep(LOOK).await;
    }
}

/// The vector of one message.
pub async fn message(text: &str, service: &Service) -> Result<Vector, String> {
    service.encode(text, Patience::Forever).await.map_err(|error| error.to_string())
}
