//! Work that was handed to other agents: a row for each, and everything about one.

use super::server::ended;
use crate::proto::{Child, ChildState, Matched, Snapshot, counted};
use crate::text::{self, human};
use crate::ui::state::{State, children_shown};
use crate::ui::theme::Role;
use crate::ui::transcript::cell::matching;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::list::Line;
use crate::ui::view::over::reader::field;

fn clean(words: &str) -> String {
    text::sanitize_line(words).into_owned()
}

/// `HANDED ON  1 of 3 at work`, then the runs; nothing when there are none.
pub fn lines(snapshot: &Snapshot, first: usize, width: usize) -> Vec<Line> {
    let shown = children_shown(snapshot);
    if shown.is_empty() {
        return Vec::new();
    }
    let running = snapshot.children.iter().filter(|child| child.state.is_running()).count();
    let words = format!("{running} of {} at work", snapshot.children.len());
    let heading = Styled::new("HANDED ON", Role::UiStrong).with("  ", Role::UiText).with(&words, Role::UiDim);
    let mut lines = vec![Line::plain(Row::blank()), Line::plain(heading.into_row(width))];
    for (place, index) in shown.into_iter().enumerate() {
        let Some(child) = snapshot.children.get(index) else { continue };
        lines.extend(rows(child, width).into_iter().map(|row| Line::of(first + place, row)));
    }
    lines
}

fn mark(state: &ChildState) -> (&'static str, Role) {
    match state {
        ChildState::Running => ("▸", Role::UiAccent),
        ChildState::Done { .. } if state.is_verified() => ("✔", Role::ScorePass),
        ChildState::Done { .. } => ("✔", Role::UiDim),
        ChildState::Failed { .. } | ChildState::Lost => ("✘", Role::NoticeWarning),
        ChildState::Stopped { .. } => ("○", Role::UiDim),
    }
}

/// `▸ developer:general      t2 · $0.01`, and what it said or did last.
fn rows(child: &Child, width: usize) -> Vec<Row> {
    let (sign, role) = mark(&child.state);
    let line = Styled::new(sign, role).with(" ", Role::UiText).with(&clean(&child.role), Role::ToolName);
    let mut facts = Vec::new();
    if !child.state.is_running() {
        facts.push(child.state.word().to_owned());
    } else if child.turns > 0 {
        facts.push(format!("t{}", child.turns));
    }
    facts.extend(child.usage.cost.map(human::dollars));
    let mut rows = vec![ended(line, &facts.join(" · "), width)];
    let last = if child.state.is_running() && !child.last.is_empty() { &child.last } else { &child.task };
    if child.state.is_running() && !last.is_empty() {
        let mut words = Styled::new("  ", Role::UiText).with(&clean(last), Role::UiDim);
        words.cut(width);
        rows.push(words.into_row(width));
    }
    rows
}

/// Everything about one run, and why it went to this agent.
pub fn record(state: &State, child: &Child, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut told = |name: &str, value: &str| field(&mut rows, name, value, Role::DecisionText, width);
    told("agent", &format!("{} · {}", child.role, child.title));
    let detail = child.state.detail().map(|detail| format!(", {detail}")).unwrap_or_default();
    told("stands", &format!("{}{detail}", child.state.word()));
    told("task", &child.task);
    told("folder", &child.workdir);
    let until = if child.ended > 0 { child.ended } else { state.now };
    let took = human::duration_ms(until.saturating_sub(child.begun));
    told("begun", &format!("in turn {}, {} · {took}", child.turn.0, human::ago(state.now.saturating_sub(child.begun))));
    let cost = child.usage.cost.map_or("cost not known".to_owned(), human::dollars);
    let tokens = human::tokens(child.usage.input + child.usage.output);
    told(
        "work",
        &format!("{} · {} · {tokens} tok · {cost}", counted(child.turns, "turn"), counted(child.requests, "request")),
    );
    if !child.last.is_empty() {
        told("last", &child.last);
    }
    told("session", &format!("{} · its conversation is in the list of sessions", child.id));
    let mut matchings = state.snapshot.matchings.iter().rev().map(|(_, matching)| matching);
    let of = matchings.find(|one| matches!(&one.outcome, Matched::Agent { id, .. } if *id == child.id));
    if let Some(matching) = of {
        rows.push(Row::blank());
        rows.push(Styled::new("Why this specialist", Role::UiStrong).into_row(width));
        rows.extend(matching::body(matching, width));
    }
    rows
}
