//! All sessions, the latest first, and the last messages of the marked one.

use ratatui::layout::Rect;

use super::Panel;
use super::picker::Place;
use super::reader::field;
use super::table::{self, Tabular};
use crate::proto::{SessionRow, Speaker};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{State, Table, Typing};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::hints::Hints;

const KEYS: &[(Action, &str)] = &[
    (Action::Accept, "go there"),
    (Action::FilterRows, "find"),
    (Action::RenameSession, "rename"),
    (Action::ForkSession, "fork"),
    (Action::DeleteSession, "delete"),
    (Action::Close, "close"),
];

const WITH_TRASH: &[(Action, &str)] = &[
    (Action::Accept, "go there"),
    (Action::RestoreSession, "put back"),
    (Action::FilterRows, "find"),
    (Action::RenameSession, "rename"),
    (Action::ForkSession, "fork"),
    (Action::DeleteSession, "delete"),
    (Action::Close, "close"),
];

const FINDING: &[(Action, &str)] = &[(Action::Accept, "keep the filter"), (Action::Close, "all of them")];
const NAMING: &[(Action, &str)] = &[(Action::Accept, "rename"), (Action::Close, "as it was")];

pub fn keys(state: &State, typing: Option<&Typing>) -> &'static [(Action, &'static str)] {
    match typing {
        Some(Typing::Filter) => FINDING,
        Some(Typing::Name(_)) => NAMING,
        None if state.shelf.deleted.is_empty() => KEYS,
        None => WITH_TRASH,
    }
}

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let shelf = &state.shelf;
    let place = Place::shared_for(area, shelf.rows().len() + 1);
    let width = place.columns();
    let count = shelf.shown().len();
    table.selected = table.selected.min(count.saturating_sub(1));
    let empty = if shelf.reading { "reading the sessions…" } else { "there are no sessions yet" };
    let columns = Columns::of(width);
    let made = Tabular::plain(title(state), count, empty, |at| {
        shelf.get(at).map(|row| columns.row(state, row)).unwrap_or_else(Row::blank)
    });
    let made = if count > 0 && place.part.height > 12 { made.under(vec![columns.heading()]) } else { made };
    let side = match (place.side, shelf.get(table.selected)) {
        (Some(outline), Some(row)) => {
            let room = outline.height.saturating_sub(2) as usize;
            preview(state, row, outline.width.saturating_sub(4) as usize, room)
        }
        _ => Vec::new(),
    };
    let keys = keys(state, table.typing.as_ref());
    let foot = hints.fitting(state, keys, usize::from(place.outline.width.saturating_sub(6)));
    table::panel(table, place, made, side, foot)
}

/// `Sessions · 2 000 · reading 240`
fn title(state: &State) -> String {
    let shelf = &state.shelf;
    let count = human::tokens(shelf.total as u64);
    match shelf.reading {
        true if shelf.total > 0 => format!("Sessions · {count}, reading"),
        true => "Sessions".to_owned(),
        false => format!("Sessions · {count}"),
    }
}

/// What is told of each session, as far as there is room.
struct Columns {
    width: usize,
    titles: usize,
    roles: usize,
    cost: bool,
    turns: bool,
}

const AGE: usize = 10;
const TURNS: usize = 7;
const COST: usize = 9;
const ROLE: usize = 20;

impl Columns {
    fn of(width: usize) -> Self {
        let (turns, cost) = (width >= 44, width >= 56);
        let roles = if width >= 64 { ROLE } else { 0 };
        let numbers = AGE + if turns { TURNS } else { 0 } + if cost { COST } else { 0 };
        let titles = width.saturating_sub(2 + roles + numbers);
        Self { width, titles, roles, cost, turns }
    }

    fn heading(&self) -> Row {
        let mut line = Styled::new("  session", Role::UiDim);
        line.pad_to(2 + self.titles, Role::UiDim);
        if self.roles > 0 {
            line.push("role", Role::UiDim);
            line.pad_to(2 + self.titles + self.roles, Role::UiDim);
        }
        self.numbers(&mut line, "turns", "cost", "used", Role::UiDim);
        line.into_row(self.width)
    }

