use serde::{Deserialize, Serialize};

use std::fmt::Display;
use std::sync::Arc;

use super::{
    Activation, Approval, Authorized, Condensed, Deactivation, Detection, GateVerdict, Level, Matching, PlanDecision,
    Recitation, Refusal, Reported, Routing, SkillTrace, Switched,
};

/// A choice the runtime made, with everything it rested on. The screen explains from these records
/// and never recomputes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// `auto` looked for a usable model.
    ModelChosen {
        chosen: String,
        candidates: Vec<ModelCandidate>,
    },
    /// A tool is not on the surface, or not as the server offered it.
    ToolQuarantined {
        server: String,
        tool: String,
        reason: String,
        advice: String,
    },
    /// Two names became one on the wire, or a name had to be changed.
    ToolRenamed {
        server: String,
        tool: String,
        wire_name: String,
        reason: String,
    },
    /// A server's list changed.
    ToolsChanged {
        server: String,
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    /// The request was mended before it was sent.
    RequestRepaired {
        kind: RepairKind,
        count: u32,
        detail: String,
    },
    /// A result was cut to head and tail; tokens are estimates, `spill` holds the whole.
    ResultCut {
        call: String,
        tokens: u64,
        limit: u64,
        kept_head: u64,
        kept_tail: u64,
        spill: String,
    },
    /// A failed model call is tried again.
    Retry {
        attempt: u32,
        of: u32,
        wait_ms: u64,
        reason: String,
        asked_by_provider: bool,
    },
    /// The token estimate was brought nearer to what the provider counted.
    Calibrated {
        model: String,
        estimated: u64,
        reported: u64,
        factor_before: f32,
        factor_after: f32,
    },
    /// A call for a tool that is not there, or with arguments that cannot be used.
    CallRefused {
        tool: String,
        reason: String,
    },
    /// The model wrote a tool call as text; it was not executed.
    LostCall {
        excerpt: String,
        nudged: bool,
    },
    /// Spending against its limit, dollars.
    Spending {
        spent: f64,
        limit: f64,
        scope: String,
        stopped: bool,
    },
    /// What a tag or a name meant, each rule that was tried in order with what it found.
    RoleResolved {
        asked: String,
        role: String,
        tap: String,
        file: String,
        tried: Vec<String>,
    },
    /// Which tap and provider a capability of the role came from, and why that one.
    CapabilityExpanded {
        capability: String,
        tap: String,
        provider: String,
        why: String,
        servers: Vec<String>,
    },
    /// The rules of every skill in reach, judged for one message.
    SkillRules {
        domain: String,
        skills: Vec<SkillTrace>,
    },
    /// One message against every capability in reach.
    Routed(Arc<Routing>),
    CapabilityActivated(Box<Activation>),
    CapabilityDeactivated(Box<Deactivation>),
    CapabilityRefused(Box<Refusal>),
    /// One task against every agent in reach.
    Matched(Arc<Matching>),
    /// What a reply said of itself, or that it said nothing.
    Reported(Box<Reported>),
    Detected(Box<Detection>),
    Recited(Box<Recitation>),
    /// A stop was looked at.
    Gate(Arc<GateVerdict>),
    Planned(Box<PlanDecision>),
    Condensed(Box<Condensed>),
    Authorized(Box<Authorized>),
    /// A call was allowed or refused before it ran.
    Approval(Box<Approval>),
    Switched(Box<Switched>),
    /// Executable content of a folder was trusted or not, and by whom.
    Trust {
        folder: String,
        content_hash: String,
        trusted: bool,
        by: String,
    },
}

/// One thing `auto` looked at, in the order it looked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCandidate {
    /// Where it looked: an environment variable's name or a local address.
    pub source: String,
    pub model: String,
    pub usable: bool,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairKind {
    /// A call without a result got one that says "interrupted".
    DanglingCall,
    /// A result without a call was left out.
    OrphanResult,
    EmptyMessage,
    /// An image or other media became a note.
    UnsupportedContent,
    ToolName,
    /// Reasoning that the provider refuses was left out, or that it demands was put in.
    Reasoning,
    /// A call id that repeated or was empty.
    CallId,
}

/// Why likeness could not be told, and for how many skills.
fn unjudged(skills: &[SkillTrace]) -> String {
    let of = |trace: &SkillTrace| {
        let checks = trace.lines.iter().flat_map(|line| &line.checks);
        let mut open = checks.filter(|check| check.check.starts_with("semantic(") && check.cosine.is_none());
        open.next().map(|check| check.evidence.clone())
    };
    let whys: Vec<String> = skills.iter().filter_map(of).collect();
    match whys.first() {
        None => String::new(),
        Some(why) => format!("; semantic(…) of {} could not be judged: {why}", counted(whys.len(), "skill")),
    }
}

/// A number of things: "1 tool", "3 tools". For words whose plural takes an `s`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A sentence without its full stop, to go on with.
pub fn clause(sentence: &str) -> &str {
    let trimmed = sentence.trim_end();
    trimmed.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(trimmed)
}

