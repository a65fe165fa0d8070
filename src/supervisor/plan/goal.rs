//! Whether a message begins another task. Words only; in doubt the plan stays.

use std::collections::BTreeSet;

use crate::proto::PlanView;

/// With fewer words of its own a message goes on with what there is.
const FEWEST_WORDS: usize = 4;

/// Of a message's words, in parts of 100, that a plan's task must share for it to be the same.
const SHARED: usize = 20;

/// How messages begin that go on with what there is.
const GOES_ON: [&str; 34] = [
    "again", "also", "and", "because", "but", "continue", "fine", "first", "go", "good", "great", "hm", "instead",
    "it", "keep", "next", "no", "not", "now", "ok", "okay", "one", "proceed", "right", "so", "sorry", "stop", "thanks",
    "that", "then", "this", "wait", "yes", "you",
];

/// Words that say nothing of a task.
const COMMON: [&str; 42] = [
    "about", "add", "all", "any", "are", "can", "change", "check", "code", "could", "create", "file", "files", "fix",
    "for", "from", "have", "how", "into", "its", "let", "make", "more", "need", "new", "not", "our", "please",
    "should", "some", "that", "the", "their", "them", "there", "this", "use", "want", "was", "with", "would", "you",
];

pub fn is_another(plan: &PlanView, message: &str) -> bool {
    let said = words(message);
    let task = words(&plan.goal);
    if said.is_empty() || said == task {
        return false;
    }
    if plan.active().is_none() {
        return said.len() >= FEWEST_WORDS || !goes_on(message);
    }
    let phases = plan.phases.iter().flat_map(|phase| [phase.title.as_str(), phase.done_when.as_str()]);
    let known: BTreeSet<String> = phases.flat_map(words).chain(task).collect();
    let shared = said.intersection(&known).count();
    said.len() >= FEWEST_WORDS && !goes_on(message) && shared * 100 < said.len() * SHARED
}

/// A remark or a question about what is going on.
fn goes_on(message: &str) -> bool {
    let first = message.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let first = first.unwrap_or_default().to_lowercase();
    GOES_ON.contains(&first.as_str()) || message.trim_end().ends_with('?')
}

/// The words that tell tasks apart, without common endings.
fn words(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 && !COMMON.contains(word))
        .map(|word| {
            let endings = ["ing", "ed", "es", "s"];
            let stem = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2));
            stem.unwrap_or(word).to_owned()
        })
        .collect()
}
