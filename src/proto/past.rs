//! What explanations remember of a session beside the surface itself. The transcript is for reading: what
//! has no cell in it, and what is cleared from it, is remembered all the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Body, Decision, Event, SkillTrace, SkillView, Snapshot, Timestamp, TurnId};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Past {
    /// When each turn began, oldest first.
    pub turns: Vec<(Timestamp, TurnId)>,
    pub skills: BTreeMap<String, SkillPast>,
    /// Why this tap and this provider, for each capability that a role named.
    pub expanded: BTreeMap<String, String>,
    /// Server and tool of each call; the server is empty where none had it.
    pub called: BTreeSet<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillPast {
    /// The last message that its rules were judged for.
    pub judged: Option<SkillJudged>,
    /// The last turn that it came or went in, and what it was.
    pub was: Option<(TurnId, SkillView)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkillJudged {
    pub turn: TurnId,
    pub domain: String,
    pub trace: SkillTrace,
}

impl Past {
    /// The turn that ran at a time; 0 before the first.
    pub fn turn_at(&self, at: Timestamp) -> TurnId {
        let begun = self.turns.iter().rev().find(|(begun, _)| *begun <= at);
        begun.map_or(TurnId(0), |(_, turn)| *turn)
    }
}

impl Snapshot {
    pub(super) fn remember(&mut self, event: &Event) {
        let turn = self.turn;
        let past = &mut self.past;
        match &event.body {
            Body::TurnStarted { turn } => Arc::make_mut(past).turns.push((event.at, *turn)),
            Body::Decided(Decision::SkillRules { domain, skills }) => {
                let past = Arc::make_mut(past);
                for trace in skills {
                    let judged = SkillJudged { turn, domain: domain.clone(), trace: trace.clone() };
                    past.skills.entry(trace.skill.clone()).or_default().judged = Some(judged);
                }
            }
            Body::Decided(Decision::CapabilityExpanded { capability, why, .. }) => {
                Arc::make_mut(past).expanded.insert(capability.clone(), why.clone());
            }
            Body::SkillActivated { skill, .. } => {
                Arc::make_mut(past).skills.entry(skill.name.clone()).or_default().was = Some((turn, skill.clone()));
            }
            Body::SkillForgotten { name } => {
                let was = past.skills.get(name).and_then(|known| known.was.as_ref());
                if let Some((_, skill)) = was {
                    let was = Some((turn, skill.clone()));
                    Arc::make_mut(past).skills.entry(name.clone()).or_default().was = was;
                }
            }
            Body::ToolStarted { server, tool, .. } => {
                let call = (server.clone(), tool.clone());
                if !past.called.contains(&call) {
                    Arc::make_mut(past).called.insert(call);
                }
            }
            _ => {}
        }
    }
}
