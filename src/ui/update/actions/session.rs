use crate::proto::{Command, EntryKind, Level, SubmitMode, slash};
use crate::ui::action::Action;
use crate::ui::composer::Draft;
use crate::ui::effect::Effect;
use crate::ui::keys::{Context, Key};
use crate::ui::state::{Layer, Pane, Scroll, State, Subject};
use crate::ui::transcript_text;
use crate::ui::view::{Item, surface_items};

/// How long the second press that leaves is waited for, milliseconds.
const QUIT_WITHIN_MS: u64 = 2_000;

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Submit => submit(state, SubmitMode::Steer),
        Action::SubmitQueue => submit(state, SubmitMode::Queue),
        Action::Interrupt => interrupt(state),
        Action::RetryNow => vec![Effect::Send(Command::RetryNow)],
        Action::EditQueued => edit_queued(state),
        Action::WithdrawQueued => withdraw_queued(state),
        Action::CopyAnswer => copy_answer(state),
        Action::CopyAll => copy_all(state),
        Action::RestartServer => server(state, |name| Command::RestartServer { name }),
        Action::DisableServer => server(state, |name| Command::DisableServer { name }),
        Action::QuitTwice => quit_twice(state),
        Action::Quit => vec![Effect::Quit],
        _ => Vec::new(),
    }
}

/// Sends the message, or does at once what only the workbench can do. Open questions stay open.
fn submit(state: &mut State, mode: SubmitMode) -> Vec<Effect> {
    if state.composer.continue_line() {
        return Vec::new();
    }
    if state.composer.content().trim().is_empty() {
        return Vec::new();
    }
    let editing = state.composer.editing.filter(|id| state.snapshot.queue.iter().any(|queued| queued.id == *id));
    let text = state.composer.take();
    state.transcript.scroll = Scroll::Follow;
    state.transcript.pending.clear();
    let mut effects = vec![Effect::Remember(text.clone())];
    match slash::parse(text.trim()) {
        Some((command, "")) if command.name == "exit" => effects.push(Effect::Quit),
        Some((command, arguments)) if command.name == "copy" => {
            effects.extend(if arguments == "all" { copy_all(state) } else { copy_answer(state) });
        }
        _ => effects.push(Effect::Send(match editing {
            Some(id) => Command::EditQueued { id, text },
            None => Command::Submit { text, attachments: Vec::new(), mode },
        })),
    }
    effects
}

fn interrupt(state: &mut State) -> Vec<Effect> {
    if !state.snapshot.run.busy() {
        return Vec::new();
    }
    state.interrupting = Some(state.snapshot.turn);
    vec![Effect::Send(Command::Interrupt)]
}

/// The last waiting message comes back into an empty composer; a draft is not thrown away for it.
fn edit_queued(state: &mut State) -> Vec<Effect> {
    let Some(last) = state.snapshot.queue.last() else { return Vec::new() };
    if !state.composer.is_empty() {
        state.toast(Level::Info, "send or clear the message first, then the waiting one can be edited");
        return Vec::new();
    }
    let (id, text) = (last.id, last.text.clone());
    state.composer.set(Draft::plain(&text));
    state.composer.editing = Some(id);
    state.focus = Pane::Composer;
    Vec::new()
}

fn withdraw_queued(state: &mut State) -> Vec<Effect> {
    let Some(last) = state.snapshot.queue.last() else { return Vec::new() };
    let id = last.id;
    if state.composer.editing == Some(id) {
        state.composer.clear();
    }
    vec![Effect::Send(Command::WithdrawQueued { id })]
}

fn copy_answer(state: &mut State) -> Vec<Effect> {
    let entries = state.snapshot.transcript.entries();
    let answer = entries.iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    match answer {
        Some(text) => vec![Effect::Copy { text, what: "the last answer" }],
        None => {
            state.toast(Level::Info, "there is no answer to copy yet");
            Vec::new()
        }
    }
}

fn copy_all(state: &mut State) -> Vec<Effect> {
    let text = transcript_text::all(&state.snapshot);
    if text.is_empty() {
        state.toast(Level::Info, "there is nothing to copy yet");
        return Vec::new();
    }
    vec![Effect::Copy { text, what: "the transcript" }]
}

/// The server in question: that of the open record, else of the marked row.
fn server(state: &mut State, command: impl Fn(String) -> Command) -> Vec<Effect> {
    let name = match state.layers.last() {
        Some(Layer::Reader(reader)) => match &reader.subject {
            Subject::Server(name) | Subject::Tool { server: name, .. } => Some(name.clone()),
            Subject::Entry(_) | Subject::Note { .. } => None,
        },
        _ => marked_server(state),
    };
    match name {
        Some(name) => vec![Effect::Send(command(name))],
        None => {
            state.toast(Level::Info, "mark a server in the Surface pane first");
            Vec::new()
        }
    }
}

fn marked_server(state: &State) -> Option<String> {
    let items = surface_items(&state.snapshot.servers);
    let (Item::Server(server) | Item::Tool { server, .. }) = *items.get(state.surface.selected)?;
    Some(state.snapshot.servers.get(server)?.name.clone())
}

/// Leaves at the second press; the first says so, with the key that is meant.
fn quit_twice(state: &mut State) -> Vec<Effect> {
    if state.quit_armed.is_some_and(|until| state.now < until) {
        return vec![Effect::Quit];
    }
    state.quit_armed = Some(state.now + QUIT_WITHIN_MS);
    let ctrl_c = Key::parse("ctrl-c").ok().map(|key| key.to_string());
    let key = state.keymap.key_for(&[Context::Global], Action::QuitTwice).or(ctrl_c).unwrap_or_default();
    state.toast(Level::Info, format!("press {key} again to leave"));
    if let Some(toast) = state.toasts.last_mut() {
        toast.until = state.now + QUIT_WITHIN_MS;
    }
    Vec::new()
}
