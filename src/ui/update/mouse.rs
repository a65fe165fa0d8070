use super::actions;
use crate::proto::Order;
use crate::ui::action::{Action, Call};
use crate::ui::effect::Effect;
use crate::ui::input::{Mouse, MouseKind};
use crate::ui::state::{Ground, Layer, Pane, Picker, ScrollBy, Selection, State, Table};
use crate::ui::view::{Hit, Pointed};

/// Lines per notch of the wheel.
const WHEEL_LINES: i32 = 3;

pub(super) fn mouse(state: &mut State, mouse: Mouse, pointed: Pointed) -> Vec<Effect> {
    match mouse.kind {
        MouseKind::WheelUp => wheel(state, pointed.hit, -WHEEL_LINES),
        MouseKind::WheelDown => wheel(state, pointed.hit, WHEEL_LINES),
        MouseKind::Press => return press(state, pointed),
        MouseKind::Drag => drag(state, pointed),
        MouseKind::Release => return release(state, pointed.hit),
    }
    Vec::new()
}

/// A press on text may begin a selection, so that what a click does there waits for the release.
fn press(state: &mut State, pointed: Pointed) -> Vec<Effect> {
    state.pending.keys.clear();
    state.selection = pointed.spot.map(|(ground, spot)| Selection { ground, from: spot, to: spot });
    if state.selection.is_some() { Vec::new() } else { click(state, pointed.hit) }
}

fn drag(state: &mut State, pointed: Pointed) {
    match (&mut state.selection, pointed.hit) {
        (Some(selection), _) => {
            if let Some((_, spot)) = pointed.spot {
                selection.to = spot;
            }
            if selection.ground == Ground::Transcript && pointed.beyond != 0 {
                state.transcript.pending.push(ScrollBy::Lines(pointed.beyond));
            }
        }
        (None, Hit::Scrollbar(share)) => scroll_to(state, share),
        (None, _) => {}
    }
}

/// A selection is copied and stays marked; without one it was a click.
fn release(state: &mut State, hit: Hit) -> Vec<Effect> {
    match state.selection {
        Some(selection) if selection.is_empty() => {
            state.selection = None;
            click(state, hit)
        }
        Some(_) => vec![Effect::CopySelection],
        None => Vec::new(),
    }
}

/// Scrolls what lies under the pointer, whatever has focus.
fn wheel(state: &mut State, hit: Hit, lines: i32) {
    let shifted = |offset: usize| offset.saturating_add_signed(lines as isize);
    match hit {
        Hit::Entry { .. } | Hit::Transcript | Hit::Below | Hit::Scrollbar(_) => {
            state.transcript.pending.push(ScrollBy::Lines(lines));
        }
        // A list out of focus shows its window, one in focus its marked row.
        Hit::Surface(_) => {
            state.surface.offset = shifted(state.surface.offset);
            state.surface.selected = shifted(state.surface.selected);
        }
        Hit::Score(_) => {
            state.scores.offset = shifted(state.scores.offset);
            state.scores.selected = shifted(state.scores.selected);
        }
        Hit::Phase(_) => {
            state.plan.offset = shifted(state.plan.offset);
            state.plan.selected = shifted(state.plan.selected);
        }
        Hit::Note(_) => {
            state.notes.offset = shifted(state.notes.offset);
            state.notes.selected = shifted(state.notes.selected);
        }
        Hit::Over(_) => actions::lists::shift(state, lines as isize),
        Hit::Completion(_) => state.composer.completion_move(lines.signum() as isize),
        Hit::Composer { .. } | Hit::Tab(_) | Hit::OutsideOver | Hit::Nothing => {}
    }
}

fn click(state: &mut State, hit: Hit) -> Vec<Effect> {
    match hit {
        Hit::Entry { order, .. } => entry(state, order),
        Hit::Transcript => state.focus = Pane::Transcript,
        Hit::Below => return actions::run(state, &Call::new(Action::ScrollBottom)),
        Hit::Scrollbar(share) => scroll_to(state, share),
        Hit::Surface(item) => return row(state, Pane::Surface, item),
        Hit::Score(item) => return row(state, Pane::Scores, item),
        Hit::Phase(item) => return row(state, Pane::Plan, item),
        Hit::Note(item) => return row(state, Pane::Notes, item),
        Hit::Composer { row, column } => {
            state.focus = Pane::Composer;
            state.composer.click(row, column);
        }
        Hit::Tab(pane) => state.focus = pane,
        Hit::Completion(Some(item)) => {
            if let Some(completion) = &mut state.composer.completion {
                completion.selected = item;
                let _ = state.composer.complete();
            }
        }
        Hit::Over(Some(item)) if !state.layers.is_empty() => {
            if let Some(Layer::Picker(Picker { selected, .. }) | Layer::Table(Table { selected, .. })) =
                state.layers.last_mut()
            {
                let again = *selected == item;
                *selected = item;
                if again {
                    return actions::run(state, &Call::new(Action::Accept));
                }
            }
        }
        Hit::OutsideOver => return actions::run(state, &Call::new(Action::Close)),
        Hit::Over(_) | Hit::Completion(None) | Hit::Nothing => {}
    }
    Vec::new()
}

/// The first click selects, the next one folds.
fn entry(state: &mut State, order: Order) {
    let again = state.focus == Pane::Transcript && state.transcript.selected == Some(order);
    state.focus = Pane::Transcript;
    if again {
        actions::scroll::toggle(state, order);
    }
    state.transcript.selected = Some(order);
}

fn row(state: &mut State, pane: Pane, item: Option<usize>) -> Vec<Effect> {
    let list = match pane {
        Pane::Surface => &mut state.surface,
        Pane::Scores => &mut state.scores,
        Pane::Plan => &mut state.plan,
        _ => &mut state.notes,
    };
    let again = state.focus == pane && item == Some(list.selected);
    if let Some(item) = item {
        list.selected = item;
    }
    state.focus = pane;
    if again { actions::run(state, &Call::new(Action::Open)) } else { Vec::new() }
}

/// To a share of the transcript, in thousandths of its entries.
fn scroll_to(state: &mut State, share: u16) {
    let entries = state.snapshot.transcript.entries();
    let index = entries.len().saturating_sub(1) * usize::from(share.min(1000)) / 1000;
    let step = match entries.get(index) {
        Some(_) if share >= 990 => ScrollBy::Bottom,
        Some(entry) => ScrollBy::To(entry.order),
        None => ScrollBy::Bottom,
    };
    state.transcript.pending.push(step);
}
