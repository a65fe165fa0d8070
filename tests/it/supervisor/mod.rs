//! Whole sessions under the supervisor: scripted model, real servers, journal.

mod gate;
mod headless;
mod mechanics;
mod mischief;
mod script;
mod stage;
mod steering;
mod switches;
