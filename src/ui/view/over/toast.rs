//! Short words above the composer at the right, the newest lowest.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Panel;
use crate::proto::{AskId, Level, Order};
use crate::text;
use crate::ui::state::{Layer, Pane, State, Table, Tabled, Toast};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Break, Styled};
use crate::ui::view::layout::Layout;
use crate::ui::view::list::{Line, List};

/// Draws what still stands. A toast never lies over a question in focus or a list one types in; over
/// an open question in the transcript only where there is no other room. What announces a question
/// that is in sight is not shown at all.
pub fn toasts(state: &State, layout: &Layout, buffer: &mut Buffer, theme: &Theme) {
    let top = layout.area.y;
    let kept = layout.over.as_ref().filter(|_| !gives_way(state));
    let kept: Vec<Rect> = kept.map(|panel| panel.outline).into_iter().collect();
    let asked = open_questions(state, layout);
    let announced = |toast: &&Toast| toast.about.is_none_or(|ask| !in_sight(state, layout, ask));
    let mut floor = layout.composer.outline.y;
    for toast in state.toasts.iter().rev().filter(|toast| toast.until > state.now).filter(announced) {
        let mut panel = toast_panel(toast, layout.area);
        let around: Vec<Rect> = kept.iter().chain(&asked).copied().collect();
        let outline = panel.outline;
        let Some(y) = free(outline, floor, top, &around).or_else(|| free(outline, floor, top, &kept)) else { return };
        panel.outline.y = y;
        panel.draw(buffer, theme);
        floor = y;
    }
}

/// A record gives way, and a list that tells nowhere else what came of its keys.
fn gives_way(state: &State) -> bool {
    match state.layers.last() {
        Some(Layer::Reader(_)) => true,
        Some(Layer::Table(Table { of: Tabled::Sessions | Tabled::Servers | Tabled::Log(_), typing, .. })) => {
            typing.is_none()
        }
        _ => false,
    }
}

/// The lowest place above the floor that meets none of these.
fn free(outline: Rect, floor: u16, top: u16, around: &[Rect]) -> Option<u16> {
    let mut lowest = floor;
    loop {
        let y = lowest.checked_sub(outline.height).filter(|y| *y > top)?;
        match around.iter().find(|other| other.intersects(Rect { y, ..outline })) {
            Some(other) => lowest = other.y,
            None => return Some(y),
        }
    }
}

fn order_of(state: &State, ask: AskId) -> Option<Order> {
    state.snapshot.asks.iter().find(|(open, _)| open.id == ask)?.1
}

/// Whether the person sees the question, or it is over.
fn in_sight(state: &State, layout: &Layout, ask: AskId) -> bool {
    let over = !state.snapshot.asks.iter().any(|(open, _)| open.id == ask);
    if over || state.question.is_some() {
        return true;
    }
    let Some(order) = order_of(state, ask) else { return false };
    transcript(layout).is_some()
        && (layout.welcome.is_some() || layout.window.visible.iter().any(|visible| visible.order == order))
}

/// Where the rows of the transcript stand, when it is shown.
fn transcript(layout: &Layout) -> Option<Rect> {
    layout.boxes.iter().find(|one| one.pane == Pane::Transcript).map(|one| one.inner())
}

/// Where open questions stand in the transcript.
fn open_questions(state: &State, layout: &Layout) -> Vec<Rect> {
    let Some(pane) = transcript(layout).filter(|_| !state.snapshot.asks.is_empty()) else { return Vec::new() };
    if let Some(welcome) = &layout.welcome {
        let end = u16::try_from(welcome.rows.len()).unwrap_or(u16::MAX);
        let height = end.saturating_sub(welcome.told);
        return vec![Rect { y: welcome.place.y.saturating_add(welcome.told), height, ..pane }];
    }
    let open = |order: Order| state.snapshot.asks.iter().any(|(_, of)| *of == Some(order));
    let visible = layout.window.visible.iter().filter(|visible| open(visible.order));
    let rows = |lines: &std::ops::Range<u32>| u16::try_from(lines.len()).unwrap_or(u16::MAX);
    visible.map(|visible| Rect { y: pane.y + visible.row, height: rows(&visible.lines), ..pane }).collect()
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
    Panel::whole(outline, String::new(), Styled::default(), list)
}