impl Decision {
    /// One line for the Notes pane: how loud, who speaks, what was decided.
    pub fn headline(&self) -> (Level, &'static str, String) {
        match self {
            Self::ModelChosen { chosen, .. } if chosen.is_empty() => {
                (Level::Error, "model", "auto found no usable model".to_owned())
            }
            Self::ModelChosen { chosen, .. } => (Level::Info, "model", format!("auto chose {chosen}")),
            Self::ToolQuarantined { server, tool, reason, .. } => {
                (Level::Warning, "surface", format!("{server}.{tool} kept off: {reason}"))
            }
            Self::ToolRenamed { server, tool, wire_name, .. } => {
                (Level::Info, "surface", format!("{server}.{tool} is called {wire_name} on the wire"))
            }
            Self::ToolsChanged { server, added, removed, changed } => (
                Level::Info,
                "surface",
                format!("{server} changed its tools: +{} −{} ~{}", added.len(), removed.len(), changed.len()),
            ),
            Self::RequestRepaired { count, detail, .. } => (
                Level::Info,
                "request",
                format!("{detail}{}", if *count > 1 { format!(" ×{count}") } else { String::new() }),
            ),
            Self::ResultCut { tokens, limit, .. } => {
                (Level::Info, "cut", format!("result of {tokens} tok cut to {limit} tok, whole kept in a file"))
            }
            Self::Retry { attempt, of, wait_ms, reason, .. } => (
                Level::Warning,
                "retry",
                format!("{}; try {attempt} of {of} in {:.1} s", clause(reason), *wait_ms as f64 / 1000.0),
            ),
            Self::Calibrated { factor_before, factor_after, .. } => {
                (Level::Info, "tokens", format!("estimate factor {factor_before:.2} → {factor_after:.2}"))
            }
            Self::CallRefused { tool, reason } => (Level::Warning, "tools", format!("{tool} refused: {reason}")),
            Self::LostCall { nudged, .. } => (
                Level::Warning,
                "model",
                format!(
                    "the reply looks like a tool call written as text{}",
                    if *nudged { "; asked the model to call the tool" } else { "" }
                ),
            ),
            Self::Spending { spent, limit, scope, .. } => {
                (Level::Warning, "spending", format!("{scope} spent ${spent:.3} of ${limit:.3}"))
            }
            Self::RoleResolved { asked, role, tap, .. } => {
                let of = if tap.is_empty() { "the configuration" } else { tap };
                let asked = if asked.is_empty() { "nothing" } else { asked };
                (Level::Info, "role", format!("{asked} means {role} of {of}"))
            }
            Self::CapabilityExpanded { capability, tap, provider, .. } => {
                (Level::Info, "tap", format!("{capability} comes from {tap}, provider {provider}"))
            }
            Self::SkillRules { skills, .. } => {
                let held: Vec<&str> =
                    skills.iter().filter(|trace| trace.activated).map(|trace| trace.skill.as_str()).collect();
                let held = if held.is_empty() { "none".to_owned() } else { held.join(", ") };
                let unjudged = unjudged(skills);
                (Level::Info, "skills", format!("rules of {} judged: {held}{unjudged}", counted(skills.len(), "skill")))
            }
            Self::Routed(routing) => routing.headline(),
            Self::CapabilityActivated(activation) => activation.headline(),
            Self::CapabilityDeactivated(deactivation) => deactivation.headline(),
            Self::CapabilityRefused(refusal) => refusal.headline(),
            Self::Matched(matching) => matching.headline(),
            Self::Reported(reported) => reported.headline(),
            Self::Detected(detection) => detection.headline(),
            Self::Recited(recitation) => recitation.headline(),
            Self::Gate(verdict) => verdict.headline(),
            Self::Planned(planned) => planned.headline(),
            Self::Condensed(condensed) => condensed.headline(),
            Self::Authorized(authorized) => authorized.headline(),
            Self::Approval(approval) => approval.headline(),
            Self::Switched(switched) => switched.headline(),
            Self::Trust { folder, trusted, by, .. } => {
                (Level::Info, "trust", format!("{folder} {} by {by}", if *trusted { "trusted" } else { "not trusted" }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{CheckTrace, RuleTrace};

    #[test]
    fn the_headline_of_skill_rules_says_what_could_not_be_judged() {
        let check = |check: &str, cosine| CheckTrace {
            check: check.to_owned(),
            held: false,
            evidence: "there is no sentence model".to_owned(),
            cosine,
        };
        let skill = |checks| SkillTrace {
            skill: "x".to_owned(),
            activated: false,
            reason: None,
            lines: vec![RuleTrace { held: false, checks }],
        };
        let headline = |skills| Decision::SkillRules { domain: String::new(), skills }.headline().2;
        let judged = skill(vec![check("semantic(tea)", Some(0.1)), check("content(tea)", None)]);
        assert_eq!(headline(vec![judged.clone()]), "rules of 1 skill judged: none");
        let open = skill(vec![check("semantic(tea)", None), check("semantic(cake)", None)]);
        assert_eq!(
            headline(vec![judged, open]),
            "rules of 2 skills judged: none; semantic(…) of 1 skill could not be judged: there is no sentence model"
        );
    }
}
