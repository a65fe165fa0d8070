//! Painting: box outlines that join where they touch, and rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::text;
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::{Row, Styled};

const UP: u8 = 1;
const RIGHT: u8 = 2;
const DOWN: u8 = 4;
const LEFT: u8 = 8;
const FOCUS: u8 = 16;

/// Outlines of boxes. Edges that boxes share are drawn once, corners that meet become junctions.
pub struct Outlines {
    area: Rect,
    cells: Vec<u8>,
}

impl Outlines {
    pub fn new(area: Rect) -> Self {
        Self { area, cells: vec![0; area.width as usize * area.height as usize] }
    }

    fn mark(&mut self, x: u16, y: u16, bits: u8) {
        if x < self.area.x || y < self.area.y || x >= self.area.right() || y >= self.area.bottom() {
            return;
        }
        let at = (y - self.area.y) as usize * self.area.width as usize + (x - self.area.x) as usize;
        self.cells[at] |= bits;
    }

    pub fn add(&mut self, outline: Rect, focused: bool) {
        if outline.width < 2 || outline.height < 2 {
            return;
        }
        let (left, right) = (outline.x, outline.right() - 1);
        let (top, bottom) = (outline.y, outline.bottom() - 1);
        let focus = if focused { FOCUS } else { 0 };
        for x in left..=right {
            let sides = if x == left {
                RIGHT
            } else if x == right {
                LEFT
            } else {
                LEFT | RIGHT
            };
            self.mark(x, top, sides | focus);
            self.mark(x, bottom, sides | focus);
        }
        for y in top..=bottom {
            let sides = if y == top {
                DOWN
            } else if y == bottom {
                UP
            } else {
                UP | DOWN
            };
            self.mark(left, y, sides | focus);
            self.mark(right, y, sides | focus);
        }
    }

    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme) {
        let (plain, focus) = (theme.style(Role::UiBorder), theme.style(Role::UiBorderFocus));
        for (at, bits) in self.cells.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            let x = self.area.x + (at % self.area.width as usize) as u16;
            let y = self.area.y + (at / self.area.width as usize) as u16;
            let style = if bits & FOCUS != 0 { focus } else { plain };
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.set_symbol(line(bits & !FOCUS)).set_style(style);
            }
        }
    }
}

fn line(bits: u8) -> &'static str {
    const VERTICAL: u8 = UP | DOWN;
    const HORIZONTAL: u8 = LEFT | RIGHT;
    match bits {
        bits if bits & VERTICAL == 0 => "─",
        bits if bits & HORIZONTAL == 0 => "│",
        0b0110 => "┌",
        0b1100 => "┐",
        0b0011 => "└",
        0b1001 => "┘",
        0b0111 => "├",
        0b1101 => "┤",
        0b1110 => "┬",
        0b1011 => "┴",
        _ => "┼",
    }
}

/// Paints a row at a place, at most `width` columns. Returns the column after it.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, width: u16, row: &Row, theme: &Theme) -> u16 {
    put_pieces(buffer, (x, y), width, row.pieces().map(|(piece, tone)| (piece, tone.style(theme))))
}

/// Paints text that is not a row yet.
pub fn put_styled(buffer: &mut Buffer, x: u16, y: u16, width: u16, styled: Styled, theme: &Theme) -> u16 {
    put(buffer, x, y, width, &styled.into_row(width as usize), theme)
}

fn put_pieces<'a>(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    width: u16,
    pieces: impl Iterator<Item = (&'a str, Style)>,
) -> u16 {
    if y < buffer.area.y || y >= buffer.area.bottom() || x >= buffer.area.right() {
        return x;
    }
    let end = x.saturating_add(width).min(buffer.area.right());
    let mut at = x;
    for (piece, style) in pieces {
        if at >= end {
            break;
        }
        at = match piece.is_ascii() {
            true => put_ascii(buffer, (at, y), end, piece, style),
            false => buffer.set_stringn(at, y, piece, (end - at) as usize, style).0,
        };
    }
    at
}

/// What `set_stringn` does, for text where each byte is a cell: most of what is ever shown.
fn put_ascii(buffer: &mut Buffer, (x, y): (u16, u16), end: u16, piece: &str, style: Style) -> u16 {
    let mut at = x;
    for index in 0..piece.len() {
        let symbol = &piece[index..=index];
        if at >= end || symbol.as_bytes()[0].is_ascii_control() {
            continue;
        }
        if let Some(cell) = buffer.cell_mut((at, y)) {
            cell.set_symbol(symbol).set_style(style);
        }
        at += 1;
    }
    at
}

/// Lays the match style on every occurrence of `query` in a painted row.
pub fn mark_matches(buffer: &mut Buffer, x: u16, y: u16, width: u16, row: &Row, query: &str, style: Style) {
    for found in crate::ui::transcript::occurrences(&row.text, query) {
        let start = text::width(&row.text[..found.start]).min(width as usize) as u16;
        let columns = text::width(&row.text[found]).min((width - start) as usize) as u16;
        buffer.set_style(Rect::new(x + start, y, columns, 1), style);
    }
}

/// Empties an area, so that what lies over something shows nothing of it.
pub fn clear(buffer: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buffer.area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            if let Some(cell) = buffer.cell_mut((x, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }
    // Half of a wide character may stand left of the area; its other half is gone now.
    if area.width > 0 && area.x > buffer.area.x {
        for y in area.top()..area.bottom() {
            let before = (area.x - 1, y);
            if let Some(cell) = buffer.cell_mut(before)
                && text::width(cell.symbol()) > 1
            {
                cell.set_symbol(" ");
            }
        }
    }
}

/// A thumb on the right edge of a box, when there is more than is shown.
pub fn scrollbar(buffer: &mut Buffer, track: Rect, above: u64, total: u64, theme: &Theme) {
    let shown = u64::from(track.height);
    if total <= shown || track.height == 0 {
        return;
    }
    let length = (shown * shown / total).clamp(1, shown);
    let free = shown - length;
    let hidden = total - shown;
    let start = if above == 0 { 0 } else { (above.min(hidden) * free).div_ceil(hidden) };
    for row in 0..length {
        let y = track.y + (start + row) as u16;
        buffer.set_stringn(track.x, y, "┃", 1, theme.style(Role::UiScrollbar));
    }
}
