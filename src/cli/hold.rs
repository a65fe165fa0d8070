//! Before a session: the watcher of children, and the sandbox where it is asked for.

use std::io::{BufRead, Write};

use super::exit::Exit;
use super::mode::Mode;
use super::start::{Refused, Start};
use crate::sandbox::{self, Level, Wanted, watch};

/// What is done about a sandbox that was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Course {
    Enter,
    /// There is a person who can say whether to go on without.
    Ask(String),
    Refuse(String),
}

fn course(level: &Level, mode: Mode) -> Course {
    match (level, mode) {
        (Level::Complete { .. } | Level::Partial { .. }, _) => Course::Enter,
        (Level::Unavailable { why }, Mode::Workbench) => Course::Ask(why.clone()),
        (Level::Unavailable { why }, Mode::Headless(_)) => Course::Refuse(why.clone()),
    }
}

/// Starts the watcher and enters the sandbox. Only the first thread may be there.
///
/// # Errors
/// When a protection that was asked for cannot be given, and nobody said to go on without it.
pub fn begin(start: &mut Start, answers: &mut impl BufRead, err: &mut dyn Write) -> Result<(), Refused> {
    let watched = watch::start();
    if !start.loaded.config.sandbox {
        if let Err(error) = watched {
            let _ = writeln!(err, "octomind: what a run leaves behind after kill -9 is not ended: {error}");
        }
        return Ok(());
    }
    let level = sandbox::level();
    match course(&level, start.mode) {
        Course::Refuse(why) => return Err(refused(&why)),
        Course::Ask(why) => {
            if !agreed(&why, answers, err) {
                return Err(refused(&why));
            }
            start.loaded.config.sandbox = false;
            return Ok(());
        }
        Course::Enter => {}
    }
    let temp = watched.map_err(|error| refused(&format!("no folder for temporary files could be made: {error}")))?;
    // Rules hold for folders that are there.
    for folder in [&start.paths.data, &start.paths.config_folder] {
        std::fs::create_dir_all(folder).map_err(|error| refused(&format!("{}: {error}", folder.display())))?;
    }
    let extra = sandbox::extra_of_process();
    let wanted = Wanted { workdir: &start.workdir, data: &start.paths.data, temp, extra };
    let notes = sandbox::enter(wanted).map_err(|why| refused(&why))?;
    let gap = matches!(level, Level::Partial { .. }).then(|| format!("the sandbox is {}", level.words()));
    for note in gap.iter().chain(&notes) {
        let _ = writeln!(err, "octomind: {}", crate::text::sanitize_line(note));
    }
    Ok(())
}

fn agreed(why: &str, answers: &mut impl BufRead, err: &mut dyn Write) -> bool {
    let _ = write!(
        err,
        "octomind: the sandbox was asked for and is not available: {why}.\n\
         Go on without it? What is run can then write wherever you can. [y/N] "
    );
    let _ = err.flush();
    let mut answer = String::new();
    answers.read_line(&mut answer).is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// A protection that was asked for and cannot be given is never passed over.
fn refused(why: &str) -> Refused {
    let text = format!(
        "octomind: the sandbox was asked for and cannot be given: {why}; nothing was started\n\
         hint: octomind doctor tells more; go on without it by -c sandbox=false\n"
    );
    Refused { exit: Exit::Config, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Format;
    use crate::sandbox::level::of_landlock;

    #[test]
    fn without_landlock_a_person_is_asked_and_a_script_is_refused() {
        for number in [1, 38, 95, 7] {
            let level = of_landlock(Err(number));
            assert!(matches!(course(&level, Mode::Workbench), Course::Ask(_)), "{level:?}");
            assert!(matches!(course(&level, Mode::Headless(Format::Plain)), Course::Refuse(_)), "{level:?}");
        }
        for version in [1, 2, 3, 9] {
            assert_eq!(course(&of_landlock(Ok(version)), Mode::Headless(Format::Plain)), Course::Enter);
        }
    }

    #[test]
    fn only_a_plain_yes_goes_on_without() {
        for (answer, goes_on) in [("y\n", true), ("Yes\n", true), ("\n", false), ("", false), ("no\n", false)] {
            let mut shown = Vec::new();
            assert_eq!(agreed("it is too old", &mut answer.as_bytes(), &mut shown), goes_on, "{answer:?}");
            assert!(String::from_utf8(shown).unwrap().contains("it is too old"));
        }
        let refused = refused("x");
        assert_eq!(refused.exit, Exit::Config);
        assert!(refused.text.contains("sandbox=false"));
    }
}
