//! What turns a text into a vector.

use std::fmt;

use super::vector::{NotAVector, Vector};

/// Which model, read by what: vectors of different identities are never compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// As the configuration names it: `embedded`, a hub repository, a directory.
    pub name: String,
    /// SHA-256 of the graph, the tokenizer and the way of pooling.
    pub hash: [u8; 32],
    /// `tract`, or `ONNX Runtime` with its version.
    pub backend: String,
    pub dimensions: usize,
}

impl Identity {
    /// What vectors are filed under: the model and the arithmetic. Versions of a backend share it.
    pub fn key(&self) -> [u8; 32] {
        let family = self.backend.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or_default();
        super::digest::of_parts(&[&self.hash, family.trim_end().as_bytes(), &self.dimensions.to_le_bytes()])
    }
}

/// Turns texts into vectors, the same text always into the same one. One at a time on purpose: the
/// quantisation is per tensor, so neighbours in a batch would change the result.
pub trait Encoder: Send + Sync {
    fn identity(&self) -> &Identity;

    fn encode(&self, text: &str) -> Result<Vector, EncodeError>;
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error("the text could not be split into tokens: {0}")]
    Tokens(String),
    #[error("the model failed on this text: {0}")]
    Model(String),
    #[error("{0}")]
    Result(#[from] NotAVector),
}

impl fmt::Debug for dyn Encoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Encoder({:?})", self.identity())
    }
}
