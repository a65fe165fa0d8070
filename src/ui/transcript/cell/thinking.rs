use super::{Fold, Look, spinner};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

pub fn render(content: &str, streaming: bool, elapsed_ms: u64, look: &Look) -> Vec<Row> {
    let mut head = if streaming {
        Styled::new(spinner(look.now, look.motion), Role::ToolRunning)
            .with(&format!(" thinking {}", human::duration_ms(elapsed_ms)), Role::ThinkingText)
    } else if elapsed_ms == 0 {
        Styled::new("∴ thought", Role::ThinkingText)
    } else {
        Styled::new(&format!("∴ thought {}", human::duration_ms(elapsed_ms)), Role::ThinkingText)
    };
    match look.fold {
        Fold::Folded => {
            let line = excerpt(content, streaming);
            let line = text::sanitize_line(line);
            if !line.is_empty() {
                head.push("  ", Role::UiText);
                head.push(&line, Role::UiDim);
            }
            vec![head.into_row(look.width)]
        }
        Fold::Open => {
            let mut rows = vec![head.into_row(look.width)];
            let bar = Styled::new("│ ", Role::UiDim);
            let clean = text::sanitize(content.trim());
            rows.extend(Styled::new(&clean, Role::ThinkingText).rows(look.width, Break::Words, &bar, &bar));
            rows
        }
    }
}

/// The line that tells most: the newest of a growing thought, the first of a finished one.
fn excerpt(content: &str, streaming: bool) -> &str {
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    if streaming {
        let mut newest = content.rsplit('\n').map(str::trim).filter(|line| !line.is_empty());
        newest.next().unwrap_or_default()
    } else {
        lines.next().unwrap_or_default()
    }
}
