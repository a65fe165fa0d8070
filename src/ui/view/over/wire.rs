//! Model calls: a list of all of them, and what was sent and received of one.

use ratatui::layout::Rect;

use super::{Panel, centred};
use crate::proto::{CallEnd, ModelCall, Purpose, RequestId};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{Part, Reader, State, Table};
use crate::ui::theme::Role;
use crate::ui::transcript::cell::spinner;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Columns of the list at most, and of the screen below which it takes all of them.
const COLUMNS: u16 = 124;
const NARROW: u16 = 100;

pub const KEYS: &[(Action, &str)] = &[(Action::Accept, "show"), (Action::Close, "close")];

pub const READER_KEYS: &[(Action, &str)] =
    &[(Action::NextSection, "the other side"), (Action::CopyRecord, "copy"), (Action::Close, "close")];

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let calls: Vec<&ModelCall> = state.model_calls().collect();
    table.selected = table.selected.min(calls.len().saturating_sub(1));
    let width = if area.width < NARROW { area.width } else { COLUMNS.min(area.width - 2) };
    let inner = usize::from(width.saturating_sub(4));
    let columns = Columns::of(&calls, inner);
    let mut lines = Vec::new();
    if calls.is_empty() {
        lines.push(Line::plain(Styled::new("no model was called yet", Role::UiDim).into_row(inner)));
    } else {
        lines.push(Line::plain(columns.heading()));
    }
    lines.extend(calls.iter().enumerate().map(|(index, call)| Line::of(index, columns.row(state, call))));
    let most = area.height.saturating_sub(4).max(10);
    let outline = centred(area, area.width, (lines.len() as u16).saturating_add(2).clamp(10, most));
    let outline = Rect { x: area.x + (area.width - width) / 2, width, ..outline };
    let marked = (!calls.is_empty()).then_some(table.selected);
    let list = List::window(lines, marked, &mut table.offset, outline.height.saturating_sub(2));
    let foot = hints.fitting(state, KEYS, usize::from(width.saturating_sub(6)));
    Panel::whole(outline, title(state, calls.len(), inner), foot, list)
}

/// `Wire · 14 calls · agent $0.041 · others $0.006`
fn title(state: &State, count: usize, room: usize) -> String {
    let noun = if count == 1 { "call" } else { "calls" };
    let mut title = format!("Wire · {count} {noun}");
    let totals = &state.snapshot.totals;
    for (who, usage) in [("agent", totals.main), ("supervisor", totals.auxiliary)] {
        let words = match (usage.cost, usage.input + usage.output) {
            (Some(cost), _) => format!(" · {who} {}", human::dollars(cost)),
            (None, 0) => String::new(),
            (None, tokens) => format!(" · {who} {} tok", human::tokens(tokens)),
        };
        if text::width(&title) + text::width(&words) < room {
            title.push_str(&words);
        }
    }
    title
}

/// Who the call was for.
pub fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Main => "agent",
        Purpose::Supervisor(mechanic) => mechanic.word(),
        Purpose::Compression => "compression",
    }
}

/// `claude-sonnet-5` of `anthropic:claude-sonnet-5`.
fn short(model: &str) -> String {
    text::sanitize_line(model.split_once(':').map_or(model, |(_, name)| name)).into_owned()
}

fn cost(call: &ModelCall) -> String {
    match &call.ended {
        CallEnd::Finished { usage, .. } => usage.cost.map(human::dollars).unwrap_or_default(),
        CallEnd::Running | CallEnd::Failed { .. } => String::new(),
    }
}

/// `91 %`: how much of what was sent the provider had kept.
fn cached(call: &ModelCall) -> String {
    match &call.ended {
        CallEnd::Finished { usage, .. } if usage.cache_read > 0 && usage.input > 0 => {
            format!("{} %", usage.cache_read * 100 / usage.input)
        }
        _ => String::new(),
    }
}

/// What is told of each call, as far as there is room.
struct Columns {
    width: usize,
    models: usize,
    who: usize,
    number: bool,
    cached: bool,
    cost: bool,
}

/// Columns of who it was for, of a count of tokens, and of a price, a share or a time.
const WHO: usize = 13;
const TOKENS: usize = 9;
const SMALL: usize = 8;

/// Columns below which a model is not named.
const MODEL: usize = 6;

