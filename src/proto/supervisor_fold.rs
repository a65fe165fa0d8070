//! How records of the supervisor's are kept, counted and headed. Pure and total.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Body, Condensed, Decision, DetectionAction, Detector, EntryKind, Event, GapState, GateOutcome, GateThen,
    GateVerdict, Narrowing, PlanAction, Purpose, RequestId, Seq, Snapshot, SupervisorCounters, Timestamp, ToolState,
    TurnId, Usage,
};

/// Records kept in the snapshot; older ones are in the journal.
pub const SUPERVISOR_RECORDS: usize = 300;

/// Model calls kept in the snapshot; older ones are in the journal.
pub const MODEL_CALLS: usize = 300;

/// One record of the supervisor's, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SupervisorRecord {
    pub seq: Seq,
    pub at: Timestamp,
    pub turn: TurnId,
    pub decision: Decision,
}

/// A model call as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    pub request: RequestId,
    pub purpose: Purpose,
    pub model: String,
    pub at: Timestamp,
    pub turn: TurnId,
    /// Estimated prompt tokens.
    pub estimated: u64,
    /// Of the body that was sent.
    pub bytes: u64,
    pub ended: CallEnd,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    Running,
    Finished { usage: Usage, elapsed_ms: u64 },
    Failed { why: String },
}

impl Decision {
    /// Whether the supervisor made it.
    pub fn is_of_supervisor(&self) -> bool {
        matches!(
            self,
            Self::Reported(_)
                | Self::Detected(_)
                | Self::Recited(_)
                | Self::Gate(_)
                | Self::Planned(_)
                | Self::Condensed(_)
                | Self::Authorized(_)
                | Self::Switched(_)
        )
    }
}

impl Snapshot {
    pub(super) fn supervisor_decided(&mut self, event: &Event, decision: &Decision) {
        if !decision.is_of_supervisor() {
            return;
        }
        if let Decision::Condensed(condensed) = decision {
            self.mark_narrowed(condensed);
        }
        let view = &mut self.supervisor;
        view.counters.count(decision);
        match decision {
            Decision::Reported(reported) => view.report.clone_from(&reported.report),
            Decision::Gate(verdict) => view.gate = Some(Arc::clone(verdict)),
            _ => {}
        }
        if view.records.len() >= SUPERVISOR_RECORDS {
            view.records.remove(0);
        }
        let record = SupervisorRecord { seq: event.seq, at: event.at, turn: self.turn, decision: decision.clone() };
        view.records.push(Arc::new(record));
    }

    /// The person goes on seeing what the tool returned; its cell says that the model does not.
    fn mark_narrowed(&mut self, condensed: &Condensed) {
        for result in condensed.results.iter().filter(|result| result.after < result.before) {
            let Some(order) = self.transcript.find_call(&result.call) else { continue };
            let to = Narrowing { before: result.before, after: result.after };
            self.transcript.edit(order, |kind| {
                if let EntryKind::Tool { state: ToolState::Finished { narrowed, .. }, .. } = kind {
                    *narrowed = Some(to);
                }
            });
        }
    }

    pub(super) fn apply_supervisor(&mut self, event: &Event) {
        match &event.body {
            Body::PlanChanged(plan) => self.supervisor.plan = Arc::clone(plan),
            Body::SwitchesChanged(switches) => self.supervisor.switches = Arc::clone(switches),
            // The record of the decision says what the model got.
            Body::ResultNarrowed { .. } => {}
            _ => {}
        }
    }

    /// The record with this sequence number.
    pub fn supervisor_record(&self, seq: Seq) -> Option<&SupervisorRecord> {
        let records = &self.supervisor.records;
        records.binary_search_by_key(&seq, |record| record.seq).ok().map(|at| records[at].as_ref())
    }

    /// Keeps the list of model calls, whatever they are for.
    pub(super) fn model_called(&mut self, event: &Event) {
        let calls = &mut self.supervisor.calls;
        let end = |calls: &mut Vec<ModelCall>, request: RequestId, ended: CallEnd| {
            if let Some(call) = calls.iter_mut().rev().find(|call| call.request == request) {
                call.ended = ended;
            }
        };
        match &event.body {
            Body::RequestStarted { request, purpose, model, estimated_tokens, bytes, .. } => {
                if calls.len() >= MODEL_CALLS {
                    calls.remove(0);
                }
                calls.push(ModelCall {
                    request: *request,
                    purpose: *purpose,
                    model: model.clone(),
                    at: event.at,
                    turn: self.turn,
                    estimated: *estimated_tokens,
                    bytes: *bytes,
                    ended: CallEnd::Running,
                });
            }
            Body::RequestFinished { request, usage, elapsed_ms, .. } => {
                end(calls, *request, CallEnd::Finished { usage: *usage, elapsed_ms: *elapsed_ms });
            }
            Body::RequestFailed { request, fault, .. } => {
                end(calls, *request, CallEnd::Failed { why: fault.message.clone() });
            }
            _ => {}
        }
    }

