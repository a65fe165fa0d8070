use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::ui::state::{Ground, Pane, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Styled, Window};
use crate::ui::view::layout::PaneBox;
use crate::ui::view::{Cache, canvas, links, select};

pub fn draw(state: &State, cache: &Cache, window: &Window, place: &PaneBox, buffer: &mut Buffer, theme: &Theme) {
    let inner = place.inner();
    let query = state.transcript.search.as_ref().map(|search| search.query.as_str()).unwrap_or_default();
    let selected = state.transcript.selected.filter(|_| state.focus == Pane::Transcript);
    for part in &window.visible {
        let gap = cache.transcript.gap(part.order);
        let rows = cache.transcript.rows(part.order);
        for (line, y) in part.lines.clone().zip(inner.y + part.row..inner.bottom()) {
            let Some(row) = line.checked_sub(gap).and_then(|at| rows.get(at as usize)) else { continue };
            canvas::put(buffer, inner.x, y, inner.width, row, theme);
            if state.terminal.links && !row.links.is_empty() {
                links::mark(&state.snapshot.session.workdir, &cache.links, row, Rect { y, height: 1, ..inner }, buffer);
            }
            if !query.is_empty() {
                canvas::mark_matches(buffer, inner.x, y, inner.width, row, query, theme.style(Role::UiMatch));
            }
            let line_place = Rect { y, height: 1, ..inner };
            select::mark(state, (Ground::Transcript, part.order, line), row, line_place, buffer, theme);
            if selected == Some(part.order) {
                buffer.set_stringn(inner.x - 1, y, "▎", 1, theme.style(Role::UiAccent));
            }
        }
    }
    canvas::scrollbar(buffer, place.track(), window.above, window.total, theme);
    if let Some((area, label)) = below(window, place) {
        canvas::put_styled(buffer, area.x, area.y, area.width, label, theme);
    }
}

/// `3 new ↓` on the lower edge while the end is out of sight, and where it stands.
pub fn below(window: &Window, place: &PaneBox) -> Option<(Rect, Styled)> {
    if window.follows {
        return None;
    }
    let words = match window.unseen {
        0 => " more ↓ ".to_owned(),
        many => format!(" {many} new ↓ "),
    };
    let label = Styled::new(&words, if window.unseen > 0 { Role::UiAccent } else { Role::UiTitle });
    let width = label.width() as u16;
    let area = || Rect { x: place.outline.right() - 2 - width, y: place.outline.bottom() - 1, width, height: 1 };
    (place.outline.width > width + 4).then(|| (area(), label))
}
