//! Overlays, laid out: a box, a list in it, words on its edges.

mod agents;
mod approval;
mod catalogue;
mod context;
mod help;
mod log;
mod part;
mod pickable;
mod picker;
mod question;
pub mod reader;
mod rewind;
mod servers;
mod sessions;
mod switches;
mod table;
mod themes;
pub mod time;
mod toast;
mod what_if;
mod which_key;
mod why;
mod why_list;
mod wire;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::canvas::{self, Outlines};
use super::hints::Hints;
use super::list::List;
use crate::ui::action::Action;
use crate::ui::state::{ContextSide, Layer, Noun, Reader, Standing, State, Subject, Table, Tabled};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Row, Styled, cell};

pub use approval::KEYS as APPROVAL_KEYS;
pub use log::copied as log_text;
pub use reader::record_text;
pub use toast::toasts;
pub use which_key::which_key;
#[cfg(test)]
pub use why::rows as why_rows;
pub use wire::WireRows;

/// A box that lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    pub outline: Rect,
    /// What stands beside or below the list.
    pub side: Option<Side>,
    pub title: String,
    /// On the lower edge.
    pub foot: Styled,
    pub list: List,
    /// Where a typed filter or value has its caret.
    pub caret: Option<Position>,
}

impl Panel {
    /// A box with nothing but a list.
    pub fn whole(outline: Rect, title: String, foot: Styled, list: List) -> Self {
        Self { outline, side: None, title, foot, list, caret: None }
    }

    /// The box of the list: the whole one, or up to the edge it shares.
    fn part(&self) -> Rect {
        let Some(side) = self.side.as_ref().map(|side| side.outline) else { return self.outline };
        Rect {
            width: if side.x > self.outline.x { side.x + 1 - self.outline.x } else { self.outline.width },
            height: if side.y > self.outline.y { side.y + 1 - self.outline.y } else { self.outline.height },
            ..self.outline
        }
    }

    pub fn inner(&self) -> Rect {
        let part = self.part();
        Rect {
            x: part.x + 2,
            y: part.y + 1,
            width: part.width.saturating_sub(4),
            height: part.height.saturating_sub(2),
        }
    }

    pub fn item_at(&self, at: Position) -> Option<usize> {
        if !self.part().contains(at) {
            return None;
        }
        self.list.item_at(at.y.checked_sub(self.inner().y)?)
    }

    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme) {
        let ground = theme.style(Role::UiText).patch(theme.style(Role::UiOverlay));
        canvas::clear(buffer, self.outline, ground);
        let mut outlines = Outlines::new(self.outline);
        outlines.add(self.outline, true);
        if let Some(side) = &self.side {
            outlines.add(side.outline, true);
        }
        outlines.draw(buffer, theme);
        let room = self.outline.width.saturating_sub(4);
        let (left, right) = (self.outline.x + 1, self.part().right() - 1);
        if !self.title.is_empty() {
            let title =
                Styled::new(" ", Role::UiBorder).with(&self.title, Role::UiTitleFocus).with(" ", Role::UiBorder);
            canvas::put_styled(buffer, left, self.outline.y, room, title, theme);
        }
        if !self.foot.is_empty() {
            let foot = Styled::new(" ", Role::UiBorder).tap(&self.foot).with(" ", Role::UiBorder);
            canvas::put_styled(buffer, left, self.outline.bottom() - 1, room, foot, theme);
        }
        self.list.draw(buffer, self.inner(), theme);
        if let Some(side) = &self.side {
            side.draw(buffer, theme);
        }
        let track = Rect { x: right, width: 1, ..self.inner() };
        canvas::scrollbar(buffer, track, self.list.above as u64, self.list.total as u64, theme);
        self.ground(buffer, theme);
    }
}

