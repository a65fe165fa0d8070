//! What the supervisor saw and decided: one line folded, with what must not be missed below it;
//! opened, the whole record.
//!
//! Owns: how each kind of record reads, in the transcript and in a reader.
//!
//! Does not own: which of them has a cell; the session says so by their order.
//!
//! Invariant: marks and words tell everything; colours only repeat it.

mod gate;
mod heads;
mod records;
mod sheet;

pub use heads::{Head, head};
pub use sheet::Sheet;

use super::{Fold, Look};
use crate::proto::Decision;
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

/// Rows of a cell; `None` for what is not the supervisor's.
pub fn render(decision: &Decision, look: &Look) -> Option<Vec<Row>> {
    let mut line = Styled::new("◆ ", Role::DecisionMark).tap_append(&head(decision)?.line());
    let mut sheet = Sheet::in_cell(look.width);
    match (look.fold, decision) {
        (Fold::Open, _) => records::record(decision, &mut sheet),
        (Fold::Folded, Decision::Gate(verdict)) => gate::folded(verdict, &mut line, look.width, &mut sheet),
        (Fold::Folded, Decision::Authorized(one)) => heads::blocked(one, &mut sheet),
        (Fold::Folded, _) => {}
    }
    let mut rows = vec![line.into_row(look.width)];
    rows.extend(sheet.into_rows());
    Some(rows)
}

/// A record in full, for a reader; nothing for what is not the supervisor's. `when` is told below its
/// headline.
pub fn record(decision: &Decision, when: &str, width: usize) -> Vec<Row> {
    let Some(head) = head(decision) else { return Vec::new() };
    let mut sheet = Sheet::bare(width);
    sheet.prose(&head.line());
    sheet.prose(&Styled::new(&clean(when), Role::UiDim));
    sheet.blank();
    records::record(decision, &mut sheet);
    sheet.into_rows()
}

fn clean(words: &str) -> String {
    text::sanitize_line(words).into_owned()
}

/// What a reference means, for people: `user:0` is theirs.
fn place(reference: &str) -> String {
    match reference.split_once(':') {
        Some(("user", _)) => "your message".to_owned(),
        Some(("role", _)) => "the role's instructions".to_owned(),
        _ if reference == "reply" => "the reply".to_owned(),
        _ if reference == "plan" => "the plan".to_owned(),
        _ => clean(reference),
    }
}

fn plain(words: &str) -> Styled {
    Styled::new(&clean(words), Role::DecisionText)
}

fn quoted(words: &str) -> String {
    format!("“{}”", clean(words.trim()))
}
