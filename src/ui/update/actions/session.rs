use crate::proto::slash::{self, Slash};
use crate::proto::{Answer, Command, EntryKind, Level, QueueId, Share, ShellCommand, SubmitMode, shell};
use crate::ui::action::Action;
use crate::ui::composer::Draft;
use crate::ui::effect::Effect;
use crate::ui::keys::{Context, Key};
use crate::ui::problem::nearest;
use crate::ui::state::{Item, Layer, Listing, Pane, STOPPED_MS, Scroll, State, Subject, Table, Tabled, Toast};
use crate::ui::transcript_text;

/// How long the second press that leaves is waited for, milliseconds.
const QUIT_WITHIN_MS: u64 = 2_000;

/// How the words end that ask for the second press.
const AGAIN: &str = "again to leave";

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Submit => submit(state, SubmitMode::Steer),
        Action::SubmitQueue => submit(state, SubmitMode::Queue),
        Action::TakeTour => take_tour(state),
        Action::Interrupt => interrupt(state),
        Action::TakeOffer => take_offer(state),
        Action::RetryNow => vec![Effect::Send(Command::RetryNow)],
        Action::EditQueued => edit_queued(state),
        Action::PickQueued => {
            super::overlays::open(state, Layer::picker(Listing::Waiting));
            Vec::new()
        }
        Action::StopShell => vec![Effect::Send(Command::Shell(ShellCommand::Stop))],
        Action::WithdrawQueued => withdraw_queued(state),
        Action::CopyAnswer => copy_answer(state),
        Action::CopyAll => copy_all(state),
        Action::RestartServer => {
            super::surface::restart(state).unwrap_or_else(|| server(state, |name| Command::RestartServer { name }))
        }
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
    if held_back(state) {
        return Vec::new();
    }
    if editing.is_none()
        && let Some((share, command)) = shell::parse(&state.composer.content())
    {
        let command = command.to_owned();
        return run_shell(state, share, command);
    }
    let text = state.composer.take();
    state.composer.enter_insert();
    state.transcript.scroll = Scroll::Follow;
    state.transcript.pending.clear();
    let mut effects = vec![Effect::Remember(text.clone())];
    match slash::parse(text.trim()).and_then(|(command, arguments)| own(state, command, arguments)) {
        Some(done) => effects.extend(done),
        None => effects.extend(send(state, editing, text, mode).into_iter().map(Effect::Send)),
    }
    effects
}

/// A command for the shell: one at a time, so that its key stops the one that is seen.
fn run_shell(state: &mut State, share: Share, command: String) -> Vec<Effect> {
    if command.is_empty() {
        state.toast(Level::Info, "type a command after the !");
        return Vec::new();
    }
    if state.snapshot.shell.is_some() {
        state.toast(Level::Warning, "not run yet: a command still runs");
        return Vec::new();
    }
    let text = state.composer.take();
    state.transcript.scroll = Scroll::Follow;
    state.transcript.pending.clear();
    vec![Effect::Remember(text), Effect::Send(Command::Shell(ShellCommand::Run { command, share }))]
}

/// What only the workbench can do: it has the clipboard and knows its keys.
fn own(state: &mut State, command: &Slash, arguments: &str) -> Option<Vec<Effect>> {
    match (command.name, arguments) {
        ("exit", "") => Some(vec![Effect::Quit]),
        ("copy", "all") => Some(copy_all(state)),
        ("copy", _) => Some(copy_answer(state)),
        ("help", _) => {
            super::overlays::open(state, Layer::picker(Listing::Help));
            Some(Vec::new())
        }
        ("rewind", "") => Some(super::rewind::run(state, Action::Rewind)),
        ("supervisor", "") => Some(super::supervisor::run(state, Action::Switches)),
        ("session", name) => Some(super::sessions::named(state, name)),
        ("theme", name) => {
            super::overlays::take_theme(state, name);
            Some(Vec::new())
        }
        ("role", "") => Some(super::overlays::run(state, Action::PickAgent)),
        _ => None,
    }
}

