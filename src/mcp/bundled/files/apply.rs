//! Applying edits to lines. Pure: positions in, lines out, all or nothing.

use super::document::{Ending, Line};

/// One edit with its place found. Lines count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Lines `first..=last` become these; none deletes.
    Replace { first: usize, last: usize, lines: Vec<String> },
    /// These come before line `at`; `at` may be the number of lines.
    Insert { at: usize, lines: Vec<String> },
}

/// Two edits that touch the same lines, by their places in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    pub one: usize,
    pub other: usize,
}

impl Change {
    fn start(&self) -> usize {
        match self {
            Self::Replace { first, .. } => *first,
            Self::Insert { at, .. } => *at,
        }
    }

    /// The first line after what is touched.
    fn end(&self) -> usize {
        match self {
            Self::Replace { last, .. } => last + 1,
            Self::Insert { at, .. } => *at,
        }
    }

    fn lines(&self) -> &[String] {
        match self {
            Self::Replace { lines, .. } | Self::Insert { lines, .. } => lines,
        }
    }
}

/// The lines after all changes. Changes name lines of `old`, in any order; insertions at one place
/// keep the order given and come before a replacement that starts there.
///
/// New lines end as `usual`; whether the last line has an ending stays as it was.
pub fn apply(old: &[Line], changes: &[Change], usual: Ending) -> Result<Vec<Line>, Conflict> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    let key = |index: &usize| changes.get(*index).map(|change| (change.start(), change.end()));
    order.sort_by_key(key);
    let mut new = Vec::with_capacity(old.len());
    let mut taken = 0;
    let mut previous = None;
    for index in order {
        let Some(change) = changes.get(index) else { continue };
        if change.start() < taken || change.end() > old.len() {
            return Err(Conflict { one: previous.unwrap_or(index), other: index });
        }
        new.extend_from_slice(old.get(taken..change.start()).unwrap_or_default());
        new.extend(change.lines().iter().map(|text| Line { text: text.clone(), ending: usual }));
        taken = change.end();
        previous = Some(index);
    }
    new.extend_from_slice(old.get(taken..).unwrap_or_default());
    let open = old.last().is_some_and(|line| line.ending == Ending::None);
    close(&mut new, usual, open);
    Ok(new)
}

/// Gives every line an ending except, when the file had none there, the last.
fn close(lines: &mut [Line], usual: Ending, open: bool) {
    for line in lines.iter_mut().filter(|line| line.ending == Ending::None) {
        line.ending = usual;
    }
    if open && let Some(last) = lines.last_mut() {
        last.ending = Ending::None;
    }
}

/// The lines an argument stands for: `"a\nb"` and `"a\nb\n"` are two, `""` is none, `"\n"` one blank.
pub fn lines_of(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect()
}

/// The change that replaces bytes `start..end` of the LF-joined text by `new`.
pub fn splice(joined: &str, start: usize, end: usize, new: &str) -> Change {
    let line_at = |offset: usize| joined.get(..offset).unwrap_or_default().matches('\n').count();
    let first = line_at(start);
    let last = line_at(end);
    let line_start = joined.get(..start).and_then(|text| text.rfind('\n')).map_or(0, |at| at + 1);
    let line_end = joined.get(end..).and_then(|text| text.find('\n')).map_or(joined.len(), |at| end + at);
    let prefix = joined.get(line_start..start).unwrap_or_default();
    let suffix = joined.get(end..line_end).unwrap_or_default();
    let text = format!("{prefix}{}{suffix}", new.replace("\r\n", "\n"));
    let past_the_end = end == joined.len() && (joined.is_empty() || joined.ends_with('\n'));
    if past_the_end {
        let lines = lines_of(&text);
        return if first == last {
            Change::Insert { at: first, lines }
        } else {
            Change::Replace { first, last: last - 1, lines }
        };
    }
    Change::Replace { first, last, lines: text.split('\n').map(str::to_owned).collect() }
}
