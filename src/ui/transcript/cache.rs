use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::cell::{self, Fold, Look, assistant};
use super::stream::Stream;
use super::{Heights, Highlighter, Row, search::SearchIndex};
use crate::proto::{Entry, EntryKind, Order, Timestamp, WELCOME};

/// Rendered rows kept at most; those longest out of sight go first.
const MAX_ROWS: usize = 12_000;

/// What the transcript is laid out from.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    pub session: &'a str,
    pub entries: &'a [Arc<Entry>],
    /// Entries whose fold is not the default one.
    pub toggled: &'a BTreeSet<Order>,
    /// What can fold stands open unless toggled.
    pub unfold_all: bool,
    /// Kinds of which each stands open unless toggled.
    pub open_kinds: &'a BTreeSet<cell::FoldKind>,
    pub width: usize,
    pub now: Timestamp,
    pub motion: bool,
    pub keys: cell::CellKeys<'a>,
}

/// Rendered cells and the row counts of all entries.
///
/// Row counts of entries that were never in sight are estimates; they become exact when an entry
/// comes into sight. Positions are an entry and a row of it, so estimates move nothing.
#[derive(Debug, Default)]
pub struct Cache {
    session: String,
    width: usize,
    pub(super) known: Vec<Order>,
    pub(super) heights: Heights,
    cells: HashMap<Order, Cell>,
    kept: usize,
    /// Counts frames, for knowing which cells were not used for long.
    frame: u64,
    pub(super) highlighter: Highlighter,
    pub(super) search: SearchIndex,
    /// Entries there were when the end was last in sight.
    pub(super) seen: usize,
    pub(super) anchor: Option<Anchor>,
}

/// A place in an entry that survives a change of width: characters before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    pub order: Order,
    pub characters: usize,
}

#[derive(Debug)]
struct Cell {
    version: u32,
    fold: Fold,
    tick: u64,
    colours: u64,
    gap: u32,
    body: Body,
    used: u64,
}

#[derive(Debug)]
enum Body {
    Rows(Vec<Row>),
    Message(Box<Stream>),
}

impl Body {
    fn rows(&self) -> &[Row] {
        match self {
            Self::Rows(rows) => rows,
            Self::Message(stream) => stream.rows(),
        }
    }
}

impl Cache {
    /// A cache that colours code at once, on the calling thread.
    pub fn in_place() -> Self {
        Self { highlighter: Highlighter::in_place(), ..Self::default() }
    }

    /// What to call when something drawn plain can be drawn better.
    pub fn on_ready(&self, wake: impl Fn() + Send + Sync + 'static) {
        self.highlighter.on_ready(wake);
    }

    pub fn rows(&self, order: Order) -> &[Row] {
        self.cells.get(&order).map_or(&[], |cell| cell.body.rows())
    }

    /// Rows of an entry, in sight or not, and the blank ones above it.
    pub fn laid(&mut self, scene: &Scene, index: usize) -> (u32, &[Row]) {
        let order = scene.entries.get(index).map(|entry| entry.order).unwrap_or_default();
        self.lay(scene, index);
        (self.gap(order), self.rows(order))
    }

    /// Blank rows above the entry.
    pub fn gap(&self, order: Order) -> u32 {
        self.cells.get(&order).map_or(0, |cell| cell.gap)
    }

    /// Rendered rows that are kept.
    pub fn kept_rows(&self) -> usize {
        self.kept
    }

    /// Takes up entries that came, went or moved. Looks at the end first: that is where things change.
    pub(super) fn sync(&mut self, scene: &Scene, anchor: Option<(Order, u32)>) {
        self.frame += 1;
        if self.width != scene.width || self.session != scene.session {
            self.anchor = anchor.filter(|_| self.session == scene.session).and_then(|at| self.anchor_at(at));
            if self.session != scene.session || self.known.is_empty() {
                // What was there when one came is not new.
                self.seen = scene.entries.len();
            }
            scene.session.clone_into(&mut self.session);
            self.width = scene.width;
            self.cells.clear();
            self.kept = 0;
            self.rebuild(scene);
            return;
        }
        let known = self.known.len();
        let same_so_far = known <= scene.entries.len()
            && known.checked_sub(1).is_none_or(|last| scene.entries[last].order == self.known[last]);
        if !same_so_far {
            self.rebuild(scene);
            return;
        }
        for index in known..scene.entries.len() {
            self.known.push(scene.entries[index].order);
            self.heights.push(self.estimate(scene, index));
        }
    }

    fn anchor_at(&self, (order, line): (Order, u32)) -> Option<Anchor> {
        let cell = self.cells.get(&order)?;
        let above = cell.body.rows().iter().take(line.saturating_sub(cell.gap) as usize);
        let characters = above.map(|row| visible_characters(row.content())).sum();
        Some(Anchor { order, characters })
    }

    /// The row of an entry that holds the anchor's character.
    pub(super) fn anchored_line(&self, anchor: Anchor) -> u32 {
        let Some(cell) = self.cells.get(&anchor.order) else { return 0 };
        let mut left = anchor.characters;
        for (line, row) in cell.body.rows().iter().enumerate() {
            let here = visible_characters(row.content());
            if left < here || (left == 0 && here > 0) {
                return cell.gap + line as u32;
            }
            left -= here;
        }
        0
    }

