//! Text under the mouse: which cell of it, how a selection looks, what it says.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layout::{Hit, Layout};
use super::list::List;
use super::{Cache, scene};
use crate::proto::Order;
use crate::ui::state::{Ground, Pane, Selection, Spot, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Join, Row};

/// What lies under the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointed {
    pub hit: Hit,
    /// The cell of a text, if there is one.
    pub spot: Option<(Ground, Spot)>,
    /// Lines the text should move so that a selection can go on: past its upper or lower edge.
    pub beyond: i32,
}

impl From<Hit> for Pointed {
    fn from(hit: Hit) -> Self {
        Self { hit, spot: None, beyond: 0 }
    }
}

impl Layout {
    /// What lies under a cell. While a selection is made, its own text, however far the mouse is.
    pub fn pointed(&self, column: u16, row: u16, within: Option<&Selection>) -> Pointed {
        let hit = self.hit(column, row);
        let under = match hit {
            Hit::Entry { .. } => Some(Ground::Transcript),
            Hit::Surface(_) => Some(Ground::Surface),
            Hit::Score(_) => Some(Ground::Scores),
            Hit::Phase(_) => Some(Ground::Plan),
            Hit::Note(_) => Some(Ground::Notes),
            Hit::Over(_) => Some(Ground::Over),
            _ => None,
        };
        let ground = within.map(|selection| selection.ground).or(under);
        let Some((ground, inner)) = ground.and_then(|ground| Some((ground, self.ground(ground)?))) else {
            return hit.into();
        };
        let beyond = match row {
            _ if row < inner.y => -1,
            _ if row >= inner.bottom() => 1,
            _ => 0,
        };
        let at = row.clamp(inner.y, inner.bottom().saturating_sub(1).max(inner.y)) - inner.y;
        let column = column.clamp(inner.x, inner.right().saturating_sub(1).max(inner.x)) - inner.x;
        Pointed { hit, spot: self.spot(ground, at, column).map(|spot| (ground, spot)), beyond }
    }

    fn ground(&self, ground: Ground) -> Option<Rect> {
        let pane = match ground {
            Ground::Transcript => Pane::Transcript,
            Ground::Surface => Pane::Surface,
            Ground::Scores => Pane::Scores,
            Ground::Plan => Pane::Plan,
            Ground::Notes => Pane::Notes,
            Ground::Over => return self.over.as_ref().map(|panel| panel.inner()),
        };
        self.pane(pane).map(|one| one.inner())
    }

    fn spot(&self, ground: Ground, row: u16, column: u16) -> Option<Spot> {
        let list = match ground {
            Ground::Surface => &self.surface,
            Ground::Scores => &self.scores,
            Ground::Plan => &self.plan,
            Ground::Notes => &self.notes,
            Ground::Over => &self.over.as_ref()?.list,
            Ground::Transcript => {
                let part = self.window.visible.iter().rev().find(|part| part.row <= row)?;
                let line = (part.lines.start + u32::from(row - part.row)).min(part.lines.end.saturating_sub(1));
                return Some(Spot { order: part.order, line, column });
            }
        };
        let line = usize::from(row).min(list.lines.len().saturating_sub(1)) + list.above;
        Some(Spot { order: Order::default(), line: line as u32, column })
    }
}

/// Marks what is selected of a drawn row.
pub fn mark(state: &State, at: (Ground, Order, u32), row: &Row, place: Rect, buffer: &mut Buffer, theme: &Theme) {
    let (ground, order, line) = at;
    let Some(columns) = state.selection.and_then(|selection| selection.columns(ground, order, line)) else { return };
    let (shown, _) = row.cut_out(columns);
    let x = place.x + shown.start.min(place.width);
    let width = (shown.end.min(place.width)).saturating_sub(shown.start);
    if place.y < buffer.area.bottom() {
        buffer
            .set_style(Rect { x, width, height: 1, ..place }.intersection(buffer.area), theme.style(Role::UiSelection));
    }
}

/// Marks what is selected of a drawn list.
pub fn mark_list(state: &State, ground: Ground, list: &List, inner: Rect, buffer: &mut Buffer, theme: &Theme) {
    for (index, (line, y)) in list.lines.iter().zip(inner.top()..inner.bottom()).enumerate() {
        let at = (ground, Order::default(), (list.above + index) as u32);
        mark(state, at, &line.row, Rect { y, height: 1, ..inner }, buffer, theme);
    }
}

/// The selected text: lines whole however they were wrapped, without borders and gutters.
pub fn selected(state: &State, cache: &mut Cache, layout: &Layout) -> String {
    let Some(selection) = state.selection else { return String::new() };
    let mut text = Text::default();
    let list = match selection.ground {
        Ground::Surface => Some(&layout.surface),
        Ground::Scores => Some(&layout.scores),
        Ground::Plan => Some(&layout.plan),
        Ground::Notes => Some(&layout.notes),
        Ground::Over => layout.over.as_ref().map(|panel| &panel.list),
        Ground::Transcript => {
            transcript(state, cache, layout, &selection, &mut text);
            None
        }
    };
    for (index, line) in
        list.into_iter().flat_map(|list| list.lines.iter().enumerate().map(|(at, line)| (list.above + at, line)))
    {
        if let Some(columns) = selection.columns(selection.ground, Order::default(), index as u32) {
            text.add(&line.row, columns);
        }
    }
    text.out
}

fn transcript(state: &State, cache: &mut Cache, layout: &Layout, selection: &Selection, text: &mut Text) {
    let Some(pane) = layout.pane(Pane::Transcript) else { return };
    let scene = scene(state, &layout.hints, pane.inner().width as usize);
    let (first, last) = selection.ends();
    let begin = scene.entries.partition_point(|entry| entry.order < first.order);
    for index in begin..scene.entries.len() {
        let order = scene.entries[index].order;
        if order > last.order {
            return;
        }
        let (gap, rows) = cache.transcript.laid(&scene, index);
        if gap > 0 && !text.out.is_empty() {
            text.add(&Row::blank(), 0..1);
        }
        for (line, row) in rows.iter().enumerate() {
            if let Some(columns) = selection.columns(Ground::Transcript, order, gap + line as u32) {
                text.add(row, columns);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Text {
    out: String,
    began: bool,
}

impl Text {
    fn add(&mut self, row: &Row, columns: std::ops::Range<u16>) {
        let (_, words) = row.cut_out(columns);
        if self.began {
            self.out.push_str(match row.join {
                Join::Line => "\n",
                Join::Space => " ",
                Join::Nothing => "",
            });
        }
        self.began = true;
        self.out.push_str(words.trim_end());
    }
}
