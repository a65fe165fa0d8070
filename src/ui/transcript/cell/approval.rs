//! Calls that wait for the person, and what became of them.

use super::{Fold, Look, led, spread};
use crate::proto::{Approval, ApprovalOutcome, ApprovalPart, ApprovalRequest, PartStanding};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Parts that a folded cell names.
const NAMED: usize = 4;

/// What the person is asked, in one line.
pub fn question(request: &ApprovalRequest) -> String {
    let name = name(&request.server, &request.tool);
    let about = match (&request.preview, request.parts.as_slice()) {
        (Some(file), _) if file.creates => format!("wants to create {}", file.path),
        (Some(file), _) => format!("wants to change {}", file.path),
        (None, [one]) if one.text == name => "wants to run".to_owned(),
        (None, parts) => {
            let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
            format!("wants to run: {}", texts.join(" · "))
        }
    };
    text::sanitize_line(&text::reveal(&format!("{name} {about}"))).into_owned()
}

fn name(server: &str, tool: &str) -> String {
    if server.is_empty() { tool.to_owned() } else { format!("{server}.{tool}") }
}

/// The question in the transcript; `Some(false)` once nobody can answer it any more.
pub fn asked(request: &ApprovalRequest, answered: Option<bool>, look: &Look) -> Vec<Row> {
    let line = question(request);
    let mut rows = led(Styled::new("? ", Role::UiAccent), &text::truncate(&line, 300), Role::UiText, look.width);
    let (words, role) = match answered {
        None if look.keys.question.is_empty() => ("waits for your yes".to_owned(), Role::NoticeWarning),
        None => (format!("waits for your yes; {} shows it whole", look.keys.question), Role::NoticeWarning),
        Some(true) => ("answered".to_owned(), Role::ToolOk),
        Some(false) => ("interrupted before an answer; nothing of it ran".to_owned(), Role::NoticeWarning),
    };
    rows.extend(led(Styled::new("  ", Role::UiText), &words, role, look.width));
    rows
}

/// The mark of a part, and its colour.
pub fn mark(standing: PartStanding) -> (&'static str, Role) {
    match standing {
        PartStanding::Reads => ("·", Role::UiDim),
        PartStanding::Allowed => ("✔", Role::ToolOk),
        PartStanding::Asks => ("?", Role::NoticeWarning),
        PartStanding::Refused => ("✘", Role::ToolError),
    }
}

/// A part with its mark, and why it stands so below it.
pub fn part_rows(part: &ApprovalPart, lead: &Styled, width: usize, rows: &mut Vec<Row>) {
    let (sign, role) = mark(part.standing);
    let mut first = lead.clone().with(sign, role).with(" ", Role::UiText);
    let rest = lead.clone().with("  ", Role::UiText);
    rows.extend(Styled::new(&text::reveal(&part.text), Role::CodeText).rows(width, Break::Anywhere, &first, &rest));
    first = rest.clone().with("  ", Role::UiText);
    rows.extend(Styled::new(&text::sanitize_line(&part.why), Role::UiDim).rows(width, Break::Words, &first, &first));
}

/// The decision: what, by whom, after how long; open, all it rested on.
pub fn decided(one: &Approval, look: &Look) -> Vec<Row> {
    let outcome = one.outcome;
    let (sign, role) = match outcome {
        ApprovalOutcome::Interrupted | ApprovalOutcome::Outdated => ("■", Role::NoticeWarning),
        _ if outcome.runs() => ("✔", Role::ToolOk),
        _ => ("✘", Role::ToolError),
    };
    let about = format!("{} {}", name(&one.server, &one.tool), one.about);
    let head = Styled::new(&format!("{sign} "), role)
        .with("approval  ", Role::DecisionMark)
        .with(&text::sanitize_line(&text::reveal(about.trim_end())), Role::DecisionText);
    let words = Styled::new(outcome.words(), role);
    let mut rows = if head.width() + words.width() + 2 <= look.width {
        vec![spread(head, &words, look.width)]
    } else {
        let mut rows = vec![head.into_row(look.width)];
        rows.extend(led(Styled::new("  ", Role::UiText), outcome.words(), role, look.width));
        rows
    };
    let bar = Styled::new("│ ", Role::UiDim);
    for words in &one.remembered {
        let lead = bar.clone().with("remembered  ", Role::UiDim);
        rows.extend(led(lead, words, Role::DecisionText, look.width));
    }
    if look.fold == Fold::Folded {
        if one.outcome == ApprovalOutcome::NobodyThere && one.parts.len() > 1 {
            let asks = one.parts.iter().filter(|part| part.standing == PartStanding::Asks);
            asks.take(NAMED).for_each(|part| part_rows(part, &bar, look.width, &mut rows));
        }
        return rows;
    }
    let mut fact = |name: &str, value: &str| {
        rows.extend(led(
            bar.clone().with(name, Role::UiDim).with("  ", Role::UiDim),
            value,
            Role::DecisionText,
            look.width,
        ));
    };
    fact("why", &one.why);
    fact("approval", one.mode.word());
    if one.waited_ms > 0 {
        fact("waited", &human::duration_ms(one.waited_ms));
    }
    for part in &one.parts {
        part_rows(part, &bar, look.width, &mut rows);
    }
    rows
}
