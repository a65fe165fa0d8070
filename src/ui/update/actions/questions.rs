use crate::proto::{Answer, Command, Level};
use crate::ui::action::Action;
use crate::ui::effect::Effect;
use crate::ui::state::{Question, State};

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::FocusQuestion => focus(state, 0),
        Action::NextQuestion => {
            let here = state.question.as_ref().map(|question| question.ask);
            let at = state.snapshot.asks.iter().position(|(ask, _)| Some(ask.id) == here).map_or(0, |at| at + 1);
            focus(state, at);
        }
        Action::AnswerYes if !state.question_takes_text() => return answer(state, Answer::Yes),
        Action::AnswerNo => return answer(state, Answer::No),
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
    vec![Effect::Send(Command::Answer { ask: question.ask, answer })]
}
