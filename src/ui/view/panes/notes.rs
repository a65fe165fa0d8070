use crate::proto::{Level, Note};
use crate::text;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// The notes, newest last, wrapped beside when, how loud, who, what.
pub fn lines(state: &State, width: usize) -> Vec<Line> {
    let notes = &state.snapshot.notes;
    if notes.is_empty() {
        return vec![Line::plain(Styled::new("nothing to note yet", Role::UiDim).into_row(width))];
    }
    let turns = notes.iter().map(|note| turn(note).len()).max().unwrap_or(0);
    let sources = notes.iter().map(|note| text::width(&note.source)).max().unwrap_or(0).min(12);
    notes
        .iter()
        .enumerate()
        .flat_map(|(index, note)| row(note, turns, sources, width).into_iter().map(move |row| Line::of(index, row)))
        .collect()
}

fn turn(note: &Note) -> String {
    format!("t{}", note.turn.0)
}

fn row(note: &Note, turns: usize, sources: usize, width: usize) -> Vec<Row> {
    let (mark, role) = match note.level {
        Level::Info => (" ", Role::NoticeInfo),
        Level::Warning => ("!", Role::NoticeWarning),
        Level::Error => ("✘", Role::NoticeError),
    };
    let mut row = Styled::new(&turn(note), Role::UiDim);
    row.pad_to(turns + 1, Role::UiDim);
    row.push(mark, role);
    row.push(" ", Role::UiText);
    let mut source = Styled::new(&text::sanitize_line(&note.source), role);
    source.cut(sources);
    source.pad_to(sources + 2, role);
    row.append(&source);
    let rest = Styled::new(&" ".repeat(row.width()), Role::UiText);
    Styled::new(&text::sanitize_line(&note.text), Role::UiText).rows(width, Break::Words, &row, &rest)
}
