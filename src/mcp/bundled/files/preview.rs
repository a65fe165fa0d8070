//! What `edit` and `write` would make of a file, without doing it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use super::args::Args;
use super::document::Document;
use super::limits::DIFF_CONTEXT;
use super::place::Root;
use super::seen::Seen;
use super::{PATH, Tools, edit, ids, store, write};

/// A change that was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Relative to the root when it is below it.
    pub shown: String,
    pub creates: bool,
    pub added: u32,
    pub removed: u32,
    /// Unified, without line ids; empty when there is none to show.
    pub diff: String,
    pub note: Option<String>,
    /// Two previews with the same mark are about the same file with the same content.
    pub before: u64,
}

/// A diff longer than this is cut, and says so, bytes.
const LONGEST: usize = 512 * 1024;

/// The real file that a call of `edit` or `write` would change; `None` when it would change none.
#[must_use]
pub fn target(root: &Path, tool: &str, arguments: &Value) -> Option<PathBuf> {
    if !matches!(tool, "edit" | "write") {
        return None;
    }
    let given = Args::new("edit", arguments.as_object().cloned()).text(PATH).ok()??;
    let root = Root::new(root).ok()?;
    Some(root.writable(&given).unwrap_or_else(|_| root.absolute(&given)))
}

/// What the call would do, as the file is now.
///
/// # Errors
/// Why it would fail: what the tool itself would say.
pub fn preview(root: &Path, tool: &str, arguments: &Value) -> Result<Preview, String> {
    let root = Root::new(root).map_err(|error| error.to_string())?;
    let tools = Tools { root, seen: Seen::default(), writing: std::sync::Mutex::default() };
    let given = arguments.as_object().cloned();
    let planned = match tool {
        "edit" => edit::plan(&tools, &mut Args::new("edit", given)),
        _ => write::plan(&tools, &mut Args::new("write", given)).map(|(planned, _)| planned),
    };
    let planned = planned.map_err(|refusal| refusal.to_string())?;
    Ok(planned.shown(&tools))
}

/// A file as it is and as it would be.
pub(super) struct Planned {
    pub path: PathBuf,
    /// `None`: it is not there.
    pub before: Option<Before>,
    pub after: Document,
}

pub(super) enum Before {
    Text(store::Loaded),
    /// No text; its size.
    Other(Vec<u8>),
}

impl Planned {
    fn shown(&self, tools: &Tools) -> Preview {
        let nothing = Document::default();
        let (before, mark, note) = match &self.before {
            None => (&nothing, 0, None),
            Some(Before::Text(loaded)) => (&loaded.document, ids::hash(&loaded.bytes), None),
            Some(Before::Other(bytes)) => {
                let note = format!("It replaces a file that is no text ({} bytes).", bytes.len());
                (&nothing, ids::hash(bytes), Some(note))
            }
        };
        let (mut diff, added, removed) = unified(before, &self.after);
        let mut note = note;
        if added + removed == 0 && self.before.is_some() && note.is_none() {
            note = Some("Only line ends or marks that cannot be seen change.".to_owned());
        }
        if diff.len() > LONGEST {
            let whole = diff.lines().count();
            diff.truncate(diff.floor_char_boundary(LONGEST));
            diff.truncate(diff.rfind('\n').unwrap_or(0));
            let hidden = whole - diff.lines().count();
            note = Some(format!("The diff is too long: {hidden} more lines are not shown here."));
        }
        let creates = self.before.is_none();
        Preview { shown: tools.root.show(&self.path), creates, added, removed, diff, note, before: mark }
    }
}

fn unified(before: &Document, after: &Document) -> (String, u32, u32) {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.texts().collect(), after.texts().collect());
    let diff = TextDiff::from_slices(&old, &new);
    let (mut out, mut added, mut removed) = (String::new(), 0, 0);
    for hunk in diff.unified_diff().context_radius(DIFF_CONTEXT).iter_hunks() {
        out.push_str(&hunk.header().to_string());
        out.push('\n');
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Insert => {
                    added += 1;
                    '+'
                }
                ChangeTag::Delete => {
                    removed += 1;
                    '-'
                }
            };
            out.push(sign);
            out.push_str(change.value());
            out.push('\n');
        }
    }
    (out, added, removed)
}
