//! What can be asked about: capabilities, tools and skills, here or not.

use super::{picker::Listed, why};
use crate::text;
use crate::ui::state::{Noun, Picker, Reach, State, WhyRow};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled, scores};
use crate::ui::view::list::Line;

/// Columns a name takes at most.
const NAMES: usize = 28;

pub fn list(state: &State, reach: Reach, filter: &str, width: usize) -> Listed {
    let rows = state.why_rows(reach, filter);
    let longest = rows.iter().map(|row| text::width(&text::sanitize_line(row.subject))).max().unwrap_or(0);
    let names = longest.min(NAMES).min(width / 2);
    let scored = rows.iter().any(|row| row.score.is_some());
    let lines = rows.iter().enumerate().map(|(index, row)| Line::of(index, line(state, row, names, scored, width)));
    let (title, empty) = match reach {
        Reach::Everything => ("Why".to_owned(), "there is nothing to ask about yet"),
        Reach::Absent => (format!("Not on the surface · {}", rows.len()), "every known capability is here"),
    };
    Listed { title, tabs: Vec::new(), lines: lines.collect(), count: rows.len(), empty: empty.to_owned() }
}

fn line(state: &State, row: &WhyRow, names: usize, scored: bool, width: usize) -> Row {
    let (mark, role) = if row.here { ("● ", Role::ServerReady) } else { ("○ ", Role::ServerOff) };
    let mut line = Styled::new(mark, role);
    let mut name = Styled::new(&text::sanitize_line(row.subject), Role::ToolName);
    name.cut(names);
    name.pad_to(names + 2, Role::UiText);
    line.append(&name);
    if scored {
        let gate = state.snapshot.last_routing().map_or(1.0, |routing| routing.threshold);
        let number = row.score.map(|score| scores::graded(score, gate)).unwrap_or_default();
        line.push(&format!("{number:<6}"), Role::ScoreFail);
    }
    // Most of the list is capabilities: only what is none says what it is.
    let noun = if row.noun == Noun::Capability { String::new() } else { format!("{}  ", row.noun.word()) };
    line.push(&noun, Role::UiDim);
    line.push(&text::sanitize_line(&row.words), Role::UiDim);
    line.into_row(width)
}

/// The marked one, explained.
pub fn preview(state: &State, reach: Reach, picker: &Picker, width: usize) -> Vec<Row> {
    let rows = state.why_rows(reach, &picker.filter);
    rows.get(picker.selected).map(|row| why::content(state, (row.noun, row.subject), width).1).unwrap_or_default()
}
