//! A task against the agents in reach: why this specialist, or why none.

use super::surface::{Field, fields};
use super::{Fold, Look};
use crate::proto::{Decision, Matched, Matching};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled, scores};

/// Columns a tag takes at most.
const TAGS: usize = 32;

/// Columns of a bar.
const BAR: usize = 16;

/// Rows of the decision; `None` for any other.
pub fn render(decision: &Decision, look: &Look) -> Option<Vec<Row>> {
    let Decision::Matched(matching) = decision else { return None };
    let mut rows = vec![head(matching).into_row(look.width)];
    if look.fold == Fold::Open {
        rows.extend(body(matching, look.width));
    }
    Some(rows)
}

fn clean(words: &str) -> String {
    text::sanitize_line(words).into_owned()
}

/// `◆ specialist  ✔ developer:general  0.62 ≥ 0.45 · Δ 0.11 ≥ 0.06`
fn head(matching: &Matching) -> Styled {
    let line = Styled::new("◆ specialist  ", Role::DecisionMark);
    match &matching.outcome {
        Matched::Agent { tag, .. } => {
            let cosine = matching.ranked.iter().find(|one| one.tag == *tag).map_or(0.0, |one| one.cosine);
            let gate = scores::against(cosine, matching.threshold);
            let lead = scores::against(matching.margin, matching.needed_margin);
            line.with("✔ ", Role::ScorePass)
                .with(&clean(tag), Role::UiStrong)
                .with(&format!("  {gate} · Δ {lead}"), Role::UiText)
        }
        Matched::Nobody { why } => line.with("· ", Role::UiDim).with(&format!("nobody: {}", clean(why)), Role::UiText),
    }
}

/// The task, who was compared with it and how like each is, best first.
pub fn body(matching: &Matching, width: usize) -> Vec<Row> {
    let plain = |words: &str| Styled::new(&clean(words), Role::DecisionText);
    let mut facts: Vec<Field> = vec![("task", plain(&format!("“{}”", matching.excerpt)))];
    facts.push(("from", plain(&matching.caller)));
    if let Matched::Agent { id, .. } = &matching.outcome {
        facts.push(("works as", plain(id)));
    }
    if !matching.model.is_empty() {
        let backend = if matching.backend.is_empty() { String::new() } else { format!(" · {}", matching.backend) };
        facts.push(("encoder", plain(&format!("{}{backend}", matching.model))));
    }
    let gate = format!("{:.2}, and {:.2} before the next", matching.threshold, matching.needed_margin);
    facts.push(("gate", plain(&gate)));
    let mut rows = fields(&facts, width);
    if !matching.ranked.is_empty() {
        rows.push(Styled::new("│", Role::UiDim).into_row(width));
    }
    let tags = matching.ranked.iter().map(|one| text::width(&clean(&one.tag))).max().unwrap_or(0).min(TAGS);
    for one in &matching.ranked {
        let chosen = matches!(&matching.outcome, Matched::Agent { tag, .. } if *tag == one.tag);
        let sign = if chosen { "✔ " } else { "  " };
        let mut line = Styled::new("│ ", Role::UiDim).with(sign, Role::ScorePass);
        let mut tag = Styled::new(&clean(&one.tag), Role::ToolName);
        tag.cut(tags);
        tag.pad_to(tags + 2, Role::UiText);
        line.append(&tag);
        let passes = one.cosine >= matching.threshold;
        let role = if passes { Role::ScorePass } else { Role::ScoreFail };
        line.push(&format!("{:>6} ", scores::graded(one.cosine, matching.threshold)), role);
        if line.width() + BAR < width {
            line.append(&scores::bar(one.cosine, matching.threshold, BAR));
        }
        rows.push(line.into_row(width));
    }
    let left: Vec<Field> =
        matching.left_out.iter().map(|(tag, why)| ("not compared", plain(&format!("{tag}: {why}")))).collect();
    rows.extend(fields(&left, width));
    rows
}