/// A command chosen from a list. One that wants to be told something is put into the composer, if
/// nothing is typed there; the draft is never touched.
pub(in crate::ui::update) fn choose(state: &mut State, command: &'static Slash) -> Vec<Effect> {
    if matches!(command.name, "model" | "effort") && state.composer.is_empty() {
        state.focus = Pane::Composer;
        state.composer.insert(&format!("/{} ", command.name));
        return Vec::new();
    }
    if let Some(done) = own(state, command, "") {
        return done;
    }
    let (text, mode) = (format!("/{}", command.name), SubmitMode::Steer);
    vec![Effect::Send(Command::Submit { text, attachments: Vec::new(), mode })]
}

/// A message that was taken back replaces the waiting one, unless it is to land later than that.
fn send(state: &State, editing: Option<QueueId>, text: String, mode: SubmitMode) -> Vec<Command> {
    let waits = |id| state.snapshot.queue.iter().find(|queued| queued.id == id).map(|queued| queued.mode);
    let fresh = Command::Submit { text: text.clone(), attachments: Vec::new(), mode };
    match editing {
        Some(id) if mode == SubmitMode::Queue && waits(id) == Some(SubmitMode::Steer) => {
            vec![Command::WithdrawQueued { id }, fresh]
        }
        Some(id) => vec![Command::EditQueued { id, text }],
        None => vec![fresh],
    }
}

/// How the words end that hold a mistyped command back.
const AS_TEXT: &str = "to send it as text.";

/// What was held back counts only as long as it stands there unchanged.
pub(in crate::ui::update) fn forget_held(state: &mut State) {
    let holds = |toast: &Toast| toast.text.ends_with(AS_TEXT);
    if !state.toasts.iter().any(holds) && state.composer.held.is_none() {
        return;
    }
    if state.composer.held.as_deref() != Some(state.composer.content().as_str()) {
        state.composer.held = None;
        state.toasts.retain(|toast| !holds(toast));
    }
}

/// What would not do what it looks like stays in the composer, and the person is told why: a
/// mistyped command at the first press, anything said to a session that can only be read at each.
fn held_back(state: &mut State) -> bool {
    let text = state.composer.content();
    if slash::parse(text.trim()).is_some() {
        return false;
    }
    if super::questions::may_be_secret(state) {
        return true;
    }
    if let Some(holder) = &state.snapshot.session.read_only {
        let words = format!("not sent: {holder} writes this session; /new begins one of your own");
        state.toast(Level::Warning, words);
        return true;
    }
    let Some(name) = mistyped(&text) else { return false };
    if state.composer.held.as_deref() == Some(text.as_str()) {
        return false;
    }
    let names = slash::COMMANDS.iter().flat_map(|command| std::iter::once(&command.name).chain(command.aliases));
    let meant = nearest(name, names.copied()).map_or_else(String::new, |near| format!(" Did you mean /{near}?"));
    state.toast(Level::Warning, format!("/{name} is no command.{meant} Press enter again {AS_TEXT}"));
    state.composer.held = Some(text);
    true
}

/// The name of a first word that looks like a command; paths have further slashes.
fn mistyped(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix('/')?.split_whitespace().next()?;
    name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-').then_some(name)
}

/// The first word of the tour, as if it had been typed.
fn take_tour(state: &mut State) -> Vec<Effect> {
    if !state.tour_is_open() {
        state.toast(Level::Info, "the tour is a session of its own: run `octomind tour`");
        return Vec::new();
    }
    let (text, mode) = ("show me around".to_owned(), SubmitMode::Steer);
    vec![Effect::Send(Command::Submit { text, attachments: Vec::new(), mode })]
}

/// Yes to the open offer, without going to the question first: the key is no letter that one types.
fn take_offer(state: &mut State) -> Vec<Effect> {
    match state.offer() {
        Some(ask) => {
            if state.question.as_ref().is_some_and(|question| question.ask == ask) {
                state.question = None;
            }
            vec![Effect::Send(Command::Answer { ask, answer: Answer::Yes })]
        }
        None => {
            state.toast(Level::Info, "no other provider is offered");
            Vec::new()
        }
    }
}

