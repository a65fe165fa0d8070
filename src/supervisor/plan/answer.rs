use serde::Deserialize;

use super::Question;
use super::assume::{Watched, watched};
use crate::proto::{Assumption, AssumptionState, PhaseState, PhaseView, PlanAction};
use crate::supervisor::quote::short;

/// Phases of a plan, and assumptions of a phase.
const PHASES: usize = 12;
const ASSUMPTIONS: usize = 8;

/// What the planner says, as it says it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    pub action: PlanAction,
    #[serde(default)]
    phases: Vec<Phase>,
    #[serde(default)]
    pub evidence: Vec<Cited>,
    #[serde(default)]
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Phase {
    title: String,
    done_when: String,
    #[serde(default)]
    assumptions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Cited {
    #[serde(rename = "ref")]
    pub reference: String,
    pub quote: String,
}

impl Question {
    pub fn actions(self) -> [PlanAction; 2] {
        match self {
            Self::Request => [PlanAction::None, PlanAction::Create],
            Self::Complete => [PlanAction::Advance, PlanAction::Hold],
            Self::Reassess => [PlanAction::None, PlanAction::Revise],
        }
    }
}

impl Answer {
    pub fn checked(self, question: Question) -> Result<Self, String> {
        let blank = |phase: &Phase| phase.title.trim().is_empty() || phase.done_when.trim().is_empty();
        let makes = matches!(self.action, PlanAction::Create | PlanAction::Revise);
        if !question.actions().contains(&self.action) {
            Err("the planner did what it was not asked for".to_owned())
        } else if makes && self.phases.is_empty() {
            Err("the planner made a plan without phases".to_owned())
        } else if makes && self.phases.len() > PHASES {
            Err(format!("the planner made {} phases, and {PHASES} is the most", self.phases.len()))
        } else if makes && self.phases.iter().any(blank) {
            Err("the planner made a phase without a title or without saying when it is done".to_owned())
        } else {
            Ok(self)
        }
    }

    pub fn phases(&self) -> Vec<PhaseView> {
        let assumption = |text: &String| {
            let text = short(text, 200);
            let why = match watched(&text) {
                Watched::Unknown(why) => why,
                _ => "not looked at yet".to_owned(),
            };
            Assumption { text, state: AssumptionState::Unknown { why } }
        };
        let phase = |phase: &Phase| PhaseView {
            title: short(&phase.title, 120),
            done_when: short(&phase.done_when, 240),
            state: PhaseState::Open,
            evidence: Vec::new(),
            assumptions: phase.assumptions.iter().take(ASSUMPTIONS).map(assumption).collect(),
        };
        self.phases.iter().map(phase).collect()
    }
}
