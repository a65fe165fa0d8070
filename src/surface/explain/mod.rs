//! Why something is there or not, from the records of a session alone.
//!
//! Owns: the chain of stages for a tool, a capability or a skill, its answer and what to do about it.
//!
//! Does not own: how it is shown (`ui`, `cli`), the records (`proto`).
//!
//! Invariant: nothing is recomputed, and only what a journal keeps is looked at ([`records::Records`]), so
//! that a session that is taken up again says the same. What no record tells is said to be unknown; the
//! answer is the first stage that was not passed, or why the subject is here. Nothing is advised that would
//! be refused.

mod agent;
mod capability;
mod facts;
mod fix;
mod gate;
mod records;
mod server;
mod skill;
mod tool;

use serde::Serialize;

use crate::config::nearest_name;
use crate::proto::Snapshot;
use records::Records;

/// The chain of stages for one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub subject: String,
    pub kind: Kind,
    /// One line: what it is and how it stands.
    pub headline: String,
    pub stages: Vec<ExplainedStage>,
    /// The first stage that was not passed, or why it is here.
    pub answer: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// What may have been meant, when nothing is called so.
    pub nearest: Vec<String>,
    /// What else is called so, as it can be asked for.
    pub also: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Tool,
    Capability,
    Skill,
    /// An agent that tasks were compared with, or a run of one.
    Agent,
    Server,
    Unknown,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Capability => "capability",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Server => "server",
            Self::Unknown => "nothing known",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedStage {
    pub stage: String,
    pub passed: Passed,
    pub evidence: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Passed {
    Yes,
    No,
    /// An earlier stage was not passed, or it was not needed.
    NotReached,
    /// No record tells.
    Unknown,
}

/// `subject`: a capability, a skill, a tool by its name on the wire, its own name or `server.tool`, a server, or
/// an agent by its tag or the id of a run. Where a name means several, `capability:`, `skill:`, `tool:`, `server:`
/// and `agent:` in front of it tell them apart; without, that is their order.
pub fn explain(snapshot: &Snapshot, subject: &str) -> Explanation {
    let subject = subject.trim();
    let records = Records::of(snapshot);
    let asked = subject.split_once(':').and_then(|(kind, name)| {
        let (_, explain) = KINDS.iter().find(|(known, _)| *known == kind)?;
        explain(records, name)
    });
    let told = asked.or_else(|| whatever(records, subject)).or_else(|| pinned(records, subject));
    told.unwrap_or_else(|| unknown(snapshot, subject))
}

type Explain = fn(Records<'_>, &str) -> Option<Explanation>;

/// In the order in which a name is looked up.
const KINDS: [(&str, Explain); 5] = [
    ("capability", capability::explain),
    ("skill", skill::explain),
    ("tool", tool::explain),
    ("server", server::explain),
    ("agent", agent::explain),
];

/// Whatever comes first of this name, and what else is called so.
fn whatever(records: Records<'_>, name: &str) -> Option<Explanation> {
    let mut all = KINDS.iter().filter_map(|(kind, explain)| Some((kind, explain(records, name)?)));
    let (_, first) = all.next()?;
    let also = all.map(|(kind, _)| format!("{kind}:{name}")).collect();
    Some(Explanation { also, ..first })
}

/// A capability by the tap that it is pinned to, `owner/name` or `owner/tap/name`, if that is where the known
/// one is from.
fn pinned(records: Records<'_>, subject: &str) -> Option<Explanation> {
    let (tap, name) = subject.rsplit_once('/')?;
    let known = facts::Facts::gather(records, name).tap()?;
    let same = known == tap || known.split('/').next() == Some(tap);
    let told = capability::explain(records, name).filter(|_| same)?;
    Some(Explanation { subject: subject.to_owned(), ..told })
}

/// What to do when a name is known nowhere.
const LOOK: &str = "look for it with `octomind tap`, or with /capability discover WHAT";

fn unknown(snapshot: &Snapshot, subject: &str) -> Explanation {
    let known = subjects(snapshot);
    let near = nearest_name(subject, known.iter().map(String::as_str));
    let wanted = subject.to_lowercase();
    let within = known.iter().filter(|name| wanted.len() >= 3 && name.to_lowercase().contains(&wanted));
    // One of another tap than the name is pinned to.
    let bare = subject.rsplit_once('/').map(|(_, bare)| bare).filter(|bare| known.iter().any(|name| name == bare));
    let mut nearest: Vec<String> = bare.or(near).into_iter().map(str::to_owned).collect();
    for name in within.take(4) {
        if !nearest.contains(name) {
            nearest.push(name.clone());
        }
    }
    let asked = facts::refused_as_unknown(Records::of(snapshot), subject);
    Explanation {
        subject: subject.to_owned(),
        kind: Kind::Unknown,
        headline: format!("{subject} is not known in this session"),
        stages: Vec::new(),
        answer: match asked {
            Some((turn, by)) => {
                format!("it was asked for by {by} in t{}, and no connected tap has anything called {subject}", turn.0)
            }
            None => format!("no tool, capability or skill called {subject} is in the records of this session"),
        },
        fix: Some(match nearest.first() {
            Some(near) => format!("perhaps {near} is meant"),
            None => LOOK.to_owned(),
        }),
        nearest,
        also: Vec::new(),
    }
}

/// Every name that [`explain`] knows something of: sorted, each once.
pub fn subjects(snapshot: &Snapshot) -> Vec<String> {
    let records = Records::of(snapshot);
    let mut names = facts::capabilities(records);
    names.extend(records.surface.tools.iter().map(|tool| tool.wire_name.clone()));
    names.extend(records.tools_gone.iter().map(|gone| gone.tool.wire_name.clone()));
    names.extend(records.skills.iter().map(|skill| skill.name.clone()));
    let offered = records.surface.offered.iter().flat_map(|offered| &offered.skills);
    names.extend(offered.map(|skill| skill.name.clone()));
    names.extend(records.past.skills.keys().cloned());
    names.extend(records.matchings.iter().flat_map(|(_, one)| one.ranked.iter().map(|ranked| ranked.tag.clone())));
    let called = records.past.called.iter();
    names
        .extend(called.map(|(server, tool)| if server.is_empty() { tool.clone() } else { format!("{server}.{tool}") }));
    names.sort_unstable();
    names.dedup();
    names
}

/// A chain being built: after the first stage that was not passed nothing is reached.
#[derive(Debug, Default)]
struct Chain {
    stages: Vec<ExplainedStage>,
    failed: Option<(String, Option<String>)>,
}

impl Chain {
    fn yes(&mut self, stage: &str, evidence: Vec<String>) {
        self.push(stage, Passed::Yes, evidence);
    }

    fn unknown(&mut self, stage: &str, evidence: impl Into<String>) {
        self.push(stage, Passed::Unknown, vec![evidence.into()]);
    }

    fn skipped(&mut self, stage: &str, evidence: Vec<String>) {
        self.push(stage, Passed::NotReached, evidence);
    }

    /// The first one is the answer; after it nothing is reached.
    fn no(&mut self, stage: &str, mut evidence: Vec<String>, answer: impl Into<String>, fix: Option<String>) {
        let answer = answer.into();
        if evidence.is_empty() {
            evidence.push(answer.clone());
        }
        self.push(stage, Passed::No, evidence);
        self.failed.get_or_insert((answer, fix));
    }

    fn push(&mut self, stage: &str, passed: Passed, evidence: Vec<String>) {
        let (passed, evidence) =
            if self.failed.is_some() { (Passed::NotReached, Vec::new()) } else { (passed, evidence) };
        self.stages.push(ExplainedStage { stage: stage.to_owned(), passed, evidence });
    }

    /// `here` is the answer when every stage was passed.
    fn finish(self, subject: &str, kind: Kind, headline: String, here: String) -> Explanation {
        let (answer, fix) = self.failed.unwrap_or((here, None));
        let (subject, nearest, also) = (subject.to_owned(), Vec::new(), Vec::new());
        Explanation { subject, kind, headline, stages: self.stages, answer, fix, nearest, also }
    }
}

/// `a, b and c`.
fn list<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            format!("{} and {}", first.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests;
