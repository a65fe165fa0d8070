use super::fuzzy::filtered;
use super::{Layer, State, Table, Tabled};
use crate::proto::{Said, SessionRow};
use crate::text;

/// What is known of the folder of all sessions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShelfState {
    /// The latest first.
    rows: Vec<SessionRow>,
    /// Sessions there are; more than rows while the list is being read.
    pub total: usize,
    /// The list was asked for and is not whole yet.
    pub reading: bool,
    /// It was asked for so that a name can be completed.
    pub offering: bool,
    /// Places of the rows that match the filter, best first.
    shown: Vec<usize>,
    filter: String,
    /// The last messages of a session.
    pub preview: Option<(String, Said)>,
    /// The session whose messages were asked for.
    pub asked: Option<String>,
    /// Deleted from here and not put back, the last one last.
    pub deleted: Vec<String>,
}

impl ShelfState {
    /// Rows of a list that is being told from this place on.
    pub fn take(&mut self, from: usize, total: usize, rows: &[SessionRow]) {
        self.rows.truncate(from);
        self.rows.extend_from_slice(rows);
        self.total = total;
        self.reading = self.rows.len() < total;
        self.refilter();
    }

    /// The rows under the filter.
    pub fn shown(&self) -> &[usize] {
        &self.shown
    }

    pub fn get(&self, place: usize) -> Option<&SessionRow> {
        self.rows.get(*self.shown.get(place)?)
    }

    /// All of them, whatever the filter.
    pub fn rows(&self) -> &[SessionRow] {
        &self.rows
    }

    pub fn find(&self, name: &str) -> Option<&SessionRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Where a session stands under the filter.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.shown.iter().position(|at| self.rows.get(*at).is_some_and(|row| row.name == name))
    }

    pub fn filter(&mut self, filter: &str) {
        if self.filter != filter {
            filter.clone_into(&mut self.filter);
            self.refilter();
        }
    }

    fn refilter(&mut self) {
        let words = |at: &usize| {
            self.rows.get(*at).map_or_else(String::new, |row| {
                format!("{} {} {} {}", row.name, text::sanitize_line(&row.title), row.role, row.workdir)
            })
        };
        self.shown = filtered((0..self.rows.len()).collect(), &self.filter, words);
    }

    pub fn rename(&mut self, name: &str, title: &str) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.name == name) {
            title.clone_into(&mut row.title);
        }
        self.refilter();
    }

    pub fn remove(&mut self, name: &str) {
        self.rows.retain(|row| row.name != name);
        self.total = self.rows.len().max(self.total.saturating_sub(1));
        self.refilter();
    }

    /// Puts a row where its age belongs.
    pub fn insert(&mut self, row: SessionRow) {
        self.rows.retain(|known| known.name != row.name);
        let at = self.rows.partition_point(|known| known.updated > row.updated);
        self.rows.insert(at, row);
        self.total = self.rows.len().max(self.total + 1);
        self.refilter();
    }
}

impl State {
    /// The marked session of the overlay.
    pub fn marked_session(&self) -> Option<&SessionRow> {
        let Some(Layer::Table(Table { of: Tabled::Sessions, selected, .. })) = self.layers.last() else { return None };
        self.shelf.get((*selected).min(self.shelf.shown().len().saturating_sub(1)))
    }
}