impl Panel {
    /// What is drawn with the ground of the panes gets that of overlays; every other ground stays, and so
    /// does what a piece is coloured like.
    fn ground(&self, buffer: &mut Buffer, theme: &Theme) {
        let (Some(plain), Some(over)) = (theme.style(Role::UiText).bg, theme.style(Role::UiOverlay).bg) else { return };
        for position in self.outline.intersection(buffer.area).positions() {
            if let Some(cell) = buffer.cell_mut(position).filter(|cell| cell.bg == plain) {
                cell.bg = over;
            }
        }
    }
}

/// Rows beside or below the list, about the marked row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Shares an edge with the list.
    pub outline: Rect,
    pub rows: Vec<Row>,
}

impl Side {
    /// Cut to the room; says so when something was cut.
    pub fn new(outline: Rect, mut rows: Vec<Row>) -> Self {
        let room = outline.height.saturating_sub(2) as usize;
        if rows.len() > room {
            let hidden = rows.len() + 1 - room.max(1);
            rows.truncate(room.saturating_sub(1));
            rows.push(Styled::new(&format!("… {hidden} more rows"), Role::UiDim).into_row(usize::from(outline.width)));
        }
        Self { outline, rows }
    }

    fn draw(&self, buffer: &mut Buffer, theme: &Theme) {
        let width = self.outline.width.saturating_sub(4);
        let rows = self.outline.y + 1..self.outline.bottom().saturating_sub(1);
        for (row, y) in self.rows.iter().zip(rows) {
            canvas::put(buffer, self.outline.x + 2, y, width, row, theme);
        }
    }
}

impl Styled {
    fn tap(mut self, other: &Self) -> Self {
        self.append(other);
        self
    }
}

/// The topmost overlay, or the question in focus when there is none.
pub fn topmost(state: &mut State, hints: &Hints, kept: &mut WireRows, area: Rect) -> Option<Panel> {
    let Some(layer) = state.layers.last().cloned() else { return question::panel(state, hints, area) };
    let (panel, layer) = match layer {
        Layer::Picker(mut picker) => (picker::panel(state, hints, &mut picker, area), Layer::Picker(picker)),
        Layer::WhatIf(mut tried) => (what_if::panel(state, hints, &mut tried, area), Layer::WhatIf(tried)),
        Layer::Reader(mut reader) => {
            let panel = match reader.subject {
                Subject::Wire(request, part) => wire::reader(state, hints, (request, part), kept, &mut reader, area),
                _ => reader::panel(state, hints, &mut reader, area),
            };
            (panel, Layer::Reader(reader))
        }
        Layer::Table(mut table) => {
            let panel = match table.of {
                Tabled::Switches => switches::panel(state, hints, &mut table, area),
                Tabled::Calls => wire::panel(state, hints, &mut table, area),
                Tabled::Context(_) => context::panel(state, hints, &mut table, area),
                Tabled::Servers => servers::panel(state, hints, &mut table, area),
                Tabled::Log(floor) => log::panel(state, hints, floor, &mut table, area),
                Tabled::Time => time::panel(state, hints, &mut table, area),
                Tabled::Sessions => sessions::panel(state, hints, &mut table, area),
                Tabled::Themes => themes::panel(state, hints, &mut table, area),
                Tabled::Rewind => rewind::panel(state, hints, &mut table, area),
            };
            (panel, Layer::Table(table))
        }
    };
    if let Some(top) = state.layers.last_mut() {
        *top = layer;
    }
    Some(panel)
}

