//! As much of a shell's grammar as it takes to name every command that a line would run.

mod meaning;
mod reader;

pub use reader::parts;

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// As it stands in the line.
    pub text: String,
    /// The program and its arguments, without quotes.
    pub words: Vec<Word>,
    /// It sets variables, for itself or for what follows.
    pub assigns: bool,
    /// Files that its redirections write, as they stand.
    pub writes: Vec<String>,
    /// Where `cd` led before it, if it did.
    pub folder: Option<String>,
    /// What runs it, when that is not the line itself: `sh -c`, `$(…)`.
    pub inside: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    pub text: String,
    /// The shell puts nothing in and takes nothing away: no variable, no pattern, no substitution.
    pub plain: bool,
}

/// Why a line cannot be told apart into its commands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unclear(pub &'static str);

impl Part {
    /// The program, when that is certain.
    pub fn program(&self) -> Option<&str> {
        self.words.first().filter(|word| word.plain).map(|word| word.text.as_str())
    }

    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
