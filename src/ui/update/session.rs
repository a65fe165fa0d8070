use std::sync::Arc;

use crate::port::Delivery;
use crate::proto::{
    AskKind, Body, Command, Decision, EncoderState, Event, Level, RewindEvent, ShellBody, Snapshot, TurnOutcome,
};
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::keys::Context;
use crate::ui::state::{Answered, Layer, ListState, STOPPED_MS, Secrets, State, Table, Tabled, TranscriptState, Wire};
use crate::ui::transcript::cell::{Fold, default_fold};

/// Folds deliveries in, in order, and tells the person what must not be missed.
pub(super) fn deliveries(state: &mut State, deliveries: Vec<Delivery>, latest: Option<&Snapshot>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let (session, mark) = (state.snapshot.session.name.clone(), state.mark());
    for delivery in deliveries {
        match delivery {
            Delivery::Event(event) => {
                let snapshot = state.present();
                let before = snapshot.seq;
                snapshot.apply(&event);
                if snapshot.seq != before {
                    effects.extend(react(state, &event));
                }
            }
            Delivery::Resync { .. } => {
                if let Some(latest) = latest {
                    resync(state, latest);
                }
            }
            Delivery::Replaced(snapshot) => resync(state, &snapshot),
        }
    }
    if let Some(mark) = mark.filter(|_| state.snapshot.session.name == session) {
        state.mark_again(&mark);
    }
    settle(state);
    effects
}

/// Takes the snapshot afresh. Another session begins with a fresh look; the draft stays.
fn resync(state: &mut State, latest: &Snapshot) {
    let past = state.in_past();
    state.leave_past();
    let same = state.snapshot.session.name == latest.session.name;
    let begins = state.snapshot.session.name.is_empty();
    state.snapshot = latest.clone();
    if past {
        let words = "the session went on too fast to be looked at in the past; this is now";
        state.layers.retain(|layer| !matches!(layer, Layer::Table(Table { of: Tabled::Time, .. })));
        state.toast(Level::Info, words);
    }
    super::actions::surface::ask_again(state);
    state.find_start();
    state.know_agents();
    state.know_switches();
    if begins && state.snapshot.turn.0 > 0 {
        resumed(state);
    }
    if !same {
        state.transcript = TranscriptState::default();
        state.surface = ListState::default();
        state.scores = ListState::default();
        state.plan = ListState::default();
        state.wire = None;
        state.notes = ListState::default();
        state.interrupting = None;
        state.question = None;
        state.secrets = Secrets::default();
        state.selection = None;
        state.composer.editing = None;
    }
}

/// What refers to the session must not outlive what it refers to.
fn settle(state: &mut State) {
    if state.in_past() {
        return;
    }
    if !state.snapshot.run.busy() {
        state.interrupting = None;
    }
    if let Some(question) = &state.question
        && !state.snapshot.asks.iter().any(|(ask, _)| ask.id == question.ask)
    {
        state.question = None;
    }
    if let Some(id) = state.composer.editing
        && !state.snapshot.queue.iter().any(|queued| queued.id == id)
    {
        state.composer.editing = None;
    }
    if let Some(order) = state.transcript.selected
        && state.snapshot.transcript.get(order).is_none()
    {
        state.transcript.selected = None;
    }
}

