use crate::proto::Level;
use crate::ui::action::Action;
use crate::ui::effect::{Effect, Reload};
use crate::ui::state::State;

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Suspend => vec![Effect::Suspend],
        Action::ToggleMouse => {
            state.settings.mouse = !state.settings.mouse;
            let words = if state.settings.mouse {
                "the mouse is the workbench's: drag copies, shift-drag selects across panes"
            } else {
                "the mouse is the terminal's: drag selects text"
            };
            state.toast(Level::Info, words);
            vec![Effect::Mouse(state.settings.mouse)]
        }
        Action::ToggleMotion => {
            state.settings.motion = !state.settings.motion;
            Vec::new()
        }
        Action::Redraw => vec![Effect::Redraw],
        Action::Reload => vec![Effect::Reload(Reload::All)],
        _ => Vec::new(),
    }
}
