//! Before a session: the watcher of children, and the sandbox where it is asked for.

use std::io::Write;

use super::exit::Exit;
use super::mode::Mode;
use super::start::{Refused, Start};
use crate::sandbox::{self, Holding, Level, Wanted, watch};

/// Starts the watcher and enters the sandbox. Only the first thread may be there.
///
/// # Errors
/// When a protection that was asked for cannot be given and nobody is there to be asked. A person is
/// asked in the workbench.
pub fn begin(start: &mut Start, err: &mut dyn Write) -> Result<Holding, Refused> {
    let watched = watch::start();
    if !start.loaded.config.sandbox {
        if let Err(error) = watched {
            let _ = writeln!(err, "octomind: what a run leaves behind after kill -9 is not ended: {error}");
        }
        return Ok(Holding::default());
    }
    let level = sandbox::level();
    let held = match &level {
        Level::Unavailable { why } => Err(why.clone()),
        _ => watched
            .map_err(|error| format!("no folder for temporary files could be made: {error}"))
            .and_then(|temp| enter(start, temp)),
    };
    let holding = settled(start.mode, &level, held)?;
    start.loaded.config.sandbox = sandbox::is_on();
    Ok(holding)
}

/// A protection that was asked for and cannot be given is never passed over.
fn settled(mode: Mode, level: &Level, held: Result<Vec<String>, String>) -> Result<Holding, Refused> {
    match (held, mode) {
        (Ok(notes), _) => Ok(Holding::begun(level, notes)),
        (Err(why), Mode::Workbench) => Ok(Holding::asking(why)),
        (Err(why), Mode::Headless(_)) => Err(refused(&why)),
    }
}

fn enter(start: &Start, temp: &std::path::Path) -> Result<Vec<String>, String> {
    // Rules hold for folders that are there.
    for folder in [&start.paths.data, &start.paths.config_folder] {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let extra = sandbox::extra_of_process();
    sandbox::enter(Wanted { workdir: &start.workdir, data: &start.paths.data, temp, extra })
}

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
    use crate::proto::Held;
    use crate::sandbox::level::of_landlock;

    #[test]
    fn without_landlock_a_person_is_asked_and_a_script_is_refused() {
        for number in [1, 38, 95, 7] {
            let level = of_landlock(Err(number));
            let Level::Unavailable { why } = level.clone() else { panic!("{level:?}") };
            let asked = settled(Mode::Workbench, &level, Err(why.clone())).unwrap();
            assert_eq!(asked.question.as_deref(), Some(why.as_str()));
            let refused = settled(Mode::Headless(Format::Plain), &level, Err(why)).unwrap_err();
            assert_eq!(refused.exit, Exit::Config);
            assert!(refused.text.contains("sandbox=false"));
        }
        // A kernel that has it and refuses the rules is no better.
        let level = of_landlock(Ok(7));
        assert!(settled(Mode::Workbench, &level, Err("no".to_owned())).unwrap().question.is_some());
        assert!(settled(Mode::Headless(Format::Plain), &level, Err("no".to_owned())).is_err());
    }

    #[test]
    fn the_level_that_was_reached_is_what_is_shown() {
        for (version, word) in [(1, "partial"), (2, "partial"), (3, "full"), (9, "full")] {
            let level = of_landlock(Ok(version));
            let begun = settled(Mode::Workbench, &level, Ok(vec!["a note".to_owned()])).unwrap();
            assert_eq!((begun.view.word(), begun.notes.len(), begun.question), (word, 1, None));
            assert_ne!(begun.view.held, Held::No);
        }
    }
}
