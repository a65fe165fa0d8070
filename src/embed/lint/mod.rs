//! What in a tap's triggers keeps routing from telling its capabilities apart.
//!
//! Owns: comparing every trigger with every capability, the findings with their cosines and what to
//! change, the word that separates two capabilities.
//!
//! Does not own: turning sentences into vectors, reading taps, printing.
//!
//! Invariant: pure; scores come from [`super::gate`], a trigger being judged as a message with itself
//! taken out of its own capability; the same triggers give the same report, in the same order.

mod advice;
mod compare;
mod find;
mod finding;
mod words;

pub use finding::{Finding, FindingKind, Gravity, Number, Place, Report, Standing};

use super::vector::Vector;
use compare::Compared;

/// A capability (or a skill with its phrases) as its author wrote it.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Unique among all that are compared.
    pub name: String,
    pub triggers: Vec<Trigger>,
}

#[derive(Debug, Clone)]
pub struct Trigger {
    pub text: String,
    /// `file:line` where it is written.
    pub place: String,
    pub vector: Vector,
}

/// Messages that nothing should fire on. Small talk, vague asks and feedback of ours: what a person
/// types in between.
pub const SILENCE: [&str; 32] = [
    "good morning, how was your weekend",
    "thanks a lot, that helped",
    "great, exactly what I wanted",
    "no, that's not what I meant",
    "hmm, let me think about it for a minute",
    "could you explain that once more",
    "can you help me with something",
    "what do you think about it",
    "please do it again",
    "go ahead and continue",
    "never mind, forget it",
    "that looks wrong to me",
    "why did you do that",
    "what can you actually do",
    "I'm not sure what to do next",
    "make it better",
    "check this for me",
    "show me everything",
    "find it for me please",
    "open it and have a look",
    "how does this thing work",
    "is that everything we have",
    "let's talk about it tomorrow",
    "you forgot the last part",
    "sounds good to me",
    "tell me a joke",
    "what's the capital of Portugal",
    "I had pasta for lunch and it was awful",
    "explain recursion to a ten year old",
    "what is the difference between a stack and a queue",
    "write a short poem about rain",
    "wait, something is off here",
];

/// Compares everything with everything. `silence` are the vectors of messages that nothing should
/// fire on, each with its text.
pub fn lint(subjects: &[Subject], silence: &[(&str, Vector)]) -> Report {
    let compared = Compared::new(subjects);
    let mut findings = find::all(&compared, silence);
    findings.sort_by(|a, b| {
        (b.gravity, &a.capability, &a.other, a.kind, &a.trigger).cmp(&(
            a.gravity,
            &b.capability,
            &b.other,
            b.kind,
            &b.trigger,
        ))
    });
    Report {
        triggers: subjects.iter().map(|subject| subject.triggers.len()).sum(),
        standings: compared.standings(),
        findings,
    }
}

#[cfg(test)]
mod tests;
