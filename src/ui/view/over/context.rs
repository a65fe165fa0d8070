//! What fills the context: a bar to read at a glance, its parts, every request with its cached share.

use ratatui::layout::Rect;

use super::table::{self, Tabular};
use super::{Panel, wire};
use crate::proto::{CallEnd, Filled, FilledGroup, Filling, ModelCall};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{ContextSide, FillRow, FillWhat, State, Table, Tabled};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;

const COLUMNS: u16 = 96;

/// Rows of a box below which no row is left blank.
const SMALL: u16 = 12;

pub const KEYS: &[(Action, &str)] =
    &[(Action::Accept, "open"), (Action::NextSection, "every request"), (Action::Close, "close")];

pub const REQUEST_KEYS: &[(Action, &str)] =
    &[(Action::Accept, "show"), (Action::NextSection, "what fills it"), (Action::Close, "close")];

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let side = match table.of {
        Tabled::Context(side) => side,
        _ => ContextSide::Parts,
    };
    match side {
        ContextSide::Parts => parts(state, hints, table, area),
        ContextSide::Requests => requests(state, hints, table, area),
    }
}

fn parts(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let rows = state.fill_rows();
    let lines = rows.len() + 5;
    let place = table::fitting(area, COLUMNS, lines);
    let width = place.columns();
    let (head, whole) = match state.filling() {
        Some(filling) => {
            (head(state, filling, width, place.part.height), filling.window.unwrap_or_else(|| filling.tokens()))
        }
        None => (before(state, width), 0),
    };
    let made = Tabular::plain("Context".to_owned(), rows.len(), "", |at| {
        rows.get(at).map(|row| part(row, whole, width)).unwrap_or_else(Row::blank)
    });
    let foot = hints.fitting(state, KEYS, width);
    table::panel(table, place, made.under(head), Vec::new(), foot)
}

/// Nothing was sent yet: what the next request would hold.
fn before(state: &State, width: usize) -> Vec<Row> {
    let totals = &state.snapshot.totals;
    let words = format!(
        "Nothing was sent yet. The next request would hold {} tok: system prompt {}, tools {}, messages {}.",
        human::tokens(totals.context_tokens),
        human::tokens(totals.context_system),
        human::tokens(totals.context_tools),
        human::tokens(totals.context_history)
    );
    let none = Styled::default();
    Styled::new(&words, Role::UiText).rows(width, crate::ui::transcript::Break::Words, &none, &none)
}

/// Columns below which fewer words tell the same.
const NARROW: usize = 56;

fn head(state: &State, filling: &Filling, width: usize, height: u16) -> Vec<Row> {
    let used = filling.tokens();
    let mut line = Styled::new(&human::tokens(used), Role::UiStrong);
    match filling.window {
        Some(window) if window > 0 => {
            line.push(&format!(" of {} tok", human::tokens(window)), Role::UiText);
            let share = (used * 100).div_ceil(window);
            let role = if share > 80 { Role::NoticeWarning } else { Role::UiText };
            line.push(&format!(" · {share} % used"), role);
        }
        _ if width < NARROW => line.push(" tok; its window is not known", Role::UiText),
        _ => line.push(" tok; how many the model takes is not known", Role::UiText),
    }
    let cached = state.model_call(filling.request).and_then(cached_share);
    if let Some(share) = cached {
        let words = format!(" · {share} % of it was cached");
        if line.width() + text::width(&words) <= width {
            line.push(&words, Role::UiText);
        }
    }
    let mut rows = vec![line.into_row(width), bar(filling, width).into_row(width)];
    // On a small screen a row is worth more than the air between.
    rows.extend((height > SMALL).then(Row::blank));
    rows
}

