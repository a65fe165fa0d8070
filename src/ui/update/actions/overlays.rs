use crate::proto::{Command, Level, SubmitMode};
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::log::LogLevel;
use crate::ui::state::{
    ContextSide, Deed, Layer, Listing, LogFloor, Pane, Part, Picker, Reader, ScrollBy, Shelf, State, Subject, Table,
    Tabled,
};
use crate::ui::update::input::{delete_last, picker, table, what_if};
use crate::ui::view;

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => open(state, Layer::picker(Listing::Help)),
        Action::Palette => open(state, Layer::picker(Listing::Palette)),
        Action::SearchHistory => open(state, Layer::picker(Listing::History)),
        Action::PickPrompt => open(state, Layer::picker(Listing::Prompts)),
        Action::PickAgent => pick_agent(state),
        Action::Catalogue => open(state, Layer::picker(Listing::Catalogue(Shelf::Agents))),
        Action::Wire => open(state, Layer::Table(Table::new(Tabled::Calls))),
        Action::Context => open(state, Layer::Table(Table::new(Tabled::Context(ContextSide::Parts)))),
        Action::Servers => open(state, Layer::Table(Table::new(Tabled::Servers))),
        Action::Log => open(state, Layer::Table(Table::new(Tabled::Log(LogFloor(LogLevel::Debug))))),
        Action::Time | Action::TurnEarlier | Action::TurnLater => super::time::run(state, action),
        Action::Sessions
        | Action::RenameSession
        | Action::ForkSession
        | Action::DeleteSession
        | Action::RestoreSession => return super::sessions::run(state, action),
        Action::Themes => themes(state),
        Action::SaveTheme => return save_theme(state),
        Action::Rewind | Action::RewindConversation | Action::RewindFiles | Action::RewindByHand => {
            return super::rewind::run(state, action);
        }
        Action::CopyRecord => return copy_record(state),
        Action::NextSection => turn(state, 1),
        Action::PreviousSection => turn(state, -1),
        Action::OpenSource => return open_source(state),
        Action::Close => close(state),
        Action::Accept => return accept(state),
        Action::FilterDeleteLeft => edit(state, delete_last),
        Action::FilterClear => edit(state, String::clear),
        Action::FilterRows => super::tables::filter(state),
        Action::FoldRow => super::tables::fold(state),
        _ => {}
    }
    Vec::new()
}

/// One of a kind at a time: opening it again begins afresh.
pub(super) fn open(state: &mut State, layer: Layer) {
    state.layers.retain(|open| !open.same_kind(&layer));
    state.layers.push(layer);
}

/// The topmost overlay, else the question, which stays open.
fn close(state: &mut State) {
    if let Some(table) = table(state)
        && super::tables::stop_typing(table)
    {
        return;
    }
    if state.layers.pop().is_none()
        && let Some(question) = state.question.take()
    {
        state.secrets.put_off.insert(question.ask);
    }
}

/// Runs the marked action, or keeps the typed search.
fn accept(state: &mut State) -> Vec<Effect> {
    let deed = match state.layers.last() {
        Some(Layer::Picker(picker)) => state.picked(picker),
        Some(Layer::Reader(_)) => None,
        Some(Layer::Table(table)) => {
            let table = table.clone();
            return super::tables::accept(state, table);
        }
        Some(Layer::WhatIf(_)) => {
            super::surface::take(state);
            return Vec::new();
        }
        None => {
            if let Some(search) = &mut state.transcript.search {
                search.editing = false;
                if search.query.is_empty() {
                    state.transcript.search = None;
                }
            }
            return Vec::new();
        }
    };
    let Some(deed) = deed else {
        // Nothing matches: one may go on typing.
        if matches!(state.layers.last(), Some(Layer::Reader(_))) {
            state.layers.pop();
        }
        return Vec::new();
    };
    if let Deed::Read(subject) = deed {
        // The list stays beneath, so that closing leads back to it.
        state.layers.push(Layer::Reader(Reader { subject, offset: 0 }));
        return Vec::new();
    }
    state.layers.pop();
    match deed {
        Deed::Call(call) => super::run(state, &call),
        Deed::Slash(command) => super::session::choose(state, command),
        Deed::TakeUp(entry) => {
            state.composer.take_up(&entry);
            state.focus = Pane::Composer;
            Vec::new()
        }
        Deed::Jump(order) => {
            state.focus = Pane::Transcript;
            state.transcript.selected = Some(order);
            state.transcript.pending.push(ScrollBy::To(order));
            Vec::new()
        }
        Deed::EditWaiting(id) => super::session::edit_waiting(state, id),
        Deed::Follow(lead) => super::scroll::follow(state, lead),
        Deed::CopyCode(text) => vec![Effect::Copy { text, what: "the block of code" }],
        Deed::Role(tag) => {
            let (text, mode) = (format!("/role {tag}"), SubmitMode::Steer);
            vec![Effect::Send(Command::Submit { text, attachments: Vec::new(), mode })]
        }
        Deed::Read(_) => Vec::new(),
    }
}

