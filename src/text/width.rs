//! Columns: what a string takes on a terminal's grid, and cutting to that.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns that `text` takes when written in one row.
///
/// Counts exactly as the screen buffer fills its cells: by grapheme cluster, so that a joined emoji
/// is two columns, a flag two, a combining mark none; clusters holding a control character (a
/// newline, a tab, an escape) take none because the buffer leaves them out.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, 0x20..=0x7e)) {
        return text.len();
    }
    text.graphemes(true).map(cluster_width).sum()
}

/// Columns of one grapheme cluster.
pub(super) fn cluster_width(cluster: &str) -> usize {
    match cluster.as_bytes() {
        [byte] => usize::from(matches!(byte, 0x20..=0x7e)),
        _ if cluster.contains(char::is_control) => 0,
        _ => cluster.width() + cluster.chars().filter(|c| is_halfwidth_sound_mark(*c)).count(),
    }
}

/// The screen buffer adds a column for each half-width katakana sound mark, whatever the width tables
/// say; counting otherwise would put the cursor beside the text.
fn is_halfwidth_sound_mark(character: char) -> bool {
    matches!(character, '\u{FF9E}' | '\u{FF9F}')
}

/// `text` itself if it fits into `columns`, else its head with `…` as the last column. Never wider
/// than `columns`; clusters are never split.
#[must_use]
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if (text.len() <= columns && text.is_ascii()) || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = columns.checked_sub(1) else { return Cow::Borrowed("") };
    let mut used = 0;
    let mut end = 0;
    for (start, cluster) in text.grapheme_indices(true) {
        used += cluster_width(cluster);
        if used > room {
            break;
        }
        end = start + cluster.len();
    }
    Cow::Owned(format!("{}…", &text[..end]))
}

#[cfg(test)]
mod tests;
