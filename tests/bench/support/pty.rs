//! Drives a full-screen program in a pseudo-terminal and reads its screen.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// What ends a frame: the end of a synchronised update.
const FRAME_END: &[u8] = b"\x1b[?2026l";

pub struct Program {
    screen: Arc<Mutex<Screen>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

type Predicate = Box<dyn Fn(&vt100::Screen, u64) -> bool + Send>;

/// Waits on the reading thread, so that the time is that of the bytes and not of a later look.
struct Watch {
    holds: Predicate,
    tell: mpsc::Sender<Instant>,
}

struct Screen {
    parser: vt100::Parser,
    bytes: u64,
    frames: u64,
    /// Bytes of [`FRAME_END`] seen at the end of the last read.
    matched: usize,
    /// When the last bytes arrived.
    changed: Instant,
    watch: Option<Watch>,
}

impl Screen {
    fn take(&mut self, bytes: &[u8], at: Instant) {
        self.parser.process(bytes);
        self.bytes += bytes.len() as u64;
        for byte in bytes {
            self.matched = match *byte {
                byte if byte == FRAME_END[self.matched] => self.matched + 1,
                byte => usize::from(byte == FRAME_END[0]),
            };
            if self.matched == FRAME_END.len() {
                self.frames += 1;
                self.matched = 0;
            }
        }
        self.changed = at;
        self.look(at);
    }

    fn look(&mut self, at: Instant) {
        if let Some(watch) = &self.watch
            && (watch.holds)(self.parser.screen(), self.frames)
        {
            let _ = watch.tell.send(at);
            self.watch = None;
        }
    }
}

impl Program {
    pub fn start(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let nonzero = |value: u16| std::num::NonZeroU16::new(value).expect("a screen has cells");
        let screen = Screen {
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            bytes: 0,
            frames: 0,
            matched: 0,
            changed: Instant::now(),
            watch: None,
        };
        let screen = Arc::new(Mutex::new(screen));
        let shared = Arc::clone(&screen);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let at = Instant::now();
                let Ok(mut screen) = shared.lock() else { return };
                screen.take(&buffer[..count], at);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        Self { screen, writer, child, _master: pair.master }
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the program reads keys");
        self.writer.flush().expect("the program reads keys");
    }

    /// Sends keys; how long it took until bytes arrived after which the screen and the number of
    /// frames fulfil the predicate.
    pub fn answer(
        &mut self,
        keys: &str,
        holds: impl Fn(&vt100::Screen, u64) -> bool + Send + 'static,
    ) -> Option<Duration> {
        let told = self.watch(holds);
        let begun = Instant::now();
        self.send(keys);
        let at = told.recv_timeout(Duration::from_secs(10)).ok()?;
        Some(at.saturating_duration_since(begun))
    }

    /// Tells when bytes arrived that made the predicate true; at once if it is.
    pub fn watch(&self, holds: impl Fn(&vt100::Screen, u64) -> bool + Send + 'static) -> mpsc::Receiver<Instant> {
        let (tell, told) = mpsc::channel();
        let mut screen = self.screen.lock().expect("the reader lives");
        screen.watch = Some(Watch { holds: Box::new(holds), tell });
        let changed = screen.changed;
        screen.look(changed);
        told
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

    /// Frames the program has drawn so far.
    pub fn frames(&self) -> u64 {
        self.screen.lock().expect("the reader lives").frames
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

    /// Waits until nothing was written for so long.
    pub fn quiet(&self, pause: Duration) {
        loop {
            let since = self.screen.lock().expect("the reader lives").changed.elapsed();
            if since >= pause {
                return;
            }
            std::thread::sleep(pause - since);
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
