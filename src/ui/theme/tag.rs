//! A number that a cell carries beside its looks, in the one colour that no theme sets.

use ratatui::buffer::Cell;
use ratatui::style::Color;

/// Numbers that fit, from 1.
pub const MOST: u32 = 0x00ff_ffff;

/// Has the cell carry a number.
pub fn put(cell: &mut Cell, number: u32) {
    let [_, red, green, blue] = number.min(MOST).to_be_bytes();
    cell.underline_color = Color::Rgb(red, green, blue);
}

/// The number that a cell carries.
pub fn of(cell: &Cell) -> Option<u32> {
    match cell.underline_color {
        Color::Rgb(red, green, blue) => Some(u32::from_be_bytes([0, red, green, blue])),
        _ => None,
    }
}

/// The cell as it looks.
pub fn bare(cell: &Cell) -> Cell {
    let mut bare = cell.clone();
    bare.underline_color = Color::Reset;
    bare
}
