//! How far a transfer is: one line that changes on a terminal, a line for each step elsewhere.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::Receiver;

use crate::tap::git::{Phase, Progress};
use crate::text::{human, truncate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    OneLine,
    Plain,
}

impl Style {
    pub fn of_process() -> Self {
        if io::stderr().is_terminal() { Self::OneLine } else { Self::Plain }
    }
}

/// Columns that are there on every terminal.
const WIDTH: usize = 78;

/// Shows what comes until nothing more does.
pub(super) fn show(coming: &Receiver<(String, Progress)>, style: Style, err: &mut dyn Write) -> io::Result<()> {
    let mut phases: BTreeMap<String, Phase> = BTreeMap::new();
    let mut drawn = false;
    for (name, progress) in coming {
        let line = line(&name, progress);
        match style {
            Style::OneLine => {
                write!(err, "\r\u{1b}[K{}", truncate(&line, WIDTH))?;
                err.flush()?;
                drawn = true;
            }
            Style::Plain => {
                // The bare beginning of a step; its numbers would be a flood.
                if phases.insert(name.clone(), progress.phase) != Some(progress.phase) {
                    writeln!(err, "{name}: {}", step(progress.phase))?;
                }
            }
        }
    }
    if drawn {
        write!(err, "\r\u{1b}[K")?;
        err.flush()?;
    }
    Ok(())
}

fn step(phase: Phase) -> &'static str {
    match phase {
        Phase::Connecting => "connecting",
        Phase::Receiving => "receiving",
        Phase::Writing => "writing files",
    }
}

fn line(name: &str, progress: Progress) -> String {
    let Progress { phase, done, total, bytes } = progress;
    let step = step(phase);
    match phase {
        Phase::Connecting => format!("{name}: {step} …"),
        Phase::Receiving => {
            let share = done.saturating_mul(100).checked_div(total).unwrap_or(0);
            format!("{name}: {step} {share} % ({done} of {total} objects, {})", human::bytes(bytes))
        }
        Phase::Writing => format!("{name}: {step} ({done} of {total})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(style: Style) -> String {
        let (sender, receiver) = std::sync::mpsc::channel();
        let at = |phase, done| Progress { phase, done, total: 8, bytes: 2048 };
        for (phase, done) in [(Phase::Connecting, 0), (Phase::Receiving, 2), (Phase::Receiving, 8), (Phase::Writing, 8)]
        {
            sender.send(("u/r".to_owned(), at(phase, done))).unwrap();
        }
        drop(sender);
        let mut err = Vec::new();
        show(&receiver, style, &mut err).unwrap();
        String::from_utf8(err).unwrap()
    }

    #[test]
    fn plain_lines_tell_each_step_once() {
        assert_eq!(shown(Style::Plain), "u/r: connecting\nu/r: receiving\nu/r: writing files\n");
    }

    #[test]
    fn one_line_is_drawn_over_and_cleared() {
        let shown = shown(Style::OneLine);
        assert!(shown.contains("\r\u{1b}[Ku/r: receiving 25 % (2 of 8 objects, 2.0 KB)"), "{shown:?}");
        assert!(shown.ends_with("\r\u{1b}[K") && !shown.contains('\n'), "{shown:?}");
    }
}
