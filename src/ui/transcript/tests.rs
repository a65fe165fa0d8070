//! What holds for every entry at every width, and what scrolling promises.

mod cells;
mod links;
mod markdown;
mod properties;
mod scrolling;
