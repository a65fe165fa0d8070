//! Lines of a given width.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::width::cluster_width;

/// Byte ranges of `text`, each at most `columns` wide, in order; newlines end a range and are in none.
///
/// Breaks at spaces (which are then in no range), between wide characters except before closing
/// punctuation, after a hyphen inside a word, and inside a word only when it is wider than a line.
/// Indentation stays. There is always at least one range, and an empty line gives an empty one. Zero
/// columns count as one; a cluster wider than the line stands alone on it.
///
/// Expects sanitised text: tabs and other controls count as nothing.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(text.len() / columns.max(1) + 1);
    let mut start = 0;
    for line in text.split('\n') {
        if line.len() <= columns && line.is_ascii() {
            ranges.push(start..start + line.len());
        } else {
            Paragraph::new(line, start, columns.max(1)).wrap(&mut ranges);
        }
        start += line.len() + 1;
    }
    ranges
}

/// One place where the current row may end.
#[derive(Clone, Copy)]
struct Break {
    /// Where the row would end, and where the next would begin.
    end: usize,
    next: usize,
    /// Columns from the row's begin to `next`.
    columns: usize,
}

struct Paragraph<'a> {
    line: &'a str,
    offset: usize,
    limit: usize,
    row: usize,
    columns: usize,
    possible: Option<Break>,
}

impl<'a> Paragraph<'a> {
    fn new(line: &'a str, offset: usize, limit: usize) -> Self {
        Self { line, offset, limit, row: 0, columns: 0, possible: None }
    }

    fn wrap(self, ranges: &mut Vec<Range<usize>>) {
        let line = self.line;
        match line.is_ascii() {
            // Without newlines each byte is a cluster.
            true => self.wrap_clusters((0..line.len()).map(|at| (at, &line[at..=at])), ranges),
            false => self.wrap_clusters(line.grapheme_indices(true), ranges),
        }
    }

    fn wrap_clusters(mut self, clusters: impl Iterator<Item = (usize, &'a str)>, ranges: &mut Vec<Range<usize>>) {
        let first = ranges.len();
        let mut before = "";
        // Where the current run of spaces began.
        let mut spaces: Option<usize> = None;
        for (at, cluster) in clusters {
            if cluster == " " {
                spaces.get_or_insert(at);
                self.columns += 1;
                before = cluster;
                continue;
            }
            if let Some(began) = spaces.take() {
                self.after_spaces(began, at, ranges);
            } else if at > self.row && breaks_between(before, cluster) {
                self.possible = Some(Break { end: at, next: at, columns: self.columns });
            }
            self.place(at, cluster_width(cluster), ranges);
            before = cluster;
        }
        let mut end = self.line.len();
        if self.columns > self.limit {
            // Only spaces can hang over here: everything else was placed.
            end = spaces.unwrap_or(end).max(self.row);
        }
        if end > self.row || ranges.len() == first {
            ranges.push(self.offset + self.row..self.offset + end);
        }
    }

    fn after_spaces(&mut self, began: usize, at: usize, ranges: &mut Vec<Range<usize>>) {
        if self.columns > self.limit {
            self.end_row(Break { end: began, next: at, columns: self.columns }, ranges);
        } else if began > self.row {
            self.possible = Some(Break { end: began, next: at, columns: self.columns });
        }
    }

    fn place(&mut self, at: usize, width: usize, ranges: &mut Vec<Range<usize>>) {
        while self.columns > 0 && self.columns + width > self.limit {
            let hard = Break { end: at, next: at, columns: self.columns };
            let chosen = self.possible.take().unwrap_or(hard);
            self.end_row(chosen, ranges);
        }
        self.columns += width;
    }

    fn end_row(&mut self, chosen: Break, ranges: &mut Vec<Range<usize>>) {
        if chosen.end > self.row {
            ranges.push(self.offset + self.row..self.offset + chosen.end);
        }
        self.row = chosen.next;
        self.columns -= chosen.columns;
        self.possible = None;
    }
}

/// Whether a row may end between two neighbouring clusters, neither of them a space.
fn breaks_between(before: &str, after: &str) -> bool {
    if before.is_ascii() && after.is_ascii() {
        return before == "-" && after.starts_with(|first: char| first.is_ascii_alphabetic());
    }
    if before.is_empty() || is_closing(after) || is_opening(before) {
        return false;
    }
    if before == "-" {
        return after.starts_with(char::is_alphabetic);
    }
    is_wide(before) || is_wide(after)
}

fn is_wide(cluster: &str) -> bool {
    !cluster.is_ascii() && cluster_width(cluster) > 1
}

/// Never the first in a row.
fn is_closing(cluster: &str) -> bool {
    cluster.starts_with([
        '、', '。', '，', '．', '！', '？', '：', '；', '）', '」', '』', '】', '〉', '》', '〕', '］', '｝', 'ー',
        '々', '・', '…', ',', '.', '!', '?', ':', ';', ')', ']', '}',
    ])
}

/// Never the last in a row.
fn is_opening(cluster: &str) -> bool {
    cluster.starts_with(['（', '「', '『', '【', '〈', '《', '〔', '［', '｛', '(', '[', '{'])
}

#[cfg(test)]
mod tests;
