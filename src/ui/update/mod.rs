//! What happens to the state when something is said: pure, total, and the only place where it
//! changes.
//!
//! Owns: [`Msg`], the routing of keys through the keymap, one file per family of actions.
//!
//! Does not own: I/O. What must be done to the world is returned as [`Effect`]s.
//!
//! Invariant: no clock is read; the time is in the message. A key has one meaning at a time, found
//! in the keymap alone.

mod actions;
mod input;
mod mouse;
mod outcome;
mod session;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::port::Delivery;
use crate::proto::{Command, Snapshot, Timestamp};
use crate::ui::action::Call;
use crate::ui::composer::Files;
use crate::ui::effect::Effect;
use crate::ui::input::{Input, Mouse};
use crate::ui::keys::Keymap;
use crate::ui::problem::Problem;
use crate::ui::state::State;
use crate::ui::view::Pointed;

/// Something that was said, and when.
#[derive(Debug, Clone)]
pub struct Msg {
    pub at: Timestamp,
    pub said: Said,
}

#[derive(Debug, Clone)]
pub enum Said {
    Input(Input),
    /// The mouse, with what lies under it in the frame the person saw.
    Mouse(Mouse, Pointed),
    /// Deliveries of the session in order; with a resync among them, the shared snapshot as it was
    /// after the last.
    Session(Vec<Delivery>, Option<Arc<Snapshot>>),
    /// Time went on.
    Tick,
    Resized(u16, u16),
    /// An action without a key: the palette, a click.
    Call(Call),
    Outcome(Outcome),
}

/// How an effect went.
#[derive(Debug, Clone)]
pub enum Outcome {
    Copied(Result<String, String>),
    Edited(Result<String, String>),
    /// The session could not take it: it is behind, or over.
    Unsent(Command),
    Files(Vec<String>),
    History(Vec<String>),
    Reloaded {
        keymap: Option<Arc<Keymap>>,
        problems: Vec<Problem>,
        asked: bool,
    },
    /// Something went wrong that has no other place; one sentence.
    Failed(String),
}

/// Changes the state and says what must be done.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    state.now = msg.at;
    let effects = match msg.said {
        Said::Input(input) => input::input(state, input),
        Said::Mouse(mouse, pointed) => mouse::mouse(state, mouse, pointed),
        Said::Session(deliveries, latest) => session::deliveries(state, deliveries, latest.as_deref()),
        Said::Tick => Vec::new(),
        Said::Resized(columns, rows) => {
            state.size = (columns, rows);
            state.selection = None;
            Vec::new()
        }
        Said::Call(call) => actions::run(state, &call),
        Said::Outcome(outcome) => {
            outcome::outcome(state, outcome);
            Vec::new()
        }
    };
    expire(state);
    actions::session::forget_held(state);
    state.bring_secret();
    wants(state, effects)
}

/// What time alone ends.
fn expire(state: &mut State) {
    let now = state.now;
    state.toasts.retain(|toast| toast.until > now);
    state.quit_armed = state.quit_armed.filter(|until| *until > now);
}

/// What the state as it stands now needs from the world.
fn wants(state: &mut State, mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.extend(actions::surface::ask(state));
    if state.composer.wants_files() {
        state.composer.set_files(Files::Asked);
        effects.push(Effect::ListFiles);
    }
    effects
}
