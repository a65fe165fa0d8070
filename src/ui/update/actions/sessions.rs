//! The overlay of all sessions. What is done to one is done by the session that is running; its answers
//! change the list.

use crate::proto::{Command, Level, SessionRow, ShelfAnswer, ShelfCommand, TRASH_DAYS};
use crate::text;
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::state::{Layer, State, Table, Tabled, Typing};
use crate::ui::update::input::table;

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Sessions => open(state),
        Action::RenameSession => {
            let title = state.marked_session().map(|row| row.title.clone());
            if let (Some(title), Some(table)) = (title, table(state)) {
                table.typing = Some(Typing::Name(text::sanitize_line(&title).into_owned()));
            }
            Vec::new()
        }
        Action::ForkSession => about(state, |name| ShelfCommand::Fork { name }),
        Action::DeleteSession => delete(state),
        Action::RestoreSession => match state.shelf.deleted.last() {
            Some(name) => send(ShelfCommand::Restore { name: name.clone() }),
            None => {
                state.toast(Level::Info, "nothing was deleted here; `octomind sessions deleted` lists the trash");
                Vec::new()
            }
        },
        _ => Vec::new(),
    }
}

fn send(command: ShelfCommand) -> Vec<Effect> {
    vec![Effect::Send(Command::Shelf(command))]
}

/// What was read before stays in sight until it is read again.
fn open(state: &mut State) -> Vec<Effect> {
    super::overlays::open(state, Layer::Table(Table::new(Tabled::Sessions)));
    state.shelf.reading = true;
    state.shelf.asked = None;
    send(ShelfCommand::List)
}

fn about(state: &mut State, command: impl FnOnce(String) -> ShelfCommand) -> Vec<Effect> {
    match state.marked_session() {
        Some(row) => send(command(row.name.clone())),
        None => {
            state.toast(Level::Info, "mark a session first: the sessions overlay lists them");
            Vec::new()
        }
    }
}

fn delete(state: &mut State) -> Vec<Effect> {
    if state.marked_session().is_some_and(|row| row.name == state.snapshot.session.name) {
        state.toast(Level::Info, "this is the session you are in; go to another one first");
        return Vec::new();
    }
    about(state, |name| ShelfCommand::Delete { name })
}

/// The typed title, unless it is empty.
pub(super) fn rename(state: &mut State, title: String) -> Vec<Effect> {
    if title.trim().is_empty() {
        state.toast(Level::Info, "the title stays as it is: nothing was typed");
        return Vec::new();
    }
    about(state, |name| ShelfCommand::Rename { name, title })
}

/// Goes on in the marked session.
pub(super) fn go(state: &mut State) -> Vec<Effect> {
    state.marked_session().cloned().map_or_else(Vec::new, |row| go_to(state, row))
}

/// `/session NAME`: there at once when the name is known, else what is like it is listed.
pub(super) fn named(state: &mut State, name: &str) -> Vec<Effect> {
    if let Some(row) = state.shelf.find(name).cloned() {
        return go_to(state, row);
    }
    let effects = open(state);
    if let Some(table) = table(state) {
        name.clone_into(&mut table.filter);
    }
    effects
}

/// A running turn is not ended by the way.
fn go_to(state: &mut State, SessionRow { name, workdir, .. }: SessionRow) -> Vec<Effect> {
    if name == state.snapshot.session.name {
        if matches!(state.layers.last(), Some(Layer::Table(Table { of: Tabled::Sessions, .. }))) {
            state.layers.pop();
        }
        state.toast(Level::Info, "you are in this session");
        return Vec::new();
    }
    if state.snapshot.run.busy() || !state.snapshot.queue.is_empty() {
        state.toast(Level::Warning, "a turn runs in this session; stop it or let it end, then go to another one");
        return Vec::new();
    }
    vec![Effect::Switch { name, workdir }]
}

/// The messages of the marked session, one question at a time.
pub(in crate::ui::update) fn ask(state: &mut State) -> Option<Effect> {
    let name = state.marked_session()?.name.clone();
    let known = state.shelf.preview.as_ref().is_some_and(|(known, _)| *known == name);
    if known || state.shelf.asked.is_some() {
        return None;
    }
    state.shelf.asked = Some(name.clone());
    Some(Effect::Send(Command::Shelf(ShelfCommand::Preview { name })))
}

pub(in crate::ui::update) fn answered(state: &mut State, answer: &ShelfAnswer) {
    match answer {
        ShelfAnswer::Listed { from, total, rows } => {
            let marked = state.marked_session().map(|row| row.name.clone());
            state.shelf.take(*from, *total, rows);
            if let Some(name) = marked {
                mark(state, &name);
            }
        }
        ShelfAnswer::Previewed { name, said } => {
            state.shelf.asked = None;
            state.shelf.preview = Some((name.clone(), said.clone()));
        }
        ShelfAnswer::Renamed { name, title } => state.shelf.rename(name, title),
        ShelfAnswer::Forked { name, fork } => {
            let words = format!("{} is a fork of {}; enter goes there", clean(&fork.name), clean(name));
            state.shelf.insert((**fork).clone());
            mark(state, &fork.name);
            state.toast(Level::Info, words);
        }
        ShelfAnswer::Deleted { name } => {
            let words = format!("{} is deleted; u puts it back, for {TRASH_DAYS} days", told(state, name));
            state.shelf.remove(name);
            state.shelf.deleted.push(name.clone());
            state.toast(Level::Info, words);
        }
        ShelfAnswer::Restored { row } => {
            state.shelf.deleted.retain(|name| *name != row.name);
            state.shelf.insert((**row).clone());
            mark(state, &row.name);
            let words = format!("{} is back", told(state, &row.name));
            state.toast(Level::Info, words);
        }
        ShelfAnswer::Refused { name, why } => {
            // What cannot be put back is not tried again and again.
            state.shelf.deleted.retain(|deleted| deleted != name);
            state.toast(Level::Warning, clean(why));
        }
    }
}

fn clean(words: &str) -> String {
    text::sanitize_line(words).into_owned()
}

/// The name, which is what a session is taken up by.
fn told(state: &State, name: &str) -> String {
    let title = state.shelf.find(name).map(|row| clean(&row.title)).filter(|title| !title.is_empty());
    title.map_or_else(|| clean(name), |title| format!("“{}”", text::truncate(&title, 32)))
}

fn mark(state: &mut State, name: &str) {
    if let Some(at) = state.shelf.place(name)
        && let Some(table) = table(state).filter(|table| table.of == Tabled::Sessions)
    {
        table.selected = at;
    }
}
