//! The text that takes a result's place.

use std::fmt::Write as _;

use super::{Candidate, diagnostic};
use crate::proto::{Keep, ToolOutcome};
use crate::text::tokens::estimate;

/// How every notice begins. Source: engine reference, condense.
const NOTICE: &str = "📎 CONDENSED";

impl Candidate {
    /// `None` when it would not be smaller than the whole.
    pub fn narrowed(&self, spill: &str) -> Option<String> {
        let lines = self.view.lines;
        // What was cut before is not the whole, whatever file it is in.
        let what = if diagnostic::is_cut(&self.text) { "What was left of it before" } else { "The whole" };
        let of = if self.outcome == ToolOutcome::Ok { "" } else { " of a call that failed" };
        let whole = format!("{what} ({lines} lines, {} tok) is in {spill}", self.tokens);
        let text = match &self.keep {
            Keep::All => return None,
            Keep::None => {
                format!("{NOTICE}{of}: left out as not needed for the task. {whole}; read it there if it is needed.")
            }
            Keep::Lines(ranges) => {
                let kept: u32 = ranges.iter().map(|(first, last)| last - first + 1).sum();
                let mut text = format!("{NOTICE}{of}: {kept} of {lines} lines, word for word. {whole}.\n");
                self.write_ranges(ranges, &mut text);
                text
            }
        };
        (estimate(&text) < self.tokens).then_some(text)
    }

    fn write_ranges(&self, ranges: &[(u32, u32)], text: &mut String) {
        let all: Vec<&str> = self.text.split_inclusive('\n').collect();
        let mut next = 1;
        for (first, last) in ranges {
            left_out(next, *first, text);
            text.extend(all.iter().take(*last as usize).skip(*first as usize - 1).copied());
            next = last + 1;
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        left_out(next, self.view.lines + 1, text);
    }
}

/// Says which lines are not there, from `from` to before `to`.
fn left_out(from: u32, to: u32, text: &mut String) {
    let _ = match to.saturating_sub(from) {
        0 => Ok(()),
        1 => writeln!(text, "[line {from} left out]"),
        _ => writeln!(text, "[lines {from}–{} left out]", to - 1),
    };
}
