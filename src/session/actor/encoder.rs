//! The sentence encoder as this session sees it: its state, its notes, and what it is to read.

use std::time::Duration;

use super::{Actor, Report, Settled};
use crate::proto::{Body, EncoderState, Level};

/// Progress is told no more often than this.
const PROGRESS: Duration = Duration::from_millis(250);

/// What was said of the encoder already.
#[derive(Debug, Default)]
pub(super) struct Said {
    notes: usize,
    failure: bool,
}

fn is_progress(state: &EncoderState) -> bool {
    matches!(state, EncoderState::Loading { .. } | EncoderState::Downloading { .. })
}

impl Actor {
    /// Follows its state from now on; loads nothing.
    pub(super) fn watch_encoder(&self) {
        let Some(encoder) = &self.setup.encoder else { return };
        let (mut state, report) = (encoder.state(), self.report.clone());
        tokio::spawn(async move {
            loop {
                let now = state.borrow_and_update().clone();
                let progress = is_progress(&now);
                if report.send(Report::Encoder(now)).is_err() {
                    return;
                }
                if progress {
                    let settled = state.wait_for(|state| !is_progress(state));
                    match tokio::time::timeout(PROGRESS, settled).await {
                        Ok(Err(_)) => return,
                        // Whether it settled or the time is over: what there is then is told.
                        Ok(Ok(_)) | Err(_) => continue,
                    }
                }
                tokio::select! {
                    changed = state.changed() => if changed.is_err() { return },
                    () = report.closed() => return,
                }
            }
        });
    }

    pub(super) fn encoder_changed(&mut self, state: EncoderState) {
        self.say_of_encoder(&state);
        if self.rec.hub.snapshot().encoder != state {
            self.rec.emit(Body::EncoderChanged(state));
            self.tell_hearing();
        }
    }

    /// What was fallen back from and why there is none, each once, where nobody has to read it.
    fn say_of_encoder(&mut self, state: &EncoderState) {
        let Some(encoder) = &self.setup.encoder else { return };
        // Without a model of one's own, a program has nothing to do about it.
        let level = if encoder.is_named() { Level::Warning } else { Level::Info };
        let heard = encoder.is_named() || self.person();
        let notes = encoder.service().notes();
        for note in notes.iter().skip(self.said_of_encoder.notes) {
            self.rec.emit(notice(level, format!("Sentence model: {note}."), None));
        }
        self.said_of_encoder.notes = notes.len();
        if let EncoderState::Failed { why, advice } = state
            && heard
            && !std::mem::replace(&mut self.said_of_encoder.failure, true)
        {
            let text = format!("Sentences are not compared by meaning: {why}.");
            self.rec.emit(notice(level, text, Some(advice.clone())));
        }
    }

    /// What is on offer is read by the encoder once nothing else is waited for.
    pub(super) fn want_phrases(&mut self) {
        if self.starting.is_some() || !matches!(self.servers.settled, Settled::Yes) {
            return;
        }
        let (Some(encoder), Some(phrases)) = (&self.setup.encoder, self.phrases.take()) else { return };
        encoder.want(phrases.near(crate::surface::domain_of(&self.role.name)));
    }
}

fn notice(level: Level, text: String, hint: Option<String>) -> Body {
    Body::Notice { level, source: "encoder".to_owned(), text, hint }
}