/// The mark of a group: told by its shape too, so that neighbours differ without colour.
fn mark(group: FilledGroup) -> (&'static str, Role) {
    match group {
        FilledGroup::System => ("█", Role::DecisionMark),
        FilledGroup::Tools => ("▓", Role::ToolName),
        FilledGroup::Skills => ("█", Role::CodeString),
        FilledGroup::Memory => ("▒", Role::CodeType),
        FilledGroup::Own => ("█", Role::UserMark),
        FilledGroup::Answers => ("▓", Role::AssistantText),
        FilledGroup::Thinking => ("▒", Role::ThinkingText),
        FilledGroup::Calls => ("█", Role::CodeFunction),
        FilledGroup::Results => ("▓", Role::CodeNumber),
        FilledGroup::Notes => ("█", Role::NoticeWarning),
    }
}

/// Columns by share of the window; what is there at all has at least one.
fn bar(filling: &Filling, width: usize) -> Styled {
    let whole = filling.window.unwrap_or(0).max(filling.tokens()).max(1);
    let mut bar = Styled::default();
    let mut upto = 0;
    for group in FilledGroup::ALL {
        let tokens = filling.of_group(group);
        if tokens == 0 {
            continue;
        }
        upto += tokens;
        let end = (upto as u128 * width as u128 / u128::from(whole)) as usize;
        let columns = end.saturating_sub(bar.width()).max(1);
        let (sign, role) = mark(group);
        bar.push(&sign.repeat(columns), role);
    }
    bar.cut(width);
    let free = width.saturating_sub(bar.width());
    bar.with(&"░".repeat(free), Role::UiDim)
}

/// Columns of a count and of a share.
const COUNT: usize = 10;
const SHARE: usize = 7;

fn part(row: &FillRow, whole: u64, width: usize) -> Row {
    let fold = match row.open {
        Some(true) => "▾ ",
        Some(false) => "▸ ",
        None => "  ",
    };
    let mut line = Styled::new(&"  ".repeat(row.depth), Role::UiText).with(fold, Role::UiAccent);
    if row.depth == 0 {
        let (sign, role) = row.group.map_or(("░", Role::UiDim), mark);
        line.push(sign, role);
        line.push(" ", Role::UiText);
    }
    let (name, role) = name(row);
    line.push(&text::sanitize_line(&name), role);
    let numbers = COUNT + SHARE;
    let names = width.saturating_sub(numbers);
    line.cut(names.saturating_sub(1));
    line.pad_to(names, Role::UiText);
    let role = if row.what == FillWhat::Free { Role::UiDim } else { Role::UiText };
    line.push(&right(&human::tokens(row.tokens), COUNT), role);
    line.push(&right(&share(row.tokens, whole), SHARE), Role::UiDim);
    line.into_row(width)
}

fn right(words: &str, columns: usize) -> String {
    format!("{}{words}", " ".repeat(columns.saturating_sub(text::width(words))))
}

/// `<1 %` is never told as nothing.
fn share(tokens: u64, whole: u64) -> String {
    match (tokens * 200).checked_div(whole) {
        None => String::new(),
        Some(0..2) if tokens > 0 => "<1 %".to_owned(),
        // Only the whole is told as the whole.
        Some(twice) => format!("{} %", twice.div_ceil(2).min(if tokens < whole { 99 } else { 100 })),
    }
}

fn name(row: &FillRow) -> (String, Role) {
    match &row.what {
        FillWhat::Group(group) => (group.title().to_owned(), Role::UiText),
        FillWhat::Server(name) if name.is_empty() => ("of no server any more".to_owned(), Role::UiDim),
        FillWhat::Server(name) => (name.clone(), Role::UiText),
        FillWhat::Free => ("free".to_owned(), Role::UiDim),
        FillWhat::Part(part) => {
            let name = match part {
                Filled::Tool(_, name) | Filled::Skill(name) | Filled::Results(name) => name.clone(),
                Filled::Said(kind) => said(kind),
                other => other.group().title().to_owned(),
            };
            (name, Role::DecisionText)
        }
    }
}

/// What the runtime says, by the kind of its message.
fn said(kind: &str) -> String {
    match kind {
        "instructions" => "project instructions".to_owned(),
        "context" => "where it runs".to_owned(),
        "gate" => "sent back by the gate".to_owned(),
        "steer" => "steering notes".to_owned(),
        "nudge" => "reminders".to_owned(),
        "recite" => "said again at the end".to_owned(),
        "evidence" => "evidence".to_owned(),
        other => other.to_owned(),
    }
}

