use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::state::{Deed, Filtered, Layer, Pane, ScrollBy, State};
use crate::ui::update::input::{delete_last, filtered};

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => open(state, Layer::Help(Filtered::default())),
        Action::Palette => open(state, Layer::Palette(Filtered::default())),
        Action::SearchHistory => open(state, Layer::History(Filtered::default())),
        Action::Close => close(state),
        Action::Accept => return accept(state),
        Action::FilterDeleteLeft => edit(state, delete_last),
        Action::FilterClear => edit(state, String::clear),
        _ => {}
    }
    Vec::new()
}

/// One of a kind at a time: opening it again begins afresh.
pub(super) fn open(state: &mut State, layer: Layer) {
    let kind = std::mem::discriminant(&layer);
    state.layers.retain(|open| std::mem::discriminant(open) != kind);
    state.layers.push(layer);
}

/// The topmost overlay, else the question, which stays open.
fn close(state: &mut State) {
    if state.layers.pop().is_none() {
        state.question = None;
    }
}

/// Runs the marked action, or keeps the typed search.
fn accept(state: &mut State) -> Vec<Effect> {
    let deed = match state.layers.last() {
        Some(Layer::Help(list)) => state.help_rows(&list.filter).get(list.selected).map(|row| row.deed.clone()),
        Some(Layer::Palette(list)) => state.palette_rows(&list.filter).get(list.selected).map(|row| row.deed.clone()),
        Some(Layer::History(list)) => {
            let entry = state.history_rows(&list.filter).get(list.selected).map(|entry| (*entry).to_owned());
            if let Some(entry) = entry {
                state.composer.take_up(&entry);
                state.focus = Pane::Composer;
            }
            None
        }
        Some(Layer::Reader(_)) => None,
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
    state.layers.pop();
    match deed {
        Some(Deed::Call(call)) => super::run(state, &call),
        Some(Deed::Slash(command)) => super::session::choose(state, command),
        None => Vec::new(),
    }
}

/// Changes what is typed into a filter, a search or a question.
fn edit(state: &mut State, change: impl Fn(&mut String)) {
    if let Some(filtered) = filtered(state) {
        change(&mut filtered.filter);
        filtered.selected = 0;
        filtered.offset = 0;
    } else if let Some(question) = state.question.as_mut().filter(|_| state.layers.is_empty()) {
        change(&mut question.text);
    } else if let Some(search) = state.transcript.search.as_mut().filter(|search| search.editing) {
        change(&mut search.query);
        state.transcript.pending.push(ScrollBy::Match(0));
    }
}
