//! Titles and tabs on the panes' upper edges.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas;
use super::layout::{Layout, PaneBox};
use super::panes::{plan, surface};
use crate::text;
use crate::ui::state::{Pane, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Styled, scores};

pub fn number(pane: Pane) -> &'static str {
    match pane {
        Pane::Transcript => "1",
        Pane::Surface => "2",
        Pane::Scores => "3",
        Pane::Plan => "4",
        Pane::Notes => "5",
        Pane::Composer => "",
    }
}

fn title(pane: Pane) -> &'static str {
    match pane {
        Pane::Transcript => "Transcript",
        Pane::Surface => "Surface",
        Pane::Scores => "Scores",
        Pane::Plan => "Plan",
        Pane::Notes => "Notes",
        Pane::Composer => "",
    }
}

/// `2 Surface`; tabs that do not all fit are told by their numbers, the shown one by its name too.
fn tab_words(place: &PaneBox, tab: Pane) -> String {
    let name = |tab: Pane| format!("{} {}", number(tab), title(tab));
    let whole: usize = place.tabs.iter().map(|tab| text::width(&name(*tab)) + 3).sum();
    let fits = whole < usize::from(place.outline.width);
    if fits || tab == place.pane { name(tab) } else { number(tab).to_owned() }
}

/// What stands beside the title of a pane that has an edge of its own.
fn summary(state: &State, place: &PaneBox, room: usize) -> Option<String> {
    match place.pane {
        Pane::Surface => Some(surface::summary(state)),
        Pane::Scores if place.tabs.len() == 1 && room > 12 => {
            state.snapshot.last_routing().map(|routing| scores::excerpt(routing, room))
        }
        Pane::Plan if place.tabs.len() == 1 => plan::summary(&state.snapshot.supervisor.plan),
        _ => None,
    }
}

/// Places of the titles on the boxes' upper edges.
pub fn tabs(boxes: &[PaneBox]) -> Vec<(Pane, Rect)> {
    let mut places = Vec::new();
    for one in boxes {
        let mut x = one.outline.x + 2;
        for tab in &one.tabs {
            let width = text::width(&tab_words(one, *tab)) as u16;
            places.push((*tab, Rect { x, y: one.outline.y, width, height: 1 }));
            x += width + 3;
        }
    }
    places
}

pub fn titles(state: &State, layout: &Layout, buffer: &mut Buffer, theme: &Theme) {
    for one in &layout.boxes {
        let focused = one.pane == state.focus;
        let mut line = Styled::new(" ", Role::UiBorder);
        for (index, tab) in one.tabs.iter().enumerate() {
            if index > 0 {
                line.push(" │ ", Role::UiBorder);
            }
            let shown = one.tabs.len() > 1 && *tab == one.pane;
            let role = if focused && *tab == one.pane {
                Role::UiTitleFocus
            } else if shown {
                Role::UiStrong
            } else {
                Role::UiTitle
            };
            line.push(&tab_words(one, *tab), role);
        }
        line.push(" ", Role::UiBorder);
        let room = (one.outline.width as usize).saturating_sub(line.width() + 7);
        if let Some(summary) = summary(state, one, room).filter(|summary| text::width(summary) <= room) {
            line.push("── ", Role::UiBorder);
            line.push(&summary, Role::UiTitle);
            line.push(" ", Role::UiBorder);
        }
        let room = one.outline.width.saturating_sub(2);
        canvas::put_styled(buffer, one.outline.x + 1, one.outline.y, room, line, theme);
    }
}
