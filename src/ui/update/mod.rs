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
mod offers;
mod outcome;
mod session;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::port::Delivery;
use crate::proto::{Command, Snapshot, Timestamp};
use crate::ui::action::Call;
use crate::ui::composer::Found;
use crate::ui::drafts::Drafts;
use crate::ui::effect::Effect;
use crate::ui::input::{Input, Mouse};
use crate::ui::keys::Keymap;
use crate::ui::log::LogLine;
use crate::ui::problem::Problem;
use crate::ui::state::{LOG_EVERY_MS, State};
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
    /// Something was written to a file; what, in one sentence.
    Saved(String),
    Edited(Result<String, String>),
    /// The session could not take it: it is behind, or over.
    Unsent(Command),
    Found(Found),
    /// What was being written when the workbench was left before.
    Drafts(Drafts),
    Log(Vec<LogLine>),
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
    state.restore_draft();
    actions::session::forget_held(state);
    state.bring_secret();
    let effects = wants(state, effects);
    if let Some(moment) = state.time.moment.as_ref().filter(|_| state.in_past()) {
        // Times that are told there are told from there.
        state.now = moment.at;
    }
    effects
}

/// What time alone ends.
fn expire(state: &mut State) {
    let now = state.now;
    state.toasts.retain(|toast| toast.until > now);
    state.quit_armed = state.quit_armed.filter(|until| *until > now);
}

/// What the state as it stands now needs from the world.
fn wants(state: &mut State, mut effects: Vec<Effect>) -> Vec<Effect> {
    actions::tables::refilter(state);
    effects.extend(actions::surface::ask(state));
    effects.extend(actions::sessions::ask(state));
    effects.extend(actions::time::ask(state));
    if state.reads_log() && state.now >= state.log.read_at + LOG_EVERY_MS {
        state.log.read_at = state.now;
        effects.push(Effect::ReadLog);
    }
    effects.extend(actions::rewind::ask(state));
    effects.extend(offers::offer(state));
    effects.extend(state.composer.wants_files().map(Effect::FindFiles));
    effects.extend(state.keep_draft().map(Effect::KeepDraft));
    effects
}
