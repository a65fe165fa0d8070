//! A denial of the sandbox that shows in what a server answers or writes.

use super::CallResult;
use super::trouble::{Phase, Trouble, Verdict};
use crate::proto::{Content, ToolOutcome};
use crate::sandbox;

/// Begins every explanation; whoever is ours gives it already.
const KNOWN: &str = "the sandbox keeps ";

/// The result of a call that failed, with the reason when it is the sandbox.
pub fn explained(result: CallResult) -> CallResult {
    with(result, sandbox::explain)
}

fn with(result: CallResult, explain: impl Fn(&str) -> Option<String>) -> CallResult {
    if result.outcome == ToolOutcome::Ok {
        return result;
    }
    let text = words(&result.content);
    let Some(why) = explain(&text).filter(|_| !text.contains(KNOWN)) else { return result };
    let note = format!("[{why}]");
    let content = match result.content {
        Content::Text(text) => Content::Text(format!("{text}\n{note}")),
        Content::Parts(mut parts) => {
            parts.push(Content::Text(note));
            Content::Parts(parts)
        }
        other => Content::Parts(vec![other, Content::Text(note)]),
    };
    CallResult { content, ..result }
}

fn words(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Parts(parts) => parts.iter().map(words).collect::<Vec<_>>().join("\n"),
        Content::Blob { .. } | Content::Media { .. } => String::new(),
    }
}

/// So many of its last lines may say why a server ended.
const LAST: usize = 6;

/// The same of a server that ended, by what it wrote beside the protocol. One that cannot start for this
/// reason is not tried again: nothing changes until a person changes something.
pub fn behind(trouble: Trouble, phase: Phase, lines: &[String]) -> Trouble {
    let last = &lines[lines.len().saturating_sub(LAST)..];
    of(trouble, phase, sandbox::explain(&last.join("\n")))
}

fn of(trouble: Trouble, phase: Phase, why: Option<String>) -> Trouble {
    let Some(advice) = why else { return trouble };
    let verdict = if phase == Phase::Starting { Verdict::Final } else { trouble.verdict };
    Trouble { verdict, advice, ..trouble }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explain(text: &str) -> Option<String> {
        text.contains("denied").then(|| format!("{KNOWN}/x from being written"))
    }

    #[test]
    fn only_a_failure_is_explained_and_only_once() {
        let plain = |outcome, words: &str| with(CallResult::plain(outcome, words), explain).content;
        let text = |words: &str| Content::Text(words.to_owned());
        assert_eq!(plain(ToolOutcome::Ok, "denied"), text("denied"));
        assert_eq!(plain(ToolOutcome::Error, "fine"), text("fine"));
        let told = text("denied\n[the sandbox keeps /x from being written]");
        assert_eq!(plain(ToolOutcome::Error, "denied"), told);
        assert_eq!(with(CallResult { outcome: ToolOutcome::Error, content: told.clone() }, explain).content, told);
        let parts = Content::Parts(vec![text("denied"), text("b")]);
        let told = with(CallResult { outcome: ToolOutcome::Error, content: parts }, explain).content;
        assert!(matches!(told, Content::Parts(parts) if parts.len() == 3));
    }

    #[test]
    fn a_server_that_cannot_start_for_it_is_not_tried_again() {
        let trouble = || Trouble::new(Verdict::Retry, "it exited", "see its output");
        let why = || Some("the sandbox".to_owned());
        assert_eq!(of(trouble(), Phase::Starting, None), trouble());
        let starting = of(trouble(), Phase::Starting, why());
        assert_eq!((starting.verdict, starting.advice.as_str()), (Verdict::Final, "the sandbox"));
        let ready = of(trouble(), Phase::Ready, why());
        assert_eq!((ready.verdict, ready.advice.as_str()), (Verdict::Retry, "the sandbox"));
    }
}
