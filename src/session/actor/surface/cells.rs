//! The cell of a capability that is on its way: what it waits for, and how that ended.

use tokio::time::Instant;

use super::pending::Pending;
use crate::proto::{Body, Order, StartStep, StepState, StepView};
use crate::session::actor::Actor;
use crate::session::actor::prepare::TELL_AFTER;

/// Where it is told how far it is.
pub(super) struct Cell {
    pub order: Order,
    pub step: StartStep,
    pub begun: Instant,
}

impl Actor {
    pub(super) fn open_cell(&mut self, capability: &str, step: StartStep, detail: String) {
        let order = self.rec.reserve(1);
        let Some(pending) = self.pending(capability) else { return };
        // Servers are told of once they were waited for so long; they may have begun long before.
        let begun = match step {
            StartStep::Servers => pending.begun.max(Instant::now() - TELL_AFTER),
            _ => Instant::now(),
        };
        let cell = Cell { order, step, begun };
        let view = running(&cell, detail);
        pending.cell = Some(cell);
        self.rec.emit_at(Some(order), Body::StartStep { step: view });
    }

    pub(super) fn end_cell(&mut self, pending: &Pending, state: StepState, detail: String) {
        if let Some(cell) = &pending.cell {
            self.end_step(cell, state, detail);
        }
    }

    pub(super) fn end_step(&mut self, cell: &Cell, state: StepState, detail: String) {
        let step = StepView { state, ..running(cell, detail) };
        self.rec.emit_at(Some(cell.order), Body::StartStep { step });
    }
}

pub(super) fn running(cell: &Cell, detail: String) -> StepView {
    let elapsed_ms = u64::try_from(cell.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    StepView { step: cell.step, state: StepState::Running, detail, elapsed_ms, output: Vec::new() }
}
