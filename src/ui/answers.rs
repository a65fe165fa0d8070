//! What the terminal answers to what it was asked: late, in any order, or never.

use std::time::Duration;

use super::input::{Input, TerminalAnswer};
use super::run::{Reason, Workbench};
use super::term::guard::Modes;
use super::term::probe;

/// How long after it was asked a terminal may still be about to answer, and how long leaving waits for that.
const ANSWERS_WITHIN: Duration = Duration::from_secs(3);
const ANSWERS_LEFT: Duration = Duration::from_millis(150);

impl Workbench {
    /// Answers that are under way while one leaves would be typed into the shell: they are taken here.
    pub(super) async fn take_answers(&mut self, reason: Reason) {
        let due = self.queried.is_some_and(|at| at.elapsed() < ANSWERS_WITHIN);
        if !due || !matches!(reason, Reason::Quit | Reason::Switch | Reason::SessionOver) {
            return;
        }
        let reader = &mut self.reader;
        let all = async {
            while let Ok(inputs) = reader.next().await {
                if inputs.contains(&Input::Answer(TerminalAnswer::Attributes)) {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(ANSWERS_LEFT, all).await;
    }

    /// What the terminal can do becomes modes.
    pub(super) fn answered(&mut self, answer: TerminalAnswer) {
        if answer == TerminalAnswer::Attributes {
            self.queried = None;
        }
        let modes = self.guard.modes();
        let modes = match answer {
            TerminalAnswer::KittyKeyboard => Modes { kitty: true, ..modes },
            TerminalAnswer::Attributes => Modes { modify_other_keys: !modes.kitty && self.around.other_keys, ..modes },
            TerminalAnswer::Background(_) => modes,
            TerminalAnswer::Scheme(_) => {
                let _ = self.screen.send(probe::BACKGROUND);
                modes
            }
        };
        if modes != self.guard.modes() {
            let _ = self.guard.change(modes);
        }
    }
}
