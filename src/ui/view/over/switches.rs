//! The switches: what each is now, where that comes from, what it did, and below what the marked one
//! is for.

use ratatui::layout::Rect;

use super::{Panel, Side, centred};
use crate::proto::{SwitchState, SwitchView, SwitchedHow};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{Layer, State, SwitchGroup, Table, short_name, switch_order};
use crate::ui::theme::Role;
use crate::ui::transcript::cell::supervisor::Sheet;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Columns of the box at most.
const COLUMNS: u16 = 124;

/// Columns of the screen below which the box takes all of them.
const NARROW: u16 = 100;

/// Rows of the box from which the marked switch is told below the list, and from which there is air
/// between the groups and everything that may be told of it has room.
const BELOW: u16 = 18;
const AIRY: u16 = 26;

/// Rows it is told in, the edges included.
const DETAIL: u16 = 7;
const WHOLE: u16 = 9;

/// Columns that where a value comes from needs at least.
const ORIGIN: usize = 8;

/// Columns of a row from which it tells what the switch did.
const WITH_WORDS: usize = 62;

/// Columns of what is on, off, or about to be.
const VALUE: usize = 10;

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let rows = switch_order(&state.snapshot.supervisor.switches);
    table.selected = table.selected.min(rows.len().saturating_sub(1));
    let width = if area.width < NARROW { area.width } else { COLUMNS.min(area.width - 2) };
    let most = area.height.saturating_sub(4).max(10);
    let inner = usize::from(width.saturating_sub(4));
    let airy = most >= AIRY;
    let detail = match most {
        AIRY.. => WHOLE,
        BELOW.. => DETAIL,
        _ => 1,
    };
    let lines = lines(state, &rows, airy, inner);
    let height = (lines.len() as u16 + 1 + detail).clamp(10, most);
    let outline = Rect { x: area.x + (area.width - width) / 2, width, ..centred(area, area.width, height) };
    let part = Rect { height: outline.height + 1 - detail, ..outline };
    let marked = (!rows.is_empty()).then_some(table.selected);
    let list = List::window(lines, marked, &mut table.offset, part.height.saturating_sub(2));
    let foot = hints.fitting(state, keys(state), usize::from(width.saturating_sub(6)));
    let mut panel = Panel::whole(outline, title(state), foot, list);
    if let (true, Some(switch)) = (detail > 1, rows.get(table.selected)) {
        let place = Rect { y: part.bottom() - 1, height: detail, ..outline };
        panel.side = Some(Side::new(place, about(state, switch, inner)));
    }
    panel
}

/// What space and the other keys would do now.
pub fn keys(state: &State) -> &'static [(Action, &'static str)] {
    let Some(switch) = state.switch_in_question() else { return &[(Action::Close, "close")] };
    let on = match switch.state {
        SwitchState::Pending { on } => on,
        SwitchState::ReadOnly { .. } => return &[(Action::Accept, "more"), (Action::Close, "close")],
        SwitchState::Live | SwitchState::NotBuilt | SwitchState::Idle { .. } => switch.on,
    };
    let reading = matches!(state.layers.last(), Some(Layer::Reader(_)));
    match (on, reading) {
        (true, true) => {
            &[(Action::FlipSwitch, "turn off"), (Action::SaveSwitch, "save to the file"), (Action::Close, "close")]
        }
        (false, true) => {
            &[(Action::FlipSwitch, "turn on"), (Action::SaveSwitch, "save to the file"), (Action::Close, "close")]
        }
        (true, false) => &[
            (Action::FlipSwitch, "turn off"),
            (Action::SaveSwitch, "save to the file"),
            (Action::Accept, "more"),
            (Action::Close, "close"),
        ],
        (false, false) => &[
            (Action::FlipSwitch, "turn on"),
            (Action::SaveSwitch, "save to the file"),
            (Action::Accept, "more"),
            (Action::Close, "close"),
        ],
    }
}

