//! One message against every capability: the whole record, in columns.

use super::surface::{Field, fields};
use crate::proto::{CapabilityScore, Ineligible, IntentSource, RouteOutcome, Routing, Stage};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, scores};

/// Capabilities whose best triggers are told; of the others the number is enough.
const WITH_TRIGGERS: usize = 5;

/// Columns a name takes at most.
const NAMES: usize = 28;

/// `◆ scores  ✔ database-postgres  0.71 ≥ 0.65 · Δ 0.11 ≥ 0.06`
pub fn head(routing: &Routing) -> Styled {
    let mut line = Styled::new("◆ scores  ", Role::DecisionMark);
    line.append(&scores::outcome(routing));
    line
}

pub fn body(routing: &Routing, width: usize) -> Vec<Row> {
    let plain = |words: &str| Styled::new(&text::sanitize_line(words), Role::DecisionText);
    let mut facts: Vec<Field> = Vec::new();
    let source = match routing.source {
        IntentSource::Message => "message",
        IntentSource::Model => "model asks",
        IntentSource::Question => "tried",
    };
    if !routing.excerpt.is_empty() {
        facts.push((source, plain(&format!("“{}”", routing.excerpt))));
    }
    facts.push(("domain", plain(if routing.domain.is_empty() { "none" } else { &routing.domain })));
    if let Some(encoder) = scores::encoder(routing) {
        facts.push(("encoder", plain(&encoder)));
    }
    if let Some(words) = routing.wait.words() {
        facts.push(("wait", plain(&words)));
    }
    if !matches!(routing.outcome, RouteOutcome::Skipped(_)) {
        let gate = format!("{:.2}, and {:.2} before the next", routing.threshold, routing.needed_margin);
        facts.push(("gate", plain(&gate)));
    }
    if let Some(near) = scores::near_miss(routing) {
        facts.push(("near miss", near));
    }
    let mut rows = fields(&facts, width);
    rows.extend(compared(routing, width));
    rows.extend(left_out(&routing.ineligible, width));
    rows
}

fn bar() -> Styled {
    Styled::new("│ ", Role::UiDim)
}

fn blank(width: usize) -> Row {
    Styled::new("│", Role::UiDim).into_row(width)
}

/// Every capability that was compared, the best with the triggers their score is the mean of.
fn compared(routing: &Routing, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    if routing.scores.is_empty() {
        return rows;
    }
    rows.push(blank(width));
    let name = |one: &CapabilityScore| text::sanitize_line(&one.capability).into_owned();
    let names = routing.scores.iter().map(|one| text::width(&name(one))).max().unwrap_or(0).min(NAMES);
    for (index, one) in routing.scores.iter().enumerate() {
        let passes = one.score >= routing.threshold;
        let came = matches!(&routing.outcome, RouteOutcome::Activated { capability } if one.capability == *capability);
        let sign = if came { "✔ " } else { "  " };
        let mut line = bar().with(sign, Role::ScorePass);
        let mut shown = Styled::new(&name(one), Role::ToolName);
        shown.cut(names);
        shown.pad_to(names + 2, Role::UiText);
        line.append(&shown);
        let role = if passes { Role::ScorePass } else { Role::ScoreFail };
        line.push(&scores::aligned(one.score, routing), role);
        let indent = line.width() + 2;
        if index >= WITH_TRIGGERS {
            rows.push(line.into_row(width));
            continue;
        }
        rows.extend(triggers(one, line, indent, width));
    }
    rows
}

/// The triggers beside their capability, or below it where there is no room.
fn triggers(one: &CapabilityScore, line: Styled, indent: usize, width: usize) -> Vec<Row> {
    let beside = width >= indent + 24;
    let mut rest = bar();
    rest.pad_to(if beside { indent } else { 6 }, Role::UiText);
    let mut lead = line.clone();
    lead.pad_to(indent, Role::UiText);
    let mut rows = Vec::new();
    if !beside || one.top.is_empty() {
        rows.push(line.into_row(width));
    }
    for (at, trigger) in one.top.iter().enumerate() {
        let words = Styled::new(&format!("{:.2} ", trigger.cosine), Role::UiDim)
            .with(&text::sanitize_line(&trigger.trigger), Role::DecisionText);
        let mut hang = rest.clone();
        hang.push("     ", Role::UiText);
        let first = if at == 0 && beside { &lead } else { &rest };
        rows.extend(words.rows(width, Break::Words, first, &hang));
    }
    rows
}

/// Those that stopped before the comparison, by stage.
fn left_out(ineligible: &[Ineligible], width: usize) -> Vec<Row> {
    if ineligible.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![blank(width)];
    let head = format!("{} not compared", ineligible.len());
    rows.push(bar().with(&head, Role::UiDim).into_row(width));
    for (title, belongs) in STAGES {
        let of_stage: Vec<&Ineligible> = ineligible.iter().filter(|one| belongs(&one.stage)).collect();
        if of_stage.is_empty() {
            continue;
        }
        let score = |one: &Ineligible| one.score.map(|score| format!(" {score:.2}")).unwrap_or_default();
        let each: Vec<String> = of_stage.iter().map(|one| format!("{}{}", told(one), score(one))).collect();
        let words = text::sanitize_line(&each.join(" · ")).into_owned();
        let mut lead = bar().with(title, Role::UiDim);
        lead.pad_to(18, Role::UiText);
        let mut rest = bar();
        rest.pad_to(18, Role::UiText);
        rows.extend(Styled::new(&words, Role::DecisionText).rows(width, Break::Words, &lead, &rest));
    }
    rows
}

type Belongs = fn(&Stage) -> bool;

/// Stages in the order one can do something about them.
const STAGES: [(&str, Belongs); 6] = [
    ("on already", |stage| matches!(stage, Stage::Active)),
    ("variable unset", |stage| matches!(stage, Stage::EnvironmentUnready { .. })),
    ("broken", |stage| matches!(stage, Stage::Unresolved { .. })),
    ("not read yet", |stage| matches!(stage, Stage::PhrasesUnready)),
    ("no triggers", |stage| matches!(stage, Stage::NoTriggers)),
    ("other domain", |stage| matches!(stage, Stage::OutOfDomain { .. })),
];

/// The name, with what is missing where that differs from one to the other.
fn told(one: &Ineligible) -> String {
    match &one.stage {
        Stage::EnvironmentUnready { missing } => format!("{} ({})", one.capability, missing.join(", ")),
        Stage::Unresolved { why } => format!("{} ({why})", one.capability),
        Stage::OutOfDomain { domains, .. } => format!("{} ({})", one.capability, domains.join(", ")),
        Stage::NoTriggers | Stage::Active | Stage::PhrasesUnready => one.capability.clone(),
    }
}
