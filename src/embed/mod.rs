//! Sentences as vectors, and what is decided from how near they are.
//!
//! Owns: the encoder (`encoder`, `onnx`, `backend`), its model (`model`, `download`), the worker that
//! others ask (`service`), the vectors of phrases on disk (`index`), the rule (`gate`), the search for
//! capabilities (`discover`), how good it all is (`eval`) and what in a tap's triggers is wrong (`lint`).
//!
//! Does not own: what a capability is (`tap`), which are eligible and what follows (`surface`,
//! `session`).
//!
//! Invariant: vectors are compared only with vectors of the same model and the same arithmetic; what is
//! not ready or not usable says so and why, and never holds anything up.

pub mod backend;
mod digest;
pub mod discover;
pub mod download;
mod encoder;
pub mod eval;
pub mod gate;
pub mod index;
pub mod lint;
pub mod model;
pub mod onnx;
mod raw;
pub mod service;
mod vector;

pub use encoder::{EncodeError, Encoder, Identity};
pub use index::Index;
pub use service::{Beside, Options, Patience, Service, Unready};
pub use vector::{NotAVector, Vector, similarity};

#[cfg(test)]
pub mod bag;
