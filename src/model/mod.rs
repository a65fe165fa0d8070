//! Language models behind one small trait.
//!
//! Owns: [`Model`] and what goes in ([`Request`]) and comes out ([`Delta`], [`Fault`]); providers
//! through `genai`, and our mending of streams where it falls short; the scripted model; choosing a
//! model for `auto`; prices; building and repairing a request from history; token calibration.
//!
//! Does not own: the turn loop, retries in time, or anything shown on a screen.
//!
//! Invariant: a provider's stream, however broken, ends in either a finished message or one
//! [`Fault`] with a plain sentence. It never panics, hangs past its idle time, or loses text that
//! was already passed on.

mod request;
mod stream;

pub use request::{Message, Part, Request, ToolResult, ToolSpec};
pub use stream::{Delta, DeltaStream, Model, RawCall, Traits};
