use super::{Fold, Look, led};
use crate::proto::{FileChange, Level, Rewound};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

pub fn render(rewound: &Rewound, look: &Look) -> Vec<Row> {
    let (level, line) = rewound.headline();
    let role = if level == Level::Info { Role::DecisionText } else { Role::NoticeWarning };
    let head = Styled::new("◆ ", Role::DecisionMark).with("rewind", Role::DecisionMark).with("  ", Role::UiText);
    let mut rows = led(head, &line, role, look.width);
    // What was not done is told in any case.
    for left in &rewound.left {
        let lead = Styled::new("│ ", Role::UiDim).with("left  ", Role::NoticeWarning);
        let words = format!("{}: {}", text::sanitize_line(&left.path), text::sanitize_line(&left.why));
        rows.extend(led(lead, &words, Role::UiText, look.width));
    }
    if look.fold == Fold::Open {
        for change in rewound.files_shown() {
            let lead = Styled::new("│ ", Role::UiDim).with(&format!("{:<9}", word(change)), Role::UiDim);
            rows.extend(led(lead, &text::sanitize_line(&change.path), Role::UiText, look.width));
        }
    }
    rows
}

fn word(change: &FileChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, Some(_)) => "back",
        (Some(_), None) => "removed",
        (before, after) if before == after => "as it was",
        _ => "restored",
    }
}

pub fn plain(rewound: &Rewound) -> String {
    let mut text = format!("rewind: {}", rewound.headline().1);
    for change in rewound.files_shown() {
        text.push_str(&format!("\n{} {}", word(change), text::sanitize_line(&change.path)));
    }
    for left in &rewound.left {
        text.push_str(&format!("\nleft {}: {}", text::sanitize_line(&left.path), text::sanitize_line(&left.why)));
    }
    text
}
