//! Whether a tool call waits for the person.
//!
//! Owns: reading a shell command part by part, what each part may do, which calls need a yes, and what an
//! answer for the session is about.
//!
//! Does not own: asking and remembering (`session`), showing (the screen), the words of it
//! ([`crate::proto`]).
//!
//! Invariant: pure, and in doubt it asks. A command that is not understood for sure is one part that asks
//! and is remembered as it stands; what a server says of its own tools frees none of them.

mod about;
mod judge;
mod program;
mod shell;

pub use judge::{Call, Judgement, Origin, Verdict, judge};
pub use shell::{Part, Unclear, Word, parts};
