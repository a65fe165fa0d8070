//! Looking at the past: which event is asked for, and what may not be done meanwhile.

use crate::proto::{Command, Level, TimeAnswer, TimeCommand};
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::state::{Layer, State, Table, Tabled};

/// The events of a session are not counted yet: its last one.
const LAST: usize = usize::MAX / 2;

pub(super) fn run(state: &mut State, action: Action) {
    match action {
        Action::Time => {
            let table = Table { selected: LAST, ..Table::new(Tabled::Time) };
            super::overlays::open(state, Layer::Table(table));
        }
        Action::TurnEarlier => turn(state, Way::Earlier),
        Action::TurnLater => turn(state, Way::Later),
        _ => {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Earlier,
    Later,
}

/// To where a turn began.
fn turn(state: &mut State, way: Way) {
    let Some(moment) = state.time.moment.clone() else { return };
    let last = state.time.total().saturating_sub(1);
    let Some(selected) = selected(state) else { return };
    let here = *selected as u64;
    let mut begins = moment.turns.iter().map(|(_, at)| *at);
    let to = match way {
        Way::Earlier => begins.rfind(|at| *at < here).unwrap_or(0),
        Way::Later => begins.find(|at| *at > here).unwrap_or(last as u64),
    };
    *selected = usize::try_from(to).unwrap_or(last);
}

/// The event that is marked, if that is the topmost overlay.
fn selected(state: &mut State) -> Option<&mut usize> {
    match state.layers.last_mut() {
        Some(Layer::Table(Table { of: Tabled::Time, selected, .. })) => Some(selected),
        _ => None,
    }
}

/// The marked event goes to the session as a question, one at a time; without the overlay it is now.
pub(in crate::ui::update) fn ask(state: &mut State) -> Option<Effect> {
    if !state.scrubbing() {
        return state.leave_past().then_some(Effect::Send(Command::Time(TimeCommand::Leave)));
    }
    let shown = state.time.moment.as_ref().map(|moment| moment.index);
    if state.time.asked.is_some() || state.time.refused.is_some() {
        return None;
    }
    let wanted = *selected(state)? as u64;
    if shown == Some(wanted) {
        return None;
    }
    state.time.asked = Some(wanted);
    Some(Effect::Send(Command::Time(TimeCommand::At { index: wanted })))
}

pub(in crate::ui::update) fn answered(state: &mut State, answer: &TimeAnswer) {
    let Some(asked) = state.time.asked.take() else { return };
    match answer {
        TimeAnswer::Shown(moment) => {
            state.show_moment(moment);
            // Unless one went on meanwhile, what came is what is marked.
            if let Some(selected) = selected(state)
                && *selected as u64 == asked
            {
                *selected = usize::try_from(moment.index).unwrap_or(LAST);
            }
        }
        TimeAnswer::Refused(why) => {
            state.time.refused = Some(why.clone());
            state.toast(Level::Warning, crate::text::sanitize_line(why).into_owned());
        }
    }
}

/// Whether the action would change the session, which only the present can be.
pub(super) fn refused(state: &mut State, action: Action) -> bool {
    use Action as A;
    let changes = matches!(
        action,
        A::Submit
            | A::SubmitQueue
            | A::TakeTour
            | A::RetryNow
            | A::EditQueued
            | A::WithdrawQueued
            | A::TakeOffer
            | A::RestartServer
            | A::DisableServer
            | A::EnableCapability
            | A::DisableCapability
            | A::PinCapability
            | A::FlipSwitch
            | A::SaveSwitch
            | A::FocusQuestion
            | A::AnswerYes
            | A::AnswerNo
            | A::AnswerText
            | A::AnswerSession
            | A::AnswerNever
            | A::Approvals
            | A::PickAgent
    );
    if state.in_past() && changes {
        refuse(state);
        return true;
    }
    false
}

pub(super) fn refuse(state: &mut State) {
    state.toast(Level::Info, "you look at the past: nothing is sent from there; esc comes back to now");
}
