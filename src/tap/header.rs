//! The comments that a manifest or a provider file begins with: `# Title: …`.

use std::ops::Range;

use super::document::Report;
use crate::config::{Problem, Source};
use crate::text;

/// A `# Name: value` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'source> {
    name: &'source str,
    pub value: &'source str,
    /// Bytes of the value; of the name, when the value is empty.
    pub span: Range<usize>,
}

/// The lines before the first that is neither empty nor a comment.
pub(super) fn lines(source: &Source) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut at = 0;
    for whole in source.text.split_inclusive('\n') {
        let start = at;
        at += whole.len();
        let line = whole.trim();
        let Some(comment) = line.strip_prefix('#') else {
            if line.is_empty() {
                continue;
            }
            break;
        };
        let Some((name, value)) = comment.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim());
        let shown = if value.is_empty() { name } else { value };
        let offset = start + offset_in(whole, shown);
        lines.push(Line { name, value, span: offset..offset + shown.len() });
    }
    lines
}

/// Where a part of a text begins in it.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// The line of this name; a second one is named and has no effect.
pub(super) fn find<'source>(
    lines: &[Line<'source>],
    name: &str,
    source: &Source,
    report: &mut Report,
) -> Option<Line<'source>> {
    let mut named = lines.iter().filter(|line| line.name.eq_ignore_ascii_case(name));
    let first = named.next()?;
    for again in named {
        let message = format!("`# {name}:` stands twice; the first is used");
        report.warning(Problem::at(source, again.span.clone(), message));
    }
    Some(first.clone())
}

/// A line that people and models read: without what they would not see. A missing one is a warning.
pub(super) fn prose(lines: &[Line<'_>], name: &str, source: &Source, report: &mut Report) -> String {
    let line = find(lines, name, source, report).filter(|line| !line.value.is_empty());
    let Some(line) = line else {
        let message = format!("there is no `# {name}:` among the comments at the top");
        report.warning(Problem::at(source, 0..0, message).hint(format!("add a line `# {name}: …`")));
        return String::new();
    };
    let shown = text::sanitize_line(line.value);
    if shown != line.value {
        let message = format!("`# {name}:` has characters that nobody sees; they are taken out");
        report.warning(Problem::at(source, line.span.clone(), message));
    }
    shown.trim().to_owned()
}