/// The keys that matter in an overlay, for its lower edge and for the status line.
pub fn keys(state: &State, layer: &Layer) -> &'static [(Action, &'static str)] {
    match layer {
        Layer::Picker(picker) => picker::keys(picker.of),
        Layer::Reader(Reader { subject: Subject::Picture(_), .. }) => {
            &[(Action::OpenSource, "open in the viewer"), (Action::Close, "close")]
        }
        Layer::Reader(Reader { subject: Subject::Server(_), .. }) => {
            &[(Action::RestartServer, "restart"), (Action::DisableServer, "turn off"), (Action::Close, "close")]
        }
        Layer::Reader(Reader {
            subject: Subject::Part { .. } | Subject::Finding { .. } | Subject::Skill(_), ..
        }) => &[(Action::OpenSource, "edit the file"), (Action::Close, "close")],
        Layer::Reader(Reader { subject: Subject::Why(Noun::Capability, name), .. }) => match state.standing(name) {
            Some(Standing::Absent) => &[
                (Action::EnableCapability, "turn on"),
                (Action::OpenSource, "edit the file"),
                (Action::Close, "close"),
            ],
            Some(Standing::Dynamic { pinned: false }) => &[
                (Action::DisableCapability, "turn off"),
                (Action::PinCapability, "pin"),
                (Action::RestartServer, "restart"),
                (Action::OpenSource, "edit the file"),
                (Action::Close, "close"),
            ],
            Some(Standing::Dynamic { pinned: true }) => &[
                (Action::DisableCapability, "turn off"),
                (Action::PinCapability, "unpin"),
                (Action::RestartServer, "restart"),
                (Action::OpenSource, "edit the file"),
                (Action::Close, "close"),
            ],
            Some(Standing::Fixed | Standing::Held) | None => {
                &[(Action::OpenSource, "edit the file"), (Action::Close, "close")]
            }
        },
        Layer::Reader(Reader { subject: Subject::Why(Noun::Skill, _), .. }) => {
            &[(Action::OpenSource, "edit the file"), (Action::Close, "close")]
        }
        Layer::Reader(Reader { subject: Subject::Switch(_), .. })
        | Layer::Table(Table { of: Tabled::Switches, .. }) => switches::keys(state),
        Layer::Reader(Reader { subject: Subject::Wire(..), .. }) => wire::READER_KEYS,
        Layer::Table(Table { of: Tabled::Calls, .. }) => wire::KEYS,
        Layer::Table(Table { of: Tabled::Context(ContextSide::Parts), .. }) => context::KEYS,
        Layer::Table(Table { of: Tabled::Context(ContextSide::Requests), .. }) => context::REQUEST_KEYS,
        Layer::Table(Table { of: Tabled::Servers, .. }) => servers::KEYS,
        Layer::Table(Table { of: Tabled::Time, .. }) => time::KEYS,
        Layer::Table(Table { of: Tabled::Log(_), typing, .. }) => log::keys(typing.as_ref()),
        Layer::Table(Table { of: Tabled::Sessions, typing, .. }) => sessions::keys(state, typing.as_ref()),
        Layer::Table(Table { of: Tabled::Themes, .. }) => themes::KEYS,
        Layer::Table(Table { of: Tabled::Rewind, .. }) => rewind::keys(state),
        Layer::Reader(_) => &[(Action::CopyRecord, "copy"), (Action::Close, "close")],
        Layer::WhatIf(_) => &[(Action::Accept, "take up"), (Action::Close, "close")],
    }
}

/// Columns of the screen below which a box takes all of them: an edge of what lies below is no use.
const NARROW: u16 = 60;

/// Columns of a box that wants at most so many.
fn columns(area: Rect, most: u16) -> u16 {
    if area.width < NARROW { area.width } else { most.min(area.width - 2) }
}

/// A box in the middle, at most so large.
fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let width = columns(area, width);
    let height = height.min(area.height.saturating_sub(2));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// An entry with everything it has.
fn entry_rows(entry: &crate::proto::Entry, state: &State, width: usize) -> Vec<Row> {
    let highlighter = crate::ui::transcript::Highlighter::off();
    let look = cell::Look {
        width,
        fold: cell::Fold::Open,
        now: state.now,
        motion: state.settings.motion,
        keys: cell::CellKeys::default(),
        highlighter: &highlighter,
    };
    cell::render(entry, &look)
}
