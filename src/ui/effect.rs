//! The only things the user interface does to the world, as values. `update` asks for them, `run`
//! carries them out.

use super::drafts::Keep;
use super::state::Picture;
use crate::proto::{Command, Order};

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// To the session.
    Send(Command),
    /// To the clipboard; `what` is for the words that tell.
    Copy {
        text: String,
        what: &'static str,
    },
    /// What the mouse selected, to the clipboard.
    CopySelection,
    /// The message in the external editor; what is saved becomes the draft.
    EditDraft(String),
    /// The whole transcript in the pager or the editor, to be looked at.
    ShowTranscript,
    /// One entry in the pager or the editor, to be looked at.
    ShowEntry(Order),
    /// A file in the external editor, at a line.
    OpenFile {
        path: String,
        line: Option<u32>,
    },
    /// An address in the person's browser.
    OpenAddress(String),
    /// An image in the system's viewer.
    OpenPicture(Picture),
    Suspend,
    /// Take the mouse, or give it to the terminal.
    Mouse(bool),
    /// Draw the whole screen afresh.
    Redraw,
    /// Bell and words, when the person looks elsewhere.
    Notify(String),
    /// Keep a sent message for later runs.
    Remember(String),
    /// Mask a value that turned out to be a secret in what is kept for later runs.
    Forget(Secret),
    /// Read keymap and theme files again, all or only those that changed.
    Reload(Reload),
    /// End, to go on in another session.
    Switch {
        name: String,
        workdir: String,
    },
    /// Read what this process logged.
    ReadLog,
    /// Write the theme of later runs to the configuration file.
    SaveTheme(String),
    /// Find the project's files for `@`.
    FindFiles(String),
    /// Keep what is being written for the next start, or let go of it.
    KeepDraft(Keep),
    Quit,
}

/// A value that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    All,
    Changed,
}