impl Columns {
    fn of(calls: &[&ModelCall], width: usize) -> Self {
        let (number, cached, cost) =
            (width >= 50, width >= 90, width >= 64 && calls.iter().any(|call| !cost(call).is_empty()));
        let who = if number { WHO } else { WHO - 1 };
        let taken = 2
            + who
            + 5
            + TOKENS
            + SMALL
            + if number { 6 + TOKENS } else { 0 }
            + if cached { SMALL } else { 0 }
            + if cost { SMALL } else { 0 };
        let longest = calls.iter().map(|call| text::width(&short(&call.model))).max().unwrap_or(0);
        let room = width.saturating_sub(taken + 2);
        let models = if room < MODEL { 0 } else { longest.min(room) };
        Self { width, models, who, number, cached, cost }
    }

    fn heading(&self) -> Row {
        let mut line = Styled::new("  ", Role::UiDim);
        let mut left = |words: &str, columns: usize| {
            let to = line.width() + columns;
            line.push(words, Role::UiDim);
            line.pad_to(to, Role::UiDim);
        };
        if self.number {
            left("call", 6);
        }
        left("turn", 5);
        left("for", self.who);
        if self.models > 0 {
            left("model", self.models + 2);
        }
        for (shown, words, columns) in self.numbers("sent", "received", "cached", "cost", "time") {
            if shown {
                line.push(&format!("{words:>columns$}"), Role::UiDim);
            }
        }
        line.into_row(self.width)
    }

    fn numbers<'a>(
        &self,
        sent: &'a str,
        received: &'a str,
        cached: &'a str,
        cost: &'a str,
        time: &'a str,
    ) -> [(bool, &'a str, usize); 5] {
        [
            (true, sent, TOKENS),
            (self.number, received, TOKENS),
            (self.cached, cached, SMALL),
            (self.cost, cost, SMALL),
            (true, time, SMALL),
        ]
    }

    fn row(&self, state: &State, call: &ModelCall) -> Row {
        let (sign, role) = match &call.ended {
            CallEnd::Running => (spinner(state.now, state.settings.motion), Role::ToolRunning),
            CallEnd::Finished { .. } => ("·", Role::UiDim),
            CallEnd::Failed { .. } => ("✘", Role::ToolError),
        };
        let mut line = Styled::new(sign, role).with(" ", Role::UiText);
        let mut left = |words: &str, columns: usize, role: Role| {
            let mut cell = Styled::new(words, role);
            cell.cut(columns.saturating_sub(1));
            cell.pad_to(columns, Role::UiText);
            line.append(&cell);
        };
        if self.number {
            left(&format!("#{}", call.request.0), 6, Role::UiDim);
        }
        left(&format!("t{}", call.turn.0), 5, Role::UiDim);
        let agent = call.purpose == Purpose::Main;
        left(purpose(call.purpose), self.who, if agent { Role::UiText } else { Role::ToolName });
        if self.models > 0 {
            left(&short(&call.model), self.models + 2, Role::UiDim);
        }
        self.ended(state, call, &mut line);
        line.into_row(self.width)
    }

    fn ended(&self, state: &State, call: &ModelCall, line: &mut Styled) {
        let (sent, received, time) = match &call.ended {
            CallEnd::Finished { usage, elapsed_ms } => {
                (human::tokens(usage.input), human::tokens(usage.output), human::duration_ms(*elapsed_ms))
            }
            CallEnd::Running => {
                let elapsed = state.now.saturating_sub(call.at) / 100 * 100;
                (format!("~{}", human::tokens(call.estimated)), String::new(), human::duration_ms(elapsed))
            }
            CallEnd::Failed { why } => {
                line.push("  ", Role::UiText);
                line.push(&text::sanitize_line(why), Role::NoticeWarning);
                return;
            }
        };
        let (cached, cost) = (cached(call), cost(call));
        for (shown, words, columns) in self.numbers(&sent, &received, &cached, &cost, &time) {
            if shown {
                let mut cell = Styled::default();
                cell.pad_to(columns.saturating_sub(text::width(words)), Role::UiText);
                line.append(&cell.with(words, Role::UiText));
            }
        }
    }
}

/// The rows of the body that was shown last: a body may be a megabyte, and is laid out once.
#[derive(Debug, Default)]
pub struct WireRows {
    of: Option<(RequestId, Part, usize, usize)>,
    rows: Vec<Row>,
}

