use std::sync::Arc;

use crate::proto::{ByHand, Command, Level, RewindCommand, RewindPreview, RewindTo, RewindWhat, Rewound};
use crate::ui::action::Action;
use crate::ui::composer::Draft;
use crate::ui::effect::Effect;
use crate::ui::state::{Layer, Pane, Rewinding, State, Table, Tabled};

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Rewind => open(state),
        Action::RewindConversation => return go(state, RewindWhat::Conversation),
        Action::RewindFiles => return go(state, RewindWhat::Files),
        Action::RewindByHand => {
            let by_hand = &mut state.rewinding.by_hand;
            *by_hand = if *by_hand == ByHand::Leave { ByHand::Restore } else { ByHand::Leave };
        }
        _ => {}
    }
    Vec::new()
}

fn open(state: &mut State) {
    state.rewinding = Rewinding::default();
    super::overlays::open(state, Layer::Table(Table::new(Tabled::Rewind)));
}

/// What the marked row would change is asked for, once.
pub(in crate::ui::update) fn ask(state: &mut State) -> Vec<Effect> {
    match state.rewind_marked() {
        Some(to) if state.rewinding.asked != Some(to) => {
            state.rewinding = Rewinding { asked: Some(to), ..Rewinding::default() };
            vec![Effect::Send(Command::Rewind(RewindCommand::Preview { to }))]
        }
        _ => Vec::new(),
    }
}

pub(in crate::ui::update) fn previewed(state: &mut State, preview: &Arc<RewindPreview>) {
    if state.rewinding.asked == Some(preview.to) {
        state.rewinding.preview = Some(Arc::clone(preview));
    }
}

/// Only what the person has seen is done.
pub(super) fn go(state: &mut State, what: RewindWhat) -> Vec<Effect> {
    let Some(to) = state.rewind_marked() else { return Vec::new() };
    let Some(preview) = state.rewind_preview() else {
        state.toast(Level::Info, "what it would change is not known yet");
        return Vec::new();
    };
    if let Some(why) = &preview.refused {
        let words = format!("the session does not go back: {why}");
        state.toast(Level::Warning, words);
        return Vec::new();
    }
    let by_hand = state.rewinding.by_hand;
    state.layers.pop();
    vec![Effect::Send(Command::Rewind(RewindCommand::Go { to, what, by_hand }))]
}

/// The prompt that was gone back to is there to be changed and sent again.
pub(in crate::ui::update) fn rewound(state: &mut State, rewound: &Rewound) {
    state.rewinding = Rewinding::default();
    let words = rewound.headline().1;
    state.toast(rewound.headline().0, words);
    if rewound.what.conversation() && matches!(rewound.to, RewindTo::Turn(_)) && state.composer.is_empty() {
        let before = state.snapshot.rewind.before.as_ref();
        if let Some(prompt) = before.and_then(|before| before.prompt()).map(str::to_owned) {
            state.composer.set(Draft::plain(&prompt));
            state.focus = Pane::Composer;
        }
    }
}
