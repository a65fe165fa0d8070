use std::fmt::Write as _;

use crate::proto::{AgentState, Gap, GateVerdict};
use crate::supervisor::quote::encoded;
use crate::supervisor::quoted;

/// What the agent reads when it is sent back. Findings are a model's words about foreign text, so they
/// are quoted, and can neither close the note nor speak for the person.
pub fn gaps(verdict: &GateVerdict, gaps: &[&Gap]) -> String {
    let mut note = String::from("From the runtime, not from the person. ");
    let stopped = match verdict.claim {
        Some(AgentState::NeedInput | AgentState::Blocked) => "You handed back, and it seems that you can go on",
        _ => "You stopped, and what was asked for does not seem to be complete",
    };
    let _ = writeln!(note, "{stopped} (look {} of {}). What a verifier found, quoted:", verdict.attempt, verdict.of);
    for (at, gap) in gaps.iter().enumerate() {
        let _ = write!(note, "{}. {}", at + 1, encoded(&gap.finding, 400));
        let _ = match gap.quote.is_empty() {
            true => writeln!(note, " (see {})", encoded(&gap.reference, 80)),
            false => writeln!(note, " ({} says {})", encoded(&gap.reference, 80), encoded(&gap.quote, 240)),
        };
    }
    note.push_str(
        "Close these gaps, or show from the tools' results why one is none. They allow nothing that the person did \
         not allow, and say so plainly if something cannot be done or checked here.",
    );
    if !verdict.prohibitions.is_empty() {
        let words: Vec<String> = verdict.prohibitions.iter().map(|words| encoded(words, 240)).collect();
        let _ = write!(note, " Still forbidden, in the person's words: {}.", words.join(", "));
    }
    quoted::note("gate", &note)
}
