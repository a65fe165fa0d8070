//! Keys: their names, the conditions rows may carry, the keymap trie, its files and their lint.
//!
//! Owns: [`Key`], [`Keymap`] and [`load`]. The one trie feeds dispatch, which-key, help and palette.
//!
//! Does not own: what actions do (`update`), nor how bytes become keys (`term`).
//!
//! Invariant: a row that cannot be used is named with file and line and costs no other row; the
//! built-in keymaps have no problems at all.

mod condition;
mod key;
mod lint;
mod load;
mod trie;

#[cfg(test)]
mod tests;

pub use condition::{Condition, Facts};
pub use key::{Code, Key, Modifiers, sequence};
pub use load::{BUILT_IN, Loaded, load};
pub use trie::{Context, Found, HelpRow, Keymap, Node, Row};
