use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::canvas;
use super::hints::Hints;
use super::layout::Hit;
use super::list::{Line, List};
use super::over::Panel;
use crate::proto::{Queued, Share, SubmitMode, shell};
use crate::text;
use crate::ui::action::Action;
use crate::ui::composer::{Piece, Row as TextRow};
use crate::ui::state::{Pane, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Row, Styled};

const PROMPT: &str = "› ";

/// Waiting messages shown above the text.
const QUEUE_ROWS: usize = 3;

/// Rows of the completion list.
const POPUP_ROWS: usize = 8;

/// Where the composer and its text stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComposerBox {
    pub outline: Rect,
    /// The text without the prompt.
    pub text: Rect,
    pub rows: Vec<TextRow>,
    /// Messages that wait, above the text.
    pub queue: Vec<Row>,
    /// First row of the text that is in sight.
    pub first: usize,
    /// The caret's cell.
    pub caret: Position,
}

impl ComposerBox {
    /// Columns of the text at a screen width.
    fn columns(width: u16) -> u16 {
        width.saturating_sub(4 + text::width(PROMPT) as u16).max(1)
    }

    /// Rows the composer takes with its borders: it grows with its text up to a third of the screen.
    pub fn height(state: &State, area: Rect) -> u16 {
        let rows = state.composer.rows(Self::columns(area.width)).len() as u16;
        rows.clamp(1, (area.height / 3).saturating_sub(2).max(1)) + 2 + queue_rows(state, area) as u16
    }

    pub fn new(state: &mut State, outline: Rect, area: Rect) -> Self {
        let width = Self::columns(outline.width);
        let queue = queue(state, outline.width.saturating_sub(4) as usize, queue_rows(state, area));
        let above = queue.len() as u16;
        state.composer.width = width;
        let rows = state.composer.rows(width);
        let (row, column) = state.composer.caret_cell(width);
        let text = Rect {
            x: outline.x + 2 + text::width(PROMPT) as u16,
            y: outline.y + 1 + above,
            width,
            height: outline.height.saturating_sub(2 + above).max(1),
        };
        let shown = text.height as usize;
        let first = (row + 1).saturating_sub(shown);
        let caret =
            Position { x: text.x + (column as u16).min(width.saturating_sub(1)), y: text.y + (row - first) as u16 };
        Self { outline, text, rows, queue, first, caret }
    }

    pub fn hit(&self, at: Position) -> Hit {
        let row = self.first + at.y.saturating_sub(self.text.y) as usize;
        Hit::Composer { row, column: at.x.saturating_sub(self.text.x) as usize }
    }

    pub fn draw(&self, state: &State, hints: &Hints, buffer: &mut Buffer, theme: &Theme) {
        let inner = Rect { x: self.outline.x + 2, width: self.outline.width.saturating_sub(4), ..self.text };
        for (row, y) in self.queue.iter().zip(self.outline.y + 1..self.text.y) {
            canvas::put(buffer, inner.x, y, inner.width, row, theme);
        }
        let shell = shell::parse(state.composer.text());
        let prompt_role = match (state.focus, &shell) {
            (Pane::Composer, Some(_)) => Role::NoticeWarning,
            (Pane::Composer, None) => Role::ComposerPrompt,
            _ => Role::UiDim,
        };
        canvas::put_styled(buffer, inner.x, inner.y, inner.width, Styled::new(PROMPT, prompt_role), theme);
        if state.composer.is_empty() {
            self.draw_hint(state, hints, buffer, theme);
            return;
        }
        for (row, y) in self.rows.iter().skip(self.first).zip(self.text.top()..self.text.bottom()) {
            let mut line = Styled::default();
            for (piece, shown) in state.composer.pieces(*row) {
                let role = match piece {
                    Piece::Text => Role::ComposerText,
                    Piece::Chip => Role::ComposerChip,
                    Piece::Control => Role::NoticeWarning,
                };
                line.push(&shown, role);
            }
            canvas::put_styled(buffer, self.text.x, y, self.text.width, line, theme);
        }
        self.draw_marked(state, buffer, theme);
        if let Some((share, _)) = shell {
            self.draw_shell_words(state, share, buffer, theme);
        }
    }

    /// What is marked in visual mode.
    fn draw_marked(&self, state: &State, buffer: &mut Buffer, theme: &Theme) {
        let Some(range) = state.composer.marked() else { return };
        for (row, y) in self.rows.iter().skip(self.first).zip(self.text.top()..self.text.bottom()) {
            let Some(columns) = state.composer.columns_of(*row, &range) else { continue };
            let (from, to) = (columns.start as u16, columns.end as u16);
            let marked = Rect { x: self.text.x + from, y, width: to.saturating_sub(from), height: 1 };
            buffer.set_style(marked.intersection(self.text), theme.style(Role::UiSelection));
        }
    }

