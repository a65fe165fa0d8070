//! Sessions out of their real parts against stdio servers that are real processes; the encoder alone is
//! one that counts words.

mod bad;
mod book;
mod examples;
mod handed;
mod moves;
mod order;
mod play;
mod pushed;
mod reading;
mod replay;
mod server;
mod waits;
