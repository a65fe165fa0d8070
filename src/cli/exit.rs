//! How the process ends. One place; the help text and the tests read the same table.

use std::process::ExitCode;

/// Every way `octomind` ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done,
    /// The turn failed: the model, the network, or the session itself.
    Failed,
    /// The command line or its input cannot be used.
    Usage,
    /// Something needed was denied (trust), or a limit was reached (spending).
    Denied,
    /// No model can be used: no key, a refused key, an unknown model. `EX_UNAVAILABLE`.
    NoModel,
    /// The configuration has problems and nobody is there to see them. `EX_CONFIG`.
    Config,
    Interrupted,
    /// Standard output was closed by its reader.
    OutputClosed,
    Terminated,
}

impl Exit {
    pub const ALL: [Self; 9] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Denied,
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
            Self::Failed => "the turn failed",
            Self::Usage => "the command line or its input cannot be used",
            Self::Denied => "denied (trust) or stopped at a limit (spending)",
            Self::NoModel => "no usable model",
            Self::Config => "the configuration has problems",
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