    /// Row counts of all entries anew: exact where a cell is kept, estimated elsewhere.
    fn rebuild(&mut self, scene: &Scene) {
        self.known = scene.entries.iter().map(|entry| entry.order).collect();
        let each = (0..scene.entries.len()).map(|index| {
            let entry = &scene.entries[index];
            match self.cells.get(&entry.order).filter(|cell| cell.version == entry.version) {
                Some(cell) => cell.gap + cell.body.rows().len() as u32,
                None => self.estimate(scene, index),
            }
        });
        self.heights = Heights::new(each.collect());
        let known: &[Order] = &self.known;
        let mut kept = 0;
        self.cells.retain(|order, cell| {
            let there = known.binary_search(order).is_ok();
            kept += if there { cell.body.rows().len() } else { 0 };
            there
        });
        self.kept = kept;
        self.seen = self.seen.min(known.len());
    }

    fn estimate(&self, scene: &Scene, index: usize) -> u32 {
        let entry = &scene.entries[index];
        let columns = scene.width.clamp(1, 60);
        let rows = match &entry.kind {
            EntryKind::User { text, .. } | EntryKind::Assistant { text, .. } => text.len().div_ceil(columns).max(1),
            EntryKind::Command { output, .. } => 1 + output.len().div_ceil(columns),
            EntryKind::Tool { .. } | EntryKind::Asked { .. } => 2,
            _ => 1,
        };
        gap(scene.entries, index) + u32::try_from(rows).unwrap_or(u32::MAX / 4).min(u32::MAX / 4)
    }

    /// Renders the entry unless that was done, and returns its rows with the gap above it.
    pub(super) fn lay(&mut self, scene: &Scene, index: usize) -> u32 {
        let Some(entry) = scene.entries.get(index) else { return 0 };
        let colours = self.highlighter.finished();
        let default = cell::fold_of(&entry.kind, scene.unfold_all, scene.open_kinds);
        let fold = if scene.toggled.contains(&entry.order) { default.other() } else { default };
        let fold = if self.search.opened == Some(entry.order) { Fold::Open } else { fold };
        let step = if scene.motion { cell::SPINNER_MS } else { 1000 };
        let tick = if cell::ticks(&entry.kind) { scene.now / step } else { 0 };
        let gap = gap(scene.entries, index);
        let frame = self.frame;
        if let Some(cell) = self.cells.get_mut(&entry.order) {
            cell.used = frame;
            let waits = matches!(&cell.body, Body::Message(stream) if stream.waiting() && cell.colours != colours);
            if cell.version == entry.version && cell.fold == fold && cell.tick == tick && cell.gap == gap && !waits {
                return gap + cell.body.rows().len() as u32;
            }
        }
        let look = Look {
            width: scene.width,
            fold,
            now: scene.now,
            motion: scene.motion,
            keys: scene.keys,
            highlighter: &self.highlighter,
        };
        let old = self.cells.remove(&entry.order).map(|cell| cell.body);
        self.kept -= old.as_ref().map_or(0, |body| body.rows().len());
        let body = match &entry.kind {
            EntryKind::Assistant { text, streaming, interrupted, scripted } => {
                let mut stream = match old {
                    Some(Body::Message(stream)) => stream,
                    _ => Box::default(),
                };
                stream.update(text, assistant::State::of(*streaming, *interrupted, *scripted), &look);
                Body::Message(stream)
            }
            _ => Body::Rows(cell::render(entry, &look)),
        };
        let rows = body.rows().len();
        self.kept += rows;
        let cell = Cell { version: entry.version, fold, tick, colours, gap, body, used: frame };
        self.cells.insert(entry.order, cell);
        let height = gap + rows as u32;
        self.heights.set(index, height);
        height
    }

    /// Lets go of rows that were not in sight for long.
    pub(super) fn evict(&mut self) {
        if self.kept <= MAX_ROWS {
            return;
        }
        let mut ages: Vec<(u64, Order)> = self
            .cells
            .iter()
            .filter(|(_, cell)| cell.used != self.frame)
            .map(|(order, cell)| (cell.used, *order))
            .collect();
        ages.sort_unstable();
        for (_, order) in ages {
            if self.kept <= MAX_ROWS / 2 {
                break;
            }
            if let Some(cell) = self.cells.remove(&order) {
                self.kept -= cell.body.rows().len();
            }
        }
    }
}

fn visible_characters(text: &str) -> usize {
    text.chars().filter(|character| !character.is_whitespace()).count()
}

/// Blank rows above an entry: words stand apart, a run of work stands close.
fn gap(entries: &[Arc<Entry>], index: usize) -> u32 {
    let Some(before) = index.checked_sub(1) else { return 0 };
    let close = |kind: &EntryKind| match kind {
        // What a role greets with stands apart as all that it says.
        EntryKind::Notice { source, .. } => source != WELCOME,
        EntryKind::Thinking { .. } | EntryKind::Tool { .. } | EntryKind::Decision(_) | EntryKind::Skill { .. } => true,
        _ => false,
    };
    u32::from(!(close(&entries[before].kind) && close(&entries[index].kind)))
}
