//! Judging the rules of skills for one message.
//!
//! Owns: the domain gate, every check, AND and OR, the threshold and margin of likeness, and the
//! record of it all.
//!
//! Does not own: what is on disk (behind [`Surroundings`]), sentence vectors (behind [`Likeness`]),
//! what follows from it.
//!
//! Invariant: equal input gives an equal record; a check that cannot be judged does not hold, and its
//! record says why.

mod check;
mod machine;
mod margin;
mod words;

use std::path::Path;

use crate::config::Env;
use crate::proto::{RuleTrace, SkillTrace};
use crate::tap::Skill;
use crate::text;

pub use machine::{Limits, Machine};

/// Cosine from which `semantic()` holds when it names no other; the same as for capabilities.
/// Source: decisions, Tool surface.
pub const SEMANTIC_THRESHOLD: f32 = 0.65;

/// By how much a skill that rests on likeness must be ahead of the next; the same as for
/// capabilities. Source: decisions, Tool surface.
pub const SEMANTIC_MARGIN: f32 = 0.06;

/// What the rules are judged against.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// As the person wrote it; blocks are stripped here.
    pub message: &'a str,
    /// Of the session: before the colon of its role; empty if it has none.
    pub domain: &'a str,
    pub workdir: &'a Path,
    /// The session's name.
    pub session: &'a str,
    pub env: &'a Env,
}

/// The answer to a check that looks at the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub held: bool,
    /// What was found, or how far was looked.
    pub evidence: String,
}

impl Seen {
    pub fn yes(evidence: impl Into<String>) -> Self {
        Self { held: true, evidence: evidence.into() }
    }

    pub fn no(evidence: impl Into<String>) -> Self {
        Self { held: false, evidence: evidence.into() }
    }
}

/// What is on the machine. May do I/O, within bounds of its own.
pub trait Surroundings {
    /// A file below the working directory matches.
    fn file(&self, glob: &str) -> Seen;
    /// A line of a file below the working directory matches; ignored files aside.
    fn grep(&self, pattern: &str, glob: Option<&str>) -> Seen;
    /// A program of that name is on `PATH`.
    fn bin(&self, name: &str) -> Seen;
}

/// How like the message phrases are.
pub trait Likeness {
    /// Cosine of the phrase and the message, −1 to 1.
    ///
    /// # Errors
    /// Why it cannot be told: `model not ready`.
    fn cosine(&self, phrase: &str) -> Result<f32, String>;
}

/// For a session without an encoder.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotReady;

impl Likeness for NotReady {
    fn cosine(&self, _phrase: &str) -> Result<f32, String> {
        Err("model not ready".to_owned())
    }
}

/// Whether rules may activate the skill in that domain. A session without one is only reached by `*`.
pub fn in_reach(skill: &Skill, domain: &str) -> bool {
    skill.domains.iter().any(|of| of == "*" || (!domain.is_empty() && of == domain))
}

/// Judges every skill in reach of the scene's domain, in the order given. `skills` are those that
/// are not active yet: they are what likeness is compared among.
pub fn judge(
    skills: &[&Skill],
    scene: &Scene<'_>,
    surroundings: &dyn Surroundings,
    likeness: &dyn Likeness,
) -> Vec<SkillTrace> {
    let reach: Vec<&&Skill> = skills.iter().filter(|skill| in_reach(skill, scene.domain)).collect();
    let message = text::strip_blocks(scene.message);
    if !text::has_intent(&message) {
        let reason =
            format!("the message has fewer than {} characters, pasted blocks aside", text::MIN_INTENT_NON_WS_CHARS);
        return reach.into_iter().map(|skill| not_judged(skill, &reason)).collect();
    }
    let judge = check::Judge::new(&message, scene, surroundings, likeness);
    let judged: Vec<margin::Judged> = reach
        .into_iter()
        .map(|skill| margin::Judged {
            skill: skill.name.clone(),
            lines: skill.rules.iter().map(|group| judge.line(group)).collect(),
        })
        .collect();
    margin::settle(judged)
}

fn not_judged(skill: &Skill, reason: &str) -> SkillTrace {
    SkillTrace { skill: skill.name.clone(), activated: false, reason: Some(reason.to_owned()), lines: Vec::new() }
}

/// A line as it was judged, and what the margin needs of it.
struct JudgedLine {
    trace: RuleTrace,
    likeness: LineLikeness,
}

/// What a line says about likeness.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LineLikeness {
    /// It has no `semantic()`.
    None,
    /// Another check of the line does not hold, or likeness could not be told.
    OutOfQuestion,
    /// Everything else holds: the least cosine of its `semantic()` checks.
    Cosine(f32),
}

#[cfg(test)]
mod tests;
