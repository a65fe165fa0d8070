use crate::proto::Level;
use crate::ui::action::{Action, Call};
use crate::ui::keys::Context;
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
        Action::Compose => {
            focus(state, Pane::Composer);
            state.composer.enter_insert();
        }
        Action::LeaveComposer => leave_composer(state),
        Action::Zoom => state.zoom = !state.zoom,
        _ => {}
    }
}

/// A key pressed to stop a turn must not leave by its second meaning, and letters meant for a message
/// must not become keys of a pane.
fn leave_composer(state: &mut State) {
    if !state.composer.is_empty() && !state.composer.modal.is_normal() {
        let keys = [Context::Composer, Context::Global];
        let key = state.keymap.key_for(&keys, Action::FocusNext).unwrap_or_else(|| "the palette".to_owned());
        state.toast(Level::Info, format!("the message stays; {key} goes to the panes"));
    } else if state.stopped_until.is_none_or(|until| state.now >= until) {
        focus(state, Pane::Transcript);
    }
}

fn focus(state: &mut State, pane: Pane) {
    if pane == Pane::Notes && state.focus != Pane::Notes {
        // The newest note is the one that was in sight.
        state.notes.selected = state.snapshot.notes.len().saturating_sub(1);
    }
    if pane == Pane::Plan && state.focus != Pane::Plan {
        state.plan.selected = state.snapshot.supervisor.plan.active().unwrap_or(0);
    }
    state.layers.clear();
    state.question = None;
    state.focus = pane;
}
