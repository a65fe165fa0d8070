use ratatui::layout::Rect;

use super::Panel;
use crate::text;
use crate::ui::keys::sequence;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;
use crate::ui::view::list::{Line, List};

/// The keys that may follow those pressed, above the composer at the right.
pub fn which_key(state: &State, area: Rect, floor: u16) -> Option<Panel> {
    let node = state.which_key()?;
    let hints = node.hints(&state.facts());
    let keys = hints.iter().map(|(key, _)| text::width(key)).max().unwrap_or(0);
    let words = hints.iter().map(|(_, words)| text::width(words)).max().unwrap_or(0);
    let columns = keys + 2 + words;
    let width = (columns as u16 + 4).max(24).min(area.width);
    let height = (hints.len() as u16 + 2).min(floor.saturating_sub(area.y));
    if height < 3 {
        return None;
    }
    let room = width.saturating_sub(4) as usize;
    let line = |(key, words): &(String, String)| {
        let mut line = Styled::new(key, Role::UiStatusKey);
        line.pad_to(keys + 2, Role::UiText);
        let group = words.starts_with('+');
        line.push(words, if group { Role::UiAccent } else { Role::UiText });
        Line::plain(line.into_row(room))
    };
    let list = List::window(hints.iter().map(line).collect(), None, &mut 0, height - 2);
    let outline = Rect { x: area.right() - width, y: floor - height, width, height };
    let label = node.label.as_deref().unwrap_or_default();
    let title = format!("{} {}", sequence(&state.pending.keys), text::sanitize_line(label)).trim_end().to_owned();
    Some(Panel::whole(outline, title, Styled::default(), list))
}
