use super::Outcome;
use crate::proto::{Command, Level, RewindCommand, Share, ShelfCommand, ShellCommand};
use crate::ui::composer::Draft;
use crate::ui::state::State;

/// How an effect went, told to the person or kept.
pub(super) fn outcome(state: &mut State, outcome: Outcome) {
    match outcome {
        Outcome::Copied(Ok(words)) | Outcome::Saved(words) => state.toast(Level::Info, words),
        Outcome::Copied(Err(words)) | Outcome::Failed(words) | Outcome::Edited(Err(words)) => {
            state.toast(Level::Error, words);
        }
        Outcome::Edited(Ok(text)) => {
            // Editors end a file with a newline that nobody typed.
            let text = text.strip_suffix('\n').unwrap_or(&text);
            state.composer.set(Draft::plain(text));
        }
        Outcome::Unsent(command) => unsent(state, command),
        Outcome::Found(found) => state.composer.set_found(found),
        Outcome::Drafts(drafts) => state.drafts.found(drafts),
        Outcome::Log(lines) => state.log.take(lines),
        Outcome::History(entries) => state.composer.history.load(entries),
        Outcome::Reloaded { keymap, problems, asked } => {
            if let Some(keymap) = keymap {
                state.keymap = keymap;
                if !state.keymap.is_modal() {
                    // Nobody could leave a mode that the keymap has no keys for.
                    state.composer.enter_insert();
                }
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
    if let Command::Time(_) = command {
        state.time.asked = None;
        return;
    }
    if let Command::Shelf(ShelfCommand::Preview { .. }) = command {
        state.shelf.asked = None;
        return;
    }
    if let Command::Rewind(RewindCommand::Preview { .. }) = command {
        state.rewinding.asked = None;
        return;
    }
    state.toast(Level::Error, "the session could not take that now; try again");
    match command {
        Command::Submit { text, .. } | Command::EditQueued { text, .. } if state.composer.is_empty() => {
            state.composer.paste(&text);
        }
        Command::Shell(ShellCommand::Run { command, share }) if state.composer.is_empty() => {
            let sign = match share {
                Share::Model => "!",
                Share::Person => "!!",
            };
            state.composer.paste(&format!("{sign}{command}"));
        }
        Command::Answer { ask, .. } => {
            state.secrets.put_off.remove(&ask);
        }
        Command::Interrupt => state.interrupting = None,
        _ => {}
    }
}
