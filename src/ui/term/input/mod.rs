//! Bytes of the terminal as inputs.
//!
//! Owns: the reader, the parser of escape sequences, and telling pastes from typing.
//!
//! Invariant: every read is drained before anything is decided, and nothing ever blocks on a
//! sequence that does not end.

mod burst;
mod csi;
mod parser;
mod reader;

#[cfg(test)]
mod tests;

pub use burst::Bursts;
pub use parser::Parser;
pub use reader::Reader;
