//! The bar one scrubs through the session with, above the composer.

use ratatui::layout::Rect;

use super::Panel;
use crate::proto::Moment;
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{State, Table};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

pub const KEYS: &[(Action, &str)] = &[
    (Action::Close, "back to now"),
    (Action::SelectPrevious, "earlier"),
    (Action::SelectNext, "later"),
    (Action::TurnEarlier, "turn before"),
    (Action::TurnLater, "next turn"),
    (Action::ScrollUp, "scroll"),
];

/// Rows of the box, its edges included.
const ROWS: u16 = 5;

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    table.selected = match state.time.total() {
        0 => table.selected,
        total => table.selected.min(total - 1),
    };
    // The composer's last row stays in sight: what is typed is kept.
    let outline = Rect { y: area.bottom().saturating_sub(ROWS + 2), height: ROWS, ..area };
    let width = usize::from(area.width.saturating_sub(4));
    let rows = match (&state.time.moment, &state.time.refused) {
        (_, Some(why)) => vec![Styled::new(&text::sanitize_line(why), Role::NoticeWarning).into_row(width)],
        (None, None) => vec![Styled::new("reading the session's journal…", Role::UiDim).into_row(width)],
        (Some(moment), None) => {
            vec![bar(moment, width).into_row(width), named(state, moment, width), told(moment, width)]
        }
    };
    let lines: Vec<Line> = rows.into_iter().map(Line::plain).collect();
    let total = lines.len();
    let list = List { lines, marked: None, above: 0, total };
    let foot = hints.fitting(state, KEYS, width.saturating_sub(2));
    Panel::whole(outline, title(state), foot, list)
}

fn title(state: &State) -> String {
    let (turn, turns) = state.time.turn();
    match (&state.time.moment, turn) {
        (None, _) => "Time".to_owned(),
        (Some(_), 0) => "Time · before the first turn".to_owned(),
        (Some(_), turn) => format!("Time · turn {turn} of {turns}"),
    }
}

/// The session from left to right: a tick where a turn began, the moment on it.
fn bar(moment: &Moment, width: usize) -> Styled {
    let last = moment.total.saturating_sub(1).max(1);
    let column = |index: u64| {
        let at = u128::from(index) * width.saturating_sub(1) as u128 / u128::from(last);
        usize::try_from(at).unwrap_or(0).min(width.saturating_sub(1))
    };
    let here = column(moment.index);
    let mut ticks = vec![false; width];
    for (_, at) in moment.turns.iter() {
        if let Some(tick) = ticks.get_mut(column(*at)) {
            *tick = true;
        }
    }
    let mut bar = Styled::default();
    for (at, tick) in ticks.into_iter().enumerate() {
        let (sign, role) = match (at == here, tick) {
            (true, _) => ("●", Role::UiAccent),
            (false, true) => ("┼", Role::UiTitle),
            (false, false) => ("─", Role::UiDim),
        };
        bar.push(sign, role);
    }
    bar
}

/// `event 120 of 400 · the plan changed`
fn named(state: &State, moment: &Moment, width: usize) -> Row {
    let count = format!("event {} of {}", human::tokens(moment.index + 1), human::tokens(moment.total));
    let mut line = Styled::new(&count, Role::UiDim);
    line.push("  ", Role::UiText);
    line.push(&text::sanitize_line(&moment.name), Role::UiStrong);
    if state.time.asked.is_some_and(|asked| asked != moment.index) {
        line.push(" …", Role::UiDim);
    }
    line.cut(width);
    line.into_row(width)
}

fn told(moment: &Moment, width: usize) -> Row {
    let words = format!("{} · servers, catalogue and switches are shown as they are now", clock(moment.at));
    let short = clock(moment.at);
    let words = if text::width(&words) <= width { words } else { short };
    Styled::new(&words, Role::UiDim).into_row(width)
}

/// `14:02:11 UTC`
pub fn clock(at: u64) -> String {
    let seconds = at / 1000 % 86_400;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
