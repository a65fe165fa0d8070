//! Titles and descriptions: what people choose by and tasks are matched with.

use std::ops::{Range, RangeInclusive};

use crate::config::{Problem, Source};
use crate::tap::document::Report;
use crate::tap::header::{self, Line};

/// Characters, as the public registry holds its authors to (its `CONTRIBUTING`).
const TITLE: RangeInclusive<usize> = 5..=60;
const DESCRIPTION: RangeInclusive<usize> = 20..=160;
/// Of a skill, as Agent Skills limit it; a shorter one says nothing.
const SKILL_DESCRIPTION: RangeInclusive<usize> = 20..=1024;

/// The two header lines of a manifest or a provider. A missing one is the reader's to name.
pub(super) fn header(head: &[Line<'_>], source: &Source, report: &mut Report) {
    for (name, range) in [("Title", TITLE), ("Description", DESCRIPTION)] {
        // The reader named a second line of the same name already.
        let mut said = report.aside();
        if let Some(line) = header::find(head, name, source, &mut said).filter(|line| !line.value.is_empty()) {
            one(&format!("`# {name}:`"), line.value, line.span, range, source, report);
        }
    }
}

pub(super) fn skill_title(title: &str, span: Range<usize>, source: &Source, report: &mut Report) {
    one("`title`", title, span, TITLE, source, report);
}

pub(super) fn skill_description(description: &str, span: Range<usize>, source: &Source, report: &mut Report) {
    one("`description`", description, span, SKILL_DESCRIPTION, source, report);
}

fn one(
    what: &str,
    value: &str,
    span: Range<usize>,
    range: RangeInclusive<usize>,
    source: &Source,
    report: &mut Report,
) {
    let length = value.chars().count();
    if !range.contains(&length) {
        let message = format!("{what} has {length} characters");
        let hint = format!("{} to {} tell what it is and can still be read at a glance", range.start(), range.end());
        report.warning(Problem::at(source, span, message).hint(hint));
    }
}
