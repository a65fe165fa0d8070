//! How the process ends. One place; the help text and the tests read the same table.

use std::process::ExitCode;

/// Every way `octomind` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// The turn failed (the model, the network, or the session itself), or a check found something.
    Failed,
    /// The command line or its input cannot be used.
    Usage,
    /// Something needed was denied (trust), or a limit was reached (spending).
    Denied,
    /// There is an answer, and the gate did not accept it: gaps are left.
    Gaps,
    /// A file that was given cannot be used. `EX_DATAERR`.
    BadInput,
    /// No model can be used: no key, a refused key, an unknown model. `EX_UNAVAILABLE`.
    NoModel,
    /// The configuration has problems, or a value is missing, and nobody is there to see to it.
    /// `EX_CONFIG`.
    Config,
    Interrupted,
    /// Standard output was closed by its reader.
    OutputClosed,
    Terminated,
}

impl Exit {
    pub const ALL: [Self; 11] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Denied,
        Self::Gaps,
        Self::BadInput,
        Self::NoModel,
        Self::Config,
        Self::Interrupted,
        Self::OutputClosed,
        Self::Terminated,
    ];

    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Denied => 3,
            Self::Gaps => 4,
            Self::BadInput => 65,
            Self::NoModel => 69,
            Self::Config => 78,
            Self::Interrupted => 130,
            Self::OutputClosed => 141,
            Self::Terminated => 143,
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "the turn failed, or a check found something",
            Self::Usage => "the command line or its input cannot be used",
            Self::Denied => "denied (trust) or stopped at a limit (spending)",
            Self::Gaps => "answered, and the gate found gaps that are left",
            Self::BadInput => "a file that was given cannot be used",
            Self::NoModel => "no usable model",
            Self::Config => "the configuration has problems, or a value that is needed has not been set",
            Self::Interrupted => "interrupted",
            Self::OutputClosed => "standard output was closed",
            Self::Terminated => "terminated",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
