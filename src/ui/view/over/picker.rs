//! Lists with a filter: one box for all of them, with the marked row in full beside or below it where
//! there is room.

use ratatui::layout::{Position, Rect};

use super::{Panel, Side, agents, catalogue, centred, help, pickable, why_list};
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::{Listing, Picker, State};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Columns from which the marked row stands beside the list, and rows from which it stands below.
const BESIDE: u16 = 100;
const BELOW: u16 = 18;
/// Rows of the marked row at most where it stands below, its edges included.
const DETAIL: u16 = 7;

/// Rows of a box below which no row is left blank.
const SMALL: u16 = 12;

/// What a picker shows, before it is cut to its box.
pub struct Listed {
    pub title: String,
    /// Under the filter, above the rows.
    pub tabs: Vec<Row>,
    pub lines: Vec<Line>,
    pub count: usize,
    /// Stands where no row is.
    pub empty: String,
}

/// Where the parts of a picker stand.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub outline: Rect,
    /// The filter and the rows.
    pub part: Rect,
    /// The marked row in full.
    pub side: Option<Rect>,
}

impl Place {
    /// Columns of a row of the list.
    pub fn columns(&self) -> usize {
        self.part.width.saturating_sub(4) as usize
    }

    /// A list alone, as high as its rows need.
    pub fn fitting(area: Rect, width: u16, rows: usize) -> Self {
        let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(4);
        Self::alone(centred(area, width, rows.clamp(10, area.height.saturating_sub(6).max(10))))
    }

    pub fn alone(outline: Rect) -> Self {
        Self { outline, part: outline, side: None }
    }

    /// A list and what the marked row is, as the room allows.
    pub fn shared(area: Rect) -> Self {
        let outline = centred(area, 150, area.height.saturating_sub(4).max(10));
        // Where there is little room, none of it shows the edge of what lies below.
        let narrow = Rect { x: area.x, width: area.width, ..outline };
        let outline = if area.width < BESIDE { narrow } else { outline };
        if outline.width >= BESIDE {
            let left = outline.width * 11 / 20;
            let part = Rect { width: left, ..outline };
            let side = Rect { x: outline.x + left - 1, width: outline.width - left + 1, ..outline };
            return Self { outline, part, side: Some(side) };
        }
        if outline.height >= BELOW {
            // The list is what one came for; more of the marked row is a key away.
            let upper = (outline.height * 11 / 20).max(outline.height.saturating_sub(DETAIL));
            let part = Rect { height: upper, ..outline };
            let side = Rect { y: outline.y + upper - 1, height: outline.height - upper + 1, ..outline };
            return Self { outline, part, side: Some(side) };
        }
        Self::alone(outline)
    }

    /// [`Self::shared`] for a list of so many rows: what it does not need below is left to the marked row.
    pub fn shared_for(area: Rect, rows: usize) -> Self {
        let place = Self::shared(area);
        if rows == 0 {
            return Self::alone(place.outline);
        }
        place.with_upper(rows, place.part.height)
    }

    /// The list as high as its rows, at most so high, where the marked row stands below it.
    pub fn with_upper(self, rows: usize, most: u16) -> Self {
        let Some(side) = self.side.filter(|side| side.y > self.outline.y) else { return self };
        let upper = u16::try_from(rows).unwrap_or(most).saturating_add(2).clamp(4.min(most), most);
        let y = self.outline.y + upper - 1;
        let side = Rect { y, height: self.outline.bottom() - y, ..side };
        Self { part: Rect { height: upper, ..self.part }, side: Some(side), ..self }
    }
}

/// The keys that matter in a picker.
pub fn keys(of: Listing) -> &'static [(Action, &'static str)] {
    match of {
        Listing::Help | Listing::Palette => &[(Action::Accept, "run"), (Action::Close, "close")],
        Listing::History => &[(Action::Accept, "take up"), (Action::Close, "close")],
        Listing::Prompts => &[(Action::Accept, "go there"), (Action::Close, "close")],
        Listing::Waiting => &[(Action::Accept, "edit"), (Action::WithdrawQueued, "withdraw"), (Action::Close, "close")],
        Listing::Code => &[(Action::Accept, "copy"), (Action::Close, "close")],
        Listing::Leads => &[(Action::Accept, "open"), (Action::Close, "close")],
        Listing::Agents => {
            &[(Action::Accept, "take on"), (Action::OpenSource, "edit its file"), (Action::Close, "close")]
        }
        Listing::Why(_) => &[(Action::Accept, "why"), (Action::Close, "close")],
        Listing::Catalogue(_) => &[
            (Action::Accept, "show"),
            (Action::NextSection, "next list"),
            (Action::OpenSource, "edit the file"),
            (Action::Close, "close"),
        ],
    }
}

