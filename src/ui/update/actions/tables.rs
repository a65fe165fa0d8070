//! Lists whose letters are keys: what Enter does in each, and what is typed into them.

use crate::proto::{Command, Filled, ModelCall, RewindWhat};
use crate::ui::effect::Effect;
use crate::ui::state::{
    ContextSide, FillRow, FillWhat, Folder, Layer, Part, Reader, State, Subject, Table, Tabled, Typing,
};
use crate::ui::update::input::table;

/// Enter: ends typing, else shows the marked row in full or opens it.
pub(super) fn accept(state: &mut State, marked: Table) -> Vec<Effect> {
    if marked.typing.is_some() {
        return typed_out(state);
    }
    let (subject, effects) = match marked.of {
        Tabled::Switches => {
            let Some(switch) = state.switch_in_question() else { return Vec::new() };
            (Subject::Switch(switch.key.clone()), Vec::new())
        }
        Tabled::Calls | Tabled::Context(ContextSide::Requests) => {
            let last = state.table_len(Tabled::Calls).saturating_sub(1);
            let call = state.model_calls().nth(marked.selected.min(last));
            let Some(ModelCall { request, .. }) = call else { return Vec::new() };
            let request = *request;
            if state.wire.as_ref().is_some_and(|wire| wire.request != request) {
                state.wire = None;
            }
            (Subject::Wire(request, Part::Received), vec![Effect::Send(Command::Wire { request })])
        }
        Tabled::Context(ContextSide::Parts) => match state.marked_fill().and_then(|row| opened(state, row)) {
            Some(subject) => (subject, Vec::new()),
            None => return Vec::new(),
        },
        Tabled::Log(_) => return Vec::new(),
        Tabled::Rewind => return super::rewind::go(state, RewindWhat::Both),
        Tabled::Themes => {
            state.keep_theme();
            state.layers.pop();
            return Vec::new();
        }
        Tabled::Sessions => return super::sessions::go(state),
        Tabled::Time => {
            super::time::refuse(state);
            return Vec::new();
        }
        Tabled::Servers => {
            let Some(name) = state.server_in_question() else { return Vec::new() };
            (Subject::Server(name.to_owned()), Vec::new())
        }
    };
    state.layers.push(Layer::Reader(Reader { subject, offset: 0 }));
    effects
}

/// Opens or folds the row; of one that adds up nothing, what can be read about it.
fn opened(state: &mut State, row: FillRow) -> Option<Subject> {
    let folder = match row.what {
        FillWhat::Group(group) => row.open.map(|_| Folder::Group(group)),
        FillWhat::Server(name) => Some(Folder::Server(name)),
        FillWhat::Part(Filled::Tool(server, name)) => {
            let found = state.snapshot.servers.iter().find(|one| one.name == server)?;
            let tool = found.tools.iter().find(|tool| tool.name == name)?;
            return Some(Subject::Tool { server, wire_name: tool.wire_name.clone() });
        }
        FillWhat::Part(Filled::Skill(name)) => return Some(Subject::Skill(name)),
        FillWhat::Part(_) | FillWhat::Free => None,
    };
    let folder = folder?;
    if !state.opened.remove(&folder) {
        state.opened.insert(folder);
    }
    None
}

/// Folds the marked row, or the one it belongs to, and marks that.
pub(super) fn fold(state: &mut State) {
    let Some(marked) = state.marked_fill() else { return };
    let folder = match (&marked.what, marked.group) {
        (FillWhat::Group(group), _) => Folder::Group(*group),
        (FillWhat::Part(Filled::Tool(server, _)), _) => Folder::Server(server.clone()),
        (FillWhat::Server(name), _) if marked.open == Some(true) => Folder::Server(name.clone()),
        (_, Some(group)) => Folder::Group(group),
        (_, None) => return,
    };
    state.opened.remove(&folder);
    let is_it = |row: &FillRow| match (&row.what, &folder) {
        (FillWhat::Group(one), Folder::Group(two)) => one == two,
        (FillWhat::Server(one), Folder::Server(two)) => one == two,
        _ => false,
    };
    let at = state.fill_rows().iter().position(is_it);
    if let (Some(at), Some(table)) = (at, table(state)) {
        table.selected = at;
    }
}

/// Begins to type what rows must match, where they can be filtered.
pub(super) fn filter(state: &mut State) {
    if let Some(table) = table(state)
        && table.of.is_filtered()
    {
        table.typing = Some(Typing::Filter);
    }
}

/// Changes what is typed.
pub(in crate::ui::update) fn typed(table: &mut Table, change: impl FnOnce(&mut String)) {
    let Some(text) = table.typed() else { return };
    change(text);
    if table.typing == Some(Typing::Filter) {
        table.rewind();
    }
}

/// What is listed follows what is typed.
pub(in crate::ui::update) fn refilter(state: &mut State) {
    let Some(Layer::Table(Table { of: Tabled::Sessions, filter, .. })) = state.layers.last() else { return };
    state.shelf.filter(&filter.clone());
}

/// Ends typing without anything come of it; false when nothing was typed and the overlay may close.
pub(super) fn stop_typing(table: &mut Table) -> bool {
    match table.typing.take() {
        Some(Typing::Name(_)) => true,
        Some(Typing::Filter) => {
            table.filter.clear();
            table.rewind();
            true
        }
        None if !table.filter.is_empty() => {
            table.filter.clear();
            table.rewind();
            true
        }
        None => false,
    }
}

/// What was typed counts: a filter stays, a name is given.
fn typed_out(state: &mut State) -> Vec<Effect> {
    match table(state).and_then(|table| table.typing.take()) {
        Some(Typing::Name(title)) => super::sessions::rename(state, title),
        Some(Typing::Filter) | None => Vec::new(),
    }
}
