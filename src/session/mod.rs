//! Sessions: one actor each, writing what happens and acting on what is asked.
//!
//! Owns: the turn loop, the queue, interrupt and retry, slash commands, the journal, its lock, blobs
//! and resume, spending limits, cutting of results.
//!
//! Does not own: provider protocols (`model`), tool servers (`mcp`), anything on a screen.
//!
//! Invariant: an event is in the journal before anyone is shown it. A process killed at any byte
//! loses at most the event it was writing, and the next one says so.
