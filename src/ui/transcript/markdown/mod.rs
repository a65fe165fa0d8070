//! Markdown to rows.
//!
//! A message is cut into segments at blank lines ([`Segmenter`]); each is rendered by itself, so that
//! a growing message renders only its last one anew. A finished message takes the same way, which
//! is why both look the same.

mod code;
mod mend;
mod segment;
mod table;
mod writer;

pub use code::{CodeBlock, code_blocks};
pub use mend::mend;
pub use segment::Segmenter;
pub use writer::{code_rows, fence_language};

use super::highlight::Highlighter;
use super::{Row, Target};
use crate::text;

/// Rows of one segment, and whether colours of its code are still to come (the number of rows will
/// not change then).
pub struct Rendered {
    pub rows: Vec<Row>,
    pub waiting: bool,
}

/// Columns at which nothing is broken.
const UNBROKEN: usize = 4096;

/// Where a message leads, in order: just where what is shown of it does.
pub fn targets(message: &str) -> Vec<Target> {
    let rows = render(message, UNBROKEN, &Highlighter::off()).rows;
    rows.iter().flat_map(|row| row.links.iter().map(|link| link.target.clone())).collect()
}

/// Renders one segment.
pub fn render(segment: &str, width: usize, highlighter: &Highlighter) -> Rendered {
    let clean = text::sanitize(segment);
    let mut writer = writer::Writer::new(width, highlighter);
    let options = pulldown_cmark::Options::ENABLE_TABLES
        | pulldown_cmark::Options::ENABLE_STRIKETHROUGH
        | pulldown_cmark::Options::ENABLE_TASKLISTS;
    for event in pulldown_cmark::Parser::new_ext(&clean, options) {
        writer.event(event);
    }
    writer.finish()
}
