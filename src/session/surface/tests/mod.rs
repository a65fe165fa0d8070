//! Sessions out of their real parts against stdio servers that are real processes; the encoder alone is
//! one that counts words.

mod book;
mod examples;
mod moves;
mod play;
mod server;
mod waits;
