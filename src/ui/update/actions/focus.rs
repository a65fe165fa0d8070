use crate::ui::action::{Action, Call};
use crate::ui::state::{Pane, State};

pub(super) fn run(state: &mut State, call: &Call) {
    let panes = Pane::ALL;
    let here = panes.iter().position(|pane| *pane == state.focus).unwrap_or(0);
    match call.action {
        Action::FocusPane => {
            if let Some(pane) = Pane::parse(call.argument()) {
                focus(state, pane);
            }
        }
        Action::FocusNext => focus(state, panes[(here + 1) % panes.len()]),
        Action::FocusPrevious => focus(state, panes[(here + panes.len() - 1) % panes.len()]),
        Action::Compose => focus(state, Pane::Composer),
        Action::Zoom => state.zoom = !state.zoom,
        _ => {}
    }
}

fn focus(state: &mut State, pane: Pane) {
    if pane == Pane::Notes && state.focus != Pane::Notes {
        // The newest note is the one that was in sight.
        state.notes.selected = state.snapshot.notes.len().saturating_sub(1);
    }
    state.layers.clear();
    state.question = None;
    state.focus = pane;
}