/// How much of what was sent the provider had kept; `None` while it is not known.
fn cached_share(call: &ModelCall) -> Option<u64> {
    match &call.ended {
        CallEnd::Finished { usage, .. } => (usage.cache_read * 100).checked_div(usage.input),
        CallEnd::Running | CallEnd::Failed { .. } => None,
    }
}

fn requests(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let calls: Vec<&ModelCall> = state.model_calls().collect();
    let place = table::fitting(area, COLUMNS, calls.len() + 2);
    let width = place.columns();
    let most = calls.iter().map(|call| sent(call)).max().unwrap_or(0);
    let head = if calls.is_empty() { Vec::new() } else { vec![heading(width)] };
    let made = Tabular::plain("Context · every request".to_owned(), calls.len(), "no model was called yet", |at| {
        calls.get(at).map(|call| request(call, most, width)).unwrap_or_else(Row::blank)
    });
    let foot = hints.fitting(state, REQUEST_KEYS, width);
    table::panel(table, place, made.under(head), Vec::new(), foot)
}

/// Tokens sent: reported where the provider did, else estimated.
fn sent(call: &ModelCall) -> u64 {
    match &call.ended {
        CallEnd::Finished { usage, .. } if usage.input > 0 => usage.input,
        _ => call.estimated,
    }
}

/// Columns of a call's number and turn, and of who it was for.
const NUMBER: usize = 6;
const TURN: usize = 5;
const WHO: usize = 13;

/// Columns below which a call is told without its turn.
const WITH_TURN: usize = 46;

/// Where the count begins.
fn lead(width: usize) -> (usize, usize) {
    let turn = if width < WITH_TURN { 0 } else { TURN };
    (NUMBER + turn, NUMBER + turn + if turn == 0 { WHO - 2 } else { WHO })
}

fn heading(width: usize) -> Row {
    let mut line = Styled::new("call", Role::UiDim);
    let (named, counted) = lead(width);
    line.pad_to(NUMBER, Role::UiDim);
    line.push(if named > NUMBER { "turn" } else { "" }, Role::UiDim);
    line.pad_to(named, Role::UiDim);
    line.push("for", Role::UiDim);
    line.pad_to(counted, Role::UiDim);
    line.push(&right("sent", COUNT), Role::UiDim);
    line.push(&right("cached", 8), Role::UiDim);
    line.into_row(width)
}

/// The bar is the request beside the largest one, its cached part filled.
fn request(call: &ModelCall, most: u64, width: usize) -> Row {
    let mut line = Styled::new(&format!("#{}", call.request.0), Role::UiDim);
    let (named, counted) = lead(width);
    line.pad_to(NUMBER, Role::UiDim);
    if named > NUMBER {
        line.push(&format!("t{}", call.turn.0), Role::UiDim);
    }
    line.pad_to(named, Role::UiDim);
    let mut who = Styled::new(wire::purpose(call.purpose), Role::UiText);
    who.cut(counted - named - 1);
    line.append(&who);
    line.pad_to(counted, Role::UiText);
    line.push(&right(&human::tokens(sent(call)), COUNT), Role::UiText);
    let cached = cached_share(call);
    let words = match (&call.ended, cached) {
        (CallEnd::Failed { .. }, _) => "failed".to_owned(),
        (_, Some(share)) => format!("{share} %"),
        (_, None) => "…".to_owned(),
    };
    line.push(&right(&words, 8), Role::UiText);
    let columns = width.saturating_sub(line.width() + 2);
    if columns >= 8 {
        let whole = (sent(call) as u128 * columns as u128 / u128::from(most.max(1))) as usize;
        let filled = whole * cached.unwrap_or(0).min(100) as usize / 100;
        line.push("  ", Role::UiText);
        line.push(&"█".repeat(filled), Role::ScorePass);
        line.push(&"░".repeat(whole.max(1) - filled.min(whole.max(1))), Role::UiDim);
    }
    line.into_row(width)
}
