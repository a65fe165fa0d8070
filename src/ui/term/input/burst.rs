use std::time::Duration;

use crate::ui::input::Input;
use crate::ui::keys::{Code, Key, Modifiers};

/// After a paste without marks, what comes within this time belongs to it.
const GOES_ON: Duration = Duration::from_millis(30);

/// More characters in one read than keys can bring while the program was busy.
const MANY: usize = 500;

/// Finds pastes in terminals that do not mark them: keys that came in one read with an enter between
/// them, or very many of them. Nobody types that fast, and a person's quick enter comes last in its
/// read.
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
        let body = run.trim_matches('\n');
        if body.contains('\n') || goes_on {
            self.until = Some(now + GOES_ON);
            out.push(Input::Paste(run));
        } else if body.len() > MANY {
            // One long line: as a paste it is put in at once. Enters around it are still enters.
            let start = run.len() - run.trim_start_matches('\n').len();
            out.extend(run[..start].chars().map(|letter| Input::Key(key(letter))));
            out.push(Input::Paste(body.to_owned()));
            out.extend(run[start + body.len()..].chars().map(|letter| Input::Key(key(letter))));
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
