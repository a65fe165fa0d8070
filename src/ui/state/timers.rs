use super::contexts::WHICH_KEY_MS;
use super::{LOG_EVERY_MS, Layer, State, Table, Tabled};
use crate::proto::{CallEnd, ServerState, Timestamp};

/// Milliseconds between two looks of a spinner.
pub const SPINNER_MS: u64 = 120;

impl State {
    /// When the screen changes by time alone, if it will. `None` while idle: no frame is drawn then.
    pub fn next_wake(&self) -> Option<Timestamp> {
        let mut times: Vec<Timestamp> = self.toasts.iter().map(|toast| toast.until).collect();
        times.extend(self.quit_armed);
        times.extend(self.drafts.due());
        if self.in_past() {
            // Nothing moves there.
            return times.into_iter().min();
        }
        if !self.pending.keys.is_empty() {
            let shown = self.pending.since + WHICH_KEY_MS;
            times.extend((self.now < shown).then_some(shown));
        }
        times.extend(self.reads_log().then(|| self.log.read_at + LOG_EVERY_MS));
        if let Some(Layer::WhatIf(tried)) = self.layers.last() {
            times.extend(tried.again_at());
        }
        if self.moving() {
            times.push((self.now / SPINNER_MS + 1) * SPINNER_MS);
        } else if self.counting() {
            times.push((self.now / 1000 + 1) * 1000);
        }
        times.into_iter().filter(|time| *time > self.now).min()
    }

    /// Which look of a spinner with so many is due; always the first without motion.
    pub fn spinner(&self, looks: usize) -> usize {
        if !self.settings.motion || looks == 0 {
            return 0;
        }
        usize::try_from(self.now / SPINNER_MS).unwrap_or_default() % looks
    }

    /// Spinners are on screen and may move.
    fn moving(&self) -> bool {
        let starting = |state: &ServerState| matches!(state, ServerState::Starting { .. });
        self.settings.motion
            && (self.snapshot.run.busy()
                || self.snapshot.shell.is_some()
                || self.starting()
                || self.any_server(starting))
    }

    /// Elapsed times or countdowns are on screen.
    fn counting(&self) -> bool {
        let timed = |state: &ServerState| {
            matches!(state, ServerState::Starting { .. } | ServerState::Waiting { .. }) && !state.is_held()
        };
        self.snapshot.run.busy()
            || self.snapshot.shell.is_some()
            || self.starting()
            || self.any_server(timed)
            || self.call_on_screen()
    }

    /// A model call that runs beside the turn is listed with its elapsed time.
    fn call_on_screen(&self) -> bool {
        let listed = matches!(self.layers.last(), Some(Layer::Table(Table { of: Tabled::Calls, .. })));
        listed && self.snapshot.supervisor.calls.iter().any(|call| call.ended == CallEnd::Running)
    }

    fn any_server(&self, holds: impl Fn(&ServerState) -> bool) -> bool {
        self.snapshot.servers.iter().any(|server| holds(&server.state))
    }
}
