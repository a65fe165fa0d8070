//! A unified diff whose lines carry the ids they have now.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use super::document::Document;
use super::ids;
use super::limits::{DIFF_BYTES, DIFF_CONTEXT};

/// Added and removed lines, and the diff. A long one is cut, and says so.
pub fn between(old: &Document, new: &Document) -> String {
    let before: Vec<&str> = old.texts().collect();
    let after: Vec<&str> = new.texts().collect();
    let marks = ids::marks(after.iter().copied());
    let diff = TextDiff::from_slices(&before, &after);
    let (mut added, mut removed) = (0usize, 0usize);
    let mut out = String::new();
    let mut cut = false;
    for hunk in diff.unified_diff().context_radius(DIFF_CONTEXT).iter_hunks() {
        let mut text = format!("{}\n", hunk.header());
        for change in hunk.iter_changes() {
            let line = change.value();
            let id = |index: Option<usize>| {
                index.and_then(|index| marks.get(index).map(|mark| format!("{}:{mark}", index + 1))).unwrap_or_default()
            };
            let _ = match change.tag() {
                ChangeTag::Equal => writeln!(text, " {}|{line}", id(change.new_index())),
                ChangeTag::Insert => {
                    added += 1;
                    writeln!(text, "+{}|{line}", id(change.new_index()))
                }
                ChangeTag::Delete => {
                    removed += 1;
                    writeln!(text, "-|{line}")
                }
            };
        }
        if out.len() + text.len() <= DIFF_BYTES {
            out.push_str(&text);
        } else {
            cut = true;
        }
    }
    let mut head = format!("+{added} -{removed} lines, {} now.", after.len());
    if cut {
        head.push_str(" The diff is too long to show whole; view the file for the new ids.");
    }
    format!("{head}\n{out}")
}
