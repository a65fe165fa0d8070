use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation as _;

use super::reader::field;
use super::{Panel, approval, centred};
use crate::proto::{AskKind, Runnable};
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, cell};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// The question in focus. Shows exactly what an answer is about.
pub fn panel(state: &mut State, hints: &Hints, area: Rect) -> Option<Panel> {
    let mut question = state.question.clone()?;
    let ask = state.snapshot.asks.iter().map(|(ask, _)| ask).find(|ask| ask.id == question.ask)?.clone();
    if let AskKind::Approval(request) = &ask.kind {
        let panel = approval::panel(state, hints, request, &mut question.offset, area);
        state.question = Some(question);
        return Some(panel);
    }
    let wide = if matches!(ask.kind, AskKind::Trust { .. }) { 100 } else { 64 };
    let columns = area.width.saturating_sub(2).min(wide);
    let width = columns.saturating_sub(4) as usize;
    let mut rows = head(&ask.kind, width);
    let mut fixed = rows.len();
    let mut caret_column = None;
    match &ask.kind {
        AskKind::Trust { items, .. } => {
            rows.push(Row::blank());
            fixed += 1;
            rows.extend(items.iter().flat_map(|item| runnable(item, width)));
        }
        AskKind::Secret { .. } => {
            // What is typed stays in sight, however little room there is.
            let room = area.height.saturating_sub(4).max(2) as usize;
            rows.truncate(room - 1);
            if rows.len() + 2 <= room {
                rows.push(Row::blank());
            }
            let (row, column) = masked(&question.text, width);
            caret_column = Some(column);
            rows.push(row);
            fixed = rows.len();
        }
        AskKind::Spending { .. } | AskKind::RetryCutStream { .. } | AskKind::Unheld { .. } | AskKind::Approval(_) => {}
        // What failed may have said much: all of it can be scrolled.
        AskKind::OtherProvider { .. } => fixed = 0,
    }
    let outline = centred(area, columns, rows.len() as u16 + 2);
    let (title, foot) = words(state, hints, &ask.kind);
    let head: Vec<Line> = rows.drain(..fixed.min(rows.len())).map(Line::plain).collect();
    let room = outline.height.saturating_sub(2 + head.len() as u16);
    let body = rows.into_iter().map(Line::plain).collect();
    let mut list = List::window(body, None, &mut question.offset, room);
    list.lines.splice(0..0, head);
    list.total += fixed;
    let caret = caret_column.map(|column| Position {
        x: outline.x + 2 + column as u16,
        y: (outline.y + fixed as u16).min(outline.bottom().saturating_sub(2)),
    });
    state.question = Some(question);
    Some(Panel { caret, ..Panel::whole(outline, title.to_owned(), foot, list) })
}

/// What is asked. Facts that one compares stand under each other.
fn head(kind: &AskKind, width: usize) -> Vec<Row> {
    let none = Styled::default();
    let prose = |words: &str, role: Role| Styled::new(words, role).rows(width, Break::Words, &none, &none);
    let clean = |words: &str| text::sanitize_line(words).into_owned();
    match kind {
        AskKind::Secret { key, wanted_by, kept_in } => {
            let mut rows = prose(&clean(key), Role::UiStrong);
            field(&mut rows, "wanted by", &clean(wanted_by), Role::UiText, width);
            field(&mut rows, "kept in", &format!("{}, mode 0600", clean(kept_in)), Role::UiText, width);
            field(&mut rows, "shown", "nowhere", Role::UiDim, width);
            rows
        }
        AskKind::OtherProvider { capability, failed, reason, offered, offered_by } => {
            let mut rows = prose(&format!("{} could not be prepared", clean(capability)), Role::UiStrong);
            field(&mut rows, "failed", &clean(failed), Role::NoticeError, width);
            field(&mut rows, "why", reason, Role::UiText, width);
            rows.push(Row::blank());
            let from = format!("{} of {}", clean(offered), clean(offered_by));
            field(&mut rows, "instead", &from, Role::ToolOk, width);
            field(&mut rows, "", "does the same without that; the choice is kept", Role::UiDim, width);
            rows
        }
        AskKind::Trust { .. }
        | AskKind::Spending { .. }
        | AskKind::RetryCutStream { .. }
        | AskKind::Unheld { .. }
        | AskKind::Approval(_) => prose(&cell::question(kind), Role::UiStrong),
    }
}

/// What was typed as dots, with its length; and the caret's column.
fn masked(typed: &str, width: usize) -> (Row, usize) {
    let count = typed.graphemes(true).count();
    let words = match count {
        0 => "type or paste it".to_owned(),
        1 => "1 character".to_owned(),
        many => format!("{many} characters"),
    };
    let dots = "•".repeat(count.min(width.saturating_sub(text::width(&words) + 5)));
    let mut line = Styled::new("› ", Role::ComposerPrompt).with(&dots, Role::ComposerText);
    let column = line.width();
    line.push(if count == 0 { "" } else { "  " }, Role::UiText);
    (line.with(&words, Role::ComposerHint).into_row(width), column)
}

fn words(state: &State, hints: &Hints, kind: &AskKind) -> (&'static str, crate::ui::transcript::Styled) {
    let yes_no = |yes: &'static str, no: &'static str| {
        hints.line(state, &[(Action::AnswerYes, yes), (Action::AnswerNo, no), (Action::Close, "decide later")])
    };
    match kind {
        AskKind::Trust { .. } => ("Trust", yes_no("trust and run", "do not run")),
        AskKind::Approval(_) => ("Approval", yes_no("once", "no")),
        AskKind::Spending { .. } => ("Spending", yes_no("go on", "stop here")),
        AskKind::OtherProvider { .. } => ("Another provider", yes_no("use it from now on", "go without")),
        AskKind::Unheld { .. } => ("No sandbox", yes_no("go on without", "start nothing")),
        AskKind::RetryCutStream { .. } => ("Broken reply", yes_no("ask again", "keep what came")),
        AskKind::Secret { .. } => {
            let keys =
                [(Action::AnswerText, "save"), (Action::AnswerNo, "go without"), (Action::Close, "decide later")];
            ("Secret", hints.line(state, &keys))
        }
    }
}

/// One file as it would run; what would be invisible is spelt out.
fn runnable(item: &Runnable, width: usize) -> Vec<Row> {
    let mut rows = vec![Styled::new(&text::reveal(&item.path), Role::ToolName).into_row(width)];
    let bar = Styled::new("│ ", Role::UiDim);
    let content = text::reveal(item.content.trim_end_matches('\n'));
    rows.extend(Styled::new(&content, Role::CodeText).rows(width, Break::Anywhere, &bar, &bar));
    rows.push(Row::blank());
    rows
}
