use crate::proto::{Answer, ApprovalCommand, ApprovalMode, Command, Level};
use crate::ui::action::{Action, Call};
use crate::ui::effect::{Effect, Secret};
use crate::ui::state::{Question, State};

pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    match call.action {
        Action::Approvals => {
            let mode = ApprovalMode::parse(call.argument());
            return mode.map(|mode| Effect::Send(Command::Approval(ApprovalCommand::Mode(mode)))).into_iter().collect();
        }
        Action::FocusQuestion => focus(state, 0),
        Action::NextQuestion => {
            let here = state.question.as_ref().map(|question| question.ask);
            let at = state.snapshot.asks.iter().position(|(ask, _)| Some(ask.id) == here).map_or(0, |at| at + 1);
            focus(state, at);
        }
        Action::AnswerYes if !state.question_takes_text() => return answer(state, Answer::Yes),
        Action::AnswerNo => return answer(state, Answer::No),
        // Only what can be remembered can be answered for longer.
        Action::AnswerSession if state.approval_in_question().is_some() => return answer(state, Answer::Session),
        Action::AnswerNever if state.approval_in_question().is_some() => return answer(state, Answer::Never),
        Action::AnswerText => {
            let text = state.question.as_ref().map(|question| question.text.clone()).unwrap_or_default();
            if text.is_empty() {
                state.toast(Level::Info, "type the value first; esc leaves the question open");
                return Vec::new();
            }
            return answer(state, Answer::Text(text));
        }
        _ => {}
    }
    Vec::new()
}

fn focus(state: &mut State, at: usize) {
    let asks = &state.snapshot.asks;
    if asks.is_empty() {
        state.toast(Level::Info, "no question is open");
        return;
    }
    let ask = asks[at % asks.len()].0.id;
    if state.question.as_ref().is_none_or(|question| question.ask != ask) {
        state.question = Some(Question { ask, text: String::new(), offset: 0 });
    }
    state.layers.clear();
}

/// Only the question in focus can be answered: a key meant for something else never reaches one.
fn answer(state: &mut State, answer: Answer) -> Vec<Effect> {
    let Some(question) = state.question.take() else {
        state.toast(Level::Info, "go to the question first");
        return Vec::new();
    };
    // It stays among the open ones until the session has taken the answer.
    state.secrets.put_off.insert(question.ask);
    let mut effects = Vec::new();
    if let Answer::Text(value) = &answer {
        effects = given(state, value.trim());
    }
    effects.push(Effect::Send(Command::Answer { ask: question.ask, answer }));
    effects
}

/// A value was given: nothing that was typed elsewhere shows it any longer.
fn given(state: &mut State, value: &str) -> Vec<Effect> {
    if value.is_empty() {
        return Vec::new();
    }
    if state.composer.content().trim() == value {
        state.composer.discard();
    }
    state.secrets.given = Some((state.now, state.composer.is_empty()));
    state.composer.history.forget(value);
    vec![Effect::Forget(Secret(value.to_owned()))]
}

/// Whether a message may be meant as the value that is asked for: it stays where it is, and the person
/// is led to the question. Who left the question and sends the same once more wants it sent.
pub(in crate::ui::update) fn may_be_secret(state: &mut State) -> bool {
    let text = state.composer.content();
    match state.open_secret() {
        Some(ask) if state.secrets.put_off.contains(&ask) && state.composer.held.as_deref() == Some(text.as_str()) => {
            false
        }
        Some(ask) => {
            state.question = Some(Question { ask, text: String::new(), offset: 0 });
            state.composer.held = Some(text);
            state.toast(Level::Warning, "not sent: a value is asked for first; the message waits in the composer");
            true
        }
        None if state.more_secrets() => {
            state.toast(Level::Warning, "not sent: more values may be asked for; try again in a moment");
            true
        }
        None => false,
    }
}
