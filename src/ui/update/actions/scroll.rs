use crate::proto::{Level, Order};
use crate::ui::action::{Action, Call};
use crate::ui::effect::Effect;
use crate::ui::state::{Layer, Lead, Listing, Pane, Reader, ScrollBy, Search, State, Subject};
use crate::ui::transcript::Target;
use crate::ui::transcript::cell::FoldKind;
use crate::ui::{transcript_text, view};

/// Rows a page key moves in a list.
const LIST_PAGE: isize = 10;

pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    let lines = i32::try_from(call.count()).unwrap_or(1);
    match call.action {
        Action::ScrollUp => scroll(state, ScrollBy::Lines(-lines)),
        Action::ScrollDown => scroll(state, ScrollBy::Lines(lines)),
        Action::HalfPageUp => scroll(state, ScrollBy::HalfPages(-1)),
        Action::HalfPageDown => scroll(state, ScrollBy::HalfPages(1)),
        Action::PageUp => scroll(state, ScrollBy::Pages(-1)),
        Action::PageDown => scroll(state, ScrollBy::Pages(1)),
        Action::ScrollTop => scroll(state, ScrollBy::Top),
        Action::ScrollBottom => scroll(state, ScrollBy::Bottom),
        Action::PromptPrevious => scroll(state, ScrollBy::Prompt(-1)),
        Action::PromptNext => scroll(state, ScrollBy::Prompt(1)),
        Action::EntryPrevious => select(state, -1),
        Action::EntryNext => select(state, 1),
        Action::ToggleFold => {
            if let Some(order) = state.transcript.selected {
                toggle(state, order);
            }
        }
        Action::ToggleFoldAll => {
            state.transcript.unfold_all = !state.transcript.unfold_all;
            state.transcript.open_kinds.clear();
            state.transcript.toggled.clear();
        }
        Action::FoldKind => fold_kind(state, call.argument()),
        Action::OpenEntry => {
            let shown = state.transcript.selected.filter(|order| state.snapshot.transcript.get(*order).is_some());
            return shown.map_or_else(|| dump(state), |order| vec![Effect::ShowEntry(order)]);
        }
        Action::CopyCode => return copy_code(state),
        Action::OpenLink => return open_link(state),
        Action::CopyEntry => return copy_entry(state),
        Action::ClearSelection => state.transcript.selected = None,
        Action::Search => {
            state.focus = Pane::Transcript;
            state.transcript.search = Some(Search { query: String::new(), editing: true });
        }
        Action::SearchNext => scroll(state, ScrollBy::Match(1)),
        Action::SearchPrevious => scroll(state, ScrollBy::Match(-1)),
        Action::SearchClear => state.transcript.search = None,
        Action::DumpTranscript => return dump(state),
        _ => {}
    }
    Vec::new()
}

/// Moves the transcript, or the list that has focus by about as much.
fn scroll(state: &mut State, by: ScrollBy) {
    let list = match state.focus {
        Pane::Surface => &mut state.surface,
        Pane::Scores => &mut state.scores,
        Pane::Plan => &mut state.plan,
        Pane::Notes => &mut state.notes,
        Pane::Transcript | Pane::Composer => {
            state.transcript.pending.push(by);
            return;
        }
    };
    list.selected = match by {
        ScrollBy::Lines(lines) => list.selected.saturating_add_signed(lines as isize),
        ScrollBy::HalfPages(pages) => list.selected.saturating_add_signed(pages as isize * LIST_PAGE / 2),
        ScrollBy::Pages(pages) => list.selected.saturating_add_signed(pages as isize * LIST_PAGE),
        ScrollBy::Top => 0,
        // The layout clamps it to the last row.
        ScrollBy::Bottom => usize::MAX / 2,
        ScrollBy::Prompt(_) | ScrollBy::Match(_) | ScrollBy::To(_) => list.selected,
    };
}

/// Selects the entry before or after; the last one when none was selected.
fn select(state: &mut State, by: isize) {
    let entries = state.snapshot.transcript.entries();
    let Some(last) = entries.len().checked_sub(1) else { return };
    let here = state.transcript.selected.map(|order| state.snapshot.transcript.position(order));
    let index = match here {
        Some(Ok(index)) => index.saturating_add_signed(by).min(last),
        Some(Err(index)) => index.min(last),
        None => last,
    };
    let order = entries[index].order;
    state.transcript.selected = Some(order);
    state.transcript.pending.push(ScrollBy::To(order));
}

pub(in crate::ui::update) fn toggle(state: &mut State, order: Order) {
    if !state.transcript.toggled.remove(&order) {
        state.transcript.toggled.insert(order);
    }
}

/// Every entry of the kind stands open, or none; what was opened or folded by hand of it follows.
fn fold_kind(state: &mut State, name: &str) {
    let Some(kind) = FoldKind::parse(name) else { return };
    let transcript = &mut state.transcript;
    if !transcript.open_kinds.remove(&kind) {
        transcript.open_kinds.insert(kind);
    }
    let entries = &state.snapshot.transcript;
    transcript.toggled.retain(|order| entries.get(*order).is_some_and(|entry| FoldKind::of(&entry.kind) != Some(kind)));
}

/// The one block of code at once; of several the person chooses.
fn copy_code(state: &mut State) -> Vec<Effect> {
    let mut blocks = state.code_rows("");
    match (blocks.pop(), blocks.is_empty()) {
        (Some(block), true) => vec![Effect::Copy { text: block.text, what: "the block of code" }],
        (Some(_), false) => {
            super::overlays::open(state, Layer::picker(Listing::Code));
            Vec::new()
        }
        (None, _) => {
            state.toast(Level::Info, "there is no block of code there");
            Vec::new()
        }
    }
}

/// The one place it leads to at once; of several the person chooses, seeing each whole.
fn open_link(state: &mut State) -> Vec<Effect> {
    let mut rows = state.lead_rows("");
    let one = state.transcript.selected.is_some() && rows.len() == 1;
    match rows.pop() {
        Some(row) if one => follow(state, row.lead),
        Some(_) => {
            super::overlays::open(state, Layer::picker(Listing::Leads));
            Vec::new()
        }
        None => {
            state.toast(Level::Info, "nothing there leads anywhere");
            Vec::new()
        }
    }
}

/// Goes where it leads: a browser, the editor, or the image itself.
pub(super) fn follow(state: &mut State, lead: Lead) -> Vec<Effect> {
    match lead {
        Lead::Target(Target::Address(address)) => vec![Effect::OpenAddress(address.to_string())],
        Lead::Target(Target::File { path, line }) => {
            let path = view::absolute(&state.snapshot.session.workdir, &path).display().to_string();
            vec![Effect::OpenFile { path, line }]
        }
        Lead::Picture(picture) if state.draws(picture) => {
            state.layers.push(Layer::Reader(Reader { subject: Subject::Picture(picture), offset: 0 }));
            Vec::new()
        }
        Lead::Picture(picture) => vec![Effect::OpenPicture(picture)],
    }
}

fn copy_entry(state: &mut State) -> Vec<Effect> {
    let entry = state.transcript.selected.and_then(|order| state.snapshot.transcript.get(order));
    match entry {
        Some(entry) => vec![Effect::Copy { text: transcript_text::one(entry), what: "the entry" }],
        None => {
            state.toast(Level::Info, "select an entry first");
            Vec::new()
        }
    }
}

fn dump(state: &mut State) -> Vec<Effect> {
    if state.snapshot.transcript.is_empty() {
        state.toast(Level::Info, "there is nothing to show yet");
        return Vec::new();
    }
    vec![Effect::ShowTranscript]
}
