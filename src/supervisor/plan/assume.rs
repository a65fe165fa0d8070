//! What a plan takes for granted and a machine can look up.

use serde_json::Value;

use crate::proto::{AssumptionState, PlanTrigger, PlanView, ToolOutcome};
use crate::supervisor::evidence::EventLine;
use crate::supervisor::receipt::{command_of, shell};

/// What an assumption wants looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// Relative, without a way out of the working folder but through symbolic links.
    FileExists(String),
    FileMissing(String),
    /// Never run: [`command_ok`] answers from what the session ran itself.
    CommandOk(String),
    BranchIs(String),
    /// Why it cannot be looked up.
    Unknown(String),
}

/// Reads `kind: argument`.
pub fn watched(assumption: &str) -> Watched {
    let Some((kind, argument)) = assumption.split_once(':') else {
        return Watched::Unknown("nothing that can be looked up".to_owned());
    };
    let argument = argument.trim();
    let inside = |make: fn(String) -> Watched| match is_inside(argument) {
        true => make(argument.to_owned()),
        false => Watched::Unknown("only paths inside the working folder are looked at".to_owned()),
    };
    match kind.trim() {
        _ if argument.is_empty() || argument.chars().any(char::is_control) => {
            Watched::Unknown("it does not say of what".to_owned())
        }
        "file_exists" => inside(Watched::FileExists),
        "file_missing" => inside(Watched::FileMissing),
        "command_ok" => Watched::CommandOk(argument.to_owned()),
        "branch_is" => Watched::BranchIs(argument.to_owned()),
        _ => Watched::Unknown("nothing that can be looked up".to_owned()),
    }
}

fn is_inside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    !path.starts_with(['/', '\\', '~']) && !drive && !path.split(['/', '\\']).any(|part| part == "..")
}

/// From the last run of this command; `events` are the calls as they are, those that only read too.
pub fn command_ok(command: &str, events: &[EventLine]) -> AssumptionState {
    let command = shell::plain(command);
    let same = |event: &&EventLine| event.outcome != ToolOutcome::Refused && ran(event).as_deref() == Some(&*command);
    match events.iter().rev().find(same) {
        Some(event) if event.succeeded() => AssumptionState::Holds,
        Some(event) if matches!(event.outcome, ToolOutcome::Ok | ToolOutcome::Error) && !event.runs_on() => {
            AssumptionState::Broken
        }
        Some(_) => AssumptionState::Unknown { why: "its last run did not end".to_owned() },
        None => AssumptionState::Unknown { why: "no run of it is known".to_owned() },
    }
}

/// The command of a shell call, whatever its success says of the work.
fn ran(event: &EventLine) -> Option<String> {
    let arguments: Value = serde_json::from_str(event.target).ok()?;
    command_of(&arguments).map(|command| shell::plain(&command))
}

/// The assumptions of phases that are not over, as (phase, index, what to look up).
pub fn open_assumptions(plan: &PlanView) -> Vec<(usize, usize, Watched)> {
    let open = plan.phases.iter().enumerate().filter(|(_, phase)| !phase.state.is_over());
    let all = open.flat_map(|(at, phase)| {
        phase.assumptions.iter().enumerate().map(move |(index, assumption)| (at, index, watched(&assumption.text)))
    });
    all.filter(|(_, _, watched)| !matches!(watched, Watched::Unknown(_))).collect()
}

/// The plan with what was seen, if that is news; and the first assumption that is now known not to hold
/// and was not before.
pub fn observed(plan: &PlanView, seen: &[(usize, usize, AssumptionState)]) -> (Option<PlanView>, Option<PlanTrigger>) {
    let mut now = plan.clone();
    let mut broken = None;
    for (phase, index, state) in seen {
        let assumption = now.phases.get_mut(*phase).and_then(|phase| phase.assumptions.get_mut(*index));
        let Some(assumption) = assumption.filter(|assumption| assumption.state != *state) else { continue };
        assumption.state = state.clone();
        if *state == AssumptionState::Broken && broken.is_none() {
            broken = Some(PlanTrigger::Broken { assumption: assumption.text.clone() });
        }
    }
    ((now != *plan).then_some(now), broken)
}
