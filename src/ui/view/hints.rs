use std::sync::Arc;

use crate::text;
use crate::ui::action::Action;
use crate::ui::keys::{Found, HelpRow, Key, Keymap};
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;

/// Which key does what right now: only keys that would really do it are shown.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The keymap the rows are of.
    keymap: Option<Arc<Keymap>>,
    rows: Arc<Vec<HelpRow>>,
}

impl Hints {
    /// Takes up another keymap when there is one.
    pub fn refresh(&mut self, state: &State) {
        if self.keymap.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &state.keymap)) {
            self.keymap = Some(Arc::clone(&state.keymap));
            self.rows = Arc::new(state.keymap.rows());
        }
    }

    /// The shortest key for an action where the focus is; escape before others, as people try it
    /// first.
    pub fn key(&self, state: &State, action: Action) -> Option<&str> {
        let contexts = state.contexts();
        let facts = state.facts();
        let works = |row: &&HelpRow| {
            let Ok(keys) = Key::parse_sequence(&row.keys) else { return false };
            let found = state.keymap.find(&contexts, &keys, &facts);
            matches!(found, Found::Call(call) if call.action == action)
        };
        let candidates = self.rows.iter().filter(|row| row.call.action == action).filter(works);
        let best = candidates.min_by_key(|row| {
            // Of two as short the one without shift.
            (row.keys != "esc", text::width(&row.keys), row.keys.chars().any(char::is_uppercase))
        })?;
        Some(&best.keys)
    }

    /// The same in so many columns: what does not fit gives way, and how to close last.
    pub fn fitting(&self, state: &State, actions: &[(Action, &str)], columns: usize) -> Styled {
        let mut actions = actions.to_vec();
        loop {
            let line = self.line(state, &actions);
            if line.width() <= columns || actions.len() < 2 {
                return line;
            }
            actions.remove(actions.len() - 2);
        }
    }

    /// `esc close · enter take`, those that have a key.
    pub fn line(&self, state: &State, actions: &[(Action, &str)]) -> Styled {
        let mut line = Styled::default();
        for (action, words) in actions {
            let Some(key) = self.key(state, *action) else { continue };
            if !line.is_empty() {
                line.push(" · ", Role::UiDim);
            }
            line.push(key, Role::UiStatusKey);
            line.push(" ", Role::UiText);
            line.push(words, Role::UiStatus);
        }
        line
    }
}
