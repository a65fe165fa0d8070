use ratatui::layout::Rect;

use super::composer::ComposerBox;
use super::hints::Hints;
use super::list::List;
use super::over::Panel;
use super::panes::{self, welcome::Welcome};
use crate::proto::Order;
use crate::ui::state::{Pane, State};
use crate::ui::transcript::Window;

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Transcript, and the side panes above each other.
    Wide,
    /// Transcript, and one column whose panes are tabs.
    Medium,
    /// One pane at a time, as tabs.
    Narrow,
    /// Not enough for anything.
    TooSmall,
}

impl Shape {
    pub fn of(area: Rect) -> Self {
        match (area.width, area.height) {
            (0..40, _) | (_, 0..12) => Self::TooSmall,
            (0..80, _) => Self::Narrow,
            (0..120, _) => Self::Medium,
            _ => Self::Wide,
        }
    }
}

/// A pane's place. `tabs` are the panes that share it, the shown one among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneBox {
    pub pane: Pane,
    pub outline: Rect,
    pub tabs: Vec<Pane>,
}

impl PaneBox {
    /// Where its rows go: a column of air on both sides.
    pub fn inner(&self) -> Rect {
        let outline = self.outline;
        Rect {
            x: outline.x + 2,
            y: outline.y + 1,
            width: outline.width.saturating_sub(4),
            height: outline.height.saturating_sub(2),
        }
    }

    /// Where the scrollbar goes: on the right edge.
    pub fn track(&self) -> Rect {
        let outline = self.outline;
        Rect {
            x: outline.right().saturating_sub(1),
            y: outline.y + 1,
            width: 1,
            height: outline.height.saturating_sub(2),
        }
    }
}

/// Every rectangle of a frame, computed once; drawing and the mouse read the same ones.
#[derive(Debug, Clone)]
pub struct Layout {
    pub area: Rect,
    pub shape: Shape,
    pub header: Rect,
    pub boxes: Vec<PaneBox>,
    pub composer: ComposerBox,
    /// The bottom border, which carries the status line.
    pub status: Rect,
    /// Stands in place of the transcript until something is said.
    pub welcome: Option<Welcome>,
    pub window: Window,
    pub surface: List,
    pub scores: List,
    pub plan: List,
    pub notes: List,
    /// Places of titles that can be clicked.
    pub tabs: Vec<(Pane, Rect)>,
    pub popup: Option<Panel>,
    /// The topmost overlay or the question in focus.
    pub over: Option<Panel>,
    /// The keys that work now.
    pub hints: Hints,
    /// Something is going on that needs another frame soon without any event.
    pub again: bool,
}

/// What lies under a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// A row of a transcript entry.
    Entry {
        order: Order,
        line: u32,
    },
    /// The words that lead back to the transcript's end.
    Below,
    /// The transcript where no entry is.
    Transcript,
    /// The transcript's scrollbar, as a share of the whole in thousandths.
    Scrollbar(u16),
    /// An item of the Surface pane: an index into `state::items`.
    Surface(Option<usize>),
    /// A row of the Scores pane that names a capability.
    Score(Option<usize>),
    /// A phase of the plan.
    Phase(Option<usize>),
    Note(Option<usize>),
    /// A cell of the composer's text.
    Composer {
        row: usize,
        column: usize,
    },
    Tab(Pane),
    /// A row of the completion list.
    Completion(Option<usize>),
    /// An item of the topmost overlay.
    Over(Option<usize>),
    /// Outside of the topmost overlay.
    OutsideOver,
    Nothing,
}

impl Layout {
    pub fn pane(&self, pane: Pane) -> Option<&PaneBox> {
        self.boxes.iter().find(|one| one.pane == pane)
    }

    pub fn hit(&self, column: u16, row: u16) -> Hit {
        let at = ratatui::layout::Position { x: column, y: row };
        if let Some(panel) = &self.over {
            return if panel.outline.contains(at) { Hit::Over(panel.item_at(at)) } else { Hit::OutsideOver };
        }
        if let Some(panel) = self.popup.as_ref().filter(|panel| panel.outline.contains(at)) {
            return Hit::Completion(panel.item_at(at));
        }
        if let Some((pane, _)) = self.tabs.iter().find(|(_, place)| place.contains(at)) {
            return Hit::Tab(*pane);
        }
        if self.composer.outline.contains(at) && row > self.composer.outline.y {
            return self.composer.hit(at);
        }
        let Some(found) = self.boxes.iter().find(|one| one.outline.contains(at)) else { return Hit::Nothing };
        if found.pane == Pane::Transcript
            && panes::transcript::below(&self.window, found).is_some_and(|(place, _)| place.contains(at))
        {
            return Hit::Below;
        }
        let line = row.saturating_sub(found.inner().y);
        match found.pane {
            Pane::Transcript if found.track().contains(at) && self.window.total > u64::from(found.inner().height) => {
                Hit::Scrollbar((u32::from(line) * 1000 / u32::from(found.track().height.max(1))) as u16)
            }
            Pane::Transcript => self.entry_at(line),
            Pane::Surface => Hit::Surface(self.surface.item_at(line)),
            Pane::Scores => Hit::Score(self.scores.item_at(line)),
            Pane::Plan => Hit::Phase(self.plan.item_at(line)),
            Pane::Notes => Hit::Note(self.notes.item_at(line)),
            Pane::Composer => Hit::Nothing,
        }
    }

