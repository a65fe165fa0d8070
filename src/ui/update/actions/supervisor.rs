use crate::proto::{Command, Level, SwitchState, Switched, SwitchedHow};
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::state::{Layer, State, Table, Tabled, short_name};

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Switches => super::overlays::open(state, Layer::Table(Table::new(Tabled::Switches))),
        Action::FlipSwitch => return flip(state),
        Action::SaveSwitch => return save(state),
        _ => {}
    }
    Vec::new()
}

const NONE_MARKED: &str = "mark a switch first: the switches overlay lists them";

/// The session decides whether it may be; only what can never be is answered here.
fn flip(state: &mut State) -> Vec<Effect> {
    let Some(switch) = state.switch_in_question() else {
        state.toast(Level::Info, NONE_MARKED);
        return Vec::new();
    };
    let on = match &switch.state {
        SwitchState::Pending { on } => !on,
        SwitchState::ReadOnly { why } => {
            let words = format!("{} stays as it is: {why}", short_name(&switch.key));
            state.toast(Level::Info, words);
            return Vec::new();
        }
        SwitchState::Live | SwitchState::NotBuilt | SwitchState::Idle { .. } => !switch.on,
    };
    vec![Effect::Send(Command::Switch { key: switch.key.clone(), on })]
}

fn save(state: &mut State) -> Vec<Effect> {
    match state.switch_in_question() {
        Some(switch) => vec![Effect::Send(Command::SaveSwitch { key: switch.key.clone() })],
        None => {
            state.toast(Level::Info, NONE_MARKED);
            Vec::new()
        }
    }
}

/// What came of it, in words, where the mark alone does not tell.
pub(in crate::ui::update) fn switched(state: &mut State, switched: &Switched) {
    let name = short_name(&switched.key);
    match &switched.what {
        SwitchedHow::Flipped => {}
        SwitchedHow::Saved { file } => {
            let value = if switched.to { "on" } else { "off" };
            state.toast(Level::Info, format!("{name} {value} is saved in {file}"));
        }
        SwitchedHow::Refused { why } => state.toast(Level::Warning, format!("{name} stays as it is: {why}")),
    }
}
