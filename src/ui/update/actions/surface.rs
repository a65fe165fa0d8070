use crate::proto::{Command, Level, SurfaceCommand};
use crate::ui::action::Action;
use crate::ui::composer::Draft;
use crate::ui::effect::Effect;
use crate::ui::state::{Answered, Item, Layer, Listing, Pane, Reach, Standing, State, WhatIf};

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Why => super::overlays::open(state, Layer::picker(Listing::Why(Reach::Everything))),
        Action::WhatIf => what_if(state),
        Action::EnableCapability => return enable(state),
        Action::DisableCapability => return disable(state),
        Action::PinCapability => return pin(state),
        _ => {}
    }
    Vec::new()
}

/// Begins with the draft: what one is about to send is what one wants to know about.
fn what_if(state: &mut State) {
    let tried = WhatIf::new(state.composer.content(), state.tried);
    super::overlays::open(state, Layer::WhatIf(tried));
}

/// The open overlay of tried messages, wherever it lies.
fn tried(state: &mut State) -> Option<&mut WhatIf> {
    state.layers.iter_mut().find_map(|layer| match layer {
        Layer::WhatIf(tried) => Some(tried),
        Layer::Picker(_) | Layer::Reader(_) | Layer::Table(_) => None,
    })
}

/// What is typed goes to the session as a question, one at a time.
pub(in crate::ui::update) fn ask(state: &mut State) -> Option<Effect> {
    let now = state.now;
    let (id, text) = tried(state)?.ask(now)?;
    state.tried = id;
    Some(Effect::Send(Command::WhatIf { id, text }))
}

pub(in crate::ui::update) fn answered(state: &mut State, answer: Answered) {
    if let Some(tried) = tried(state) {
        tried.answered(answer);
    }
}

/// What answers rest on is another now.
pub(in crate::ui::update) fn ask_again(state: &mut State) {
    if let Some(tried) = tried(state) {
        tried.ask_again();
    }
}

pub(in crate::ui::update) fn unsent(state: &mut State, id: u64) {
    if let Some(tried) = tried(state) {
        tried.unsent(id);
    }
}

/// The tried message becomes the draft, unless another one is there.
pub(super) fn take(state: &mut State) {
    let Some(Layer::WhatIf(tried)) = state.layers.pop() else { return };
    state.focus = Pane::Composer;
    let draft = state.composer.content();
    if tried.text.trim().is_empty() || draft == tried.text {
        return;
    }
    if draft.trim().is_empty() || tried.text.starts_with(&draft) {
        state.composer.set(Draft::plain(&tried.text));
    } else {
        state.toast(Level::Info, "the draft stays as it is; send or clear it, then the tried message can be taken");
    }
}

fn send(command: SurfaceCommand) -> Vec<Effect> {
    vec![Effect::Send(Command::Surface(command))]
}

fn told(state: &mut State, words: impl Into<String>) -> Vec<Effect> {
    state.toast(Level::Info, words);
    Vec::new()
}

const NONE_MARKED: &str = "mark a capability in Surface or Scores first";

fn enable(state: &mut State) -> Vec<Effect> {
    if state.layers.is_empty() && state.focus == Pane::Surface && state.marked_item() == Some(Item::Absent) {
        super::overlays::open(state, Layer::picker(Listing::Why(Reach::Absent)));
        return Vec::new();
    }
    let Some(name) = state.capability_in_question() else { return told(state, NONE_MARKED) };
    match state.standing(&name) {
        Some(Standing::Fixed) => told(state, format!("{name} is of the role, so it is on already")),
        Some(Standing::Dynamic { .. }) => told(state, format!("{name} is on already")),
        // Held by a skill it would go with the skill; asked for by a person it stays.
        Some(Standing::Held | Standing::Absent) | None => send(SurfaceCommand::Enable { name }),
    }
}

fn disable(state: &mut State) -> Vec<Effect> {
    let Some(name) = state.capability_in_question() else { return told(state, NONE_MARKED) };
    match state.standing(&name) {
        Some(Standing::Dynamic { .. }) => send(SurfaceCommand::Disable { name }),
        Some(Standing::Fixed) => told(state, format!("{name} is of the role and stays; /role takes on another one")),
        Some(Standing::Held) => told(state, format!("{name} is held by a skill; it goes when the skill is forgotten")),
        Some(Standing::Absent) | None => told(state, format!("{name} is not on")),
    }
}

fn pin(state: &mut State) -> Vec<Effect> {
    let Some(name) = state.capability_in_question() else { return told(state, NONE_MARKED) };
    match state.standing(&name) {
        Some(Standing::Dynamic { pinned }) => send(SurfaceCommand::Pin { name, pinned: !pinned }),
        Some(Standing::Fixed) => told(state, format!("{name} is of the role: nothing can evict it")),
        Some(Standing::Held) => told(state, format!("{name} is held by a skill: nothing can evict it")),
        Some(Standing::Absent) | None => told(state, format!("{name} is not on, so there is nothing to pin")),
    }
}

/// The servers of the capability in question; `None` when it is about none.
pub(super) fn restart(state: &mut State) -> Option<Vec<Effect>> {
    let name = state.capability_in_question()?;
    let surface = &state.snapshot.surface;
    let came = surface.dynamic.iter().chain(&surface.held).find(|one| one.name == name);
    let mut servers: Vec<String> = match (came, surface.fixed.iter().find(|one| one.name == name)) {
        (Some(one), _) => one.servers.iter().map(|(server, _)| server.clone()).collect(),
        (None, Some(one)) => one.servers.clone(),
        (None, None) => return Some(told(state, format!("{name} is not on"))),
    };
    servers.dedup();
    if servers.is_empty() {
        return Some(told(state, format!("{name} has no server")));
    }
    Some(servers.into_iter().flat_map(|server| send(SurfaceCommand::Restart { server })).collect())
}
