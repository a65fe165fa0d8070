//! A screen as text, with what each piece is coloured like.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Cache, draw, prepare};
use crate::ui::state::State;
use crate::ui::theme::{Depth, Role, Theme, load};

/// The theme snapshots are drawn with.
pub fn theme() -> Theme {
    load("dark", None, Depth::Full).theme.unwrap()
}

/// Draws the state at a size. Returns the buffer and the caret.
pub fn screen(state: &mut State, cache: &mut Cache, width: u16, height: u16) -> (Buffer, Option<(u16, u16)>) {
    state.size = (width, height);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = theme();
    let layout = prepare(state, cache, Rect::new(0, 0, width, height));
    terminal
        .draw(|frame| {
            draw(state, cache, &layout, &theme, frame);
        })
        .unwrap();
    let position = terminal.get_cursor_position().unwrap();
    // The backend has no word for a hidden cursor; the corner is never the caret's place.
    let caret = (position.x > 0 || position.y > 0).then_some((position.x, position.y));
    (terminal.backend().buffer().clone(), caret)
}

/// Rows that stand nowhere yet.
pub fn rows(rows: &[crate::ui::transcript::Row], width: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, rows.len() as u16));
    for (y, row) in rows.iter().enumerate() {
        super::canvas::put(&mut buffer, 0, y as u16, width, row, &theme());
    }
    styled(&buffer, None)
}

/// The characters, row by row, without the spaces at the end of a row.
pub fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = crate::text::width(symbol).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Characters, then for each row its pieces with the roles their style may come from.
pub fn styled(buffer: &Buffer, caret: Option<(u16, u16)>) -> String {
    let theme = theme();
    let mut out = text(buffer);
    out.push_str("── styles ──\n");
    for y in 0..buffer.area.height {
        let mut pieces: Vec<(String, String)> = Vec::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let cell = &buffer[(x, y)];
            skip = crate::text::width(cell.symbol()).saturating_sub(1);
            let name = name_of(cell.style(), &theme);
            match pieces.last_mut() {
                Some((last, run)) if *last == name => run.push_str(cell.symbol()),
                _ => pieces.push((name, cell.symbol().to_owned())),
            }
        }
        let shown: Vec<String> = pieces
            .iter()
            .filter(|(name, run)| !(run.trim().is_empty() || name == "ui" || name == "ui.border"))
            .map(|(name, run)| format!("{name}({})", run.trim()))
            .collect();
        if !shown.is_empty() {
            out.push_str(&format!("{y:>2} {}\n", shown.join(" ")));
        }
    }
    if let Some((x, y)) = caret {
        out.push_str(&format!("caret {x},{y}\n"));
    }
    out
}

/// The first role that looks so; several may look alike.
fn name_of(style: ratatui::style::Style, theme: &Theme) -> String {
    let plain = |style: ratatui::style::Style| {
        let ground = theme.style(Role::Ui);
        let foreground = style.fg.or(ground.fg);
        (foreground, style.bg.filter(|colour| format!("{colour:?}") != "Reset"), style.add_modifier)
    };
    let wanted = plain(style);
    let found = Role::ALL.iter().find(|role| plain(theme.style(**role)) == wanted);
    found.map_or_else(
        || {
            let base = Role::ALL.iter().find(|role| theme.style(**role).fg == wanted.0);
            let name = base.map_or("?", |role| role.name());
            let ground = if wanted.1.is_some() { "+ground" } else { "" };
            let mods = if wanted.2.is_empty() { String::new() } else { format!("+{:?}", wanted.2).to_lowercase() };
            format!("{name}{ground}{mods}")
        },
        |role| role.name().to_owned(),
    )
}
