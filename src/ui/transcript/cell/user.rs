use super::Look;
use crate::proto::Origin;
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

pub fn render(content: &str, origin: &Origin, attachments: &[String], look: &Look) -> Vec<Row> {
    let (mark, mark_role, role) = match origin {
        Origin::Person => ("you".to_owned(), Role::UserMark, Role::UserText),
        Origin::System { label, .. } => (text::sanitize_line(label).into_owned(), Role::UiDim, Role::UiDim),
    };
    let lead = Styled::new(&text::truncate(&mark, 16), mark_role).with("  ", Role::UiText);
    let indent = " ".repeat(lead.width());
    let content = match origin {
        Origin::Person => content,
        Origin::System { .. } => bare(content),
    };
    // What is sent is shown, and what cannot be seen is spelt out.
    let rest = Styled::new(&indent, Role::UiText);
    let mut rows = Styled::new(&text::reveal(content), role).rows(look.width, Break::Words, &lead, &rest);
    for name in attachments {
        let line = Styled::new(&indent, Role::UiText)
            .with("+ ", Role::UiDim)
            .with(&text::sanitize_line(name), Role::ComposerChip);
        rows.push(line.into_row(look.width));
    }
    rows
}

/// A note of the runtime's, or what another agent handed back, without the marks that are for the model.
fn bare(note: &str) -> &str {
    let marks = [("<octomind-note", "</octomind-note>"), ("<tap-result", "</tap-result>")];
    let inner = marks.iter().find_map(|(open, close)| {
        let (_, text) = note.strip_prefix(open)?.split_once(">\n")?;
        text.trim_end().strip_suffix(close)
    });
    inner.map_or(note, str::trim_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_for_the_model_are_not_shown() {
        assert_eq!(bare("<octomind-note kind=\"gate\">\nLook <b>again</b>.\n</octomind-note>"), "Look <b>again</b>.");
        assert_eq!(bare("<tap-result id=\"x\">\nDone.\n</tap-result>"), "Done.");
        for whole in ["plain", "<octomind-note kind=\"gate\">\nno end", "a <octomind-note>\nb\n</octomind-note>"] {
            assert_eq!(bare(whole), whole);
        }
    }
}
