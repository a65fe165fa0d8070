//! Themes: named roles to styles. Panes ask for a [`Role`]; no other module names a colour.
//!
//! Owns: the roles and their dotted names with fallback (`ui.border.focus` → `ui.border` → `ui`,
//! and `ui` below every role), loading and inheritance of `themes/*.toml`, downgrade to 256, 16 and
//! no colours.
//!
//! Invariant: every role has a style in every theme; state is never told by colour alone.

mod colour;
mod load;
mod role;
pub mod tag;

#[cfg(test)]
mod tests;

pub use colour::{Depth, Shade};
pub use load::{BUILT_IN, Loaded, choose, load};
pub use role::Role;

use ratatui::style::Style;

/// A loaded theme, resolved for the terminal's colours.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    pub name: String,
    styles: Vec<Style>,
}

impl Theme {
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}
