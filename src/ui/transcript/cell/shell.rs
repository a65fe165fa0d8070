use super::tool::{behind_gutter, content_text, gutter, is_short};
use super::{Fold, Look, spinner, spread};
use crate::proto::{Share, ShellEnd, ShellState, ShellView};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Lines of output in sight: the last ones, which tell how it stands.
const RUNNING: usize = 6;
const FOLDED: usize = 12;

pub fn render(view: &ShellView, look: &Look) -> Vec<Row> {
    let mut rows = vec![head(view, look)];
    match &view.state {
        ShellState::Running { tail, .. } => lines(tail, RUNNING, None, Role::ToolOutput, look, &mut rows),
        ShellState::Finished { end, content, full_bytes, spill, .. } => {
            let role = if *end == ShellEnd::Exited(0) { Role::ToolOutput } else { Role::ToolError };
            let most = if look.fold == Fold::Open { usize::MAX } else { FOLDED };
            let size = human::bytes(*full_bytes);
            lines(&content_text(content), most, Some(&size), role, look, &mut rows);
            if let ShellEnd::Lost(why) = end {
                let line = gutter().with(&text::sanitize_line(why), Role::ToolError);
                rows.extend(line.rows(look.width, Break::Words, &Styled::default(), &gutter()));
            }
            if let (Fold::Open, Some(path)) = (look.fold, spill) {
                let line = gutter().with("the whole is in ", Role::UiDim).with(&text::sanitize_line(path), Role::UiDim);
                rows.extend(line.rows(look.width, Break::Anywhere, &Styled::default(), &gutter()));
            }
        }
    }
    if !view.state.is_running() {
        rows.push(gutter().with(reader(view.share), Role::UiDim).into_row(look.width));
    }
    rows
}

/// Whether it went wrong and what it said is short enough to stand open.
pub fn stands_open(view: &ShellView) -> bool {
    match &view.state {
        ShellState::Finished { end: ShellEnd::Exited(1..) | ShellEnd::Signal(_), content, .. } => is_short(content),
        ShellState::Running { .. } | ShellState::Finished { .. } => false,
    }
}

/// Who gets to see the output.
fn reader(share: Share) -> &'static str {
    match share {
        Share::Model => "the model reads this with your next message",
        Share::Person => "not for the model",
    }
}

/// What is copied and searched.
pub fn plain(view: &ShellView) -> String {
    let output = match &view.state {
        ShellState::Running { tail, .. } => tail.as_str().into(),
        ShellState::Finished { content, .. } => content_text(content),
    };
    format!("$ {}\n{}", view.command, text::sanitize(&output))
}

fn head(view: &ShellView, look: &Look) -> Row {
    let sign = match view.share {
        Share::Model => "! ",
        Share::Person => "!! ",
    };
    let mut left = Styled::new(sign, Role::ComposerPrompt);
    left.push(&text::sanitize_line(&view.command), Role::UiStrong);
    let (words, role) = state_words(view, look);
    spread(left, &Styled::new(&words, role), look.width)
}

/// How it stands, legible without colour.
fn state_words(view: &ShellView, look: &Look) -> (String, Role) {
    match &view.state {
        ShellState::Running { since, bytes, .. } => {
            let elapsed = human::duration_ms(look.now.saturating_sub(*since));
            let size = if *bytes > 0 { format!("{} ", human::bytes(*bytes)) } else { String::new() };
            let stop = if look.keys.stop_shell.is_empty() {
                String::new()
            } else {
                format!(" · {} stops it", look.keys.stop_shell)
            };
            (format!("{} {size}{elapsed}{stop}", spinner(look.now, look.motion)), Role::ToolRunning)
        }
        ShellState::Finished { end, elapsed_ms, .. } => {
            let elapsed = human::duration_ms(*elapsed_ms);
            match end {
                ShellEnd::Exited(0) => (format!("ok {elapsed}"), Role::ToolOk),
                ShellEnd::Exited(code) => (format!("✘ exit {code} {elapsed}"), Role::ToolError),
                ShellEnd::Signal(signal) => (format!("✘ signal {signal} {elapsed}"), Role::ToolError),
                ShellEnd::Stopped => (format!("■ stopped {elapsed}"), Role::NoticeWarning),
                ShellEnd::Lost(_) => ("? lost".to_owned(), Role::ToolError),
            }
        }
    }
}

/// The last lines, and of what is over how many there were before.
fn lines(output: &str, most: usize, size: Option<&str>, role: Role, look: &Look, rows: &mut Vec<Row>) {
    let clean = text::sanitize(output.trim_end());
    if clean.is_empty() {
        return;
    }
    let all: Vec<&str> = clean.lines().collect();
    let hidden = all.len().saturating_sub(most);
    if let (Some(size), true) = (size, hidden > 0) {
        let noun = if hidden == 1 { "line" } else { "lines" };
        let words = format!("… {hidden} {noun} before ({size} in all)");
        rows.push(gutter().with(&words, Role::UiDim).into_row(look.width));
    }
    for line in all.iter().skip(hidden) {
        behind_gutter(&Styled::new(line, role), look, rows);
    }
}
