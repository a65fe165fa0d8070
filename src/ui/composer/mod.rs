//! The message being written.
//!
//! Owns: the text with its folded pastes, the caret, undo, what was killed, the mark, history,
//! completion, the normal mode, and the rows it takes at a width.
//!
//! Does not own: keys, drawing, sending, or reading files.
//!
//! Invariant: the caret is on a grapheme boundary after every edit; what is sent is exactly what was
//! typed and pasted, whatever the screen shows instead.
//!
//! Our own editor rather than `ratatui-textarea`: that one moves and deletes by `char`, which cuts
//! emoji and combining accents apart, and it has no place for a folded paste that is one unit.

mod arguments;
mod chip;
mod completion;
mod draft;
mod edit;
mod history;
mod kill;
mod modal;
mod rows;
mod words;

#[cfg(test)]
mod tests;

pub use chip::{Chip, FOLD_BYTES, FOLD_LINES};
pub use completion::{Candidate, Completion, CompletionKind, Found, Names, Offer, Offered};
pub use draft::Draft;
pub use edit::Motion;
pub use history::{History, keep_masked};
pub use modal::{Extent, MAX_COUNT, Modal, Mode, Vi};
pub use rows::{Piece, Row};
pub use words::Case;

use edit::Edit;
use kill::Kills;

use crate::proto::QueueId;

#[derive(Debug, Clone)]
pub struct Composer {
    draft: Draft,
    /// The column up and down try to keep.
    goal: Option<usize>,
    undo: Vec<Draft>,
    redo: Vec<Draft>,
    last_edit: Edit,
    /// Edits so far, and steps of undo.
    edits: u64,
    pushes: u64,
    killed: Draft,
    kills: Kills,
    pub modal: Modal,
    /// Pastes that were opened, so that they can be folded again.
    opened: Vec<std::sync::Arc<str>>,
    /// Columns of the text area as last drawn; up and down go by its rows.
    pub width: u16,
    pub history: History,
    pub completion: Option<Completion>,
    /// What the arguments of commands can be.
    pub names: Names,
    /// The agents that taps offer, by tag.
    pub agents: Vec<Offered>,
    pub skills: Vec<Offered>,
    /// What `/supervisor` can name.
    pub switches: Vec<Offered>,
    pub capabilities: Vec<Offered>,
    /// What is told when it is asked for.
    offers: std::collections::BTreeMap<Offer, Vec<Offered>>,
    /// What `@` offers, for what was asked last.
    found: Found,
    /// What was asked for last.
    asked: Option<String>,
    /// Where a completion was closed by hand; it stays closed for that word.
    dismissed: Option<usize>,
    /// The waiting message this draft came from; sending it replaces that message.
    pub editing: Option<QueueId>,
    /// What was held back once; sent as it is when it is sent again.
    pub held: Option<String>,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            draft: Draft::default(),
            goal: None,
            undo: Vec::new(),
            redo: Vec::new(),
            last_edit: Edit::Other,
            edits: 0,
            pushes: 0,
            killed: Draft::default(),
            kills: Kills::default(),
            modal: Modal::default(),
            opened: Vec::new(),
            width: 80,
            history: History::default(),
            completion: None,
            names: Names::default(),
            agents: Vec::new(),
            skills: Vec::new(),
            switches: Vec::new(),
            capabilities: Vec::new(),
            offers: std::collections::BTreeMap::new(),
            found: Found::default(),
            asked: None,
            dismissed: None,
            editing: None,
            held: None,
        }
    }
}

impl Composer {
    /// Nothing typed, nothing pasted.
    pub fn is_empty(&self) -> bool {
        self.draft.text.is_empty()
    }

    /// The text as edited; each folded paste is one [`Chip::MARK`].
    pub fn text(&self) -> &str {
        &self.draft.text
    }

    /// Byte offset into [`Composer::text`].
    pub fn caret(&self) -> usize {
        self.draft.caret
    }

    pub fn chips(&self) -> &[Chip] {
        &self.draft.chips
    }

    /// The text with its folded pastes, as it stands.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// What would be sent: every folded paste in full.
    pub fn content(&self) -> String {
        self.draft.expanded()
    }
}
