use crate::proto::Level;
use crate::ui::action::{Action, Call};
use crate::ui::composer::{Case, Motion, Vi};
use crate::ui::effect::Effect;
use crate::ui::state::State;

pub(super) fn run(state: &mut State, call: &Call) -> Vec<Effect> {
    let composer = &mut state.composer;
    match call.action {
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
        Action::TransposeLetters => composer.transpose_letters(),
        Action::TransposeWords => composer.transpose_words(),
        Action::UpcaseWord => composer.change_case(Case::Upper),
        Action::DowncaseWord => composer.change_case(Case::Lower),
        Action::CapitalizeWord => composer.change_case(Case::Capital),
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
        Action::NormalMode => composer.enter_normal(),
        Action::Vi => vi(state, call, None),
        action => kill(state, action),
    }
    Vec::new()
}

/// The mark, and what was deleted before.
fn kill(state: &mut State, action: Action) {
    let composer = &mut state.composer;
    let (done, otherwise) = match action {
        Action::SetMark => {
            composer.set_mark();
            state.toast(Level::Info, "the mark is set");
            return;
        }
        Action::YankPop => (composer.yank_pop(), "there is no yank to change: yank first"),
        Action::SwapMark => (composer.swap_mark(), NO_MARK),
        Action::KillRegion => (composer.kill_region(), NO_MARK),
        Action::CopyRegion => (composer.copy_region(), NO_MARK),
        _ => return,
    };
    if !done {
        state.toast(Level::Info, otherwise);
    }
}

const NO_MARK: &str = "no mark is set yet";

/// A command of the normal mode, which the keymap names.
pub(super) fn vi(state: &mut State, call: &Call, count: Option<usize>) {
    if let Some(command) = Vi::parse(call.argument()) {
        state.composer.vi(command, count);
    }
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
