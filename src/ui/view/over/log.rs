//! What this process logged: problems first.

use ratatui::layout::Rect;

use super::picker::Place;
use super::reader::field;
use super::table::{self, Tabular};
use super::{Panel, time};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::log::{LogLevel, LogLine};
use crate::ui::state::{LogFloor, State, Table, Typing};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::hints::Hints;

const KEYS: &[(Action, &str)] = &[
    (Action::NextSection, "other levels"),
    (Action::FilterRows, "find"),
    (Action::CopyRecord, "copy all of it"),
    (Action::Close, "close"),
];

const FINDING: &[(Action, &str)] = &[(Action::Accept, "keep the filter"), (Action::Close, "all of them")];

pub fn keys(typing: Option<&Typing>) -> &'static [(Action, &'static str)] {
    if typing.is_some() { FINDING } else { KEYS }
}

pub fn panel(state: &State, hints: &Hints, floor: LogFloor, table: &mut Table, area: Rect) -> Panel {
    let rows = state.log_rows();
    let place = Place::shared_for(area, rows.len());
    let width = place.columns();
    let made = Tabular::plain(title(&rows, floor), rows.len(), "nothing was logged in this run", |at| {
        rows.get(at).map(|line| row(line, width)).unwrap_or_else(Row::blank)
    });
    let side = match (place.side, state.marked_log()) {
        (Some(outline), Some(line)) => whole(state, line, outline.width.saturating_sub(4) as usize),
        _ => Vec::new(),
    };
    let keys = keys(table.typing.as_ref());
    let foot = hints.fitting(state, keys, usize::from(place.outline.width.saturating_sub(6)));
    table::panel(table, place, made, side, foot)
}

fn title(rows: &[&LogLine], floor: LogFloor) -> String {
    let problems = rows.iter().filter(|line| line.level.is_problem()).count();
    let told = match problems {
        0 => String::new(),
        1 => " · 1 problem".to_owned(),
        many => format!(" · {many} problems"),
    };
    let floor = match floor.0 {
        LogLevel::Debug => String::new(),
        LogLevel::Error => " · errors only".to_owned(),
        level => format!(" · from {}", level.word()),
    };
    format!("Log of this run · {}{told}{floor}", crate::proto::counted(rows.len(), "line"))
}

fn mark(level: LogLevel) -> (&'static str, Role) {
    match level {
        LogLevel::Error => ("✘", Role::NoticeError),
        LogLevel::Warning => ("!", Role::NoticeWarning),
        LogLevel::Info => ("i", Role::NoticeInfo),
        LogLevel::Debug => ("·", Role::UiDim),
    }
}

fn row(line: &LogLine, width: usize) -> Row {
    let (sign, role) = mark(line.level);
    let mut row = Styled::new(sign, role).with(" ", Role::UiText);
    if width >= 44 {
        row.push(time::clock(line.at).trim_end_matches(" UTC"), Role::UiDim);
        row.push("  ", Role::UiText);
    }
    row.push(&text::sanitize_line(&line.text), Role::UiText);
    row.into_row(width)
}

fn whole(state: &State, line: &LogLine, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let (_, role) = mark(line.level);
    field(&mut rows, "level", line.level.word(), role, width);
    let when = format!("{} · {}", time::clock(line.at), human::ago(state.now.saturating_sub(line.at)));
    field(&mut rows, "when", &when, Role::UiText, width);
    field(&mut rows, "from", &line.target, Role::UiText, width);
    rows.push(Row::blank());
    let none = Styled::default();
    rows.extend(Styled::new(&text::sanitize(&line.text), Role::UiText).rows(width, Break::Words, &none, &none));
    rows
}

/// All that is listed, as text.
pub fn copied(state: &State) -> String {
    let line = |line: &&LogLine| {
        format!("{} {} {}: {}", time::clock(line.at), line.level.word(), line.target, text::sanitize_line(&line.text))
    };
    state.log_rows().iter().map(line).collect::<Vec<_>>().join("\n")
}
