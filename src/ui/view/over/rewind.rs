//! Prompts to go back to, and what that would change.

use ratatui::layout::Rect;

use super::picker::Place;
use super::{Panel, Side};
use crate::proto::{ByHand, FileFate, FilePreview, RewindPreview, RewindTo, RewindWhat, counted};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{RewindRow, State, Table};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, diff};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Lines of one file's diff that are shown.
const DIFF: usize = 40;

const BOTH: (Action, &str) = (Action::Accept, "both");
const CONVERSATION: (Action, &str) = (Action::RewindConversation, "conversation");
const FILES: (Action, &str) = (Action::RewindFiles, "files");
const BY_HAND: (Action, &str) = (Action::RewindByHand, "by hand too");
const CLOSE: (Action, &str) = (Action::Close, "close");

pub fn keys(state: &State) -> &'static [(Action, &'static str)] {
    let by_hand = |file: &FilePreview| matches!(file.fate, FileFate::ByHand { .. });
    match state.rewind_preview() {
        Some(preview) if preview.refused.is_some() => &[CLOSE],
        Some(preview) if preview.to == RewindTo::Before => &[(Action::Accept, "undo the rewind"), CLOSE],
        Some(preview) if preview.files.iter().any(by_hand) => &[BOTH, CONVERSATION, FILES, BY_HAND, CLOSE],
        Some(_) => &[BOTH, CONVERSATION, FILES, CLOSE],
        None => &[CLOSE],
    }
}

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let rows = state.rewind_rows();
    let place = placed(area, rows.len());
    table.selected = table.selected.min(rows.len().saturating_sub(1));
    let width = place.columns();
    let items: Vec<Option<usize>> = (0..rows.len()).map(Some).collect();
    let marked = (!rows.is_empty()).then_some(table.selected);
    let room = place.part.height.saturating_sub(2);
    // Where nothing stands beside the list, what it would change stands below it.
    let below = if place.side.is_none() { preview(state, width, Room::Little) } else { Vec::new() };
    let few = if below.is_empty() { room } else { room.div_ceil(3).min(rows.len().max(1) as u16) };
    let mut list = List::made(&items, marked, &mut table.offset, few, |at| {
        rows.get(at).map(|row| Line::of(at, line(state, row, width)))
    });
    if rows.is_empty() {
        let words = "there is no prompt to go back to yet";
        list.lines.push(Line::plain(Styled::new(words, Role::UiDim).into_row(width)));
    }
    if !below.is_empty() {
        let rest = usize::from(room.saturating_sub(few + 1));
        list.lines.push(Line::plain(Row::blank()));
        list.lines.extend(below.into_iter().filter(|row| !row.content().trim().is_empty()).take(rest).map(Line::plain));
    }
    let side = place.side.map(|outline| {
        let width = usize::from(outline.width.saturating_sub(4));
        let room = if outline.x > place.outline.x { Room::Enough } else { Room::Little };
        Side::new(outline, preview(state, width, room))
    });
    let foot = hints.fitting(state, keys(state), usize::from(place.outline.width.saturating_sub(6)));
    let title = format!("Rewind · {}", counted(state.snapshot.rewind.prompts().count(), "prompt"));
    Panel { outline: place.outline, side, title, foot, list, caret: None }
}

/// Below the list there is more to tell than in it.
fn placed(area: Rect, rows: usize) -> Place {
    let place = Place::shared(area);
    place.with_upper(rows, (place.outline.height / 2).max(4))
}

/// Whether the prompt is told once more, and what belongs together is set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Enough,
    Little,
}

fn line(state: &State, row: &RewindRow, width: usize) -> Row {
    let (mark, words, at) = match row {
        RewindRow::Before(before) => ("↷ ", format!("before the last rewind ({})", before.what.word()), before.at),
        RewindRow::Prompt(point) => {
            let first = point.prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            ("", text::sanitize_line(first).into_owned(), point.at)
        }
    };
    let number = match row {
        RewindRow::Before(_) => mark.to_owned(),
        RewindRow::Prompt(point) => format!("t{}", point.turn.0),
    };
    let mut line = Styled::new(&format!("{number:<5}"), Role::UiDim);
    let ago = human::ago(state.now.saturating_sub(at));
    let room = width.saturating_sub(text::width(&ago) + 7);
    let mut words = Styled::new(&words, Role::UiText);
    words.cut(room);
    words.pad_to(room + 2, Role::UiText);
    line.append(&words);
    line.with(&ago, Role::UiDim).into_row(width)
}

