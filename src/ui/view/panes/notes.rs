use crate::proto::{Decision, Level, Note};
use crate::text;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::cell::supervisor;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// Columns below which a note's words do not keep clear of its source.
const NARROW: usize = 40;

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
        .flat_map(|(index, note)| {
            row(state, note, turns, sources, width).into_iter().map(move |row| Line::of(index, row))
        })
        .collect()
}

fn turn(note: &Note) -> String {
    format!("t{}", note.turn.0)
}

fn row(state: &State, note: &Note, turns: usize, sources: usize, width: usize) -> Vec<Row> {
    let (mark, role) = match note.level {
        Level::Info => (" ", Role::NoticeInfo),
        Level::Warning => ("!", Role::NoticeWarning),
        Level::Error => ("✘", Role::NoticeError),
    };
    let record = state.snapshot.supervisor_record(note.seq).map(|record| &record.decision);
    let own = record.and_then(supervisor::head);
    let (mark, sign) = own.as_ref().and_then(|head| head.mark).unwrap_or((mark, role));
    let mut row = Styled::new(&turn(note), Role::UiDim);
    row.pad_to(turns + 1, Role::UiDim);
    row.push(mark, sign);
    row.push(" ", Role::UiText);
    let mut source = Styled::new(&text::sanitize_line(&note.source), role);
    // In a narrow column the words go on below who speaks.
    let below = row.width();
    source.cut(sources);
    source.pad_to(if width < NARROW { 0 } else { sources + 2 }, role);
    row.append(&source);
    if width < NARROW {
        row.push("  ", role);
    }
    let indent = if width < NARROW { below } else { row.width() };
    let rest = Styled::new(&" ".repeat(indent), Role::UiText);
    if let Some(head) = own {
        // Every reply has a status: it must not drown the others.
        if matches!(record, Some(Decision::Reported(_))) {
            return vec![row.with(&head.words.text, Role::UiDim).into_row(width)];
        }
        return head.words.rows(width, Break::Words, &row, &rest);
    }
    // What has more lines is opened to read them.
    let (first, more) = note.text.split_once('\n').unwrap_or((&note.text, ""));
    let more = if more.trim().is_empty() { "" } else { " …" };
    Styled::new(&text::sanitize_line(first), Role::UiText).with(more, Role::UiDim).rows(
        width,
        Break::Words,
        &row,
        &rest,
    )
}