fn interrupt(state: &mut State) -> Vec<Effect> {
    if !state.snapshot.run.busy() {
        let stops = state.stoppable_start();
        return if stops { vec![Effect::Send(Command::Interrupt)] } else { Vec::new() };
    }
    state.interrupting = Some(state.snapshot.turn);
    state.stopped_until = Some(state.now + STOPPED_MS);
    vec![Effect::Send(Command::Interrupt)]
}

/// The last waiting message comes back into the composer; asked again while it is unchanged, the one before.
fn edit_queued(state: &mut State) -> Vec<Effect> {
    let queue = &state.snapshot.queue;
    let here = state.composer.editing.and_then(|id| queue.iter().position(|queued| queued.id == id));
    let before = here.map_or_else(|| queue.len().checked_sub(1), |here| here.checked_sub(1));
    match before.and_then(|at| queue.get(at)).map(|queued| queued.id) {
        Some(id) => edit_waiting(state, id),
        None => Vec::new(),
    }
}

/// A waiting message comes back into the composer; a draft is not thrown away for it.
pub(super) fn edit_waiting(state: &mut State, id: QueueId) -> Vec<Effect> {
    let waiting = |id| state.snapshot.queue.iter().find(|queued| queued.id == id).map(|queued| queued.text.clone());
    let content = state.composer.content();
    let unchanged = state.composer.editing.and_then(waiting).is_some_and(|text| text == content);
    if !content.is_empty() && !unchanged {
        state.toast(Level::Info, "send or clear the message first, then the waiting one can be edited");
        return Vec::new();
    }
    if let Some(text) = waiting(id) {
        state.composer.set(Draft::plain(&text));
        state.composer.editing = Some(id);
        state.focus = Pane::Composer;
    }
    Vec::new()
}

fn withdraw_queued(state: &mut State) -> Vec<Effect> {
    let marked = state.marked_waiting().or_else(|| state.snapshot.queue.last());
    let Some(id) = marked.map(|queued| queued.id) else { return Vec::new() };
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
    let text = transcript_text::all(&state.snapshot, &|_| None);
    if text.is_empty() {
        state.toast(Level::Info, "there is nothing to copy yet");
        return Vec::new();
    }
    vec![Effect::Copy { text, what: "the transcript" }]
}

/// The server in question: that of the open record, else of the marked row.
fn server(state: &mut State, command: impl Fn(String) -> Command) -> Vec<Effect> {
    let name = match state.layers.last() {
        Some(Layer::Table(Table { of: Tabled::Servers, .. })) => state.server_in_question().map(str::to_owned),
        Some(Layer::Reader(reader)) => match &reader.subject {
            Subject::Server(name) | Subject::Tool { server: name, .. } => Some(name.clone()),
            Subject::Entry(_)
            | Subject::Note(_)
            | Subject::Plan
            | Subject::Switch(_)
            | Subject::Wire(..)
            | Subject::Skill(_)
            | Subject::Child(_)
            | Subject::Picture(_)
            | Subject::Why(..)
            | Subject::Part { .. }
            | Subject::Finding { .. } => None,
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
    let (Item::Server(server) | Item::Tool { server, .. }) = state.marked_item()? else { return None };
    Some(state.snapshot.servers.get(server)?.name.clone())
}

/// Any other key says that one stays.
pub(in crate::ui::update) fn stay(state: &mut State) {
    if state.quit_armed.take().is_some() {
        state.toasts.retain(|toast| !toast.text.ends_with(AGAIN));
    }
}

/// Leaves at the second press; the first says so, with the key that is meant.
fn quit_twice(state: &mut State) -> Vec<Effect> {
    if state.quit_armed.is_some_and(|until| state.now < until) {
        return vec![Effect::Quit];
    }
    state.quit_armed = Some(state.now + QUIT_WITHIN_MS);
    let ctrl_c = Key::parse("ctrl-c").ok().map(|key| key.to_string());
    let key = state.keymap.key_for(&[Context::Global], Action::QuitTwice).or(ctrl_c).unwrap_or_default();
    state.toast(Level::Info, format!("press {key} {AGAIN}"));
    if let Some(toast) = state.toasts.last_mut() {
        toast.until = state.now + QUIT_WITHIN_MS;
    }
    Vec::new()
}
