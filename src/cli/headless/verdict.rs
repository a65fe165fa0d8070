//! From what happened to an exit code.

use std::sync::Arc;

use crate::cli::exit::Exit;
use crate::proto::{
    AgentState, ApprovalOutcome, Body, Decision, Event, FaultKind, GateOutcome, GateThen, GateVerdict, Level, Purpose,
    ToolOutcome, TurnOutcome, clause, counted,
};
use crate::session::{MISSING_VALUE, NOT_BEGUN};

/// What counts for the end of a run.
#[derive(Debug, Default)]
pub struct Verdict {
    outcome: Option<TurnOutcome>,
    fault: Option<FaultKind>,
    /// Executable content of the project was not trusted.
    untrusted: Option<String>,
    /// A call was refused before it ran.
    refused: bool,
    /// Calls that needed a yes, which nobody was there to give.
    unapproved: u32,
    /// The last reply looks like a tool call written as text.
    lost_call: bool,
    read_only: Option<String>,
    command: bool,
    /// The session could not begin as it was asked for.
    not_begun: Option<String>,
    /// A value is missing that nobody can be asked for.
    missing_value: Option<String>,
    /// What the session said last about a trouble of its own.
    trouble: Option<String>,
    /// The last look at a stop of this turn.
    gate: Option<Arc<GateVerdict>>,
    /// Where the agent says it stands.
    claim: Option<AgentState>,
}

impl Verdict {
    pub fn note(&mut self, event: &Event) {
        match &event.body {
            Body::TurnStarted { .. } => {
                self.gate = None;
                self.claim = None;
            }
            Body::TurnEnded { outcome, .. } => self.outcome = Some(outcome.clone()),
            Body::RequestStarted { purpose: Purpose::Main, .. } => {
                self.fault = None;
                self.lost_call = false;
            }
            Body::RequestFailed { purpose: Purpose::Main, fault, .. } => self.fault = Some(fault.kind),
            Body::ToolFinished { outcome: ToolOutcome::Refused, .. } => self.refused = true,
            Body::Decided(decision) => self.decided(decision),
            Body::SessionResumed { read_only, .. } => self.held_by(read_only.as_deref()),
            Body::Notice { level: Level::Error, source, text, .. } if source == NOT_BEGUN => {
                self.not_begun = Some(text.clone());
            }
            Body::Notice { level: Level::Error, source, text, .. } if source == MISSING_VALUE => {
                self.missing_value = Some(text.clone());
            }
            Body::Notice { level: Level::Error, source, text, .. } if source == "session" => {
                self.trouble = Some(text.clone());
            }
            _ => {}
        }
    }

    /// The message was a slash command: no turn will come of it.
    pub fn expect_command(&mut self) {
        self.command = true;
    }

    /// The end of the turn was not delivered as an event.
    pub fn ended(&mut self, outcome: TurnOutcome) {
        self.outcome = Some(outcome);
    }

    /// Something was decided in our turn.
    pub fn decided(&mut self, decision: &Decision) {
        match decision {
            Decision::Trust { folder, trusted: false, .. } => self.untrusted = Some(folder.clone()),
            Decision::Approval(one) if one.outcome == ApprovalOutcome::NobodyThere => self.unapproved += 1,
            Decision::LostCall { .. } => self.lost_call = true,
            Decision::Gate(verdict) => self.gate = Some(Arc::clone(verdict)),
            Decision::Reported(reported) => self.claim = reported.report.as_ref().map(|report| report.state),
            _ => {}
        }
    }

    /// What the gate came to.
    pub fn gate(&self) -> Option<GateOutcome> {
        self.gate.as_ref().map(|verdict| verdict.outcome)
    }

    /// What a success does not mean, one sentence.
    pub fn warning(&self) -> Option<String> {
        if self.outcome != Some(TurnOutcome::Done) {
            return None;
        }
        match (&self.gate, self.claim) {
            (Some(verdict), _) if verdict.outcome == GateOutcome::Indeterminate => {
                Some(format!("the gate came to no verdict, so nothing is verified: {}", clause(&verdict.why)))
            }
            (_, Some(AgentState::Blocked)) => Some("the agent hands back: it says that it is blocked".to_owned()),
            (_, Some(AgentState::NeedInput)) => Some("the agent hands back: it needs an answer of yours".to_owned()),
            _ => None,
        }
    }

    /// Why the last look did not accept the stop.
    fn unaccepted(&self) -> Option<String> {
        let verdict = self.gate.as_ref().filter(|verdict| verdict.outcome == GateOutcome::Gaps)?;
        let GateThen::Ended { why } = &verdict.then else { return None };
        let left = match verdict.standing().count() {
            1 => "1 gap is left".to_owned(),
            many => format!("{many} gaps are left"),
        };
        Some(format!("{left}: {}", clause(why)))
    }

    /// Who writes the session, if that is not us.
    pub fn held_by(&mut self, holder: Option<&str>) {
        if let Some(holder) = holder {
            self.read_only = Some(holder.to_owned());
        }
    }

    /// The session cannot be written, so it will not answer.
    pub fn is_read_only(&self) -> bool {
        self.read_only.is_some()
    }

    /// Exit and one sentence.
    pub fn exit(&self) -> (Exit, String) {
        if let Some(holder) = &self.read_only {
            return (Exit::Failed, format!("the session is open elsewhere ({holder}); nothing was sent"));
        }
        if let Some(why) = &self.not_begun {
            return (Exit::Usage, why.clone());
        }
        if let Some(why) = &self.missing_value {
            return (Exit::Config, why.clone());
        }
        match &self.outcome {
            Some(TurnOutcome::Failed(why)) => match self.fault {
                Some(FaultKind::NoKey | FaultKind::WrongKey | FaultKind::UnknownModel) => (Exit::NoModel, why.clone()),
                _ => (Exit::Failed, why.clone()),
            },
            Some(TurnOutcome::Stopped(why)) => (Exit::Denied, why.clone()),
            Some(TurnOutcome::Interrupted) => (Exit::Interrupted, "interrupted".to_owned()),
            Some(TurnOutcome::Done) if self.unapproved > 0 => {
                let calls = counted(self.unapproved, "call");
                let were = if self.unapproved == 1 { "was" } else { "were" };
                (
                    Exit::Denied,
                    format!("{calls} {were} refused: nobody is here to approve; -c ui.approval=off lets all run"),
                )
            }
            Some(TurnOutcome::Done) => match &self.untrusted {
                Some(folder) if self.refused => {
                    (Exit::Denied, format!("a call was refused because {folder} is not trusted; --trust allows it"))
                }
                _ if self.lost_call => {
                    (Exit::Failed, "the model wrote a tool call as text, so the task was probably not done".to_owned())
                }
                _ => match self.unaccepted() {
                    Some(why) => (Exit::Gaps, why),
                    None => (Exit::Done, "done".to_owned()),
                },
            },
            None => match &self.trouble {
                Some(trouble) => (Exit::Failed, trouble.clone()),
                None if self.command => (Exit::Done, "done".to_owned()),
                None => (Exit::Failed, "the session ended before the turn did".to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests;
