use std::ops::Range;

use super::cache::{Cache, Scene};
use crate::proto::{EntryKind, Order, Origin};
use crate::ui::state::{Scroll, ScrollBy, Search};

/// A row of the transcript: entry and row of it, the gap above the entry counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub index: usize,
    pub line: u32,
}

/// Rows of one entry that are in sight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visible {
    pub index: usize,
    pub order: Order,
    /// Of its rows, the gap above it counted.
    pub lines: Range<u32>,
    /// Row of the pane that shows the first of them.
    pub row: u16,
}

/// What of the transcript is in sight.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    pub visible: Vec<Visible>,
    /// Rows above the window and rows in all; estimates where entries were never in sight.
    pub above: u64,
    pub total: u64,
    pub follows: bool,
    /// Entries that came since the end was last in sight.
    pub unseen: usize,
    /// Not everything was searched yet: ask for another frame.
    pub searching: bool,
}

/// Where the person wants to be.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Moved to where the window ends up.
    pub scroll: &'a mut Scroll,
    /// Asked for since the last frame.
    pub pending: Vec<ScrollBy>,
    pub search: Option<&'a Search>,
}

impl Cache {
    /// Resolves what was asked for since the last frame and renders what is in sight.
    pub fn window(&mut self, scene: &Scene, asked: Asked, height: u16) -> Window {
        let Asked { scroll, pending, search } = asked;
        let anchor = match *scroll {
            Scroll::At { order, line } => Some((order, line)),
            Scroll::Follow => None,
        };
        self.sync(scene, anchor);
        let searching = self.update_search(scene, search);
        if scene.entries.is_empty() {
            *scroll = Scroll::Follow;
            return Window { follows: true, ..Window::default() };
        }
        let height = u32::from(height.max(1));
        let mut place = self.begin(scene, *scroll, height);
        for step in pending {
            place = self.step(scene, place, step, height);
        }
        let bottom = self.bottom(scene, height);
        let follows = place >= bottom;
        let place = place.min(bottom);
        *scroll = if follows {
            self.seen = scene.entries.len();
            Scroll::Follow
        } else {
            Scroll::At { order: scene.entries[place.index].order, line: place.line }
        };
        let visible = self.visible(scene, place, height);
        self.evict();
        Window {
            visible,
            above: self.heights.before(place.index) + u64::from(place.line),
            total: self.heights.total(),
            follows,
            unseen: scene.entries.len().saturating_sub(self.seen),
            searching,
        }
    }

    fn begin(&mut self, scene: &Scene, scroll: Scroll, height: u32) -> Place {
        let Scroll::At { order, line } = scroll else { return self.bottom(scene, height) };
        let found = scene.entries.binary_search_by_key(&order, |entry| entry.order);
        let index = found.unwrap_or_else(|next| next.min(scene.entries.len() - 1));
        let rows = self.lay(scene, index);
        let line = match self.anchor.take().filter(|anchor| anchor.order == order) {
            Some(anchor) => self.anchored_line(anchor),
            None if found.is_ok() => line,
            None => 0,
        };
        Place { index, line: line.min(rows.saturating_sub(1)) }
    }

    /// The place of the window's first row when the last row is at its foot.
    fn bottom(&mut self, scene: &Scene, height: u32) -> Place {
        let last = scene.entries.len() - 1;
        let rows = self.lay(scene, last);
        let end = Place { index: last, line: rows };
        self.moved(scene, end, -i64::from(height))
    }

    /// `rows` further on, or back when negative; stops at the first row and after the last.
    fn moved(&mut self, scene: &Scene, from: Place, rows: i64) -> Place {
        let Place { mut index, line } = from;
        let mut line = i64::from(line) + rows;
        while line < 0 {
            if index == 0 {
                return Place { index: 0, line: 0 };
            }
            index -= 1;
            line += i64::from(self.lay(scene, index));
        }
        loop {
            let here = i64::from(self.lay(scene, index));
            if line < here || index + 1 >= scene.entries.len() {
                return Place { index, line: line.min(here) as u32 };
            }
            line -= here;
            index += 1;
        }
    }

