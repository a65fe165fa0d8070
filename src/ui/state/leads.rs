use super::{State, filtered};
use crate::proto::{Content, Entry, EntryKind, Order, ShellState, ToolState};
use crate::ui::term::picture::draws;
use crate::ui::transcript::cell::{self, picture_words};
use crate::ui::transcript::{Target, find_links, markdown};

/// Where an entry leads: out of the workbench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lead {
    Target(Target),
    Picture(Picture),
}

/// An image of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    pub order: Order,
    /// Which of the entry's images, from 0.
    pub index: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeadRow {
    /// `link`, `file` or `image`.
    pub noun: &'static str,
    /// Where it leads, whole.
    pub words: String,
    pub lead: Lead,
}

impl LeadRow {
    fn to(target: Target) -> Self {
        let noun = match &target {
            Target::Address(_) => "link",
            Target::File { .. } => "file",
        };
        Self { noun, words: target.words(), lead: Lead::Target(target) }
    }
}

/// Without a selected entry: entries looked through, from the end, and rows gathered at most.
const ENTRIES: usize = 60;
const ROWS: usize = 60;

impl State {
    /// Where the selected entry leads, else where the last entries do, the latest first. Each place once.
    pub fn lead_rows(&self, filter: &str) -> Vec<LeadRow> {
        let transcript = &self.snapshot.transcript;
        let mut rows: Vec<LeadRow> = Vec::new();
        match self.transcript.selected.and_then(|order| transcript.get(order)) {
            Some(entry) => rows.extend(leads(entry)),
            None => {
                for entry in transcript.entries().iter().rev().take(ENTRIES) {
                    let mut here = leads(entry);
                    here.reverse();
                    rows.extend(here);
                    if rows.len() > ROWS {
                        break;
                    }
                }
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        rows.retain(|row| matches!(row.lead, Lead::Picture(_)) || seen.insert(row.words.clone()));
        rows.truncate(ROWS);
        filtered(rows, filter, |row| format!("{} {}", row.noun, row.words))
    }

    /// Whether the terminal can draw it itself.
    pub fn draws(&self, picture: Picture) -> bool {
        let words = self.picture(picture).and_then(|(content, _)| picture_words(content)).unwrap_or_default();
        draws(self.terminal.images, words.split(',').next().unwrap_or_default())
    }

    /// An image, and who gave it.
    pub fn picture(&self, picture: Picture) -> Option<(&Content, String)> {
        let entry = self.snapshot.transcript.get(picture.order)?;
        let (content, from) = content(entry)?;
        Some((pictures(content).get(picture.index).copied()?, from))
    }
}

fn leads(entry: &Entry) -> Vec<LeadRow> {
    let found = |content: &str| find_links(content, &[]).into_iter().map(|link| link.target);
    let mut rows: Vec<LeadRow> = match &entry.kind {
        EntryKind::Assistant { text, .. } => markdown::targets(text).into_iter().map(LeadRow::to).collect(),
        _ => found(&cell::plain(entry)).map(LeadRow::to).collect(),
    };
    if let Some((content, from)) = content(entry) {
        rows.extend(pictures(content).into_iter().enumerate().map(|(index, one)| LeadRow {
            noun: "image",
            words: format!("{}, from {from}", picture_words(one).unwrap_or_default()),
            lead: Lead::Picture(Picture { order: entry.order, index }),
        }));
    }
    rows
}

/// What a tool or a command gave, and its name.
fn content(entry: &Entry) -> Option<(&Content, String)> {
    match &entry.kind {
        EntryKind::Tool { server, tool, state: ToolState::Finished { content, .. }, .. } => {
            Some((content, cell::tool::full_name(server, tool)))
        }
        EntryKind::Shell(view) => match &view.state {
            ShellState::Finished { content, .. } => Some((content, "your command".to_owned())),
            ShellState::Running { .. } => None,
        },
        _ => None,
    }
}

/// Images in the order they came.
fn pictures(content: &Content) -> Vec<&Content> {
    match content {
        Content::Parts(parts) => parts.iter().flat_map(pictures).collect(),
        one if picture_words(one).is_some_and(|words| words.starts_with("image/")) => vec![one],
        _ => Vec::new(),
    }
}
