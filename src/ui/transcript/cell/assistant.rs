use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Streaming,
    Interrupted,
    Complete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub progress: Progress,
    pub scripted: bool,
}

impl State {
    pub fn of(streaming: bool, interrupted: bool, scripted: bool) -> Self {
        let progress = match (streaming, interrupted) {
            (true, _) => Progress::Streaming,
            (false, true) => Progress::Interrupted,
            (false, false) => Progress::Complete,
        };
        Self { progress, scripted }
    }
}

/// Rows above the text.
pub fn before(state: State, width: usize) -> Vec<Row> {
    if state.scripted {
        vec![Styled::new("scripted reply", Role::AssistantScripted).into_row(width)]
    } else {
        Vec::new()
    }
}

/// The caret of a growing message, or how it ended.
pub fn after(rows: &mut Vec<Row>, state: State, width: usize) {
    match state.progress {
        Progress::Streaming => add_caret(rows, width),
        Progress::Interrupted => rows.push(Styled::new("■ interrupted", Role::NoticeWarning).into_row(width)),
        Progress::Complete => {}
    }
}

fn add_caret(rows: &mut Vec<Row>, width: usize) {
    match rows.last_mut() {
        Some(last) if crate::text::width(&last.text) < width => {
            let gutter = last.gutter;
            let join = last.join;
            *last = last.to_styled().with("▌", Role::UiAccent).into_row(width);
            last.gutter = gutter;
            last.join = join;
        }
        _ => rows.push(Styled::new("▌", Role::UiAccent).into_row(width)),
    }
}
