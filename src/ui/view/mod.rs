//! Drawing: layout computed once for a frame, then painted.
//!
//! Owns: where everything stands ([`Layout`]), what panes, bars and overlays look like, what lies
//! under a cell ([`Layout::hit`]).
//!
//! Does not own: state changes (but for offsets, which only the layout can clamp), colours (roles
//! go to the theme), clocks ([`State::now`]), the terminal.
//!
//! Invariant: [`draw`] paints from [`Layout`] and changes nothing; a frame costs what is in sight,
//! not what the session holds.

mod bars;
mod canvas;
mod composer;
#[cfg(test)]
mod dump;
mod header;
mod hints;
mod layout;
mod links;
mod list;
mod over;
mod panes;
mod select;
mod titles;

#[cfg(test)]
mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;

pub use layout::{Hit, Layout, PaneBox, Shape};
pub use links::absolute;
pub use over::{log_text, record_text};
pub use select::{Pointed, selected};

use composer::ComposerBox;
use hints::Hints;
use layout::Looked;
use list::List;
use panes::{notes, plan, scores, surface, transcript, welcome};

use crate::ui::action::Action;
use crate::ui::state::{Ground, Pane, State, items};
use crate::ui::term::Links;
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::cell::CellKeys;
use crate::ui::transcript::{self as cells, Asked, Scene, Window};

/// What is kept from frame to frame.
#[derive(Debug, Default)]
pub struct Cache {
    transcript: cells::Cache,
    looked: Looked,
    hints: Hints,
    wire: over::WireRows,
    links: Links,
}

impl Cache {
    /// Colours code on the calling thread, so that what is drawn depends on nothing but the state.
    pub fn in_place() -> Self {
        Self { transcript: cells::Cache::in_place(), ..Self::default() }
    }

    pub fn with_links(links: Links) -> Self {
        Self { links, ..Self::default() }
    }

    /// What cells of the screen lead to.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// What to call, from another thread, when something can be drawn better than it was.
    pub fn on_ready(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.transcript.on_ready(wake);
    }

    /// Places of the transcript that hold what is searched for, as far as they are found.
    pub fn matches(&self) -> usize {
        self.transcript.matches()
    }

    /// Rendered transcript rows that are kept.
    pub fn kept_rows(&self) -> usize {
        self.transcript.kept_rows()
    }
}

/// Computes every rectangle of the frame, resolves pending scrolls, clamps offsets and renders what
/// came into sight.
pub fn prepare(state: &mut State, cache: &mut Cache, area: Rect) -> Layout {
    cache.looked.at(state.focus);
    cache.hints.refresh(state);
    let shape = Shape::of(area);
    let composer_rows = ComposerBox::height(state, area);
    let header = Rect { height: 1.min(area.height), ..area };
    let composer_top = area.bottom().saturating_sub(composer_rows);
    let outline = Rect { y: composer_top, height: composer_rows, ..area };
    // The panes' lower edge is the composer's upper one.
    let main_top = area.y.saturating_add(1);
    let main = Rect { y: main_top, height: (composer_top + 1).saturating_sub(main_top), ..area };
    let boxes = if shape == Shape::TooSmall { Vec::new() } else { layout::boxes(state, shape, &cache.looked, main) };
    let composer = ComposerBox::new(state, outline, area);
    let mut layout = Layout {
        area,
        shape,
        header,
        tabs: titles::tabs(&boxes),
        status: Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area },
        boxes,
        welcome: None,
        window: Window::default(),
        surface: List::default(),
        scores: List::default(),
        plan: List::default(),
        notes: List::default(),
        popup: None,
        over: None,
        composer,
        hints: cache.hints.clone(),
        again: false,
    };
    if shape == Shape::TooSmall {
        return layout;
    }
    prepare_panes(state, cache, &mut layout);
    layout.popup = over::which_key(state, area, layout.composer.outline.y)
        .or_else(|| composer::popup(state, &layout.composer, area));
    layout.over = over::topmost(state, &layout.hints, &mut cache.wire, area);
    layout
}

fn prepare_panes(state: &mut State, cache: &mut Cache, layout: &mut Layout) {
    for one in layout.boxes.clone() {
        let inner = one.inner();
        let width = inner.width as usize;
        match one.pane {
            Pane::Transcript => {
                layout.welcome = welcome::lay(state, cell_keys(state, &layout.hints), inner);
                if layout.welcome.is_some() {
                    state.transcript.pending.clear();
                    continue;
                }
                let mut scroll = state.transcript.scroll;
                let pending = std::mem::take(&mut state.transcript.pending);
                let asked = Asked { scroll: &mut scroll, pending, search: state.transcript.search.as_ref() };
                layout.window = cache.transcript.window(&scene(state, &layout.hints, width), asked, inner.height);
                state.transcript.scroll = scroll;
                layout.again |= layout.window.searching;
            }
            Pane::Surface => {
                let lines = surface::lines(state, width);
                let count = items(&state.snapshot).len();
                layout.surface = side_list(lines, count, state.focus == Pane::Surface, &mut state.surface, inner);
            }
            Pane::Scores => {
                let plan = scores::Plan::new(
                    state.snapshot.last_routing(),
                    state.snapshot.followed(),
                    width,
                    one.tabs.len() > 1,
                );
                let place = &mut state.scores;
                place.selected = place.selected.min(plan.count().saturating_sub(1));
                let marked = (state.focus == Pane::Scores && plan.count() > 0).then_some(place.selected);
                layout.scores = plan.window(marked, &mut place.offset, inner.height);
            }
            Pane::Plan => {
                let lines = plan::lines(state, width);
                let count = state.snapshot.supervisor.plan.phases.len();
                layout.plan = side_list(lines, count, state.focus == Pane::Plan, &mut state.plan, inner);
            }
            Pane::Notes => {
                let lines = notes::lines(state, width);
                let count = state.snapshot.notes.len();
                let focused = state.focus == Pane::Notes;
                if !focused {
                    // Out of focus the newest stays in sight.
                    state.notes.offset = lines.len().saturating_sub(inner.height as usize);
                }
                layout.notes = side_list(lines, count, focused, &mut state.notes, inner);
            }
            Pane::Composer => {}
        }
    }
}

