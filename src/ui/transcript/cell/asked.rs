use super::{Look, approval, led};
use crate::proto::AskKind;
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

pub fn render(kind: &AskKind, answered: Option<bool>, look: &Look) -> Vec<Row> {
    if let AskKind::Approval(request) = kind {
        return approval::asked(request, answered, look);
    }
    let mut rows = led(Styled::new("? ", Role::UiAccent), &question(kind), Role::UiText, look.width);
    if let (AskKind::Secret { kept_in, .. }, Some(kept)) = (kind, answered) {
        let words =
            if kept { format!("to be kept in {}", text::sanitize_line(kept_in)) } else { "went without".to_owned() };
        let role = if kept { Role::ToolOk } else { Role::NoticeWarning };
        rows.extend(led(Styled::new("  ", Role::UiText), &words, role, look.width));
        return rows;
    }
    let (answer, role) = match answered {
        None if matches!(kind, AskKind::OtherProvider { .. }) && !look.keys.offer.is_empty() => {
            let words = format!("{} uses it from now on", look.keys.offer);
            rows.push(Styled::new("  ", Role::UiText).with(&words, Role::NoticeWarning).into_row(look.width));
            return rows;
        }
        None => ("waiting for you", Role::NoticeWarning),
        Some(true) => ("yes", Role::ToolOk),
        Some(false) => ("no", Role::ToolError),
    };
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
            let files = crate::proto::counted(items.len(), "file");
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
        AskKind::OtherProvider { capability, failed, reason, offered, offered_by } => format!(
            "{} could not be prepared with {}: {}. Instead, {} of {} does the same without it. Use that?",
            clean(capability),
            clean(failed),
            clean(reason.lines().next().unwrap_or_default()).trim_end_matches(['.', ':', ' ']),
            clean(offered),
            clean(offered_by)
        ),
        AskKind::Unheld { why } => format!(
            "The sandbox was asked for and cannot be had: {}. What is run could then write wherever you can. Nothing is \
             started before your answer. Go on without it?",
            clean(why).trim_end_matches(['.', ' '])
        ),
        AskKind::Approval(request) => approval::question(request),
        AskKind::Secret { key, wanted_by, .. } => format!("{} needs a value for {}.", clean(wanted_by), clean(key)),
    }
}