/// The picker, its marked row clamped to what there is.
pub fn panel(state: &State, hints: &Hints, picker: &mut Picker, area: Rect) -> Panel {
    let place = match picker.of {
        Listing::Help => Place::alone(centred(area, 84, area.height.saturating_sub(4).max(10))),
        Listing::Palette => Place::fitting(area, 84, state.picker_len(picker)),
        Listing::History | Listing::Prompts | Listing::Waiting | Listing::Code | Listing::Leads => {
            Place::fitting(area, 100, state.picker_len(picker))
        }
        Listing::Agents | Listing::Catalogue(_) | Listing::Why(_) => Place::shared(area),
    };
    let columns = place.columns();
    let filter = picker.filter.as_str();
    let mut listed = match picker.of {
        Listing::Help => help::help(&state.help_rows(filter), filter.is_empty(), columns),
        Listing::Palette => help::palette(&state.palette_rows(filter), columns),
        Listing::History => help::history(&state.history_rows(filter), columns),
        Listing::Prompts => pickable::prompts(&state.prompt_rows(filter), columns),
        Listing::Waiting => pickable::waiting(&state.waiting_rows(filter), columns),
        Listing::Code => pickable::blocks(&state.code_rows(filter), columns),
        Listing::Leads => pickable::leads(&state.lead_rows(filter), columns),
        Listing::Agents => agents::agents(state, filter, columns),
        Listing::Catalogue(shelf) => catalogue::shelf(state, shelf, filter, columns),
        Listing::Why(reach) => why_list::list(state, reach, filter, columns),
    };
    picker.selected = picker.selected.min(listed.count.saturating_sub(1));
    if place.side.is_none() && picker.of == Listing::Agents {
        listed.title = agents::title_of_marked(state, picker).unwrap_or(listed.title);
    }
    let side = place.side.map(|outline| {
        let width = outline.width.saturating_sub(4) as usize;
        let rows = match picker.of {
            Listing::Agents => agents::preview(state, picker, width),
            Listing::Catalogue(shelf) => catalogue::preview(state, shelf, picker, width),
            Listing::Why(reach) => why_list::preview(state, reach, picker, width),
            _ => Vec::new(),
        };
        Side::new(outline, rows)
    });
    let foot = hints.fitting(state, keys(picker.of), usize::from(place.outline.width.saturating_sub(6)));
    boxed(listed, picker, place, side, foot)
}

/// A filter above a list.
fn boxed(listed: Listed, picker: &mut Picker, place: Place, side: Option<Side>, foot: Styled) -> Panel {
    let width = place.columns();
    let marked = (listed.count > 0).then_some(picker.selected);
    let mut head = filter_rows(&picker.filter, width);
    if !listed.tabs.is_empty() {
        // On a small screen a row is worth more than the air between.
        let until = if place.part.height <= SMALL { 2 } else { 1 };
        head.splice(1..until, listed.tabs);
    }
    let room = place.part.height.saturating_sub(2 + head.len() as u16);
    let mut list = List::window(listed.lines, marked, &mut picker.offset, room);
    if listed.count == 0 {
        let words = if picker.filter.trim().is_empty() { &listed.empty } else { "nothing matches" };
        list.lines.push(Line::plain(Styled::new(words, Role::UiDim).into_row(width)));
    }
    list.lines.splice(0..0, head.into_iter().map(Line::plain));
    let typed = text::width(&text::sanitize_line(&picker.filter));
    let column = (2 + typed).min(width.saturating_sub(1)) as u16;
    let caret = Position { x: place.part.x + 2 + column, y: place.part.y + 1 };
    let outline = place.outline;
    Panel { outline, side, title: listed.title, foot, list, caret: Some(caret) }
}

fn filter_rows(filter: &str, width: usize) -> Vec<Row> {
    let filter = text::sanitize_line(filter);
    let mut head = Styled::new("› ", Role::ComposerPrompt);
    if filter.is_empty() {
        head.push("type to filter", Role::ComposerHint);
    } else {
        head.push(&filter, Role::ComposerText);
    }
    vec![head.into_row(width), Row::blank()]
}
