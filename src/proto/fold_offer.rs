//! How starting, the catalogue, the encoder and skills change the snapshot. Pure and total.

use std::sync::Arc;

use super::fold::cancel;
use super::{Body, EntryKind, Event, OUTPUT_LINES, Snapshot, StartStep, StepState, StepView, Timestamp};

/// How far back a start is looked for that a notice is about.
const NEAR: usize = 8;

/// Stands at a step whose failure a notice tells.
const TOLD_BELOW: &str = "why stands below";

impl Snapshot {
    pub(super) fn apply_offer(&mut self, event: &Event) {
        match &event.body {
            Body::StartStep { step } => self.start_step(event, step),
            Body::StartOutput { step, line } => {
                let Some(order) = event.order else { return };
                self.transcript.edit(order, |kind| {
                    let EntryKind::StartUp { steps } = kind else { return };
                    let Some(shown) = steps.iter_mut().find(|shown| shown.step == *step) else { return };
                    if shown.output.len() >= OUTPUT_LINES {
                        shown.output.remove(0);
                    }
                    shown.output.push(line.clone());
                });
            }
            Body::CatalogueChanged(catalogue) => self.catalogue = Arc::clone(catalogue),
            Body::EncoderChanged(state) => self.encoder = state.clone(),
            Body::SurfaceChanged(view) => self.surface_changed(view),
            Body::SkillActivated { skill, .. } => {
                self.skills.retain(|known| known.name != skill.name);
                self.skills.push(skill.clone());
                self.put(event, EntryKind::Skill { skill: skill.clone(), forgotten: false });
            }
            Body::SkillForgotten { name } => {
                let Some(index) = self.skills.iter().position(|known| known.name == *name) else { return };
                let skill = self.skills.remove(index);
                self.put(event, EntryKind::Skill { skill, forgotten: true });
            }
            _ => {}
        }
    }

    /// A notice tells why a step failed: the step itself need not say the same.
    pub(super) fn told_once(&mut self, notice: &str) {
        let mut latest = self.transcript.entries().iter().rev().take(NEAR);
        let order = latest.find(|entry| matches!(entry.kind, EntryKind::StartUp { .. })).map(|entry| entry.order);
        let Some(order) = order else { return };
        let told = |step: &StepView| {
            step.state == StepState::Failed && !step.detail.is_empty() && notice.contains(step.detail.as_str())
        };
        self.transcript.edit(order, |kind| {
            let EntryKind::StartUp { steps } = kind else { return };
            if let Some(step) = steps.iter_mut().find(|step| told(step)) {
                TOLD_BELOW.clone_into(&mut step.detail);
            }
        });
    }

    /// What an earlier start was at is not done any more once another one begins.
    fn end_replaced(&mut self, now: Timestamp) {
        let running = |step: &StepView| step.state == StepState::Running;
        let mut latest = self.transcript.entries().iter().rev();
        let replaced =
            latest.find(|entry| matches!(&entry.kind, EntryKind::StartUp { steps } if steps.iter().any(running)));
        let Some((order, begun)) = replaced.map(|entry| (entry.order, entry.at)) else { return };
        self.transcript.edit(order, |kind| {
            if let EntryKind::StartUp { steps } = kind {
                cancel(steps, Some(now.saturating_sub(begun)));
            }
        });
    }

    fn start_step(&mut self, event: &Event, step: &StepView) {
        let Some(order) = event.order else { return };
        if !matches!(self.transcript.get(order).map(|entry| &entry.kind), Some(EntryKind::StartUp { .. })) {
            // What is done for one capability goes on beside others.
            if !matches!(step.step, StartStep::Deps | StartStep::Servers | StartStep::Triggers) {
                self.end_replaced(event.at);
            }
            self.put(event, EntryKind::StartUp { steps: vec![step.clone()] });
            return;
        }
        self.transcript.edit(order, |kind| {
            let EntryKind::StartUp { steps } = kind else { return };
            match steps.iter_mut().find(|known| known.step == step.step) {
                // A step that goes on keeps what its script wrote.
                Some(known) => {
                    let output = std::mem::take(&mut known.output);
                    *known = step.clone();
                    if known.output.is_empty() {
                        known.output = output;
                    }
                }
                None => steps.push(step.clone()),
            }
        });
    }
}
