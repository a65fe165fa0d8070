//! How much a system can hold. Pure.

/// The newest right of the file system that is used: emptying a file.
const COMPLETE: i32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Level {
    Complete {
        by: String,
    },
    /// Held, with gaps.
    Partial {
        by: String,
        missing: String,
    },
    Unavailable {
        why: String,
    },
}

impl Level {
    /// As it is shown: `on`, `partial: …`.
    pub fn words(&self) -> String {
        match self {
            Self::Complete { by } => format!("complete, by {by}"),
            Self::Partial { by, missing } => format!("partial, by {by}: {missing}"),
            Self::Unavailable { why } => format!("not available: {why}"),
        }
    }
}

/// Of the kernel's answer: the version of its interface, or an error number.
pub fn of_landlock(answer: Result<i32, i32>) -> Level {
    let why = match answer {
        Ok(version) if version >= COMPLETE => return Level::Complete { by: format!("Landlock {version}") },
        Ok(2) => {
            let missing = "files outside can still be emptied; Linux 6.2 mends it";
            return Level::Partial { by: "Landlock 2".to_owned(), missing: missing.to_owned() };
        }
        Ok(1) => {
            let missing = "files outside can still be emptied, and none can be moved to another folder; \
                           Linux 6.2 mends both";
            return Level::Partial { by: "Landlock 1".to_owned(), missing: missing.to_owned() };
        }
        Ok(_) => "the kernel gave no version of Landlock".to_owned(),
        Err(ENOSYS) => "the kernel has no Landlock, which came with Linux 5.13".to_owned(),
        Err(EOPNOTSUPP) => "Landlock is switched off at boot; add it to the kernel's lsm= list".to_owned(),
        Err(EPERM) => "the container forbids Landlock; its seccomp profile must allow it".to_owned(),
        Err(number) => format!("Landlock answers error {number}"),
    };
    Level::Unavailable { why }
}

const EPERM: i32 = 1;
const ENOSYS: i32 = 38;
const EOPNOTSUPP: i32 = 95;

/// Of whether the program that starts others in a sandbox is there.
pub fn of_seatbelt(there: bool) -> Level {
    match there {
        true => Level::Complete { by: "Seatbelt".to_owned() },
        false => Level::Unavailable { why: format!("{} is missing", super::seatbelt::PROGRAM) },
    }
}
