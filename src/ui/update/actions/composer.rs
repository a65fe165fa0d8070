use crate::ui::action::Action;
use crate::ui::composer::Motion;
use crate::ui::effect::Effect;
use crate::ui::state::State;

pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    let composer = &mut state.composer;
    match action {
        Action::Newline => composer.newline(),
        Action::CursorLeft => composer.go(Motion::Left),
        Action::CursorRight => composer.go(Motion::Right),
        Action::CursorUp => composer.go(Motion::Up),
        Action::CursorDown => composer.go(Motion::Down),
        Action::WordLeft => composer.go(Motion::WordLeft),
        Action::WordRight => composer.go(Motion::WordRight),
        Action::LineStart => composer.go(Motion::LineStart),
        Action::LineEnd => composer.go(Motion::LineEnd),
        Action::TextStart => composer.go(Motion::TextStart),
        Action::TextEnd => composer.go(Motion::TextEnd),
        Action::DeleteLeft => composer.delete(Motion::Left),
        Action::DeleteRight => composer.delete(Motion::Right),
        Action::DeleteWordLeft => composer.delete(Motion::WordLeft),
        Action::DeleteWordRight => composer.delete(Motion::WordRight),
        Action::DeleteToLineStart => composer.delete(Motion::LineStart),
        Action::DeleteToLineEnd => composer.delete(Motion::LineEnd),
        Action::Yank => composer.yank(),
        Action::Undo => composer.undo(),
        Action::Redo => composer.redo(),
        Action::HistoryPrevious => {
            let _ = composer.history_previous();
        }
        Action::HistoryNext => {
            let _ = composer.history_next();
        }
        Action::ClearComposer => composer.clear(),
        Action::ExpandPaste => {
            let _ = composer.expand_chip() || composer.fold_again();
        }
        Action::OpenEditor => return vec![Effect::EditDraft(composer.content())],
        Action::Complete => {
            let _ = composer.complete();
        }
        Action::CompleteRun => return complete_run(state),
        Action::CompleteNext => composer.completion_move(1),
        Action::CompletePrevious => composer.completion_move(-1),
        Action::ClosePopup => composer.dismiss_completion(),
        _ => {}
    }
    Vec::new()
}

/// Puts the marked row in, and sends a command to which nothing can be added; what is complete
/// already is sent as without the list.
fn complete_run(state: &mut State) -> Vec<Effect> {
    let whole = state.composer.would_be_whole();
    if !state.composer.nothing_left() {
        let _ = state.composer.complete();
        if !whole {
            return Vec::new();
        }
    }
    state.composer.completion = None;
    super::session::run(state, Action::Submit)
}
