//! Workspace trust: what a project brings along that would run, and whether a person accepted it.
//!
//! Owns: finding that content ([`scan`]), its hash, the answers of the past ([`Store`]), the policy
//! ([`decide`]) the check before each use ([`Gate`])
//! and the copy that runs.
//!
//! Does not own: asking (the session), showing (the screen sanitises), running.
//!
//! Invariant: what was accepted is a hash of everything shown; any change of it is not accepted.
//! Whatever cannot be read, or is too much to be covered, is named and never trusted in silence. What
//! runs is a copy of the bytes that were hashed: files that are swapped after the look change nothing.

mod copy;
mod gate;
mod scan;
mod store;
#[cfg(test)]
mod tests;

pub use gate::Gate;
pub use scan::{Found, scan};
pub use store::{Store, StoredAnswer};

/// Whether somebody is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    Person,
    Nobody,
}

/// Whether the run was started with `--trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustFlag {
    Given,
    Absent,
}

/// What to do about a project's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing there would run.
    Nothing,
    Trusted {
        by: &'static str,
    },
    Ask,
    /// The sentence says why, and what to do.
    Denied {
        why: String,
    },
}

/// The policy. The flag always counts; else an earlier answer for exactly this content; else a
/// person is asked, and without one the answer is no.
pub fn decide(found: Option<&Found>, store: &Store, audience: Audience, flag: TrustFlag) -> Verdict {
    let Some(found) = found else { return Verdict::Nothing };
    if flag == TrustFlag::Given {
        return Verdict::Trusted { by: "--trust" };
    }
    if let Some(uncovered) = &found.uncovered {
        return Verdict::Denied {
            why: format!("The content of .agents cannot be accepted: {uncovered} Start with --trust to run it anyway."),
        };
    }
    match (store.answer(&found.content_hash), audience) {
        (Some(StoredAnswer::Accepted), _) => Verdict::Trusted { by: "an earlier answer" },
        (Some(StoredAnswer::Declined), _) => Verdict::Denied {
            why: "The scripts under .agents were declined before. Start with --trust to accept them.".into(),
        },
        (None, Audience::Person) => Verdict::Ask,
        (None, Audience::Nobody) => Verdict::Denied {
            why: "The scripts under .agents were never accepted and nobody can be asked, so none of them runs. \
                  Start with --trust, or accept them once in the workbench."
                .into(),
        },
    }
}
