use crate::ui::action::{Action, Call};
use crate::ui::effect::Effect;
use crate::ui::state::{Item, Layer, Listing, Noun, Pane, Picker, Reach, Reader, State, Subject, Table, WhatIf, items};

pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    let count = isize::try_from(call.count()).unwrap_or(1);
    match call.action {
        Action::SelectNext => shift(state, count),
        Action::SelectPrevious => shift(state, -count),
        Action::SelectFirst => place(state, |_| 0),
        Action::SelectLast => place(state, |len| len.saturating_sub(1)),
        Action::Open => open(state),
        _ => {}
    }
    Vec::new()
}

/// Moves the mark, or the text where there is no mark.
pub(in crate::ui::update) fn shift(state: &mut State, by: isize) {
    if let Some(Layer::Reader(Reader { offset, .. }) | Layer::WhatIf(WhatIf { offset, .. })) = state.layers.last_mut() {
        *offset = offset.saturating_add_signed(by);
    } else if state.layers.is_empty()
        && let Some(question) = &mut state.question
    {
        question.offset = question.offset.saturating_add_signed(by);
    } else {
        let here = selected(state);
        place(state, |len| here.saturating_add_signed(by).min(len.saturating_sub(1)));
    }
}

/// The marked row of the list that has the keys.
fn selected(state: &State) -> usize {
    match (state.layers.last(), state.focus) {
        (Some(Layer::Picker(Picker { selected, .. }) | Layer::Table(Table { selected, .. })), _) => *selected,
        (Some(Layer::Reader(Reader { offset, .. }) | Layer::WhatIf(WhatIf { offset, .. })), _) => *offset,
        (None, Pane::Surface) => state.surface.selected,
        (None, Pane::Scores) => state.scores.selected,
        (None, Pane::Plan) => state.plan.selected,
        (None, Pane::Notes) => state.notes.selected,
        (None, Pane::Transcript | Pane::Composer) => 0,
    }
}

/// Sets the marked row by the number of rows.
fn place(state: &mut State, at: impl Fn(usize) -> usize) {
    let len = match (state.layers.last(), state.focus) {
        (Some(Layer::Picker(picker)), _) => state.picker_len(picker),
        (Some(Layer::Table(table)), _) => state.table_len(table.of),
        // The layout knows how long the text is, and clamps.
        (Some(Layer::Reader(_) | Layer::WhatIf(_)), _) => usize::MAX / 2,
        (None, Pane::Surface) => items(&state.snapshot).len(),
        (None, Pane::Scores) => {
            state.snapshot.last_routing().map_or(0, |routing| routing.scores.len() + routing.ineligible.len())
        }
        (None, Pane::Plan) => state.snapshot.supervisor.plan.phases.len(),
        (None, Pane::Notes) => state.snapshot.notes.len(),
        (None, Pane::Transcript | Pane::Composer) => return,
    };
    let to = at(len);
    match (state.layers.last_mut(), state.focus) {
        (Some(Layer::Picker(Picker { selected, .. }) | Layer::Table(Table { selected, .. })), _) => *selected = to,
        (Some(Layer::Reader(Reader { offset, .. }) | Layer::WhatIf(WhatIf { offset, .. })), _) => *offset = to,
        (None, Pane::Surface) => state.surface.selected = to,
        (None, Pane::Scores) => state.scores.selected = to,
        (None, Pane::Plan) => state.plan.selected = to,
        (None, Pane::Notes) => state.notes.selected = to,
        (None, Pane::Transcript | Pane::Composer) => {}
    }
}

fn open(state: &mut State) {
    let subject = match state.focus {
        Pane::Surface if state.marked_item() == Some(Item::Absent) => {
            super::overlays::open(state, Layer::picker(Listing::Why(Reach::Absent)));
            return;
        }
        Pane::Surface => surface_subject(state),
        Pane::Scores => state.marked_score().map(|name| Subject::Why(Noun::Capability, name.to_owned())),
        Pane::Plan => (!state.snapshot.supervisor.plan.phases.is_empty()).then_some(Subject::Plan),
        Pane::Notes => {
            let index = state.notes.selected.min(state.snapshot.notes.len().saturating_sub(1));
            state.snapshot.notes.get(index).map(|note| Subject::Note(note.seq))
        }
        Pane::Transcript => state.transcript.selected.map(Subject::Entry),
        Pane::Composer => None,
    };
    if let Some(subject) = subject {
        state.layers.push(Layer::Reader(Reader { subject, offset: 0 }));
    }
}

fn surface_subject(state: &State) -> Option<Subject> {
    let surface = &state.snapshot.surface;
    match state.marked_item()? {
        Item::Fixed(index) => Some(Subject::Why(Noun::Capability, surface.fixed.get(index)?.name.clone())),
        Item::Dynamic(index) => Some(Subject::Why(Noun::Capability, surface.dynamic.get(index)?.name.clone())),
        Item::Held(index) => Some(Subject::Why(Noun::Capability, surface.held.get(index)?.name.clone())),
        Item::Absent => None,
        Item::Server(server) => Some(Subject::Server(state.snapshot.servers.get(server)?.name.clone())),
        Item::Child(child) => Some(Subject::Child(state.snapshot.children.get(child)?.id.clone())),
        Item::Skill(skill) => Some(Subject::Skill(state.snapshot.skills.get(skill)?.name.clone())),
        Item::Tool { server, tool } => {
            let server = state.snapshot.servers.get(server)?;
            let wire_name = server.tools.get(tool)?.wire_name.clone();
            Some(Subject::Tool { server: server.name.clone(), wire_name })
        }
    }
}
