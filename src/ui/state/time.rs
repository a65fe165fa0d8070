use std::sync::Arc;

use super::{Layer, State, Table, Tabled};
use crate::proto::{Moment, Snapshot};

/// Looking at the past: while there is a present put aside, [`State::snapshot`] is that of a moment.
#[derive(Debug, Default)]
pub struct TimeState {
    /// The session as it goes on meanwhile.
    pub present: Option<Box<Snapshot>>,
    pub moment: Option<Arc<Moment>>,
    /// The event that was asked for and has not come.
    pub asked: Option<u64>,
    /// Why nothing can be shown.
    pub refused: Option<String>,
}

impl TimeState {
    /// Events there are, as far as it is known.
    pub fn total(&self) -> usize {
        self.moment.as_ref().map_or(0, |moment| usize::try_from(moment.total).unwrap_or(usize::MAX))
    }

    /// The turn of the moment, and how many there are; 0 before the first.
    pub fn turn(&self) -> (u32, u32) {
        let Some(moment) = &self.moment else { return (0, 0) };
        let begun = moment.turns.iter().rev().find(|(_, at)| *at <= moment.index);
        let last = moment.turns.last().map_or(0, |(turn, _)| turn.0);
        (begun.map_or(0, |(turn, _)| turn.0), last)
    }
}

impl State {
    /// Whether what is shown is of the past.
    pub fn in_past(&self) -> bool {
        self.time.present.is_some()
    }

    /// The session as it is now, whatever is shown.
    pub fn present(&mut self) -> &mut Snapshot {
        self.time.present.as_deref_mut().unwrap_or(&mut self.snapshot)
    }

    /// Shows the session as it was. What is not recorded stays as it is now.
    pub fn show_moment(&mut self, moment: &Arc<Moment>) {
        let mut past = (*moment.snapshot).clone();
        let now = self.present();
        past.servers.clone_from(&now.servers);
        past.catalogue = Arc::clone(&now.catalogue);
        past.encoder = now.encoder.clone();
        past.supervisor.switches.clone_from(&now.supervisor.switches);
        let before = std::mem::replace(&mut self.snapshot, past);
        if self.time.present.is_none() {
            self.time.present = Some(Box::new(before));
        }
        self.time.moment = Some(Arc::clone(moment));
    }

    /// Back to now; false when nothing was looked at.
    pub fn leave_past(&mut self) -> bool {
        let time = std::mem::take(&mut self.time);
        let was = time.present.is_some() || time.asked.is_some() || time.refused.is_some();
        if let Some(present) = time.present {
            self.snapshot = *present;
        }
        was
    }

    /// Whether the overlay that scrubs is open, whatever lies on it.
    pub fn scrubbing(&self) -> bool {
        self.layers.iter().any(|layer| matches!(layer, Layer::Table(Table { of: Tabled::Time, .. })))
    }
}
