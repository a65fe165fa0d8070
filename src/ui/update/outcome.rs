use std::sync::Arc;

use super::Outcome;
use crate::proto::{Command, Level};
use crate::ui::composer::{Draft, Files};
use crate::ui::state::State;

/// How an effect went, told to the person or kept.
pub(super) fn outcome(state: &mut State, outcome: Outcome) {
    match outcome {
        Outcome::Copied(Ok(words)) => state.toast(Level::Info, words),
        Outcome::Copied(Err(words)) | Outcome::Failed(words) | Outcome::Edited(Err(words)) => {
            state.toast(Level::Error, words);
        }
        Outcome::Edited(Ok(text)) => {
            // Editors end a file with a newline that nobody typed.
            let text = text.strip_suffix('\n').unwrap_or(&text);
            state.composer.set(Draft::plain(text));
        }
        Outcome::Unsent(command) => unsent(state, command),
        Outcome::Files(files) => state.composer.set_files(Files::Known(Arc::new(files))),
        Outcome::History(entries) => state.composer.history.load(entries),
        Outcome::Reloaded { keymap, problems, asked } => {
            if let Some(keymap) = keymap {
                state.keymap = keymap;
                state.pending.keys.clear();
            }
            match problems.first() {
                Some(problem) => state.toast(Level::Warning, problem.to_string()),
                None if asked => state.toast(Level::Info, "keymap and theme are read again"),
                None => {}
            }
            state.problems = problems;
        }
    }
}

/// Nothing the person wrote is lost: it comes back into the composer.
fn unsent(state: &mut State, command: Command) {
    if let Command::WhatIf { id, .. } = command {
        super::actions::surface::unsent(state, id);
        return;
    }
    state.toast(Level::Error, "the session could not take that now; try again");
    match command {
        Command::Submit { text, .. } | Command::EditQueued { text, .. } if state.composer.is_empty() => {
            state.composer.paste(&text);
        }
        Command::Answer { ask, .. } => {
            state.secrets.put_off.remove(&ask);
        }
        Command::Interrupt => state.interrupting = None,
        _ => {}
    }
}
