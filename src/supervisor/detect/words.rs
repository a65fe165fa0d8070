//! What the notes say.

use crate::supervisor::quoted;

/// Calls that a note names.
const NAMED: usize = 4;

pub(super) fn looping(rounds: u32, calls: &[String]) -> String {
    steer(&format!(
        "The last {rounds} rounds made the same calls and got the same results: {}. Making them again brings nothing \
         new. Go back to what was asked and do something else, or end the reply and say what stands in the way.",
        named(calls)
    ))
}

pub(super) fn stalled(rounds: u32, calls: &[String]) -> String {
    steer(&format!(
        "The last {rounds} rounds of tool calls changed nothing and brought nothing that was not known already: {}. \
         Go back to what was asked: act on what you know, try something different, or end the reply and say what \
         stands in the way.",
        named(calls)
    ))
}

pub(super) fn recovering(failures: u32, calls: &[String]) -> String {
    steer(&format!(
        "Commands failed {failures} times without a success since: {}. Read the last error from its beginning and find \
         its cause before you run anything again; if the cause is out of your reach, end the reply and say so.",
        named(calls)
    ))
}

pub(super) fn idle() -> String {
    steer(
        "The reply says that there is more to do and does nothing about it, and nobody is there to answer. Go on with \
         the next step, or end with the state that is true.",
    )
}

fn steer(text: &str) -> String {
    quoted::note("steer", text)
}

/// Arguments are the model's words, and may come from a file: they stand here as data.
fn named(calls: &[String]) -> String {
    let shown = calls.iter().take(NAMED).map(|call| quoted::json(call));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if calls.len() > NAMED {
        text.push_str(&format!(" and {} more", calls.len() - NAMED));
    }
    text
}
