//! From what happened to an exit code.

use crate::cli::exit::Exit;
use crate::proto::{Body, Decision, Event, FaultKind, Level, Purpose, ToolOutcome, TurnOutcome};
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
}

impl Verdict {
    pub fn note(&mut self, event: &Event) {
        match &event.body {
            Body::TurnEnded { outcome, .. } => self.outcome = Some(outcome.clone()),
            Body::RequestStarted { purpose: Purpose::Main, .. } => {
                self.fault = None;
                self.lost_call = false;
            }
            Body::RequestFailed { purpose: Purpose::Main, fault, .. } => self.fault = Some(fault.kind),
            Body::ToolFinished { outcome: ToolOutcome::Refused, .. } => self.refused = true,
            Body::Decided(Decision::Trust { folder, trusted: false, .. }) => self.untrusted = Some(folder.clone()),
            Body::Decided(Decision::LostCall { .. }) => self.lost_call = true,
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
            Some(TurnOutcome::Done) => match &self.untrusted {
                Some(folder) if self.refused => {
                    (Exit::Denied, format!("a call was refused because {folder} is not trusted; --trust allows it"))
                }
                _ if self.lost_call => {
                    (Exit::Failed, "the model wrote a tool call as text, so the task was probably not done".to_owned())
                }
                _ => (Exit::Done, "done".to_owned()),
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
