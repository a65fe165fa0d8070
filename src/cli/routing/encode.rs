//! Waiting for vectors, and telling how far it is.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// A line of its own is written so often.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// How somebody is told how far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// One line that changes.
    OneLine,
    /// A line now and then; when the last one was written, or it began.
    Lines(Instant),
    #[cfg(test)]
    Silent,
}

impl Progress {
    pub fn of_stderr() -> Self {
        if io::stderr().is_terminal() { Self::OneLine } else { Self::Lines(Instant::now()) }
    }

    /// One line that the next one overwrites; an empty text wipes it.
    pub fn tell(&mut self, text: &str, err: &mut dyn Write) {
        // Progress that cannot be shown is no reason to stop.
        let _ = match self {
            Self::OneLine => write!(err, "\r\x1b[K{}", sanitize_line(text)).and_then(|()| err.flush()),
            Self::Lines(last) if !text.is_empty() && last.elapsed() >= LINE_EVERY => {
                *last = Instant::now();
                writeln!(err, "{}", sanitize_line(text))
            }
            Self::Lines(_) => Ok(()),
            #[cfg(test)]
            Self::Silent => Ok(()),
        };
    }
}

/// `triggers 320/60000, 4 m 10 s left`; the time once there is something to judge it by.
fn reading(read: usize, of: usize, found: usize, begun: Instant) -> String {
    let spent = begun.elapsed();
    let fresh = read.saturating_sub(found);
    if fresh == 0 || spent < Duration::from_secs(1) {
        return format!("triggers {read}/{of}");
    }
    let left = spent.mul_f64(of.saturating_sub(read) as f64 / fresh as f64);
    let left = human::duration_ms(left.as_secs().saturating_mul(1000));
    format!("triggers {read}/{of}, {left} left; what is read is kept")
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
    let (mut idle, mut begun) = (0, None);
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
        // Those that were kept from before count for no time.
        let (begun, found) = *begun.get_or_insert((Instant::now(), index.len()));
        work.progress.tell(&reading(index.len(), count, found, begun), work.err);
        tokio::time::sleep(LOOK).await;
    }
}

/// The vector of one message.
pub async fn message(text: &str, service: &Service) -> Result<Vector, String> {
    service.encode(text, Patience::Forever).await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_now_and_then_and_what_is_left_is_told() {
        let (mut err, now) = (Vec::new(), Instant::now());
        let mut progress = Progress::Lines(now);
        progress.tell("too early", &mut err);
        assert!(err.is_empty());
        let Some(before) = now.checked_sub(LINE_EVERY) else { return };
        let mut progress = Progress::Lines(before);
        progress.tell("", &mut err);
        progress.tell("triggers 1/2", &mut err);
        progress.tell("at once again", &mut err);
        assert_eq!(String::from_utf8(err).unwrap(), "triggers 1/2\n");
        assert_eq!(reading(40, 100, 40, before), "triggers 40/100");
        // Five seconds for ten: forty-five for the ninety that are left, or a little more.
        let told = reading(20, 110, 10, before);
        assert!(told.starts_with("triggers 20/110, 4") && told.ends_with(" left; what is read is kept"), "{told}");
    }
}
