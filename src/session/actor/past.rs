//! What this session was at an earlier event, for whoever scrubs through it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Actor, Report};
use crate::proto::{Body, TimeAnswer, TimeCommand};
use crate::session::journal::JOURNAL;
use crate::session::time::TimeMachine;

impl Actor {
    /// Folds the journal beside the task; the answer is shown and not kept.
    pub(super) fn time(&mut self, command: TimeCommand) {
        let TimeCommand::At { index } = command else {
            self.machine = None;
            return;
        };
        // What waits to be written is part of what was.
        let _ = self.rec.journal.flush_deltas();
        let path = self.rec.folder().join(JOURNAL);
        let known = self.machine.take().filter(|machine| lock(machine).is_of(&path));
        let machine = known.unwrap_or_else(|| Arc::new(Mutex::new(TimeMachine::new(&path))));
        self.machine = Some(Arc::clone(&machine));
        let report = self.report.clone();
        tokio::task::spawn_blocking(move || {
            let answer = match lock(&machine).at(index) {
                Ok(Some(moment)) => TimeAnswer::Shown(Arc::new(moment)),
                Ok(None) => TimeAnswer::Refused("Nothing is recorded of this session yet.".to_owned()),
                Err(error) => TimeAnswer::Refused(format!("The journal of this session cannot be read: {error}.")),
            };
            // The session may be over; then nobody wants to know.
            let _ = report.send(Report::Past(answer));
        });
    }

    pub(super) fn past_folded(&mut self, answer: TimeAnswer) {
        self.rec.show(Body::Moment(answer));
    }
}

/// A fold that panicked leaves a machine that reads on from the last whole record.
fn lock(machine: &Mutex<TimeMachine>) -> std::sync::MutexGuard<'_, TimeMachine> {
    machine.lock().unwrap_or_else(PoisonError::into_inner)
}