/// What going back to the marked row would change.
fn preview(state: &State, width: usize, room: Room) -> Vec<Row> {
    let none = Styled::default();
    let say = |words: &str, role: Role| Styled::new(words, role).rows(width, Break::Words, &none, &none);
    let Some(marked) = state.rewind_marked() else { return Vec::new() };
    let Some(preview) = state.rewind_preview() else { return say("looking at the files…", Role::UiDim) };
    if let Some(why) = &preview.refused {
        return say(&format!("The session does not go back: {why}."), Role::NoticeWarning);
    }
    let mut rows = Vec::new();
    if let (RewindTo::Turn(turn), Room::Enough) = (marked, room) {
        let prompt = state.snapshot.rewind.prompts().find(|point| point.turn == turn);
        let words = prompt.map(|point| text::sanitize(&point.prompt).into_owned()).unwrap_or_default();
        rows.extend(say(&words, Role::UiStrong).into_iter().take(6));
        rows.push(Row::blank());
    }
    rows.extend(say(&conversation(state, preview), Role::UiText));
    if room == Room::Enough {
        rows.push(Row::blank());
    }
    if preview.files.is_empty() {
        rows.extend(say("No file would change.", Role::UiDim));
    }
    for file in &preview.files {
        rows.extend(file_rows(file, state.rewinding.by_hand, width));
    }
    if !preview.uncovered.is_empty() {
        let words = format!("Not covered: {}", preview.uncovered.join(" · "));
        rows.extend(say(&text::sanitize_line(&words), Role::UiDim));
    }
    for file in preview.files.iter().filter(|file| !file.diff.is_empty()) {
        rows.push(Row::blank());
        rows.extend(say(&text::sanitize_line(&file.path), Role::UiTitle));
        rows.extend(file.diff.lines().take(DIFF).map(|line| {
            let line = diff::classify(line);
            Styled::new(&text::sanitize_line(&line.text), line.role()).into_row(width)
        }));
    }
    rows
}

fn conversation(state: &State, preview: &RewindPreview) -> String {
    let messages = counted(preview.messages, "message");
    let what = state.snapshot.rewind.before.as_ref().map(|before| before.what);
    match (preview.to, what) {
        (RewindTo::Before, Some(RewindWhat::Files)) => "The conversation stays as it is.".to_owned(),
        (RewindTo::Before, _) => format!("Conversation: {messages} come back; what was said since is set aside."),
        (RewindTo::Turn(_), _) => format!("Conversation: {messages} dropped. A rewind can be undone."),
    }
}

/// `restored  src/main.rs  +3 −1`, and why not where it is not.
fn file_rows(file: &FilePreview, by_hand: ByHand, width: usize) -> Vec<Row> {
    let (word, role, why) = match &file.fate {
        FileFate::Changed => ("restored", Role::UiText, None),
        FileFate::Created => ("back", Role::UiText, None),
        FileFate::Deleted => ("removed", Role::UiText, None),
        FileFate::ByHand { why } if by_hand == ByHand::Leave => ("left", Role::NoticeWarning, Some(why)),
        FileFate::ByHand { why } => ("replaced", Role::NoticeWarning, Some(why)),
        FileFate::Stays { why } => ("left", Role::NoticeWarning, Some(why)),
    };
    let mut line = Styled::new(&format!("{word:<9} "), role).with(&text::sanitize_line(&file.path), Role::ToolName);
    if file.added + file.removed > 0 {
        line.push(&format!("  +{}", file.added), Role::DiffPlus);
        line.push(&format!(" −{}", file.removed), Role::DiffMinus);
    }
    let rest = Styled::new(&" ".repeat(10), Role::UiText);
    let mut rows = line.rows(width, Break::Words, &Styled::default(), &rest);
    if let Some(why) = why {
        rows.extend(Styled::new(&text::sanitize_line(why), Role::UiDim).rows(width, Break::Words, &rest, &rest));
    }
    rows
}