    fn numbers(&self, line: &mut Styled, turns: &str, cost: &str, age: &str, role: Role) {
        let mut right = |words: &str, columns: usize| {
            line.push(&" ".repeat(columns.saturating_sub(text::width(words))), Role::UiText);
            line.push(words, role);
        };
        if self.turns {
            right(turns, TURNS);
        }
        if self.cost {
            right(cost, COST);
        }
        right(age, AGE);
    }

    fn row(&self, state: &State, row: &SessionRow) -> Row {
        let (mark, role) = match &row.open_by {
            _ if row.name == state.snapshot.session.name => ("● ", Role::ServerReady),
            Some(_) => ("◆ ", Role::NoticeWarning),
            None => ("  ", Role::UiText),
        };
        let mut line = Styled::new(mark, role);
        let title = text::sanitize_line(&row.title);
        let mut named = match title.trim().is_empty() {
            true => Styled::new(&text::sanitize_line(&row.name), Role::UiDim),
            false => Styled::new(&title, Role::UiText),
        };
        named.cut(self.titles.saturating_sub(1));
        line.append(&named);
        line.pad_to(2 + self.titles, Role::UiText);
        if self.roles > 0 {
            let mut role = Styled::new(&text::sanitize_line(&row.role), Role::ToolName);
            role.cut(self.roles - 1);
            line.append(&role);
            line.pad_to(2 + self.titles + self.roles, Role::UiText);
        }
        let cost = row.cost.map(human::dollars).unwrap_or_default();
        let age = match row.updated {
            0 => "unreadable".to_owned(),
            updated => human::ago(state.now.saturating_sub(updated)),
        };
        self.numbers(&mut line, &row.turns.to_string(), &cost, &age, Role::UiDim);
        line.into_row(self.width)
    }
}

/// The session in a few fields, and its last messages as far as there is room: the newest matter most.
fn preview(state: &State, row: &SessionRow, width: usize, room: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    field(&mut rows, "name", &row.name, Role::UiText, width);
    field(&mut rows, "folder", &text::sanitize_line(&row.workdir), Role::UiText, width);
    if room > 8 {
        field(&mut rows, "role", &text::sanitize_line(&row.role), Role::ToolName, width);
        field(&mut rows, "model", &text::sanitize_line(&row.model), Role::UiText, width);
        field(&mut rows, "size", &human::bytes(row.bytes), Role::UiText, width);
    }
    match &row.open_by {
        _ if row.name == state.snapshot.session.name => field(&mut rows, "open", "here", Role::ServerReady, width),
        Some(by) => {
            let words = format!("in {}: here it could only be read", text::sanitize_line(by));
            field(&mut rows, "open", &words, Role::NoticeWarning, width);
        }
        None => {}
    }
    rows.push(Row::blank());
    let known = state.shelf.preview.as_ref().filter(|(name, _)| *name == row.name);
    let Some((_, said)) = known else {
        rows.push(Styled::new("reading its last messages…", Role::UiDim).into_row(width));
        return rows;
    };
    if said.is_empty() {
        rows.push(Styled::new("nothing was said in it", Role::UiDim).into_row(width));
        return rows;
    }
    let left = room.saturating_sub(rows.len());
    let mut messages: Vec<Row> = Vec::new();
    for (who, words) in said.iter().rev() {
        let one = message(*who, words, width);
        if messages.len() + one.len() > left {
            let rest = left.saturating_sub(messages.len());
            messages.extend(one.into_iter().take(rest).rev());
            break;
        }
        messages.extend(one.into_iter().rev());
    }
    messages.reverse();
    rows.extend(messages);
    rows
}

/// At most so many rows of one message.
const MESSAGE_ROWS: usize = 8;

fn message(who: Speaker, words: &str, width: usize) -> Vec<Row> {
    let (lead, role) = match who {
        Speaker::Person => (Styled::new("› ", Role::UserMark), Role::UserText),
        Speaker::Agent => (Styled::new("  ", Role::UiText), Role::AssistantText),
    };
    let rest = Styled::new("  ", Role::UiText);
    let mut rows = Styled::new(&text::sanitize(words), role).rows(width, Break::Words, &lead, &rest);
    if rows.len() > MESSAGE_ROWS {
        rows.truncate(MESSAGE_ROWS - 1);
        rows.push(Styled::new("  …", Role::UiDim).into_row(width));
    }
    rows
}
