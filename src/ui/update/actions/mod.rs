//! Actions, one file per family. Each takes the state and gives back effects.

mod composer;
mod focus;
pub(super) mod lists;
mod overlays;
pub(super) mod questions;
pub(super) mod rewind;
pub(super) mod scroll;
pub(super) mod session;
pub(super) mod sessions;
pub(super) mod supervisor;
pub(super) mod surface;
pub(super) mod tables;
mod terminal;
pub(super) mod time;

use crate::ui::action::{Action, Arguments, Call, Category};
use crate::ui::effect::Effect;
use crate::ui::state::State;

/// Times that a count repeats what takes none itself, at most.
const MAX_REPEATS: usize = 999;

/// The same with a count that was typed before the key.
pub(super) fn run_counted(state: &mut State, call: &Call, count: Option<usize>) -> Vec<Effect> {
    match (count, call.action) {
        (None, _) => run(state, call),
        (count, Action::Vi) => {
            composer::vi(state, call, count);
            Vec::new()
        }
        (Some(count), action) if action.arguments() == Arguments::Count => {
            let count = call.count().saturating_mul(count).min(usize::from(u16::MAX));
            run(state, &Call::with(action, &count.to_string()))
        }
        (Some(count), action) if action.repeats() => {
            (0..count.min(MAX_REPEATS)).flat_map(|_| run(state, call)).collect()
        }
        (Some(_), _) => run(state, call),
    }
}

/// Carries an action out. The categories of the table are the families here.
pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    if time::refused(state, call.action) {
        return Vec::new();
    }
    match call.action.category() {
        Category::Session => session::run(state, call.action),
        Category::Composer => composer::run(state, call),
        Category::Focus => {
            focus::run(state, call);
            Vec::new()
        }
        Category::Scroll => scroll::run(state, call),
        Category::Lists => lists::run(state, call),
        Category::Surface => surface::run(state, call.action),
        Category::Supervisor => supervisor::run(state, call.action),
        Category::Overlays => overlays::run(state, call.action),
        Category::Questions => questions::run(state, call),
        Category::Terminal => terminal::run(state, call.action),
    }
}