    fn step(&mut self, scene: &Scene, place: Place, step: ScrollBy, height: u32) -> Place {
        let height_rows = i64::from(height);
        let last = scene.entries.len() - 1;
        match step {
            ScrollBy::Lines(rows) => self.moved(scene, place, i64::from(rows)),
            ScrollBy::HalfPages(count) => self.moved(scene, place, i64::from(count) * (height_rows / 2).max(1)),
            // One row stays in sight, to hold on to.
            ScrollBy::Pages(count) => self.moved(scene, place, i64::from(count) * (height_rows - 1).max(1)),
            ScrollBy::Top => Place { index: 0, line: 0 },
            ScrollBy::Bottom => Place { index: last, line: u32::MAX },
            ScrollBy::Prompt(count) => self.prompt(scene, place, count),
            ScrollBy::Match(count) => self.next_match(scene, place, count, height),
            ScrollBy::To(order) => self.bring(scene, place, order, height),
        }
    }

    /// To a prompt of the person's own, at the top of the window.
    fn prompt(&mut self, scene: &Scene, place: Place, count: i32) -> Place {
        let own = |index: &usize| matches!(scene.entries[*index].kind, EntryKind::User { origin: Origin::Person, .. });
        let skip = (count.unsigned_abs() as usize).saturating_sub(1);
        let top = |cache: &mut Self, index: usize| {
            cache.lay(scene, index);
            Place { index, line: cache.gap(scene.entries[index].order) }
        };
        if count < 0 {
            let here = top(self, place.index);
            let end = if place > here { place.index + 1 } else { place.index };
            (0..end).rev().filter(own).nth(skip).map_or(place, |index| top(self, index))
        } else {
            let here = top(self, place.index);
            let begin = if place < here { place.index } else { place.index + 1 };
            let found = (begin..scene.entries.len()).filter(own).nth(skip);
            found.map_or(Place { index: scene.entries.len() - 1, line: u32::MAX }, |index| top(self, index))
        }
    }

    /// Moves only as far as it takes to have the entry in sight.
    fn bring(&mut self, scene: &Scene, place: Place, order: Order, height: u32) -> Place {
        let Ok(index) = scene.entries.binary_search_by_key(&order, |entry| entry.order) else { return place };
        let rows = self.lay(scene, index);
        let gap = self.gap(order);
        let first = Place { index, line: gap };
        if first < place {
            return first;
        }
        if rows - gap >= height {
            return first.min(self.last_start(scene, index, gap + 1, height)).max(place);
        }
        self.last_start(scene, index, rows, height).max(place)
    }

    /// The first row of a window whose last row is row `line - 1` of the entry.
    fn last_start(&mut self, scene: &Scene, index: usize, line: u32, height: u32) -> Place {
        self.moved(scene, Place { index, line }, -i64::from(height))
    }

    fn next_match(&mut self, scene: &Scene, place: Place, count: i32, height: u32) -> Place {
        let Some(found) = self.find_match(scene, place, count) else { return place };
        // A third of the window above it, for context; what is in sight already stays where it is.
        self.moved(scene, found, -i64::from(height / 3))
    }

    fn visible(&mut self, scene: &Scene, place: Place, height: u32) -> Vec<Visible> {
        let mut visible = Vec::new();
        let (mut index, mut line, mut row) = (place.index, place.line, 0);
        while row < height && index < scene.entries.len() {
            let rows = self.lay(scene, index);
            let end = rows.min(line + height - row);
            if line < end {
                let order = scene.entries[index].order;
                visible.push(Visible { index, order, lines: line..end, row: row as u16 });
                row += end - line;
            }
            index += 1;
            line = 0;
        }
        visible
    }
}
