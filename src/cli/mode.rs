//! Whether a person is there: the interactivity matrix.

use super::args::Format;

/// What standard input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    Terminal,
    Text,
    /// A pipe or file with nothing but blanks in it.
    Empty,
}

/// What standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Terminal,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Workbench,
    Headless(Format),
}

/// Why a run cannot begin, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModeError {
    #[error("Standard input is empty.\nhint: pipe the message in: echo 'your message' | octomind run")]
    NoMessage,
    #[error(
        "--format is for runs without a person, and standard input is a terminal.\nhint: pipe the message in, or leave --format out to open the workbench"
    )]
    FormatOnTerminal,
    #[error(
        "The workbench needs a terminal, and standard output is none.\nhint: pipe the message in: echo 'your message' | octomind run"
    )]
    NoScreen,
    #[error("This build has no workbench.\nhint: pipe the message in: echo 'your message' | octomind run")]
    NoWorkbench,
}

/// Decides the mode of a run.
pub fn decide(input: Input, screen: Screen, format: Option<Format>) -> Result<Mode, ModeError> {
    match (input, format) {
        (Input::Terminal, None) if !cfg!(feature = "tui") => Err(ModeError::NoWorkbench),
        (Input::Terminal, None) if screen == Screen::Other => Err(ModeError::NoScreen),
        (Input::Terminal, None) => Ok(Mode::Workbench),
        (Input::Terminal, Some(_)) => Err(ModeError::FormatOnTerminal),
        (Input::Empty, _) => Err(ModeError::NoMessage),
        (Input::Text, format) => Ok(Mode::Headless(format.unwrap_or(Format::Plain))),
    }
}

#[cfg(test)]
mod tests;