    fn entry_at(&self, row: u16) -> Hit {
        let found = self.window.visible.iter().rev().find(|one| one.row <= row);
        let Some(found) = found else { return Hit::Transcript };
        let line = found.lines.start + u32::from(row - found.row);
        if line < found.lines.end { Hit::Entry { order: found.order, line } } else { Hit::Transcript }
    }
}

/// Rows of the side column from which all three panes have a box of their own.
const THREE: u16 = 26;

/// What was looked at last, where panes share a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looked {
    /// Of all panes, the composer aside.
    pub shown: Pane,
    /// Of the side panes.
    pub side: Pane,
    /// Of Scores, Plan and Notes.
    pub lower: Pane,
    /// Of Plan and Notes.
    pub last: Pane,
}

impl Default for Looked {
    fn default() -> Self {
        Self { shown: Pane::Transcript, side: Pane::Surface, lower: Pane::Scores, last: Pane::Notes }
    }
}

impl Looked {
    pub fn at(&mut self, focus: Pane) {
        match focus {
            Pane::Composer => return,
            Pane::Transcript => {}
            Pane::Surface => self.side = focus,
            Pane::Scores => {
                self.side = focus;
                self.lower = focus;
            }
            Pane::Plan | Pane::Notes => {
                self.side = focus;
                self.lower = focus;
                self.last = focus;
            }
        }
        self.shown = focus;
    }
}

/// Places of the panes above the composer.
pub fn boxes(state: &State, shape: Shape, focus: &Looked, main: Rect) -> Vec<PaneBox> {
    let one = |pane: Pane, outline: Rect, tabs: &[Pane]| PaneBox { pane, outline, tabs: tabs.to_vec() };
    let Looked { shown, side, lower, last } = *focus;
    const ALL: [Pane; 5] = [Pane::Transcript, Pane::Surface, Pane::Scores, Pane::Plan, Pane::Notes];
    if state.zoom || shape == Shape::Narrow {
        return vec![one(shown, main, &ALL)];
    }
    let ratio = state.settings.transcript_ratio.clamp(0.3, 0.8);
    let share = if shape == Shape::Wide { ratio } else { ratio.max(0.64) };
    let left = ((f64::from(main.width) * share).round() as u16).min(main.width.saturating_sub(24));
    let transcript = Rect { width: left, ..main };
    let column = Rect { x: main.x + left, width: main.width - left, ..main };
    let mut boxes = vec![one(Pane::Transcript, transcript, &[Pane::Transcript])];
    if shape == Shape::Medium {
        boxes.push(one(side, column, &ALL[1..]));
        return boxes;
    }
    // Outlines share the rows between them.
    let below = |upper: u16, height: u16| Rect { y: column.y + upper - 1, height: height - upper + 1, ..column };
    if column.height < THREE {
        let upper = (column.height * 3 / 5).max(4);
        boxes.push(one(Pane::Surface, Rect { height: upper, ..column }, &[Pane::Surface]));
        boxes.push(one(lower, below(upper, column.height), &ALL[2..]));
        return boxes;
    }
    let planned = !state.snapshot.supervisor.plan.phases.is_empty();
    let (upper, middle) = (column.height / 2, if planned { column.height * 3 / 4 } else { column.height * 4 / 5 });
    boxes.push(one(Pane::Surface, Rect { height: upper, ..column }, &[Pane::Surface]));
    boxes.push(one(Pane::Scores, below(upper, middle), &[Pane::Scores]));
    boxes.extend(plan_and_notes(planned, last, below(middle, column.height)));
    boxes
}

/// Columns that a plan or the notes need to stand beside the other.
const BESIDE: u16 = 24;

/// Plan and Notes beside each other; while there is no plan, the notes have its room.
fn plan_and_notes(planned: bool, last: Pane, place: Rect) -> Vec<PaneBox> {
    if !planned || place.width < BESIDE * 2 {
        return vec![PaneBox { pane: last, outline: place, tabs: vec![Pane::Plan, Pane::Notes] }];
    }
    let left = place.width / 2;
    let plan = Rect { width: left, ..place };
    let notes = Rect { x: place.x + left - 1, width: place.width - left + 1, ..place };
    vec![
        PaneBox { pane: Pane::Plan, outline: plan, tabs: vec![Pane::Plan] },
        PaneBox { pane: Pane::Notes, outline: notes, tabs: vec![Pane::Notes] },
    ]
}
