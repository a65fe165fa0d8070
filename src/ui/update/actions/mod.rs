//! Actions, one file per family. Each takes the state and gives back effects.

mod composer;
mod focus;
pub(super) mod lists;
mod overlays;
pub(super) mod questions;
pub(super) mod scroll;
pub(super) mod session;
pub(super) mod supervisor;
pub(super) mod surface;
mod terminal;

use crate::ui::action::{Call, Category};
use crate::ui::effect::Effect;
use crate::ui::state::State;

/// Carries an action out. The categories of the table are the families here.
pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    match call.action.category() {
        Category::Session => session::run(state, call.action),
        Category::Composer => composer::run(state, call.action),
        Category::Focus => {
            focus::run(state, call);
            Vec::new()
        }
        Category::Scroll => scroll::run(state, call),
        Category::Lists => lists::run(state, call),
        Category::Surface => surface::run(state, call.action),
        Category::Supervisor => supervisor::run(state, call.action),
        Category::Overlays => overlays::run(state, call.action),
        Category::Questions => questions::run(state, call.action),
        Category::Terminal => terminal::run(state, call.action),
    }
}
