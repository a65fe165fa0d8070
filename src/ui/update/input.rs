use super::actions;
use crate::ui::action::{Action, Call};
use crate::ui::composer::{MAX_COUNT, Motion};
use crate::ui::effect::{Effect, Reload};
use crate::ui::input::{Input, TerminalAnswer};
use crate::ui::keys::{Code, Found, Key};
use crate::ui::state::{Layer, Pane, Picker, ScrollBy, State, Table, Tabled, WhatIf};

pub(super) fn input(state: &mut State, input: Input) -> Vec<Effect> {
    match input {
        Input::Key(key) => {
            state.selection = None;
            press(state, key)
        }
        Input::Paste(text) => {
            paste(state, &text);
            Vec::new()
        }
        // The loop resolves the mouse against the layout and sends it as `Said::Mouse`.
        Input::Mouse(_) => Vec::new(),
        Input::Focus(focused) => {
            state.terminal.focused = focused;
            if focused { vec![Effect::Reload(Reload::Changed)] } else { Vec::new() }
        }
        Input::Answer(answer) => {
            match answer {
                TerminalAnswer::Background(shade) | TerminalAnswer::Scheme(shade) => {
                    state.terminal.shade = Some(shade);
                }
                TerminalAnswer::KittyKeyboard => state.terminal.enhanced_keys = true,
                TerminalAnswer::Attributes => {}
            }
            Vec::new()
        }
    }
}

/// One key press: through the keymap, else typed where letters are typed.
fn press(state: &mut State, key: Key) -> Vec<Effect> {
    if state.composing() && state.composer.modal.awaits() {
        match key.printable() {
            Some(letter) => state.composer.vi_character(letter),
            None => drop(state.composer.cancel_command()),
        }
        return Vec::new();
    }
    if key == Key::plain(Code::Esc) && drop_unfinished(state) {
        return Vec::new();
    }
    let waiting = !state.pending.keys.is_empty();
    let mut keys = std::mem::take(&mut state.pending.keys);
    keys.push(key);
    let keymap = std::sync::Arc::clone(&state.keymap);
    match keymap.find(&state.contexts(), &keys, &state.facts()) {
        Found::Call(call) => {
            if call.action != Action::QuitTwice {
                actions::session::stay(state);
            }
            counted(state, call, key)
        }
        Found::Prefix(_) => {
            state.pending.keys = keys;
            state.pending.since = state.now;
            Vec::new()
        }
        Found::Noop => {
            drop_unfinished(state);
            Vec::new()
        }
        // A sequence that leads nowhere is dropped whole: its last key must not act by itself.
        Found::Nothing if waiting => Vec::new(),
        Found::Nothing => {
            actions::session::stay(state);
            drop_unfinished(state);
            if let Some(letter) = key.printable() {
                type_letter(state, letter);
            }
            Vec::new()
        }
    }
}

/// Runs what a key stands for, as often as the count before it says. A digit of a count only adds to it.
fn counted(state: &mut State, call: &Call, key: Key) -> Vec<Effect> {
    if call.action == Action::Count {
        let digit = key.printable().and_then(|letter| letter.to_digit(10)).unwrap_or(0) as usize;
        let count = state.pending.count.unwrap_or(0).saturating_mul(10).saturating_add(digit);
        state.pending.count = (count > 0).then_some(count.min(MAX_COUNT));
        return Vec::new();
    }
    let count = state.pending.count.take();
    if call.action != Action::Vi {
        let _ = state.composer.cancel_command();
    }
    actions::run_counted(state, call, count)
}

/// Lets go of a count or of an operator without its motion. False when there was neither.
fn drop_unfinished(state: &mut State) -> bool {
    let counted = state.pending.count.take().is_some();
    state.composer.cancel_command() || counted
}

fn type_letter(state: &mut State, letter: char) {
    if !state.layers.is_empty() {
        if let Some(table) = table(state) {
            if table.of == Tabled::Time {
                // The draft is of no time.
                return state.composer.type_char(letter);
            }
            actions::tables::typed(table, |typed| typed.push(letter));
        } else if let Some(picker) = picker(state) {
            picker.filter.push(letter);
            picker.rewind();
        } else if let Some(tried) = what_if(state) {
            tried.text.push(letter);
        }
    } else if state.question.is_some() {
        if state.question_takes_text()
            && let Some(question) = &mut state.question
        {
            question.text.push(letter);
        }
    } else if state.focus == Pane::Composer {
        // In normal mode a letter that is no command does nothing.
        if !state.composer.modal.is_normal() {
            state.composer.type_char(letter);
        }
    } else if let Some(search) = state.transcript.search.as_mut().filter(|search| search.editing) {
        search.query.push(letter);
        state.transcript.pending.push(ScrollBy::Match(0));
    } else {
        // A letter that is no key of the pane is the beginning of a message.
        state.focus = Pane::Composer;
        state.composer.enter_insert();
        state.composer.type_char(letter);
    }
}

/// The topmost overlay, if it is a picker.
pub(super) fn picker(state: &mut State) -> Option<&mut Picker> {
    match state.layers.last_mut() {
        Some(Layer::Picker(picker)) => Some(picker),
        Some(Layer::Reader(_) | Layer::WhatIf(_) | Layer::Table(_)) | None => None,
    }
}

/// The topmost overlay, if it is a list whose letters are keys.
pub(super) fn table(state: &mut State) -> Option<&mut Table> {
    match state.layers.last_mut() {
        Some(Layer::Table(table)) => Some(table),
        Some(Layer::Picker(_) | Layer::Reader(_) | Layer::WhatIf(_)) | None => None,
    }
}

/// The message that is tried, if that is the topmost overlay.
pub(super) fn what_if(state: &mut State) -> Option<&mut WhatIf> {
    match state.layers.last_mut() {
        Some(Layer::WhatIf(tried)) => Some(tried),
        Some(Layer::Picker(_) | Layer::Reader(_) | Layer::Table(_)) | None => None,
    }
}

/// A paste goes where text goes, as text: it never submits, answers or fires a key.
fn paste(state: &mut State, text: &str) {
    state.pending.keys.clear();
    drop_unfinished(state);
    let line = || crate::text::sanitize_line(text.trim_end_matches(['\r', '\n'])).into_owned();
    if let Some(table) = table(state).filter(|table| table.of != Tabled::Time) {
        actions::tables::typed(table, |typed| typed.push_str(&line()));
    } else if let Some(picker) = picker(state) {
        picker.filter.push_str(&line());
        picker.rewind();
    } else if let Some(tried) = what_if(state) {
        tried.text.push_str(&crate::text::sanitize(text));
    } else if state.question_takes_text() && state.layers.is_empty() {
        if let Some(question) = &mut state.question {
            question.text.push_str(&value(text));
        }
    } else if let Some(search) = state.transcript.search.as_mut().filter(|search| search.editing) {
        search.query.push_str(&line());
        state.transcript.pending.push(ScrollBy::Match(0));
    } else {
        if state.layers.is_empty() && state.question.is_none() {
            state.focus = Pane::Composer;
        }
        state.composer.paste(text);
    }
}

/// A pasted value: one line without what surrounds it, several exactly, as terminals end lines with a
/// carriage return.
fn value(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = lines.trim_matches('\n');
    if lines.contains('\n') { lines.to_owned() } else { lines.trim().to_owned() }
}

/// Deletes the last grapheme of a one-line text.
pub(super) fn delete_last(text: &mut String) {
    let mut line = crate::ui::composer::Composer::default();
    line.insert(text);
    line.delete(Motion::Left);
    *text = line.content();
}