/// No session has such a name.
const PAST: &str = "/past";

/// What the transcript is laid out from.
fn scene<'a>(state: &'a State, hints: &'a Hints, width: usize) -> Scene<'a> {
    Scene {
        // What is kept of one time is not shown in the other.
        session: if state.in_past() { PAST } else { &state.snapshot.session.name },
        entries: state.snapshot.transcript.entries(),
        toggled: &state.transcript.toggled,
        unfold_all: state.transcript.unfold_all,
        open_kinds: &state.transcript.open_kinds,
        width,
        now: state.now,
        motion: state.settings.motion,
        keys: cell_keys(state, hints),
    }
}

/// Keys that cells tell of, looked up only while there is something to tell.
fn cell_keys<'a>(state: &State, hints: &'a Hints) -> CellKeys<'a> {
    let key = |wanted: bool, action| wanted.then(|| hints.key(state, action)).flatten().unwrap_or_default();
    CellKeys {
        stop: key(state.stoppable_start(), Action::Interrupt),
        stop_shell: key(state.snapshot.shell.is_some(), Action::StopShell),
        offer: key(state.offer().is_some(), Action::TakeOffer),
        question: key(state.snapshot.awaits_approval(), Action::FocusQuestion),
        agents: key(true, Action::PickAgent),
    }
}

fn side_list(
    lines: Vec<list::Line>,
    count: usize,
    focused: bool,
    place: &mut crate::ui::state::ListState,
    inner: Rect,
) -> List {
    place.selected = place.selected.min(count.saturating_sub(1));
    let marked = (focused && count > 0).then_some(place.selected);
    List::window(lines, marked, &mut place.offset, inner.height)
}

/// Paints the frame and puts the hardware cursor at the caret.
pub fn draw(state: &State, cache: &Cache, layout: &Layout, theme: &Theme, frame: &mut Frame) {
    let buffer = frame.buffer_mut();
    buffer.set_style(layout.area, theme.style(Role::UiBackground));
    if layout.shape == Shape::TooSmall {
        bars::notice(state, layout.shape, layout.area, buffer, theme);
        return;
    }
    header::header(state, layout, buffer, theme);
    let mut outlines = canvas::Outlines::new(layout.area);
    for one in &layout.boxes {
        outlines.add(one.outline, one.pane == state.focus);
    }
    outlines.add(layout.composer.outline, state.focus == Pane::Composer);
    outlines.draw(buffer, theme);
    titles::titles(state, layout, buffer, theme);
    for one in &layout.boxes {
        draw_pane(state, cache, layout, one, theme, buffer);
    }
    layout.composer.draw(state, &layout.hints, buffer, theme);
    bars::status(state, layout, &cache.transcript, buffer, theme);
    for panel in layout.popup.iter().chain(&layout.over) {
        panel.draw(buffer, theme);
    }
    if let Some(panel) = &layout.over {
        select::mark_list(state, Ground::Over, &panel.list, panel.inner(), buffer, theme);
    }
    over::toasts(state, layout, buffer, theme);
    let caret = match &layout.over {
        Some(panel) => panel.caret,
        None if state.focus == Pane::Composer => Some(layout.composer.caret),
        None => None,
    };
    if let Some(caret) = caret {
        frame.set_cursor_position(caret);
    }
}

fn draw_pane(
    state: &State,
    cache: &Cache,
    layout: &Layout,
    place: &PaneBox,
    theme: &Theme,
    buffer: &mut ratatui::buffer::Buffer,
) {
    let inner = place.inner();
    let (list, ground) = match place.pane {
        Pane::Transcript if layout.welcome.is_some() => {
            let welcome = layout.welcome.iter().flat_map(|welcome| welcome.rows.iter().map(|row| (welcome.place, row)));
            for (at, (place, row)) in welcome.enumerate() {
                canvas::put(buffer, place.x, place.y + at as u16, place.width, row, theme);
            }
            return;
        }
        Pane::Transcript => return transcript::draw(state, cache, &layout.window, place, buffer, theme),
        Pane::Surface => (&layout.surface, Ground::Surface),
        Pane::Scores => (&layout.scores, Ground::Scores),
        Pane::Plan => (&layout.plan, Ground::Plan),
        Pane::Notes => (&layout.notes, Ground::Notes),
        Pane::Composer => return,
    };
    list.draw(buffer, inner, theme);
    select::mark_list(state, ground, list, inner, buffer, theme);
    canvas::scrollbar(buffer, place.track(), list.above as u64, list.total as u64, theme);
}
