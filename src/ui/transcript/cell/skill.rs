use super::{Fold, Look, led};
use crate::proto::{CheckTrace, RuleTrace, SkillCause, SkillTrace, SkillView};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// A skill came or went, in one line; opened, what it is.
pub fn render(skill: &SkillView, forgotten: bool, look: &Look) -> Vec<Row> {
    let mut line = Styled::new("◆ skill  ", Role::DecisionMark).with(&text::sanitize_line(&skill.name), Role::UiText);
    let tokens = human::tokens(skill.tokens.into());
    let words = if forgotten {
        format!(" is off · its {tokens} tok stay")
    } else {
        format!(" is active · by {} · {tokens} tok", cause(&skill.cause))
    };
    line.push(&words, Role::DecisionText);
    let mut rows = vec![line.into_row(look.width)];
    if look.fold == Fold::Open {
        for (name, value) in [("says", &skill.description), ("from", &skill.source), ("file", &skill.file)] {
            let lead = Styled::new("│ ", Role::UiDim).with(name, Role::UiDim).with("  ", Role::UiDim);
            rows.extend(led(lead, value, Role::DecisionText, look.width));
        }
    }
    rows
}

/// Who or what activated a skill.
pub fn cause(cause: &SkillCause) -> String {
    match cause {
        SkillCause::Environment => "OCTOMIND_SKILLS".to_owned(),
        SkillCause::Rule { line } => format!("rule {}", line + 1),
        SkillCause::Person => "you".to_owned(),
        SkillCause::Model => "the model".to_owned(),
    }
}

/// How the rules of every skill were judged, check by check: what is active first, then what a line
/// held for, then the others.
pub fn rules(domain: &str, skills: &[SkillTrace], width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let bar = Styled::new("│ ", Role::UiDim);
    let domain = text::sanitize_line(domain);
    if !domain.is_empty() {
        rows.push(bar.clone().with("domain  ", Role::UiDim).with(&domain, Role::DecisionText).into_row(width));
    }
    let mut sorted: Vec<&SkillTrace> = skills.iter().collect();
    sorted.sort_by_key(|trace| (!trace.activated, !trace.lines.iter().any(|line| line.held)));
    for trace in sorted {
        let (mark, role) = sign(trace.activated);
        let lead = bar.clone().with(mark, role).with(" ", role);
        let rest = bar.clone().with("  ", Role::UiText);
        let mut head = Styled::new(&text::sanitize_line(&trace.skill), Role::UiStrong);
        if let Some(reason) = &trace.reason {
            head.push("  ", Role::UiText);
            head.push(&text::sanitize_line(reason), Role::UiDim);
        }
        rows.extend(head.rows(width, Break::Words, &lead, &rest));
        for (index, line) in trace.lines.iter().enumerate() {
            rows.extend(rule(index, line, width));
        }
    }
    rows
}

/// One line of rules: its checks under each other, the number before the first.
fn rule(index: usize, line: &RuleTrace, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, check) in line.checks.iter().enumerate() {
        let number = if at == 0 { format!("{:>3} ", index + 1) } else { "and ".to_owned() };
        let (mark, role) = sign(check.held);
        let lead = Styled::new("│ ", Role::UiDim).with(&number, Role::UiDim).with(mark, role).with(" ", role);
        let rest = Styled::new("│       ", Role::UiDim);
        rows.extend(told(check).rows(width, Break::Words, &lead, &rest));
    }
    rows
}

fn told(check: &CheckTrace) -> Styled {
    let mut words = Styled::new(&text::sanitize_line(&check.check), Role::CodeText);
    if let Some(cosine) = check.cosine {
        words.push(&format!("  {cosine:.2}"), if check.held { Role::ScorePass } else { Role::ScoreFail });
    }
    let evidence = text::sanitize_line(&check.evidence);
    if !evidence.is_empty() {
        words.push("  ", Role::UiText);
        words.push(&evidence, Role::UiDim);
    }
    words
}

fn sign(held: bool) -> (&'static str, Role) {
    if held { ("✔", Role::ToolOk) } else { ("✘", Role::UiDim) }
}
