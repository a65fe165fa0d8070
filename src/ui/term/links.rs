//! Links on the screen (OSC 8). The cells of a frame carry numbers, this table knows what they lead
//! to, and the backend puts the sequences around them when it writes what changed.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use crate::ui::theme::tag;

/// Addresses known at most. Then the table begins anew, and the frame is drawn whole.
const MOST: usize = 20_000;

/// Addresses by number, shared by who draws and who writes.
#[derive(Debug, Clone, Default)]
pub struct Links {
    known: Arc<Mutex<Known>>,
    host: Arc<str>,
}

#[derive(Debug, Default)]
struct Known {
    numbers: HashMap<Arc<str>, u32>,
    addresses: Vec<Arc<str>>,
}

impl Links {
    /// Files are named as those of this machine, so that a terminal elsewhere does not look at home.
    pub fn here() -> Self {
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
        let host = if name.chars().all(fits) { name.into() } else { Arc::default() };
        Self { host, ..Self::default() }
    }

    /// The name of the machine; empty when it has none that could stand in an address.
    pub fn host(&self) -> &str {
        &self.host
    }

    fn with<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of an address. `None` for one that a terminal must not be given.
    pub fn number(&self, address: &str) -> Option<u32> {
        // What is not visible ASCII could end the sequence or begin another.
        if address.is_empty() || !address.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        self.with(|known| {
            if let Some(number) = known.numbers.get(address) {
                return Some(*number);
            }
            let number = u32::try_from(known.addresses.len() + 1).ok().filter(|number| *number <= tag::MOST)?;
            let address: Arc<str> = address.into();
            known.addresses.push(Arc::clone(&address));
            known.numbers.insert(address, number);
            Some(number)
        })
    }

    fn address(&self, number: u32) -> Option<Arc<str>> {
        self.with(|known| known.addresses.get((number as usize).checked_sub(1)?).cloned())
    }

    fn is_empty(&self) -> bool {
        self.with(|known| known.addresses.is_empty())
    }

    /// Lets go of everything when there is too much of it; true when it did. Cells that carry a number
    /// must be drawn afresh then.
    pub fn trim(&self) -> bool {
        self.with(|known| {
            let full = known.addresses.len() > MOST;
            if full {
                *known = Known::default();
            }
            full
        })
    }
}

/// Writes cells, those that lead somewhere between the marks of a link.
#[derive(Debug)]
pub struct Linking<W: Write> {
    inner: CrosstermBackend<W>,
    links: Links,
}

impl<W: Write> Linking<W> {
    pub fn new(writer: W, links: Links) -> Self {
        Self { inner: CrosstermBackend::new(writer), links }
    }

    /// Cells of one row that carry the same number.
    fn run(&mut self, number: Option<u32>, cells: &[(u16, u16, &Cell)]) -> io::Result<()> {
        let Some((number, address)) = number.and_then(|number| Some((number, self.links.address(number)?))) else {
            return self.inner.draw(cells.iter().map(|(x, y, cell)| (*x, *y, *cell)));
        };
        // The same number on every row: a link that was wrapped is one.
        write!(self.inner, "\x1b]8;id=o{number};{address}\x1b\\")?;
        let bare: Vec<(u16, u16, Cell)> = cells.iter().map(|(x, y, cell)| (*x, *y, tag::bare(cell))).collect();
        self.inner.draw(bare.iter().map(|(x, y, cell)| (*x, *y, cell)))?;
        self.inner.write_all(b"\x1b]8;;\x1b\\")
    }
}

impl<W: Write> Backend for Linking<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        if self.links.is_empty() {
            return self.inner.draw(content);
        }
        let mut run: Vec<(u16, u16, &Cell)> = Vec::new();
        let mut here = (None, 0);
        for (x, y, cell) in content {
            let next = (tag::of(cell), y);
            if next != here && !run.is_empty() {
                self.run(here.0, &run)?;
                run.clear();
            }
            here = next;
            run.push((x, y, cell));
        }
        self.run(here.0, &run)
    }

    fn append_lines(&mut self, lines: u16) -> io::Result<()> {
        self.inner.append_lines(lines)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    use super::*;

    fn written(links: &Links, buffer: &Buffer) -> String {
        let mut bytes = Vec::new();
        let before = Buffer::empty(buffer.area);
        Linking::new(&mut bytes, links.clone()).draw(before.diff(buffer).into_iter()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn lay(buffer: &mut Buffer, y: u16, words: &str, number: u32) {
        buffer.set_string(0, y, words, ratatui::style::Style::default());
        for x in 0..words.len() as u16 {
            tag::put(&mut buffer[(x, y)], number);
        }
    }

    #[test]
    fn rows_of_one_link_carry_one_id_and_every_link_is_closed() {
        let links = Links::default();
        let number = links.number("https://a.example/long").unwrap();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
        lay(&mut buffer, 0, "https://a.ex", number);
        lay(&mut buffer, 1, "ample/long", number);
        buffer.set_string(0, 2, "plain", ratatui::style::Style::default());
        let text = written(&links, &buffer);
        let open = "\x1b]8;id=o1;https://a.example/long\x1b\\";
        assert_eq!(text.matches(open).count(), 2, "{text:?}");
        assert_eq!(text.matches(open).count(), text.matches("\x1b]8;;\x1b\\").count(), "{text:?}");
        let after = text.rfind("\x1b]8;;\x1b\\").unwrap();
        assert!(text[after..].contains("plain") && !text.contains("58;2;"), "{text:?}");
    }

    #[test]
    fn nothing_that_could_end_the_sequence_is_an_address() {
        let links = Links::default();
        for address in ["", "a b", "https://a\x1b\\x", "https://a\x07", "https://ä.example", "x\u{9c}"] {
            assert_eq!(links.number(address), None, "{address:?}");
        }
        assert!(links.is_empty());
    }

    #[test]
    fn without_links_nothing_is_added() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        buffer.set_string(0, 0, "plain", ratatui::style::Style::default());
        assert!(!written(&Links::default(), &buffer).contains("\x1b]8"));
    }

    #[test]
    fn a_full_table_begins_anew() {
        let links = Links::default();
        for number in 0..=MOST {
            links.number(&format!("https://a.example/{number}"));
        }
        assert!(links.trim() && !links.trim());
        assert_eq!(links.number("https://b.example"), Some(1));
    }
}
