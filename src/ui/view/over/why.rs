//! Why something is here or is not: the chain of stages, each with its evidence.

use crate::surface::explain::{ExplainedStage, Explanation, Kind, Passed, explain};
use crate::text;
use crate::ui::state::{Noun, State};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Columns a stage's name takes at most.
const STAGES: usize = 14;

/// Columns below which evidence stands under its stage.
const BESIDE: usize = 44;

/// `Why database-postgres`, and everything the records tell.
pub fn content(state: &State, (noun, name): (Noun, &str), width: usize) -> (String, Vec<Row>) {
    let explanation = explain(&state.snapshot, &format!("{}:{name}", noun.word()));
    (format!("Why {}", text::sanitize_line(name)), rows(&explanation, width))
}

/// Headline, answer and what to do before the stages: that is what was asked for.
pub fn rows(explanation: &Explanation, width: usize) -> Vec<Row> {
    let none = Styled::default();
    let mut rows = Vec::new();
    let noun = match explanation.kind {
        Kind::Tool => "tool  ",
        Kind::Capability => "capability  ",
        Kind::Skill => "skill  ",
        Kind::Agent => "agent  ",
        Kind::Server => "server  ",
        Kind::Unknown => "",
    };
    let headline = text::sanitize_line(&explanation.headline).into_owned();
    let head = Styled::new(noun, Role::UiDim).with(&headline, Role::UiStrong);
    rows.extend(head.rows(width, Break::Words, &none, &none));
    let answer = text::sanitize(&explanation.answer).into_owned();
    if !answer.trim().is_empty() && answer != headline {
        rows.extend(Styled::new(&answer, Role::UiText).rows(width, Break::Words, &none, &none));
    }
    if let Some(fix) = explanation.fix.as_deref().filter(|fix| !fix.trim().is_empty()) {
        let lead = Styled::new("hint: ", Role::NoticeHint);
        let rest = Styled::new("      ", Role::UiText);
        rows.extend(Styled::new(&text::sanitize(fix), Role::NoticeHint).rows(width, Break::Words, &lead, &rest));
    }
    if !explanation.also.is_empty() {
        let names = text::sanitize_line(&explanation.also.join(" · ")).into_owned();
        let lead = Styled::new("called so too: ", Role::UiDim);
        let rest = Styled::new("               ", Role::UiText);
        rows.extend(Styled::new(&names, Role::ToolName).rows(width, Break::Words, &lead, &rest));
    }
    if !explanation.nearest.is_empty() {
        let names = text::sanitize_line(&explanation.nearest.join(" · ")).into_owned();
        let lead = Styled::new("nearest: ", Role::UiDim);
        let rest = Styled::new("         ", Role::UiText);
        rows.extend(Styled::new(&names, Role::ToolName).rows(width, Break::Words, &lead, &rest));
    }
    if explanation.stages.is_empty() {
        return rows;
    }
    rows.push(Row::blank());
    rows.extend(chain(&explanation.stages, width));
    rows
}

/// The stages under each other. The first that was not passed is the answer, so it alone is loud.
fn chain(stages: &[ExplainedStage], width: usize) -> Vec<Row> {
    let longest = stages.iter().map(|one| text::width(&text::sanitize_line(&one.stage))).max().unwrap_or(0);
    let names = longest.min(STAGES);
    let broke = stages.iter().position(|one| one.passed == Passed::No);
    let stage = |(index, one)| stage(one, broke == Some(index), names, width);
    stages.iter().enumerate().flat_map(stage).collect()
}

fn stage(one: &ExplainedStage, answer: bool, names: usize, width: usize) -> Vec<Row> {
    let (mark, role) = match (one.passed, answer) {
        (Passed::Yes, _) => ("✔", Role::ScorePass),
        (Passed::No, true) => ("✘", Role::NoticeError),
        (Passed::No, false) => ("✘", Role::UiDim),
        (Passed::NotReached, _) => ("·", Role::UiDim),
        (Passed::Unknown, _) => ("?", Role::NoticeWarning),
    };
    let (title, told) = match (answer, one.passed) {
        (true, _) => (Role::UiStrong, Role::UiText),
        (false, Passed::NotReached) => (Role::UiDim, Role::UiDim),
        (false, _) => (Role::UiText, Role::DecisionText),
    };
    let mut lead = Styled::new(mark, role).with(" ", Role::UiText);
    let mut name = Styled::new(&text::sanitize_line(&one.stage), title);
    name.cut(names);
    lead.append(&name);
    let beside = width >= BESIDE;
    let indent = if beside { names + 4 } else { 4 };
    let silent = match one.passed {
        Passed::NotReached => vec!["not reached".to_owned()],
        Passed::Unknown => vec!["no record tells".to_owned()],
        Passed::Yes | Passed::No => vec![String::new()],
    };
    let evidence = if one.evidence.is_empty() { &silent } else { &one.evidence };
    let rest = Styled::new(&" ".repeat(indent), Role::UiText);
    let mut rows = Vec::new();
    if beside {
        lead.pad_to(indent, Role::UiText);
    } else {
        rows.push(lead.clone().into_row(width));
    }
    for (index, words) in evidence.iter().enumerate() {
        let words = text::sanitize(words);
        if words.is_empty() && !beside {
            continue;
        }
        let first = if index == 0 && beside { &lead } else { &rest };
        rows.extend(Styled::new(&words, told).rows(width, Break::Words, first, &rest));
    }
    rows
}
