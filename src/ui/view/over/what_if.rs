//! A message that is tried: what it would bring, and what that would cost.

use ratatui::layout::{Position, Rect};

use super::{Panel, centred};
use crate::proto::{RouteOutcome, SkillTrace};
use crate::text::{self, human};
use crate::ui::state::{Answered, Layer, State, WhatIf};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, scores};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};
use crate::ui::view::panes::scores::Plan;

/// Rows of the message that are shown; the end of a longer one.
const MESSAGE: usize = 3;

pub fn panel(state: &State, hints: &Hints, tried: &mut WhatIf, area: Rect) -> Panel {
    let columns = super::columns(area, 100);
    let height = area.height.saturating_sub(4).clamp(10, 30);
    let outline = centred(area, columns, height);
    let width = columns.saturating_sub(4) as usize;
    let (head, column) = message(&tried.text, width);
    let caret =
        Position { x: outline.x + 2 + column.min(width.saturating_sub(1)) as u16, y: outline.y + head.len() as u16 };
    let room = outline.height.saturating_sub(2 + head.len() as u16);
    let mut list = body(state, tried, width, room);
    list.lines.splice(0..0, head.into_iter().map(Line::plain));
    let keys = super::keys(state, &Layer::WhatIf(tried.clone()));
    let foot = hints.fitting(state, keys, usize::from(columns.saturating_sub(6)));
    let mut panel = Panel::whole(outline, "What if · nothing is sent, nothing changes".to_owned(), foot, list);
    panel.caret = Some(caret);
    panel
}

/// The typed message, its last rows, and the column behind it.
fn message(typed: &str, width: usize) -> (Vec<Row>, usize) {
    let prompt = Styled::new("› ", Role::ComposerPrompt);
    let rest = Styled::new("  ", Role::UiText);
    if typed.is_empty() {
        return (vec![prompt.with("type a message", Role::ComposerHint).into_row(width)], 2);
    }
    let words = text::sanitize(typed).into_owned();
    // A space that was just typed moves the caret though wrapping drops it.
    let trailing = words.chars().rev().take_while(|one| *one == ' ').count();
    let mut rows =
        Styled::new(words.trim_end_matches(' '), Role::ComposerText).rows(width, Break::Words, &prompt, &rest);
    let column = rows.last().map_or(2, |row| text::width(&row.text)) + trailing;
    let hidden = rows.len().saturating_sub(MESSAGE);
    rows.drain(..hidden);
    (rows, column)
}

/// What would happen, then the scores it rests on.
fn body(state: &State, tried: &mut WhatIf, width: usize, room: u16) -> List {
    let Some(answer) = tried.answer.clone() else {
        let words = match (tried.text.trim().is_empty(), tried.waiting.is_some()) {
            (true, _) => "what it would bring stands here as you type",
            (false, true) => "comparing…",
            (false, false) => "no answer yet",
        };
        let lines = vec![Line::plain(Row::blank()), Line::plain(Styled::new(words, Role::UiDim).into_row(width))];
        return List { lines, ..List::default() };
    };
    let mut head = vec![Row::blank()];
    head.extend(told(state, &answer, tried.is_current(), width));
    head.push(Row::blank());
    let plan = Plan::bare(&answer.routing, width);
    let items = vec![None; head.len() + plan.len()];
    let rows = head.len();
    List::made(&items, None, &mut tried.offset, room, |at| match at.checked_sub(rows) {
        None => head.get(at).cloned().map(Line::plain),
        Some(at) => Some(Line::plain(plan.line(at).row)),
    })
}

/// Who would come and go, which skills, and the price.
fn told(state: &State, answer: &Answered, current: bool, width: usize) -> Vec<Row> {
    let none = Styled::default();
    let rest = Styled::new("  ", Role::UiText);
    let mut outcome = match &answer.refused {
        Some(why) => {
            let why = text::sanitize_line(why);
            Styled::new("· ", Role::UiDim).with("nobody would come: ", Role::UiText).with(&why, Role::UiText)
        }
        None => scores::outcome(&answer.routing),
    };
    if !current {
        outcome.push(" …", Role::UiDim);
    }
    let mut rows = outcome.rows(width, Break::Words, &none, &rest);
    if let Some(near) = scores::near_miss(&answer.routing) {
        let first = Styled::new("◇ ", Role::ScoreGate);
        rows.extend(near.rows(width, Break::Words, &first, &rest));
    }
    let comes = answer.refused.is_none() && matches!(answer.routing.outcome, RouteOutcome::Activated { .. });
    let goes = match (&answer.would_evict, comes) {
        (Some(name), _) => format!("{}, the least recently used of four", text::sanitize_line(name)),
        (None, true) => "nobody: a place is free".to_owned(),
        (None, false) => "nobody".to_owned(),
    };
    fact(&mut rows, "goes", &goes, width);
    let (_, now) = state.snapshot.surface();
    fact(&mut rows, "costs", &cost(u64::from(now), answer.tokens_after, comes), width);
    let held = match answer.would_hold.as_slice() {
        [] => String::new(),
        names => format!(", with {}", text::sanitize_line(&names.join(", "))),
    };
    fact(&mut rows, "skills", &format!("{}{held}", skills(&answer.skills)), width);
    rows
}

fn fact(rows: &mut Vec<Row>, name: &str, words: &str, width: usize) {
    let lead = Styled::new(&format!("  {name:<8}"), Role::UiDim);
    let rest = Styled::new(&" ".repeat(10), Role::UiText);
    rows.extend(Styled::new(words, Role::UiText).rows(width, Break::Words, &lead, &rest));
}

/// `2 310 → 2 620 tok/turn, 310 more`
fn cost(now: u64, after: Option<u64>, comes: bool) -> String {
    let shown = human::tokens(now);
    match after {
        None if comes => format!("{shown} tok/turn now; what its tools cost is known once they were listed"),
        Some(after) if after > now => {
            format!("{shown} → {} tok/turn, {} more", human::tokens(after), human::tokens(after - now))
        }
        Some(after) if after < now => {
            format!("{shown} → {} tok/turn, {} less", human::tokens(after), human::tokens(now - after))
        }
        None | Some(_) => format!("{shown} tok/turn, as now"),
    }
}

/// Which skills' rules would hold, and by which line.
fn skills(traces: &[SkillTrace]) -> String {
    let fire = traces.iter().filter(|trace| trace.activated).map(|trace| {
        let line = trace.lines.iter().position(|line| line.held);
        let by = line.map(|line| format!(" by rule {}", line + 1)).unwrap_or_default();
        text::sanitize_line(&format!("{}{by}", trace.skill)).into_owned()
    });
    let fire: Vec<String> = fire.collect();
    if fire.is_empty() { "no rule would hold".to_owned() } else { fire.join(" · ") }
}
