use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::Frame;
use ratatui::layout::Rect;
use rustix::event::{PollFd, PollFlags, poll};

use super::links::{Linking, Links};

/// A frame appears at once or not at all. The cursor is hidden meanwhile for terminals that know no
/// synchronised updates.
const BEGIN: &[u8] = b"\x1b[?2026h\x1b[?25l";
const END: &[u8] = b"\x1b[?2026l";

/// Standard output without a buffer of its own: one write is one system call. Another program may
/// have made the shared descriptor non-blocking; then this waits as if it had not.
#[derive(Debug)]
pub struct Out(File);

impl Out {
    pub fn stdout() -> io::Result<Self> {
        Ok(Self(io::stdout().as_fd().try_clone_to_owned()?.into()))
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut polled = [PollFd::new(&self.0, PollFlags::OUT)];
                    let _ = poll(&mut polled, None)?;
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Columns and rows, asked of standard output: nothing is opened for it, because every frame asks.
pub fn terminal_size() -> io::Result<(u16, u16)> {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Ok((size.ws_col, size.ws_row)),
        _ => crossterm::terminal::size(),
    }
}

/// Pixels of a cell, where the terminal tells them.
pub fn cell_size() -> Option<(u32, u32)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let each = |pixels: u16, cells: u16| u32::from(pixels).checked_div(u32::from(cells)).filter(|pixels| *pixels > 0);
    Some((each(size.ws_xpixel, size.ws_col)?, each(size.ws_ypixel, size.ws_row)?))
}

/// Gathers the bytes of a frame.
#[derive(Debug, Clone, Default)]
struct Gather(Arc<Mutex<Vec<u8>>>);

impl Gather {
    fn with<T>(&self, change: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Gather {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|gathered| gathered.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    /// Written by [`Screen::draw`], in one piece.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Draws frames: only what differs from the last one, one write each.
pub struct Screen<W: Write> {
    terminal: ratatui::Terminal<Linking<Gather>>,
    gather: Gather,
    out: W,
    whole: bool,
    size: (u16, u16),
    links: Links,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, size: (u16, u16), links: Links) -> io::Result<Self> {
        let gather = Gather::default();
        let backend = Linking::new(gather.clone(), links.clone());
        let viewport = ratatui::Viewport::Fixed(area(size));
        let terminal = ratatui::Terminal::with_options(backend, ratatui::TerminalOptions { viewport })?;
        Ok(Self { terminal, gather, out, whole: true, size, links })
    }

    /// The next frame is drawn whole: at first, after a resize, when something else used the screen.
    pub fn invalidate(&mut self) {
        self.whole = true;
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        if self.size != size {
            self.size = size;
            self.whole = true;
        }
    }

    /// Bytes written for the frame.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<usize> {
        self.whole |= self.links.trim();
        self.gather.with(|bytes| {
            bytes.clear();
            bytes.extend_from_slice(BEGIN);
        });
        if std::mem::take(&mut self.whole) {
            self.gather.with(|bytes| bytes.extend_from_slice(b"\x1b[0m\x1b[2J"));
            self.terminal.resize(area(self.size))?;
        }
        self.terminal.draw(render)?;
        self.gather.with(|bytes| bytes.extend_from_slice(END));
        self.write()
    }

    /// Bytes that are no part of a frame: bells, copies, titles.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    fn write(&mut self) -> io::Result<usize> {
        let out = &mut self.out;
        self.gather.with(|bytes| {
            out.write_all(bytes)?;
            out.flush()?;
            Ok(bytes.len())
        })
    }
}

fn area((columns, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, columns, rows)
}
