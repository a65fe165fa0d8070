//! Breaking text into rows.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::text;

/// Where a line may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// Between words; a word longer than the line is split. For prose.
    Words,
    /// Anywhere. For code and tool output, where every column counts.
    Anywhere,
}

/// Byte ranges of the rows that `content` takes at `width` columns. At least one; a newline begins a
/// new row.
pub fn wrap(content: &str, width: usize, how: Break) -> Vec<Range<usize>> {
    match how {
        Break::Words => text::wrap(content, width),
        Break::Anywhere => chop(content, width),
    }
}

fn chop(content: &str, width: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in content.split('\n') {
        let end = start + line.len();
        // No cluster has more columns than bytes, so a short line fits.
        if line.len() <= width {
            rows.push(start..end);
        } else {
            let mut from = start;
            loop {
                let taken = fit(&content[from..end], width).max(first_cluster(&content[from..end]));
                rows.push(from..from + taken);
                from += taken;
                if from >= end {
                    break;
                }
            }
        }
        start = end + 1;
    }
    rows
}

fn first_cluster(content: &str) -> usize {
    content.graphemes(true).next().map_or(0, str::len)
}

/// Bytes of `content` that fit into `width` columns.
pub fn fit(content: &str, width: usize) -> usize {
    let head = &content.as_bytes()[..content.len().min(width + 1)];
    if head.is_ascii() {
        // The cluster after an ASCII character may still join it, which costs no column.
        return if content.len() <= width { content.len() } else { width };
    }
    let mut columns = 0;
    for (at, cluster) in content.grapheme_indices(true) {
        columns += text::width(cluster);
        if columns > width {
            return at;
        }
    }
    content.len()
}

/// Whether a row does not fit: a single wide character in one column.
pub fn too_wide(row: &str, width: usize) -> bool {
    row.len() > width && text::width(row) > width
}
