use std::time::Duration;

use crate::ui::input::Input;
use crate::ui::keys::{Code, Key, Modifiers};

/// After a paste without marks, what comes within this time belongs to it.
const GOES_ON: Duration = Duration::from_millis(30);

/// Finds pastes in terminals that do not mark them: keys that came in one read with an enter between
/// them. Nobody types that fast, and a person's quick enter comes last in its read.
#[derive(Debug, Default)]
pub struct Bursts {
    /// Until when what follows belongs to the burst found last.
    until: Option<Duration>,
}

impl Bursts {
    /// `now` is any clock that only goes forward.
    pub fn gather(&mut self, inputs: Vec<Input>, now: Duration) -> Vec<Input> {
        let goes_on = self.until.is_some_and(|until| now <= until);
        let mut out: Vec<Input> = Vec::with_capacity(inputs.len());
        let mut run = String::new();
        let mut first = true;
        for input in inputs {
            match typed(&input) {
                Some(letter) => run.push(letter),
                None => {
                    self.end_run(&mut run, goes_on && first, now, &mut out);
                    out.push(input);
                    first = false;
                    // Anything else ends the paste: what follows is typed.
                    self.until = None;
                }
            }
        }
        self.end_run(&mut run, goes_on && first, now, &mut out);
        out
    }

    fn end_run(&mut self, run: &mut String, goes_on: bool, now: Duration, out: &mut Vec<Input>) {
        let run = std::mem::take(run);
        if run.is_empty() {
            return;
        }
        let inner = run.trim_end_matches('\n').trim_start_matches('\n').contains('\n');
        if inner || goes_on {
            self.until = Some(now + GOES_ON);
            out.push(Input::Paste(run));
        } else {
            out.extend(run.chars().map(|letter| Input::Key(key(letter))));
        }
    }
}

/// What a plain key types.
fn typed(input: &Input) -> Option<char> {
    match input {
        Input::Key(Key { code: Code::Enter, modifiers }) if *modifiers == Modifiers::default() => Some('\n'),
        Input::Key(key) => key.printable(),
        _ => None,
    }
}

fn key(letter: char) -> Key {
    Key::plain(if letter == '\n' { Code::Enter } else { Code::Char(letter) })
}