    /// Calls that a process left open came to nothing.
    pub(super) fn settle_model_calls(&mut self) {
        for call in self.supervisor.calls.iter_mut().filter(|call| call.ended == CallEnd::Running) {
            call.ended = CallEnd::Failed { why: "not finished".to_owned() };
        }
    }
}

impl SupervisorCounters {
    fn count(&mut self, decision: &Decision) {
        match decision {
            Decision::Reported(reported) => {
                self.reports += u32::from(reported.report.is_some());
                self.without_report += u32::from(reported.report.is_none());
                self.carry_dropped += reported.dropped.len() as u32;
            }
            Decision::Detected(detection) => {
                match detection.detector {
                    Detector::Loop => self.loops += 1,
                    Detector::NoProgress => self.no_progress += 1,
                    Detector::Recovery => self.recoveries += 1,
                }
                self.notes += u32::from(matches!(detection.action, DetectionAction::Noted { .. }));
            }
            Decision::Recited(_) => self.recitations += 1,
            Decision::Gate(verdict) => self.count_verdict(verdict),
            Decision::Planned(planned) => match planned.action {
                PlanAction::Create => self.plans += 1,
                PlanAction::Advance => self.phases_done += 1,
                PlanAction::Hold => self.held += 1,
                PlanAction::Revise => self.revised += 1,
                PlanAction::None | PlanAction::Close | PlanAction::Archive => {}
            },
            Decision::Condensed(condensed) => {
                let saved = condensed.saved();
                self.condensed += condensed.results.iter().filter(|result| result.after < result.before).count() as u32;
                self.tokens_saved += saved;
            }
            Decision::Authorized(authorized) => {
                self.checked += authorized.checked;
                self.blocked += authorized.blocked.len() as u32;
                self.cached += u32::from(authorized.cached);
                self.unavailable += u32::from(authorized.unavailable.is_some());
            }
            _ => {}
        }
    }

    fn count_verdict(&mut self, verdict: &GateVerdict) {
        match verdict.outcome {
            GateOutcome::Verified => self.verified += 1,
            GateOutcome::Unknown => self.passed += 1,
            GateOutcome::Gaps => self.gaps += 1,
            GateOutcome::Indeterminate => self.indeterminate += 1,
        }
        self.refuted += verdict.gaps.iter().filter(|gap| matches!(gap.state, GapState::Refuted { .. })).count() as u32;
        self.sent_back += u32::from(matches!(verdict.then, GateThen::RunAgain { .. }));
    }

    /// What a switch's mechanic has done, as "what, how many"; of those that are not zero.
    pub fn of_switch(&self, key: &str) -> Vec<(&'static str, u64)> {
        let all: Vec<(&'static str, u64)> = match key {
            "supervisor.enabled" => vec![
                ("statuses", self.reports.into()),
                ("without status", self.without_report.into()),
                ("loops", self.loops.into()),
                ("no progress", self.no_progress.into()),
                ("recoveries", self.recoveries.into()),
                ("notes", self.notes.into()),
                ("recited", self.recitations.into()),
            ],
            "supervisor.gate.enabled" => vec![
                ("verified", self.verified.into()),
                ("passed", self.passed.into()),
                ("gaps", self.gaps.into()),
                ("refuted", self.refuted.into()),
                ("sent back", self.sent_back.into()),
                ("indeterminate", self.indeterminate.into()),
            ],
            "supervisor.plan.enabled" => vec![
                ("plans", self.plans.into()),
                ("phases done", self.phases_done.into()),
                ("held", self.held.into()),
                ("revised", self.revised.into()),
            ],
            "supervisor.condense.enabled" => {
                vec![("narrowed", self.condensed.into()), ("tok saved", self.tokens_saved)]
            }
            "supervisor.authorizer.enabled" => vec![
                ("checked", self.checked.into()),
                ("blocked", self.blocked.into()),
                ("cached", self.cached.into()),
                ("unavailable", self.unavailable.into()),
            ],
            _ => Vec::new(),
        };
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}
