//! What stands in the transcript until something is said.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::proto::{Decision, Entry, EntryKind, Level, ModelCandidate, Note, WELCOME};
use crate::text;
use crate::ui::action::{Action, Call};
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Highlighter, Row, Styled, cell};

/// Columns it takes at most: what a person reads at a glance.
const WIDTH: u16 = 64;

/// Columns of the names at the left.
const NAMES: usize = 10;

/// The welcome, laid out: rows from this place on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Welcome {
    pub place: Rect,
    pub rows: Vec<Row>,
    /// From which row on it is what start-up had to say.
    pub told: u16,
}

/// The welcome with what start-up had to say beneath it. `None` once something was said or selected,
/// and when a warning would not fit: then the transcript shows it.
pub fn lay(state: &State, keys: cell::CellKeys, inner: Rect) -> Option<Welcome> {
    let transcript = &state.transcript;
    if !state.nothing_said() || transcript.selected.is_some() || transcript.search.is_some() {
        return None;
    }
    let columns = inner.width.min(WIDTH);
    let (width, height) = (columns as usize, inner.height as usize);
    let told = told(state, keys, width);
    let (rows, own) = [Detail::Full, Detail::Middle, Detail::Short, Detail::Least].into_iter().find_map(|detail| {
        let mut rows = every_row(state, width, detail);
        let own = rows.len();
        let room = height.checked_sub(own)?;
        rows.extend(beneath(&told, room, width)?);
        Some((rows, own as u16))
    })?;
    let free = inner.height.saturating_sub(rows.len() as u16);
    let place = Rect {
        x: inner.x + (inner.width - columns) / 2,
        y: inner.y + free / 3,
        width: columns,
        height: inner.height - free / 3,
    };
    Some(Welcome { place, rows, told: own })
}

/// What start-up said, beside the choice of the model, which the welcome itself tells.
fn told(state: &State, keys: cell::CellKeys, width: usize) -> Vec<(bool, Vec<Row>)> {
    let highlighter = Highlighter::off();
    let motion = state.settings.motion;
    let look = |entry: &Entry| {
        let fold = cell::default_fold(&entry.kind);
        cell::Look { width, fold, now: state.now, motion, keys, highlighter: &highlighter }
    };
    let entries = state.snapshot.transcript.entries().iter();
    let entries = entries.filter(|entry| !matches!(&entry.kind, EntryKind::Decision(Decision::ModelChosen { .. })));
    entries.map(|entry| (minor(entry), cell::render(entry, &look(entry)))).collect()
}

/// Whether it may be left out when there is no room; it stands in the Notes anyway.
fn minor(entry: &Entry) -> bool {
    match &entry.kind {
        EntryKind::Notice { level, source, .. } => *level == Level::Info && source != WELCOME,
        EntryKind::Decision(decision) => decision.headline().0 == Level::Info,
        _ => false,
    }
}

/// The rows that stand beneath, a blank one first. `None` when what matters does not fit.
fn beneath(told: &[(bool, Vec<Row>)], room: usize, width: usize) -> Option<Vec<Row>> {
    let all: usize = told.iter().map(|(_, rows)| rows.len()).sum();
    let fits = all < room;
    let mut rows = Vec::new();
    let mut hidden = 0;
    for (minor, entry) in told {
        if *minor && !fits {
            hidden += 1;
        } else {
            rows.extend(entry.iter().cloned());
        }
    }
    if hidden > 0 && rows.len() + 2 <= room {
        let words = crate::proto::counted(hidden, "note");
        rows.push(Styled::new(&format!("i {words} in the Notes pane"), Role::UiDim).into_row(width));
    }
    if rows.is_empty() {
        return Some(rows);
    }
    rows.insert(0, Row::blank());
    (rows.len() <= room).then_some(rows)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Full,
    /// Less of what is not there.
    Middle,
    /// No air, and nothing of what was looked at.
    Short,
    /// For the smallest screen.
    Least,
}

fn every_row(state: &State, width: usize, detail: Detail) -> Vec<Row> {
    let mut rows = Vec::new();
    let air = |rows: &mut Vec<Row>| {
        if detail <= Detail::Middle {
            rows.push(Row::blank());
        }
    };
    if detail <= Detail::Middle {
        let claim = "a workbench that can say why";
        field(&mut rows, ("octomind", Role::UiStrong), (claim, Role::UiDim), width);
        rows.push(Row::blank());
    }
    model_rows(state, width, detail, &mut rows);
    air(&mut rows);
    for (name, words) in firsts(state, detail) {
        field(&mut rows, (&name, Role::UiStatusKey), (&words, Role::UiText), width);
    }
    let keys = keys(state, detail);
    if !keys.is_empty() {
        air(&mut rows);
    }
    for (key, words) in keys {
        field(&mut rows, (&key, Role::UiStatusKey), (words, Role::UiText), width);
    }
    rows
}

/// A name and its words, the words wrapped beside it.
fn field(rows: &mut Vec<Row>, (name, name_role): (&str, Role), (words, role): (&str, Role), width: usize) {
    let mut lead = Styled::new(name, name_role);
    lead.pad_to(NAMES, Role::UiText);
    let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
    rows.extend(Styled::new(words, role).rows(width, Break::Words, &lead, &rest));
}

