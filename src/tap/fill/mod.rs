//! Values that an agent needs from the person: `{{INPUT:KEY}}` and `{{ENV:KEY}}`.
//!
//! Owns: finding which keys a text or a server needs and who wants them, filling texts, keeping what
//! was answered (`inputs.toml`, `./.env`), the sentence for a value that nobody can be asked for.
//!
//! Does not own: asking (`session`), filling a server's fields when it starts
//! ([`crate::config::expand`]).
//!
//! Invariant: an answer is kept in a file of mode 0600 or not at all, whatever was in that file
//! before is kept too, and no placeholder is filled with nothing.

mod dotenv;
mod inputs;
mod keep;
mod needs;

pub use inputs::Inputs;
pub use keep::{Kept, Places, keep};
pub use needs::{Key, KeyKind, Missing, Need, Needs, Values, fill, fill_what_there_is};

/// Why an answer could not be kept. It holds for the running session all the same.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    #[error("{path} cannot be written: {error}; the value holds for this session only")]
    Io { path: String, error: std::io::Error },
    #[error("{path} is a link, so nothing was written to where it leads; the value holds for this session only")]
    LinkedAway { path: String },
    #[error("the value is empty, so nothing was kept")]
    Empty,
    #[error("a value of more than {0} bytes cannot be kept")]
    TooLong(usize),
    #[error("the value has a character that no {0} can hold")]
    Unfit(&'static str),
}

#[cfg(test)]
mod tests;
