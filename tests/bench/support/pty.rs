//! Drives a full-screen program in a pseudo-terminal and reads its screen.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

pub struct Program {
    screen: Arc<Mutex<Screen>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

struct Screen {
    parser: vt100::Parser,
    bytes: u64,
    /// When the last bytes arrived.
    changed: Instant,
}

impl Program {
    pub fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let nonzero = |value: u16| std::num::NonZeroU16::new(value).expect("a screen has cells");
        let screen = Screen {
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            bytes: 0,
            changed: Instant::now(),
        };
        let screen = Arc::new(Mutex::new(screen));
        let shared = Arc::clone(&screen);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let Ok(mut screen) = shared.lock() else { return };
                screen.parser.process(&buffer[..count]);
                screen.bytes += count as u64;
                screen.changed = Instant::now();
            }
        });
        Self { screen, writer, child, _master: pair.master }
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the program reads keys");
        self.writer.flush().expect("the program reads keys");
    }

    pub fn text(&self) -> String {
        self.with(|parser| parser.screen().contents())
    }

    pub fn with<T>(&self, read: impl FnOnce(&vt100::Parser) -> T) -> T {
        read(&self.screen.lock().expect("the reader lives").parser)
    }

    /// Bytes the program has written so far.
    pub fn written(&self) -> u64 {
        self.screen.lock().expect("the reader lives").bytes
    }

    /// Waits until the screen fulfils the predicate; the time at which the bytes that did it arrived.
    pub fn wait(&self, what: &str, patience: Duration, holds: impl Fn(&str) -> bool) -> Instant {
        let begun = Instant::now();
        loop {
            let (text, changed) = {
                let screen = self.screen.lock().expect("the reader lives");
                (screen.parser.screen().contents(), screen.changed)
            };
            if holds(&text) {
                return changed;
            }
            assert!(begun.elapsed() < patience, "no {what} after {patience:?}; the screen:\n{text}");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    pub fn id(&self) -> u32 {
        self.child.process_id().expect("the program runs")
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