fn title(state: &State) -> String {
    let switches = &state.snapshot.supervisor.switches;
    let waiting = switches.iter().filter(|one| matches!(one.state, SwitchState::Pending { .. })).count();
    let unsaved = switches.iter().filter(|one| one.saved.is_some_and(|saved| saved != one.on)).count();
    let pending = if waiting > 0 { format!(" · {waiting} pending") } else { String::new() };
    let unsaved = if unsaved > 0 { format!(" · {unsaved} not saved") } else { String::new() };
    format!("Switches{pending}{unsaved}")
}

/// Columns that every row fits in.
struct Columns {
    names: usize,
    origins: usize,
    width: usize,
}

fn lines(state: &State, rows: &[&SwitchView], airy: bool, width: usize) -> Vec<Line> {
    if rows.is_empty() {
        let words = "the session has not told of its switches yet";
        return vec![Line::plain(Styled::new(words, Role::UiDim).into_row(width))];
    }
    let longest = |of: &dyn Fn(&SwitchView) -> usize| rows.iter().map(|row| of(row)).max().unwrap_or(0);
    let names = longest(&|row| text::width(short_name(&row.key))).min(26).min((width / 2).max(12));
    let origins = longest(&|row| text::width(&text::sanitize_line(&row.origin))).min(20);
    let columns = Columns { names, origins: if width < 4 + names + VALUE + ORIGIN { 0 } else { origins }, width };
    let mut lines = Vec::new();
    if width >= WITH_WORDS {
        lines.push(Line::plain(heading(&columns)));
    }
    let mut before = None;
    for (index, switch) in rows.iter().enumerate() {
        let group = SwitchGroup::of(switch);
        if before.replace(group) != Some(group) {
            if airy && index > 0 {
                lines.push(Line::plain(Row::blank()));
            }
            let title = group.title();
            lines.push(Line::plain(Styled::new(title, Role::UiStrong).into_row(width)));
        }
        lines.push(Line::of(index, row(state, switch, &columns)));
    }
    lines
}

fn heading(columns: &Columns) -> Row {
    let mut line = Styled::new("  switch", Role::UiDim);
    line.pad_to(2 + columns.names + 2, Role::UiDim);
    line.push("now", Role::UiDim);
    line.pad_to(2 + columns.names + 2 + VALUE, Role::UiDim);
    line.push("from", Role::UiDim);
    line.pad_to(2 + columns.names + 2 + VALUE + columns.origins + 2, Role::UiDim);
    line.push("in this session", Role::UiDim);
    line.into_row(columns.width)
}

/// Sign and value of a switch, each with its role.
fn value(switch: &SwitchView) -> ((&'static str, Role), (&'static str, Role)) {
    let plain = match switch.on {
        true => (("●", Role::ServerReady), ("on", Role::UiText)),
        false => (("○", Role::ServerOff), ("off", Role::UiDim)),
    };
    match (&switch.state, switch.on) {
        (SwitchState::Live, _) => plain,
        (SwitchState::Pending { on }, from) => {
            let words = match (from, *on) {
                (true, false) => "on → off",
                (false, true) => "off → on",
                (true, true) => "on",
                (false, false) => "off",
            };
            (("◐", Role::ServerStarting), (words, Role::NoticeWarning))
        }
        (SwitchState::Idle { .. }, true) => (("◌", Role::NoticeWarning), ("on, idle", Role::NoticeWarning)),
        (SwitchState::Idle { .. }, false) => plain,
        (SwitchState::ReadOnly { .. }, true) => (("●", Role::UiDim), ("on", Role::UiText)),
        (SwitchState::ReadOnly { .. }, false) => (("○", Role::ServerOff), ("off", Role::UiDim)),
        (SwitchState::NotBuilt, on) => (("·", Role::UiDim), (if on { "on" } else { "off" }, Role::UiDim)),
    }
}

