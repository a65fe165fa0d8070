use crate::proto::{Decision, EntryKind, ModelCandidate};
use crate::text;
use crate::ui::action::{Action, Call};
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Whether the transcript holds nothing but what start-up says of the model.
pub fn shows(state: &State) -> bool {
    state
        .snapshot
        .transcript
        .entries()
        .iter()
        .all(|entry| matches!(&entry.kind, EntryKind::Decision(Decision::ModelChosen { .. })))
}

/// What a person sees before the first message.
pub fn rows(state: &State, width: usize, height: usize) -> Vec<Row> {
    let full = every_row(state, width, Detail::Full);
    if full.len() <= height { full } else { every_row(state, width, Detail::Short) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Full,
    /// For a screen with few rows.
    Short,
}

fn every_row(state: &State, width: usize, detail: Detail) -> Vec<Row> {
    let mut rows = Vec::new();
    if detail == Detail::Full {
        rows.push(Styled::new("octomind", Role::UiStrong).into_row(width));
        rows.push(Styled::new("a workbench that can say why", Role::UiDim).into_row(width));
        rows.push(Row::blank());
    }
    model_rows(state, width, detail, &mut rows);
    if detail == Detail::Full {
        rows.push(Row::blank());
    }
    for (key, words) in firsts(state) {
        let mut lead = Styled::new(&key, Role::UiStatusKey);
        lead.pad_to(10, Role::UiText);
        let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
        rows.extend(Styled::new(words, Role::UiText).rows(width, Break::Words, &lead, &rest));
    }
    rows
}

fn model_rows(state: &State, width: usize, detail: Detail, rows: &mut Vec<Row>) {
    let model = &state.snapshot.session.model;
    let mut lead = Styled::new("model", Role::UiDim);
    lead.pad_to(10, Role::UiText);
    let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
    let (words, role) = if model.name.is_empty() {
        ("looking for one …".to_owned(), Role::UiDim)
    } else {
        (text::sanitize_line(&model.name).into_owned(), Role::UiStrong)
    };
    rows.extend(Styled::new(&words, role).rows(width, Break::Words, &lead, &rest));
    for candidate in candidates(state).into_iter().filter(|_| detail == Detail::Full) {
        let sign = if candidate.usable { "✔ " } else { "· " };
        let role = if candidate.usable { Role::ToolOk } else { Role::UiDim };
        let line = Styled::new(&rest.text, Role::UiText)
            .with(sign, role)
            .with(&text::sanitize_line(&candidate.source), Role::UiDim)
            .with("  ", Role::UiText)
            .with(&text::sanitize_line(&candidate.why), Role::UiDim);
        rows.push(line.into_row(width));
    }
    if model.scripted {
        let words = "replies come from a script; everything else is real";
        rows.extend(Styled::new(words, Role::AssistantScripted).rows(width, Break::Words, &rest, &rest));
    }
}

fn candidates(state: &State) -> Vec<&ModelCandidate> {
    let chosen = state.snapshot.transcript.entries().iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Decision(Decision::ModelChosen { candidates, .. }) => Some(candidates),
        _ => None,
    });
    chosen.into_iter().flatten().collect()
}

/// What to do first.
fn firsts(state: &State) -> Vec<(String, &'static str)> {
    let key = |action: Action| state.keymap.keys_for(&Call::new(action)).into_iter().next();
    let mut firsts = vec![("type".to_owned(), "a message and send it")];
    firsts.push(("tour".to_owned(), "run octomind tour: five minutes, no account needed"));
    for (action, words) in [
        (Action::FocusNext, "go from pane to pane"),
        (Action::Help, "all keys"),
        (Action::Palette, "find anything by name"),
    ] {
        if let Some(key) = key(action) {
            firsts.push((key, words));
        }
    }
    firsts
}