fn react(state: &mut State, event: &Event) -> Vec<Effect> {
    match &event.body {
        Body::Asked(ask) => {
            let contexts = [Context::Global, Context::Composer, Context::Pane];
            let key = |action| state.keymap.key_for(&contexts, action);
            let goes = key(Action::FocusQuestion).unwrap_or_else(|| "the palette".to_owned());
            let takes = key(Action::TakeOffer).filter(|_| matches!(ask.kind, AskKind::OtherProvider { .. }));
            if matches!(ask.kind, AskKind::Approval(_)) {
                state.announce(ask.id, format!("a tool call waits for your yes; {goes} shows it"));
                return call(state, "octomind waits for your approval");
            }
            let words = match takes {
                Some(takes) => format!("another provider is offered; {takes} takes it, {goes} shows it"),
                None => format!("a question is open; {goes} goes to it"),
            };
            state.announce(ask.id, words);
            call(state, "octomind asks something")
        }
        Body::WhatIf { id, routing, would_evict, tokens_after, skills, would_hold, refused } => {
            let answer = Answered {
                id: *id,
                routing: Arc::clone(routing),
                would_evict: would_evict.clone(),
                tokens_after: *tokens_after,
                skills: skills.clone(),
                would_hold: would_hold.clone(),
                refused: refused.clone(),
            };
            super::actions::surface::answered(state, answer);
            Vec::new()
        }
        Body::Wire { request, sent, received } => {
            state.wire = Some(Wire { request: *request, sent: sent.clone(), received: received.clone() });
            Vec::new()
        }
        Body::Moment(answer) => {
            super::actions::time::answered(state, answer);
            Vec::new()
        }
        Body::Shelf(answer) => {
            super::actions::sessions::answered(state, answer);
            Vec::new()
        }
        Body::Rewind(RewindEvent::Previewed(preview)) => {
            super::actions::rewind::previewed(state, preview);
            Vec::new()
        }
        Body::Rewind(RewindEvent::Rewound(rewound)) => {
            super::actions::rewind::rewound(state, rewound);
            Vec::new()
        }
        Body::Decided(Decision::Switched(switched)) => {
            super::actions::supervisor::switched(state, switched);
            Vec::new()
        }
        // Another message, another list.
        Body::Decided(Decision::Routed(_)) => {
            state.scores = ListState::default();
            Vec::new()
        }
        Body::CatalogueChanged(_) => {
            state.know_agents();
            super::actions::surface::ask_again(state);
            Vec::new()
        }
        // What is on the way is told by the answer itself.
        Body::EncoderChanged(EncoderState::Ready { .. } | EncoderState::Failed { .. })
        | Body::SurfaceChanged(_)
        | Body::RoleChanged { .. }
        | Body::SkillActivated { .. }
        | Body::SkillForgotten { .. } => {
            super::actions::surface::ask_again(state);
            Vec::new()
        }
        Body::SwitchesChanged(_) => {
            state.know_switches();
            Vec::new()
        }
        Body::StartStep { .. } => {
            state.start_up = event.order.or(state.start_up);
            Vec::new()
        }
        Body::SessionResumed { .. } => {
            resumed(state);
            Vec::new()
        }
        Body::ToolFinished { .. } | Body::Shell(ShellBody::Finished { .. }) => {
            went_wrong(state, event);
            Vec::new()
        }
        Body::TurnEnded { outcome, .. } => {
            state.stopped_until = Some(state.now + STOPPED_MS);
            turn_ended(state, outcome)
        }
        _ => Vec::new(),
    }
}

/// What a person opened while it ran stays open when it fails: failures do so by themselves.
fn went_wrong(state: &mut State, event: &Event) {
    let Some(order) = event.order else { return };
    if state.snapshot.transcript.get(order).is_some_and(|entry| default_fold(&entry.kind) == Fold::Open) {
        state.transcript.toggled.remove(&order);
    }
}

/// Says that what stands there is of an earlier run.
fn resumed(state: &mut State) {
    let name = crate::text::sanitize_line(&state.snapshot.session.name).into_owned();
    let turns = match state.snapshot.turn.0 {
        0 => "nothing was said in it yet".to_owned(),
        1 => "it goes on after 1 turn".to_owned(),
        many => format!("it goes on after {many} turns"),
    };
    state.toast(Level::Info, format!("session {name} is taken up again: {turns}"));
}

fn turn_ended(state: &mut State, outcome: &TurnOutcome) -> Vec<Effect> {
    match outcome {
        TurnOutcome::Done => call(state, "octomind is done"),
        TurnOutcome::Failed(reason) | TurnOutcome::Stopped(reason) => {
            let text = format!("octomind stopped: {reason}");
            call(state, &text)
        }
        TurnOutcome::Interrupted => take_back(state),
    }
}

/// Who stops a turn wants nothing to begin: what waited comes back into the composer, before what is
/// typed there.
fn take_back(state: &mut State) -> Vec<Effect> {
    let queue = &state.snapshot.queue;
    let edited = state.composer.editing;
    let others = queue.iter().filter(|queued| Some(queued.id) != edited);
    let texts: Vec<&str> = others.map(|queued| queued.text.as_str()).collect();
    if !texts.is_empty() {
        let text = texts.join("\n\n");
        state.composer.put_before(&text);
    }
    let ids = state.snapshot.queue.iter().map(|queued| queued.id);
    let effects = ids.map(|id| Effect::Send(Command::WithdrawQueued { id })).collect();
    state.composer.editing = None;
    effects
}

/// Calls the person when the window is out of focus; once per occasion, never on a tick.
fn call(state: &State, text: &str) -> Vec<Effect> {
    if state.settings.notifications && !state.terminal.focused {
        vec![Effect::Notify(text.to_owned())]
    } else {
        Vec::new()
    }
}
