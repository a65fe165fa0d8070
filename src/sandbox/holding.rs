//! How a process came to stand, for its session to tell. Pure but for following links.

use std::path::Path;

use super::Level;
use crate::proto::{Held, SandboxView};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holding {
    pub view: SandboxView,
    /// What could not be given as wished, one sentence each.
    pub notes: Vec<String>,
    /// Why it is not held though it was asked for. Nothing starts before a person says to go on.
    pub question: Option<String>,
}

impl Holding {
    /// The process is held now.
    pub fn begun(level: &Level, notes: Vec<String>) -> Self {
        let held = match level {
            Level::Complete { by } => Held::Full { by: by.clone() },
            Level::Partial { by, missing } => Held::Partly { by: by.clone(), missing: missing.clone() },
            Level::Unavailable { why } => Held::Without { why: why.clone() },
        };
        Self { view: SandboxView { held, elsewhere: None }, notes, question: None }
    }

    /// It was asked for, and is not to be had.
    pub fn asking(why: String) -> Self {
        let held = Held::Without { why: why.clone() };
        Self { view: SandboxView { held, elsewhere: None }, notes: Vec::new(), question: Some(why) }
    }

    /// For another session of the same process. What a process is held to stays, and one that is not
    /// held can no longer be: it has more than one thread.
    pub fn onward(&self, workdir: &Path, asked: bool) -> Self {
        Self::next(&self.view.held, super::folder(), workdir, asked)
    }

    fn next(held: &Held, folder: Option<&Path>, workdir: &Path, asked: bool) -> Self {
        if let Some(folder) = folder {
            let inside = workdir.canonicalize().is_ok_and(|workdir| workdir.starts_with(folder));
            let elsewhere = (!inside).then(|| folder.display().to_string());
            let note = elsewhere.as_ref().map(|folder| {
                format!(
                    "the sandbox holds to {folder}, where octomind was started: what is run here cannot write in {}; \
                     leave, and start octomind there",
                    workdir.display()
                )
            });
            let view = SandboxView { held: held.clone(), elsewhere };
            return Self { view, notes: note.into_iter().collect(), question: None };
        }
        match held {
            // That was answered.
            Held::Without { .. } => {
                Self { view: SandboxView { held: held.clone(), elsewhere: None }, ..Self::default() }
            }
            _ if asked => Self::asking(format!(
                "it can begin only when octomind starts; leave, and start octomind in {} to have it",
                workdir.display()
            )),
            _ => Self::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_session_is_told_what_the_process_is_held_to() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for name in ["first/sub", "second"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("second"), root.join("first/link")).unwrap();
        let full = Held::Full { by: "Landlock 7".to_owned() };
        let first = root.join("first");
        for (workdir, word) in [
            ("first", "full"),
            ("first/sub", "full"),
            ("second", "elsewhere"),
            ("first/link", "elsewhere"),
            ("none", "elsewhere"),
        ] {
            let next = Holding::next(&full, Some(&first), &root.join(workdir), false);
            assert_eq!(next.view.word(), word, "{workdir}");
            assert_eq!(next.notes.len(), usize::from(word == "elsewhere"), "{workdir}");
            assert_eq!(next.question, None);
        }
    }

    #[test]
    fn what_cannot_begin_any_more_is_asked_about_once() {
        let here = Path::new("/");
        assert_eq!(Holding::next(&Held::No, None, here, false), Holding::default());
        let asked = Holding::next(&Held::No, None, here, true);
        assert!(asked.question.is_some() && asked.view.is_less(), "a folder asks for what the first did not");
        let again = Holding::next(&asked.view.held, None, here, true);
        assert_eq!((again.question, again.view.word()), (None, "missing"));
    }
}