/// The agents, the one that the session has marked.
fn pick_agent(state: &mut State) {
    let selected = state.agent_rows("").iter().position(|row| row.current).unwrap_or(0);
    open(state, Layer::Picker(Picker { of: Listing::Agents, filter: String::new(), selected, offset: 0 }));
}

/// The themes, the one in force marked. What is marked is shown, as long as the list is open.
fn themes(state: &mut State) {
    let selected = state.themes.rows.iter().position(|row| row.name == state.themes.setting).unwrap_or(0);
    open(state, Layer::Table(Table { selected, ..Table::new(Tabled::Themes) }));
}

/// `/theme NAME`: in force at once, for this session; the list without a name, or with one that is none.
pub(super) fn take_theme(state: &mut State, name: &str) {
    if state.themes.rows.iter().any(|row| row.name == name) {
        name.clone_into(&mut state.themes.setting);
        return;
    }
    if !name.is_empty() {
        let name = crate::text::sanitize_line(name).into_owned();
        state.toast(Level::Warning, format!("there is no theme {}", crate::text::truncate(&name, 32)));
    }
    themes(state);
}

/// Keeps the marked theme and writes it to the configuration.
fn save_theme(state: &mut State) -> Vec<Effect> {
    if !state.lists_themes() {
        state.toast(Level::Info, "mark a theme first: the themes overlay lists them");
        return Vec::new();
    }
    state.keep_theme();
    vec![Effect::SaveTheme(state.themes.setting.clone())]
}

/// Another list of the overlay, under the same filter; of a model call its other side.
fn turn(state: &mut State, by: isize) {
    if let Some(Layer::Reader(Reader { subject: Subject::Wire(_, part), offset })) = state.layers.last_mut() {
        *part = part.other();
        *offset = 0;
    }
    if let Some(Layer::Table(table @ Table { of: Tabled::Context(_), .. })) = state.layers.last_mut()
        && let Tabled::Context(side) = table.of
    {
        table.of = Tabled::Context(side.other());
        table.rewind();
    }
    if let Some(Layer::Table(table @ Table { of: Tabled::Log(_), .. })) = state.layers.last_mut()
        && let Tabled::Log(floor) = table.of
    {
        table.of = Tabled::Log(floor.turned(by));
        table.rewind();
    }
    if let Some(picker) = picker(state)
        && let Listing::Catalogue(shelf) = picker.of
    {
        picker.of = Listing::Catalogue(shelf.turned(by));
        picker.rewind();
    }
}

/// What is read, as text: a side of a model call word for word, else the rows unwrapped.
fn copy_record(state: &mut State) -> Vec<Effect> {
    let (text, what) = match state.layers.last() {
        Some(Layer::Table(Table { of: Tabled::Log(_), .. })) => (view::log_text(state), "the log"),
        Some(Layer::Reader(reader)) => read(state, &reader.subject),
        _ => return Vec::new(),
    };
    if text.trim().is_empty() {
        state.toast(Level::Info, "there is nothing to copy yet");
        return Vec::new();
    }
    vec![Effect::Copy { text, what }]
}

/// What is read, and what it is called.
fn read(state: &State, subject: &Subject) -> (String, &'static str) {
    match subject {
        Subject::Wire(request, part) => {
            let wire = state.wire.as_ref().filter(|wire| wire.request == *request);
            let what = match part {
                Part::Received => "what was received",
                Part::Sent => "what was sent",
            };
            (wire.map(|wire| wire.part(*part).to_owned()).unwrap_or_default(), what)
        }
        subject => (view::record_text(state, subject), "the record"),
    }
}

fn open_source(state: &mut State) -> Vec<Effect> {
    if let Some(Layer::Reader(Reader { subject: Subject::Picture(picture), .. })) = state.layers.last() {
        return vec![Effect::OpenPicture(*picture)];
    }
    match state.source() {
        Some((path, line)) => {
            if state.is_put_back(&path) {
                let words = "it comes with the program: to change it, copy it into a tap of yours; here it is put back";
                state.toast(Level::Warning, words);
            }
            vec![Effect::OpenFile { path, line }]
        }
        None => {
            state.toast(Level::Info, "it has no file of its own");
            Vec::new()
        }
    }
}

/// Changes what is typed into a filter, a search or a question.
fn edit(state: &mut State, change: impl Fn(&mut String)) {
    if let Some(table) = table(state) {
        super::tables::typed(table, change);
    } else if let Some(picker) = picker(state) {
        change(&mut picker.filter);
        picker.rewind();
    } else if let Some(tried) = what_if(state) {
        change(&mut tried.text);
    } else if let Some(question) = state.question.as_mut().filter(|_| state.layers.is_empty()) {
        change(&mut question.text);
    } else if let Some(search) = state.transcript.search.as_mut().filter(|search| search.editing) {
        change(&mut search.query);
        state.transcript.pending.push(ScrollBy::Match(0));
    }
}
