use super::{Fold, Look, led};
use crate::proto::Level;
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

/// Rows that a folded notice shows, and up to how many it shows all of them.
const FOLDED: usize = 6;
const ALL: usize = 8;

/// The mark and role of a level; the mark tells it without colour.
pub fn mark(level: Level) -> (&'static str, Role) {
    match level {
        Level::Info => ("i", Role::NoticeInfo),
        Level::Warning => ("!", Role::NoticeWarning),
        Level::Error => ("✘", Role::NoticeError),
    }
}

pub fn render(level: Level, source: &str, content: &str, hint: Option<&str>, look: &Look) -> Vec<Row> {
    let (sign, role) = mark(level);
    let mut lead = Styled::new(sign, role).with(" ", role);
    let source = text::sanitize_line(source);
    if !source.is_empty() && look.width > 30 {
        lead.push(&text::truncate(&source, 20), role);
        lead.push("  ", Role::UiText);
    }
    let mut rows = led(lead, content, Role::UiText, look.width);
    rows.extend(hint.map(|hint| hint_rows(hint, look.width)).unwrap_or_default());
    if look.fold == Fold::Folded && rows.len() > ALL {
        let words = format!("  … {} more rows", rows.len() - FOLDED);
        rows.truncate(FOLDED);
        rows.push(Styled::new(&words, Role::UiDim).into_row(look.width));
    }
    rows
}

/// What one can do about it.
pub fn hint_rows(hint: &str, width: usize) -> Vec<Row> {
    led(Styled::new("  hint: ", Role::NoticeHint), hint, Role::NoticeHint, width)
}