fn model_rows(state: &State, width: usize, detail: Detail, rows: &mut Vec<Row>) {
    let model = &state.snapshot.session.model;
    if model.name.is_empty() {
        let failed = |note: &Note| note.source == "model" && note.level == Level::Error;
        let words = match state.snapshot.notes.iter().any(failed) {
            true => ("none yet; what is wrong stands below", Role::NoticeError),
            false => ("looking for one …", Role::UiDim),
        };
        field(rows, ("model", Role::UiDim), words, width);
        return;
    }
    field(rows, ("model", Role::UiDim), (&text::sanitize_line(&model.name), Role::UiStrong), width);
    if model.scripted {
        let words =
            if detail == Detail::Least { "scripted; the rest is real" } else { "scripted; everything else is real" };
        field(rows, ("", Role::UiText), (words, Role::AssistantScripted), width);
    }
    if detail <= Detail::Middle {
        for (sign, words) in reasons(&candidates(state), detail) {
            let role = if sign == "✔ " { Role::ToolOk } else { Role::UiDim };
            let lead = Styled::new(&" ".repeat(NAMES), Role::UiText).with(sign, role);
            let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
            rows.extend(Styled::new(&words, Role::UiDim).rows(width, Break::Words, &lead, &rest));
        }
    }
}

/// What was looked at, in as few lines as say it: what is there by itself, what is not together.
fn reasons(candidates: &[&ModelCandidate], detail: Detail) -> Vec<(&'static str, String)> {
    let clean = |text: &str| text::sanitize_line(text).into_owned();
    let mut lines = Vec::new();
    let (mut keys, mut servers) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let source = clean(&candidate.source);
        match (candidate.usable, candidate.why.as_str(), source.split_once("://")) {
            // That nothing else was there is what the other lines say.
            (true, _, None) if candidate.model.starts_with("script:") => {}
            (true, why, _) => lines.push(("✔ ", format!("{source}  {}", clean(why)))),
            (false, "not set", _) => keys.push(source),
            (false, "nothing listens there", Some((_, address))) => {
                servers.push(address.split('/').next().unwrap_or(address).to_owned());
            }
            (false, _, Some(_)) if candidate.why.starts_with("not asked") => {}
            (false, why, _) => lines.push(("· ", format!("{source}  {}", clean(why)))),
        }
    }
    if !keys.is_empty() && lines.iter().all(|(sign, _)| *sign != "✔ ") {
        lines.push(("· ", format!("no key in {}", names(&keys, detail))));
    }
    if !servers.is_empty() {
        lines.push(("· ", format!("no server on {}", names(&servers, detail))));
    }
    lines
}

/// The first few by name, the others by number.
fn names(all: &[String], detail: Detail) -> String {
    let few = if detail == Detail::Full { 4 } else { 1 };
    if all.len() <= few + 1 {
        return all.join(", ");
    }
    format!("{} and {} others", all[..few].join(", "), all.len() - few)
}

fn candidates(state: &State) -> Vec<&ModelCandidate> {
    let chosen = state.snapshot.transcript.entries().iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Decision(Decision::ModelChosen { candidates, .. }) => Some(candidates),
        _ => None,
    });
    chosen.into_iter().flatten().collect()
}

/// What to do first.
fn firsts(state: &State, detail: Detail) -> Vec<(String, Cow<'static, str>)> {
    let mut firsts = Vec::new();
    if state.tour_is_open() {
        let key = state.keymap.keys_for(&Call::new(Action::TakeTour)).into_iter().next();
        let (key, words) = match key {
            Some(key) if detail == Detail::Least => (key, "the tour: five minutes"),
            Some(key) => (key, "the tour: five minutes, no account"),
            None => ("type".to_owned(), "anything, and the tour begins"),
        };
        firsts.push((key, words.into()));
        let least = detail == Detail::Least;
        firsts.push(first(
            "/model",
            if least { "ollama:qwen3, a real model" } else { "ollama:qwen3, or another real model" },
        ));
        if detail < Detail::Least {
            let key = unset_key(state).unwrap_or("ANTHROPIC_API_KEY");
            firsts.push(first("export", format!("{key}=… and start again")));
        }
    } else {
        firsts.push(first("type", "a message and send it"));
        if detail < Detail::Least {
            firsts.push(first("/model", "provider:model takes another one"));
            firsts.push(first("tour", "in a shell: `octomind tour`"));
        }
    }
    firsts
}

fn first(name: &str, words: impl Into<Cow<'static, str>>) -> (String, Cow<'static, str>) {
    (name.to_owned(), words.into())
}

/// A key that was looked for and would do; the one most people have, when it is among them.
fn unset_key(state: &State) -> Option<&str> {
    let unset = candidates(state).into_iter().filter(|candidate| candidate.why == "not set");
    unset.map(|candidate| candidate.source.as_str()).min_by_key(|source| *source != "ANTHROPIC_API_KEY")
}

fn keys(state: &State, detail: Detail) -> Vec<(String, &'static str)> {
    let key = |action: Action| state.keymap.keys_for(&Call::new(action)).into_iter().next();
    let all = [
        (Action::FocusNext, "go from pane to pane"),
        (Action::Palette, "find anything by name"),
        (Action::Help, "all keys"),
    ];
    let skipped = if detail == Detail::Least { 2 } else { 0 };
    all.into_iter().skip(skipped).filter_map(|(action, words)| Some((key(action)?, words))).collect()
}