    /// Who reads what the shell prints, at the end of a row that has the room.
    fn draw_shell_words(&self, state: &State, share: Share, buffer: &mut Buffer, theme: &Theme) {
        let all = match share {
            Share::Model => {
                ["runs in the shell; the model reads the output with your next message", "shell, for the model too"]
            }
            Share::Person => ["runs in the shell; not for the model", "shell, for you alone"],
        };
        let Some(row) = self.rows.first().filter(|_| self.first == 0) else { return };
        let taken: usize = state.composer.pieces(*row).iter().map(|(_, shown)| text::width(shown)).sum();
        let room = usize::from(self.text.width).saturating_sub(taken + 3);
        if let Some(words) = all.into_iter().find(|words| text::width(words) <= room) {
            let columns = text::width(words) as u16;
            let x = self.text.right() - columns;
            canvas::put_styled(buffer, x, self.text.y, columns, Styled::new(words, Role::ComposerHint), theme);
        }
    }

    fn draw_hint(&self, state: &State, hints: &Hints, buffer: &mut Buffer, theme: &Theme) {
        let session = &state.snapshot.session;
        let words = if session.read_only.is_some() {
            "read only: /new begins a session of your own"
        } else if state.snapshot.run.busy() {
            "steer or queue a message"
        } else {
            "compose a message"
        };
        let at = canvas::put_styled(
            buffer,
            self.text.x,
            self.text.y,
            self.text.width,
            Styled::new(words, Role::ComposerHint),
            theme,
        );
        if !state.composing() {
            return;
        }
        let keys = key_words(state, hints);
        let columns = keys.width() as u16;
        let end = self.text.right();
        if end.saturating_sub(at) > columns + 3 {
            canvas::put_styled(buffer, end - columns, self.text.y, columns, keys, theme);
        }
    }
}

fn key_words(state: &State, hints: &Hints) -> Styled {
    let actions = [
        (Action::TakeTour, "take the tour"),
        (Action::Submit, "send"),
        (Action::Newline, "newline"),
        (Action::OpenEditor, "editor"),
    ];
    let mut line = hints.line(state, &actions);
    for (key, words) in [("@", "file"), ("/", "command"), ("!", "shell")] {
        line.push(" · ", Role::UiDim);
        line.push(key, Role::UiStatusKey);
        line.push(" ", Role::UiText);
        line.push(words, Role::UiStatus);
    }
    line
}

/// Few rows leave no room for what waits; the status line counts it anyway.
fn queue_rows(state: &State, area: Rect) -> usize {
    if area.height < 20 { 0 } else { waiting(state).count().min(QUEUE_ROWS) }
}

/// What waits, but for the message that is in the composer to be edited.
pub fn waiting(state: &State) -> impl Iterator<Item = &Queued> {
    let edited = state.composer.editing;
    state.snapshot.queue.iter().filter(move |queued| Some(queued.id) != edited)
}

/// The messages that wait and when they land, the last ones when there are many.
fn queue(state: &State, width: usize, rows: usize) -> Vec<Row> {
    let hidden = waiting(state).count().saturating_sub(rows);
    let row = |(index, queued): (usize, &Queued)| {
        let when = match queued.mode {
            SubmitMode::Steer => "next step  ",
            SubmitMode::Queue => "after this ",
        };
        let more = if index == 0 && hidden > 0 { format!("(+{hidden}) ") } else { String::new() };
        Styled::new("⋯ ", Role::UiAccent)
            .with(when, Role::UiDim)
            .with(&more, Role::UiDim)
            .with(&text::sanitize_line(&queued.text), Role::UserText)
            .into_row(width)
    };
    waiting(state).skip(hidden).enumerate().map(row).collect()
}

/// The completion list, above the word it completes.
pub fn popup(state: &State, composer: &ComposerBox, area: Rect) -> Option<Panel> {
    let open = state.composer.completion.as_ref().filter(|_| state.composing())?;
    let rows = open.candidates.len().min(POPUP_ROWS);
    let height = (rows as u16 + 2).min(composer.outline.y.saturating_sub(area.y));
    if height < 3 {
        return None;
    }
    let name = |index: usize| {
        open.candidates.get(index).map_or(0, |one| text::width(&one.label) + 1 + text::width(&one.detail))
    };
    let names = (0..open.candidates.len()).map(name).max().unwrap_or(0).min(44);
    let docs = open.candidates.iter().map(|one| text::width(&one.doc)).max().unwrap_or(0);
    let wanted = names + if docs > 0 { docs + 2 } else { 0 } + 4;
    let width = (wanted as u16).clamp(20, area.width.saturating_sub(2).max(20)).min(area.width);
    let outline = Rect { x: area.x, y: composer.outline.y + 1 - height, width, height };
    let inner = width.saturating_sub(4) as usize;
    let lines = open.candidates.iter().enumerate().map(|(index, one)| {
        let mut line = Styled::new(&text::sanitize_line(&one.label), Role::UiStatusKey);
        line.push(" ", Role::UiText);
        line.push(&text::sanitize_line(&one.detail), Role::UiDim);
        line.cut(names);
        if docs > 0 {
            line.pad_to(names + 2, Role::UiText);
            line.push(&text::sanitize_line(&one.doc), Role::UiDim);
        }
        Line::of(index, line.into_row(inner))
    });
    let list = List::window(lines.collect(), Some(open.selected), &mut 0, height - 2);
    Some(Panel::whole(outline, String::new(), Styled::default(), list))
}
