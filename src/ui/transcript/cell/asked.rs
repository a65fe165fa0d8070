use super::{Look, led};
use crate::proto::AskKind;
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

pub fn render(kind: &AskKind, answered: Option<bool>, look: &Look) -> Vec<Row> {
    let (answer, role) = match answered {
        None => ("waiting for you", Role::NoticeWarning),
        Some(true) => ("yes", Role::ToolOk),
        Some(false) => ("no", Role::ToolError),
    };
    let mut rows = led(Styled::new("? ", Role::UiAccent), &question(kind), Role::UiText, look.width);
    rows.push(Styled::new("  ", Role::UiText).with(answer, role).into_row(look.width));
    rows
}

/// Files that a question names before it counts the others.
const NAMED: usize = 3;

/// The question in one plain sentence.
pub fn question(kind: &AskKind) -> String {
    let clean = |text: &str| text::sanitize_line(text).into_owned();
    match kind {
        AskKind::Trust { folder, items, .. } => {
            let files = if items.len() == 1 { "1 file".to_owned() } else { format!("{} files", items.len()) };
            let them = if items.len() == 1 { "it" } else { "them" };
            let mut names: Vec<String> =
                items.iter().take(NAMED).map(|item| clean(&text::reveal(&item.path))).collect();
            if items.len() > NAMED {
                names.push(format!("{} more", items.len() - NAMED));
            }
            format!("{} holds {files} that would run here: {}. Trust {them}?", clean(folder), names.join(", "))
        }
        AskKind::Spending { spent, limit } => {
            format!("This session spent {} of its limit of {}. Go on?", clean(spent), clean(limit))
        }
        AskKind::RetryCutStream { shown_chars } => {
            format!("The reply broke off after {shown_chars} characters. Ask again from the start?")
        }
        AskKind::Secret { key, wanted_by } => format!("{} needs a value for {}.", clean(wanted_by), clean(key)),
    }
}
