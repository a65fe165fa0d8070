use super::{Layer, State, Table, Tabled};

/// The setting that stands for dark or light, as the terminal is.
pub const AUTO: &str = "auto";

/// Which theme is in force, and what there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Themes {
    /// The name in force in this session, or [`AUTO`].
    pub setting: String,
    /// What can be chosen, [`AUTO`] first.
    pub rows: Vec<ThemeRow>,
}

/// A theme that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeRow {
    pub name: String,
    /// One line about it; of a file the file's path.
    pub words: String,
}

impl Default for Themes {
    fn default() -> Self {
        Self { setting: AUTO.to_owned(), rows: Vec::new() }
    }
}

impl State {
    pub fn lists_themes(&self) -> bool {
        self.marked_theme_at().is_some()
    }

    fn marked_theme_at(&self) -> Option<usize> {
        match self.layers.last() {
            Some(Layer::Table(Table { of: Tabled::Themes, selected, .. })) => Some(*selected),
            _ => None,
        }
    }

    /// The theme to draw with: the marked one while the list is the topmost overlay, else the one in
    /// force. However the list is closed, what was only looked at is gone with it.
    pub fn shown_theme(&self) -> &str {
        let last = self.themes.rows.len().saturating_sub(1);
        let marked = self.marked_theme_at().and_then(|at| self.themes.rows.get(at.min(last)));
        marked.map_or(&self.themes.setting, |row| &row.name)
    }

    /// Takes the marked theme for this session.
    pub fn keep_theme(&mut self) {
        self.themes.setting = self.shown_theme().to_owned();
    }
}