fn row(state: &State, switch: &SwitchView, columns: &Columns) -> Row {
    let ((sign, role), (words, tone)) = value(switch);
    let built = switch.state != SwitchState::NotBuilt;
    let mut line = Styled::new(sign, role).with(" ", Role::UiText);
    let mut name =
        Styled::new(&text::sanitize_line(short_name(&switch.key)), if built { Role::UiText } else { Role::UiDim });
    name.cut(columns.names);
    name.pad_to(columns.names + 2, Role::UiText);
    line.append(&name);
    let mut value = Styled::new(words, tone);
    value.pad_to(VALUE, Role::UiText);
    line.append(&value);
    if columns.origins > 0 {
        let differs = switch.saved.is_some_and(|saved| saved != switch.on);
        let role = if differs { Role::NoticeWarning } else { Role::UiDim };
        let mut origin = Styled::new(&text::sanitize_line(&switch.origin), role);
        origin.cut(columns.origins);
        origin.pad_to(columns.origins + 2, Role::UiText);
        line.append(&origin);
    }
    if columns.width >= WITH_WORDS {
        match did(state, switch) {
            Some(did) => line.push(&did, Role::UiText),
            None => line.push(&text::sanitize_line(&switch.doc), Role::UiDim),
        }
    }
    line.into_row(columns.width)
}

/// `verified 3 · gaps 1`; nothing when it did nothing.
fn did(state: &State, switch: &SwitchView) -> Option<String> {
    let counts = state.snapshot.supervisor.counters.of_switch(&switch.key);
    let words: Vec<String> = counts.iter().map(|(what, count)| format!("{what} {}", human::tokens(*count))).collect();
    (!words.is_empty()).then(|| words.join(" · "))
}

/// The marked switch: its whole key, what it is for, and everything that bears on it.
pub fn about(state: &State, switch: &SwitchView, width: usize) -> Vec<Row> {
    let (_, (words, tone)) = value(switch);
    let mut sheet = Sheet::bare(width);
    sheet.prose(
        &Styled::new(&text::sanitize_line(&switch.key), Role::UiStrong).with("  ", Role::UiText).with(words, tone),
    );
    sheet.prose(&Styled::new(&text::sanitize_line(&switch.doc), Role::UiText));
    if let Some(why) = state.refusal(&switch.key) {
        sheet.told("refused", why, Role::NoticeWarning);
    }
    match &switch.state {
        SwitchState::Live => {}
        SwitchState::Pending { on } => {
            let words = format!("turns {} at the next safe point", if *on { "on" } else { "off" });
            sheet.told("then", &words, Role::NoticeWarning);
        }
        SwitchState::ReadOnly { why } => sheet.told("fixed", why, Role::UiText),
        SwitchState::Idle { why } => sheet.told("idle", why, Role::NoticeWarning),
        SwitchState::NotBuilt => {
            sheet.told("not built", "in this version: its value is read and kept, and changes nothing", Role::UiText);
        }
    }
    let file = switch.saved.filter(|saved| *saved != switch.on);
    let file = file.map(|saved| format!(" · the file says {}", if saved { "on" } else { "off" }));
    sheet.told("from", &format!("{}{}", switch.origin, file.unwrap_or_default()), Role::DecisionText);
    if switch.state != SwitchState::NotBuilt {
        sheet.told(
            "so far",
            &did(state, switch).unwrap_or_else(|| "nothing yet in this session".to_owned()),
            Role::DecisionText,
        );
    }
    sheet.into_rows()
}

/// The same, and what was done with it in this session.
pub fn record(state: &State, switch: &SwitchView, width: usize) -> Vec<Row> {
    let mut rows = about(state, switch, width);
    let mut sheet = Sheet::bare(width);
    for (record, one) in state.switched(&switch.key) {
        let word = |on: bool| if on { "on" } else { "off" };
        let words = match &one.what {
            SwitchedHow::Flipped => format!("{} → {} · by {}", word(one.from), word(one.to), one.by),
            SwitchedHow::Saved { file } => format!("{} saved in {file}", word(one.to)),
            SwitchedHow::Refused { why } => format!("{} refused: {why}", word(one.to)),
        };
        sheet.told(&format!("t{}", record.turn.0), &words, Role::DecisionText);
    }
    let history = sheet.into_rows();
    if !history.is_empty() {
        rows.push(Row::blank());
        rows.push(Styled::new("What was done with it", Role::UiStrong).into_row(width));
        rows.extend(history);
    }
    rows
}
