use super::State;
use crate::proto::{AskId, AskKind, EntryKind, StartStep, StepState, StepView};

impl State {
    /// The steps of the last start, while one of them runs.
    fn running_steps(&self) -> impl Iterator<Item = &StepView> {
        let entry = self.start_up.and_then(|order| self.snapshot.transcript.get(order));
        let steps = match entry.map(|entry| &entry.kind) {
            Some(EntryKind::StartUp { steps }) => steps.as_slice(),
            _ => &[],
        };
        steps.iter().filter(|step| step.state == StepState::Running)
    }

    /// Whether a session is being prepared.
    pub fn starting(&self) -> bool {
        self.running_steps().next().is_some()
    }

    /// Whether this step of a start runs.
    pub fn running(&self, wanted: StartStep) -> bool {
        self.running_steps().any(|step| step.step == wanted)
    }

    /// Whether what prepares the session can be stopped: a script that runs, or a value that is waited for.
    /// Servers start beside everything else and have keys of their own.
    pub fn stoppable_start(&self) -> bool {
        self.running_steps().any(|step| matches!(step.step, StartStep::Deps | StartStep::Placeholders))
    }

    /// Takes up which entry shows the last start. Looks from the end; only for a snapshot that is new.
    pub fn find_start(&mut self) {
        let entries = self.snapshot.transcript.entries();
        let start = entries.iter().rev().find(|entry| matches!(entry.kind, EntryKind::StartUp { .. }));
        self.start_up = start.map(|entry| entry.order);
    }

    /// The question whether another provider shall do what one could not.
    pub fn offer(&self) -> Option<AskId> {
        let asks = self.snapshot.asks.iter();
        asks.into_iter().find(|(ask, _)| matches!(ask.kind, AskKind::OtherProvider { .. })).map(|(ask, _)| ask.id)
    }
}
