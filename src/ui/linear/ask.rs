//! Questions in words, and what a typed line answers.

use crate::proto::{Answer, AskKind};
use crate::text;
use crate::ui::transcript::cell;

/// What a line that was typed means for an open question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Answer(Answer),
    /// Read out all that it is about.
    Show,
    /// Leave it open.
    Later,
    /// None of these.
    Unclear,
}

/// The question and how it is answered.
pub fn question(kind: &AskKind) -> String {
    let how = match kind {
        AskKind::Trust { .. } => "Type yes, no, show to hear what would run, or later.",
        AskKind::Secret { .. } => {
            "Type the value and press enter; it is not shown. An empty line goes without it; later leaves it open."
        }
        AskKind::Approval(_) => {
            "Type yes, no, session for yes to all that is like it, never for no to all like it, or later."
        }
        AskKind::OtherProvider { .. } => "Type yes, no, or later.",
        _ => "Type yes or no.",
    };
    format!("Question: {}\n{how}\n", cell::question(kind))
}

/// All that a question is about, word for word.
pub fn details(kind: &AskKind) -> String {
    let AskKind::Trust { items, .. } = kind else { return question(kind) };
    let mut said = String::new();
    for item in items {
        said.push_str(&format!("File {}:\n", text::reveal(&item.path)));
        for line in text::reveal(&item.content).lines() {
            said.push_str(&format!("  {line}\n"));
        }
        said.push_str("End of the file.\n");
    }
    said + &question(kind)
}

pub fn reply(kind: &AskKind, typed: &str) -> Reply {
    let word = typed.trim().to_lowercase();
    if word == "later" {
        return Reply::Later;
    }
    if matches!(kind, AskKind::Secret { .. }) {
        let value = typed.trim_end_matches(['\r', '\n']);
        return Reply::Answer(if value.is_empty() { Answer::No } else { Answer::Text(value.to_owned()) });
    }
    match word.as_str() {
        "session" if matches!(kind, AskKind::Approval(_)) => Reply::Answer(Answer::Session),
        "never" if matches!(kind, AskKind::Approval(_)) => Reply::Answer(Answer::Never),
        "yes" | "y" => Reply::Answer(Answer::Yes),
        "no" | "n" => Reply::Answer(Answer::No),
        "show" | "s" => Reply::Show,
        _ => Reply::Unclear,
    }
}

/// Whether what is typed must not be seen.
pub fn is_secret(kind: &AskKind) -> bool {
    matches!(kind, AskKind::Secret { .. })
}
