use ratatui::layout::{Position, Rect};

use super::{Panel, centred};
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
    let (ask, _) = state.snapshot.asks.iter().find(|(ask, _)| ask.id == question.ask)?;
    let wide = if matches!(ask.kind, AskKind::Trust { .. }) { 100 } else { 64 };
    let columns = area.width.saturating_sub(2).min(wide);
    let width = columns.saturating_sub(4) as usize;
    let head = Styled::new(&cell::question(&ask.kind), Role::UiStrong);
    let mut rows = head.rows(width, Break::Words, &Styled::default(), &Styled::default());
    let mut fixed = rows.len();
    let mut caret_column = None;
    match &ask.kind {
        AskKind::Trust { items, .. } => {
            rows.push(Row::blank());
            fixed += 1;
            rows.extend(items.iter().flat_map(|item| runnable(item, width)));
        }
        AskKind::Secret { .. } => {
            rows.push(Styled::new("kept for you alone, shown nowhere", Role::UiDim).into_row(width));
            rows.push(Row::blank());
            let dots = "•".repeat(question.text.chars().count().min(width.saturating_sub(4)));
            caret_column = Some(2 + text::width(&dots));
            rows.push(Styled::new("› ", Role::ComposerPrompt).with(&dots, Role::ComposerText).into_row(width));
            fixed = rows.len();
        }
        AskKind::Spending { .. } | AskKind::RetryCutStream { .. } => {}
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
    Some(Panel { outline, title: title.to_owned(), foot, list, caret })
}

fn words(state: &State, hints: &Hints, kind: &AskKind) -> (&'static str, crate::ui::transcript::Styled) {
    let yes_no = |yes: &'static str, no: &'static str| {
        hints.line(state, &[(Action::AnswerYes, yes), (Action::AnswerNo, no), (Action::Close, "decide later")])
    };
    match kind {
        AskKind::Trust { .. } => ("Trust", yes_no("trust and run", "do not run")),
        AskKind::Spending { .. } => ("Spending", yes_no("go on", "stop here")),
        AskKind::RetryCutStream { .. } => ("Broken reply", yes_no("ask again", "keep what came")),
        AskKind::Secret { .. } => {
            ("Secret", hints.line(state, &[(Action::AnswerText, "save"), (Action::Close, "decide later")]))
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
