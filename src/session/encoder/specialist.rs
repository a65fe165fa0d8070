//! Which agent a task suits best.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Sentences;
use crate::embed::gate::{self, Abstained, Candidate, Rule, Verdict};
use crate::embed::{Patience, Unready, Vector};
use crate::tap::{Agent, Catalogue, Tag, Uses};

/// The agents that were compared with a task, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The role that hands the task over.
    pub caller: String,
    /// SHA-256 of the task, in hexadecimal digits.
    pub task: String,
    /// `""` when nothing had to be compared.
    pub model: String,
    pub backend: String,
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// Agents in reach that could not be compared, and why.
    pub left_out: Vec<(String, String)>,
    pub threshold: f32,
    pub least_margin: f32,
    /// Of the best over the next.
    pub margin: f32,
    pub choice: Choice,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    pub tag: String,
    pub cosine: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Agent(String),
    /// None, and why, in one sentence.
    None(String),
}

/// The agents that a role may hand work to: the others of its domain and what it declares, by tag. A
/// role that is no agent of a tap reaches every agent.
pub fn reach(catalogue: &Catalogue, caller: &str) -> Vec<Arc<Agent>> {
    let tag = Tag::parse(caller).ok();
    let Some(own) = tag.and_then(|tag| catalogue.agent(&tag)) else { return catalogue.agents.clone() };
    let declared = |agent: &Agent| {
        own.uses.iter().any(|uses| match uses {
            Uses::Domain(domain) => agent.tag.is_chief() && agent.tag.domain == *domain,
            Uses::Agent(tag) => agent.tag.domain == tag.domain && agent.tag.spec == tag.spec,
            Uses::EveryChief => agent.tag.is_chief(),
        })
    };
    let others = catalogue.agents.iter().filter(|agent| agent.tag != own.tag);
    others.filter(|agent| agent.tag.domain == own.tag.domain || declared(agent)).cloned().collect()
}

/// What an agent is compared by; empty when it says nothing of itself.
fn described(agent: &Agent) -> String {
    let parts = [agent.title.trim(), agent.description.trim()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ")
}

impl Ranking {
    /// Nothing could be compared, for this reason.
    pub fn untold(caller: &str, task: &str, why: String) -> Self {
        Self { choice: Choice::None(why), ..unranked(caller, task) }
    }
}

/// Ranks agents, each by its own vector, with the gate's rule for specialists.
pub fn rank(caller: &str, task: &str, intent: &Vector, agents: &[(String, Vector)]) -> Ranking {
    let candidates: Vec<Candidate<'_>> =
        agents.iter().map(|(tag, vector)| Candidate { name: tag, phrases: std::slice::from_ref(vector) }).collect();
    let scores = gate::scores(intent, &candidates);
    let verdict = gate::verdict(&scores, Rule::SPECIALIST);
    let ranked = scores.iter().map(|score| Ranked { tag: score.name.to_owned(), cosine: score.score });
    Ranking {
        ranked: ranked.collect(),
        margin: verdict.standing().margin,
        choice: choice(&verdict),
        ..unranked(caller, task)
    }
}

fn unranked(caller: &str, task: &str) -> Ranking {
    Ranking {
        caller: caller.to_owned(),
        task: Sha256::digest(task.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect(),
        model: String::new(),
        backend: String::new(),
        ranked: Vec::new(),
        left_out: Vec::new(),
        threshold: Rule::SPECIALIST.threshold,
        least_margin: Rule::SPECIALIST.margin,
        margin: 0.0,
        choice: Choice::None("no agent is in reach that says what it does".to_owned()),
    }
}

fn choice(verdict: &Verdict<'_>) -> Choice {
    let standing = verdict.standing();
    let Rule { threshold, margin } = standing.rule;
    let (best, score) = standing.best.unwrap_or_default();
    match verdict {
        Verdict::Activate { name, .. } => Choice::Agent((*name).to_owned()),
        Verdict::Abstain { reason: Abstained::NothingEligible, .. } => {
            Choice::None("no agent is in reach that says what it does".to_owned())
        }
        Verdict::Abstain { reason: Abstained::BelowThreshold, .. } => {
            Choice::None(format!("the nearest, {best}, is at {score:.3}; it would have to be at {threshold:.2}"))
        }
        Verdict::Abstain { reason: Abstained::NarrowMargin, .. } => {
            let (next, behind) = standing.runner_up.unwrap_or_default();
            Choice::None(format!(
                "{best} at {score:.3} and {next} at {behind:.3} are too close; the lead would have to be {margin:.2}"
            ))
        }
    }
}

impl Sentences {
    /// Ranks the agents that the caller may reach for a task. Their descriptions are read when they are
    /// asked for; `within` is for all of it, a model that is still being loaded included.
    ///
    /// # Errors
    /// Why nothing can be compared.
    pub async fn specialist(
        &self,
        catalogue: &Catalogue,
        caller: &str,
        task: &str,
        within: Duration,
    ) -> Result<Ranking, Unready> {
        if !gate::says_enough(task) {
            let why = format!("the task has fewer than {} characters", gate::MIN_INTENT_NON_WS_CHARS);
            return Ok(Ranking { choice: Choice::None(why), ..unranked(caller, task) });
        }
        let ranking = self.ranking(catalogue, caller, task);
        match tokio::time::timeout(within, ranking).await {
            Ok(ranking) => ranking,
            Err(_) if self.service().is_loaded() => Err(Unready::Busy),
            Err(_) => Err(Unready::NotReady(self.state().borrow().clone())),
        }
    }

    async fn ranking(&self, catalogue: &Catalogue, caller: &str, task: &str) -> Result<Ranking, Unready> {
        let service = self.service();
        let intent = service.encode(task, Patience::Forever).await?;
        let (mut agents, mut left_out) = (Vec::new(), Vec::new());
        for agent in reach(catalogue, caller) {
            let (tag, text) = (agent.tag.to_string(), described(&agent));
            if text.is_empty() {
                left_out.push((tag, "it has neither a title nor a description".to_owned()));
                continue;
            }
            match service.encode(&text, Patience::Forever).await {
                Ok(vector) => agents.push((tag, vector)),
                // One description that the model cannot read costs its agent only.
                Err(Unready::Failed(error)) => left_out.push((tag, error.to_string())),
                Err(unready) => return Err(unready),
            }
        }
        let identity = service.identity();
        let (model, backend) = identity.map(|identity| (identity.name, identity.backend)).unwrap_or_default();
        Ok(Ranking { left_out, model, backend, ..rank(caller, task, &intent, &agents) })
    }
}
