//! Overlays, laid out: a box, a list in it, words on its edges.

mod help;
mod question;
mod reader;
mod which_key;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::canvas::{self, Outlines};
use super::hints::Hints;
use super::layout::Layout;
use super::list::{Line, List};
use crate::proto::Level;
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::{Layer, Reader, State, Subject, Toast};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Break, Styled, cell};

pub use which_key::which_key;

/// A box that lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    pub outline: Rect,
    pub title: String,
    /// On the lower edge.
    pub foot: Styled,
    pub list: List,
    /// Where a typed filter or value has its caret.
    pub caret: Option<Position>,
}

impl Panel {
    pub fn inner(&self) -> Rect {
        Rect {
            x: self.outline.x + 2,
            y: self.outline.y + 1,
            width: self.outline.width.saturating_sub(4),
            height: self.outline.height.saturating_sub(2),
        }
    }

    pub fn item_at(&self, at: Position) -> Option<usize> {
        self.list.item_at(at.y.checked_sub(self.inner().y)?)
    }

    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme) {
        let ground = theme.style(Role::UiText).patch(theme.style(Role::UiOverlay));
        canvas::clear(buffer, self.outline, ground);
        let mut outlines = Outlines::new(self.outline);
        outlines.add(self.outline, true);
        outlines.draw(buffer, theme);
        let room = self.outline.width.saturating_sub(4);
        let (left, right) = (self.outline.x + 1, self.outline.right() - 1);
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
        let track = Rect { x: right, width: 1, ..self.inner() };
        canvas::scrollbar(buffer, track, self.list.above as u64, self.list.total as u64, theme);
        buffer.set_style(self.outline, theme.style(Role::UiOverlay));
    }
}

impl Styled {
    fn tap(mut self, other: &Self) -> Self {
        self.append(other);
        self
    }
}

/// The topmost overlay, or the question in focus when there is none.
pub fn topmost(state: &mut State, hints: &Hints, area: Rect) -> Option<Panel> {
    let Some(layer) = state.layers.last().cloned() else { return question::panel(state, hints, area) };
    let (panel, layer) = match layer {
        Layer::Help(mut filtered) => (help::help(state, hints, &mut filtered, area), Layer::Help(filtered)),
        Layer::Palette(mut filtered) => (help::palette(state, hints, &mut filtered, area), Layer::Palette(filtered)),
        Layer::History(mut filtered) => (help::history(state, hints, &mut filtered, area), Layer::History(filtered)),
        Layer::Reader(mut reader) => (reader::panel(state, hints, &mut reader, area), Layer::Reader(reader)),
    };
    if let Some(top) = state.layers.last_mut() {
        *top = layer;
    }
    Some(panel)
}

/// The keys that matter in an overlay, for its lower edge and for the status line.
pub fn keys(layer: &Layer) -> &'static [(Action, &'static str)] {
    match layer {
        Layer::Help(_) | Layer::Palette(_) => &[(Action::Accept, "run"), (Action::Close, "close")],
        Layer::History(_) => &[(Action::Accept, "take up"), (Action::Close, "close")],
        Layer::Reader(Reader { subject: Subject::Server(_), .. }) => {
            &[(Action::RestartServer, "restart"), (Action::DisableServer, "turn off"), (Action::Close, "close")]
        }
        Layer::Reader(_) => &[(Action::Close, "close")],
    }
}

/// A box in the middle, at most so large.
fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(area.width.saturating_sub(2));
    let height = height.min(area.height.saturating_sub(2));
    Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height }
}

/// Short words above the composer at the right, the newest lowest. They never lie over a question or
/// a list one types in.
pub fn toasts(state: &State, layout: &Layout, buffer: &mut Buffer, theme: &Theme) {
    let area = layout.area;
    let kept = layout.over.as_ref().filter(|_| !matches!(state.layers.last(), Some(Layer::Reader(_))));
    let mut floor = layout.composer.outline.y;
    for toast in state.toasts.iter().rev().filter(|toast| toast.until > state.now) {
        let mut panel = toast_panel(toast, area);
        let height = panel.outline.height;
        panel.outline.y = floor.saturating_sub(height);
        if let Some(question) = kept.filter(|question| question.outline.intersects(panel.outline)) {
            panel.outline.y = question.outline.y.saturating_sub(height);
        }
        if panel.outline.y <= area.y || kept.is_some_and(|question| question.outline.intersects(panel.outline)) {
            return;
        }
        panel.draw(buffer, theme);
        floor = panel.outline.y;
    }
}

fn toast_panel(toast: &Toast, area: Rect) -> Panel {
    let (mark, role) = match toast.level {
        Level::Info => ("i ", Role::NoticeInfo),
        Level::Warning => ("! ", Role::NoticeWarning),
        Level::Error => ("✘ ", Role::NoticeError),
    };
    let width = area.width.saturating_sub(4).min(56) as usize;
    let (lead, rest) = (Styled::new(mark, role), Styled::new("  ", role));
    let words = Styled::new(&text::sanitize(&toast.text), Role::UiText);
    let mut rows = words.rows(width.saturating_sub(4), Break::Words, &lead, &rest);
    rows.truncate(4);
    let columns = rows.iter().map(|row| text::width(&row.text)).max().unwrap_or(0) as u16 + 4;
    let height = rows.len() as u16 + 2;
    let outline = Rect { x: area.right().saturating_sub(columns + 1), y: area.y, width: columns, height };
    let lines: Vec<Line> = rows.into_iter().map(Line::plain).collect();
    let list = List { total: lines.len(), lines, ..List::default() };
    Panel { outline, title: String::new(), foot: Styled::default(), list, caret: None }
}

/// An entry with everything it has.
fn entry_rows(entry: &crate::proto::Entry, state: &State, width: usize) -> Vec<crate::ui::transcript::Row> {
    let highlighter = crate::ui::transcript::Highlighter::off();
    let look = cell::Look {
        width,
        fold: cell::Fold::Open,
        now: state.now,
        motion: state.settings.motion,
        highlighter: &highlighter,
    };
    cell::render(entry, &look)
}
