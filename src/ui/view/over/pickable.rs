use super::picker::Listed;
use crate::proto::{Queued, SubmitMode};
use crate::text;
use crate::ui::state::{LeadRow, PromptRow};
use crate::ui::theme::Role;
use crate::ui::transcript::markdown::CodeBlock;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// Own messages of this session, in one line each.
pub fn prompts(rows: &[PromptRow], width: usize) -> Listed {
    let line = |(index, row): (usize, &PromptRow)| {
        let mut lead = Styled::new(&format!("{:>3}", row.order.turn), Role::UiDim);
        lead.push("  ", Role::UiText);
        Line::of(index, one_line(lead, row.text, width))
    };
    listed("Your messages", "no message of yours yet", rows.iter().enumerate().map(line).collect())
}

/// Messages that wait, and when they land.
pub fn waiting(rows: &[&Queued], width: usize) -> Listed {
    let line = |(index, queued): (usize, &&Queued)| {
        let when = match queued.mode {
            SubmitMode::Steer => "next step   ",
            SubmitMode::Queue => "after this  ",
        };
        Line::of(index, one_line(Styled::new(when, Role::UiDim), &queued.text, width))
    };
    listed("Waiting messages", "no message waits", rows.iter().enumerate().map(line).collect())
}

/// Blocks of code, the last first.
pub fn blocks(rows: &[CodeBlock], width: usize) -> Listed {
    let names = rows.iter().map(|block| text::width(&block.language)).max().unwrap_or(0).min(12);
    let line = |(index, block): (usize, &CodeBlock)| {
        let mut lead = Styled::new(&text::sanitize_line(&block.language), Role::UiDim);
        lead.cut(names);
        lead.pad_to(if names == 0 { 0 } else { names + 2 }, Role::UiText);
        Line::of(index, one_line(lead, &block.text, width))
    };
    listed("Blocks of code", "no block of code there", rows.iter().enumerate().map(line).collect())
}

/// Where entries lead, whole, as what is opened is what is read here.
pub fn leads(rows: &[LeadRow], width: usize) -> Listed {
    let line = |(index, row): (usize, &LeadRow)| {
        let mut lead = Styled::new(row.noun, Role::UiDim);
        lead.pad_to(7, Role::UiText);
        let rest = Styled::new(&" ".repeat(7), Role::UiText);
        let words = Styled::new(&text::sanitize_line(&row.words), Role::UiText);
        words.rows(width, Break::Anywhere, &lead, &rest).into_iter().map(move |row| Line::of(index, row))
    };
    listed("Open", "nothing leads anywhere", rows.iter().enumerate().flat_map(line).collect()).counting(rows.len())
}

impl Listed {
    /// For rows of several lines.
    fn counting(self, count: usize) -> Self {
        Self { count, ..self }
    }
}

fn one_line(mut line: Styled, words: &str, width: usize) -> Row {
    let lines = words.trim_end().lines().count();
    let more = if lines > 1 { format!("  +{} lines", lines - 1) } else { String::new() };
    let first = words.trim_start().lines().next().unwrap_or_default();
    line.push(&text::sanitize_line(first), Role::UiText);
    line.cut(width.saturating_sub(text::width(&more)));
    line.with(&more, Role::UiDim).into_row(width)
}

fn listed(title: &str, empty: &str, lines: Vec<Line>) -> Listed {
    let count = lines.len();
    Listed { title: title.to_owned(), tabs: Vec::new(), lines, count, empty: empty.to_owned() }
}