/// One side of a model call, under what is known of the call.
pub fn reader(
    state: &State,
    hints: &Hints,
    (request, part): (RequestId, Part),
    kept: &mut WireRows,
    reader: &mut Reader,
    area: Rect,
) -> Panel {
    let columns = area.width.saturating_sub(2).min(120);
    let width = usize::from(columns.saturating_sub(4));
    let mut head = facts(state, request, width);
    let wire = state.wire.as_ref().filter(|wire| wire.request == request);
    match wire {
        Some(wire) => {
            let body = wire.part(part);
            let of = (request, part, width, body.len());
            if kept.of != Some(of) {
                *kept = WireRows { of: Some(of), rows: body_rows(body, width) };
            }
            head.push(Row::blank());
            head.push(sides(part, wire.received.len(), wire.sent.len(), width));
        }
        None => {
            *kept = WireRows::default();
            head.push(Row::blank());
            head.push(Styled::new("asking the session for it…", Role::UiDim).into_row(width));
        }
    }
    let outline = centred(area, columns, area.height.saturating_sub(4).max(10));
    let room = outline.height.saturating_sub(2 + head.len() as u16);
    let items = vec![None; kept.rows.len()];
    let mut list = List::made(&items, None, &mut reader.offset, room, |at| kept.rows.get(at).cloned().map(Line::plain));
    list.lines.splice(0..0, head.into_iter().map(Line::plain));
    let foot = hints.fitting(state, READER_KEYS, usize::from(columns.saturating_sub(6)));
    let who = state.model_call(request).map_or("", |call| purpose(call.purpose));
    Panel::whole(outline, format!("Wire · call #{} · {who}", request.0), foot, list)
}

/// Model, tokens, price and time in as few rows as they need.
fn facts(state: &State, request: RequestId, width: usize) -> Vec<Row> {
    let Some(call) = state.model_call(request) else {
        return vec![Styled::new("This call is not in the list any more.", Role::UiDim).into_row(width)];
    };
    let mut facts = vec![text::sanitize_line(&call.model).into_owned(), format!("turn {}", call.turn.0)];
    match &call.ended {
        CallEnd::Running => facts.push("runs".to_owned()),
        CallEnd::Failed { why } => facts.push(format!("failed: {}", text::sanitize_line(why))),
        CallEnd::Finished { usage, elapsed_ms } => {
            facts.push(format!("{} tok sent", human::tokens(usage.input)));
            if usage.cache_read > 0 {
                facts.push(format!("{} of them cached", human::tokens(usage.cache_read)));
            }
            facts.push(format!("{} tok received", human::tokens(usage.output)));
            facts.extend(usage.cost.map(human::dollars));
            facts.push(human::duration_ms(*elapsed_ms));
        }
    }
    let none = Styled::default();
    Styled::new(&facts.join(" · "), Role::UiText).rows(width, Break::Words, &none, &none)
}

/// `▸Received 1.2 KB · Sent 48 KB`
fn sides(open: Part, received: usize, sent: usize, width: usize) -> Row {
    let mut line = Styled::default();
    for (part, bytes) in Part::ALL.into_iter().zip([received, sent]) {
        if !line.is_empty() {
            line.push(" · ", Role::UiDim);
        }
        let (mark, role) = if part == open { ("▸", Role::UiTitleFocus) } else { ("", Role::UiTitle) };
        line.push(mark, Role::UiAccent);
        line.push(&format!("{} {}", part.title(), human::bytes(bytes as u64)), role);
    }
    line.into_row(width)
}

fn body_rows(body: &str, width: usize) -> Vec<Row> {
    let clean = text::sanitize(body);
    let none = Styled::default();
    json(&clean).rows(width, Break::Words, &none, &none)
}

/// JSON with its parts told apart; every character stays. Behind a newline that is written as an escape
/// the row ends, so that long texts can be read.
fn json(body: &str) -> Styled {
    let mut out = Styled::default();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let (length, role) = match first {
            '"' => {
                let length = string(rest);
                let key = rest[length..].trim_start().starts_with(':');
                (length, if key { Role::CodeFunction } else { Role::CodeString })
            }
            '0'..='9' | '-' => (run(rest, |c| c.is_ascii_alphanumeric() || "+-.".contains(c)), Role::CodeNumber),
            'a'..='z' | 'A'..='Z' => (run(rest, char::is_alphanumeric), Role::CodeText),
            '{' | '}' | '[' | ']' | ':' | ',' => (1, Role::CodeOperator),
            _ => (first.len_utf8(), Role::CodeText),
        };
        let (piece, after) = rest.split_at(length);
        for (index, line) in piece.split("\\n").enumerate() {
            if index > 0 {
                out.push("\\n", Role::UiDim);
                out.push("\n", role);
            }
            out.push(line, role);
        }
        rest = after;
    }
    out
}

/// Bytes of the string that begins here, its quotes included.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}
