use std::io::{Read as _, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A full-screen program in a terminal of its own.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
    _home: Option<tempfile::TempDir>,
}

/// A shell with job control, which says when its job stopped and takes it up again after an enter.
pub const SHELL: [&str; 4] =
    ["sh", "-c", "set -m; \"$@\"; echo the shell is back; read line; fg; echo the job is over", "sh"];

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    last: Instant,
}

fn some(cells: u16) -> NonZeroU16 {
    NonZeroU16::new(cells).unwrap()
}

/// Waits for a predicate; false when it never held.
pub fn until(within: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + within;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_micros(500));
    }
}

impl Pty {
    /// This test binary, playing a session.
    pub fn start(play: &str, columns: u16, rows: u16) -> Self {
        Self::start_with(play, columns, rows, &[])
    }

    /// The same under [`SHELL`].
    pub fn start_in_shell(play: &str, columns: u16, rows: u16) -> Self {
        Self::start_with(play, columns, rows, &SHELL)
    }

    fn start_with(play: &str, columns: u16, rows: u16, before: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let editor = home.path().join("editor.sh");
        std::fs::write(&editor, "#!/bin/sh\necho the editor speaks\nprintf '%s edited' \"$(cat \"$2\")\" > \"$2\"\n")
            .unwrap();
        let own = std::env::current_exe().unwrap().display().to_string();
        let words: Vec<&str> = before.iter().copied().chain([own.as_str()]).collect();
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.args(["workbench::child", "--exact", "--ignored", "--nocapture", "--test-threads=1", "--quiet"]);
        command.cwd(home.path());
        for (name, value) in [
            ("OCTOMIND_TEST_PLAY", play),
            ("TERM", "xterm-256color"),
            ("COLORTERM", "truecolor"),
            ("VISUAL", &format!("sh {} -w", editor.display())),
            ("OCTOMIND_TEST_HOME", &home.path().display().to_string()),
        ] {
            command.env(name, value);
        }
        for name in ["NO_COLOR", "TMUX", "DISPLAY", "WAYLAND_DISPLAY", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        // The shell of the script is asked with two arguments: -w and the file.
        let mut pty = Self::open(command, columns, rows);
        pty._home = Some(home);
        pty
    }

    /// Any program.
    pub fn open(command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let parser = vt100::Parser::new(some(rows), some(columns), 0);
        let seen = Arc::new(Mutex::new(Seen { parser, raw: Vec::new(), last: Instant::now() }));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&bytes[..read]);
                seen.raw.extend_from_slice(&bytes[..read]);
                seen.last = Instant::now();
            }
        });
        // The slave stays open with us, so that its settings can be read after the child is gone.
        std::mem::forget(pair.slave);
        Self { child, master: pair.master, writer, seen, _home: None }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).unwrap();
        self.writer.flush().unwrap();
    }

    pub fn screen(&self) -> vt100::Screen {
        self.seen.lock().unwrap().parser.screen().clone()
    }

    pub fn text(&self) -> String {
        self.screen().contents()
    }

    pub fn row(&self, row: u16) -> String {
        let screen = self.screen();
        let (_, columns) = screen.size();
        screen.rows(0, columns.get()).nth(usize::from(row)).unwrap_or_default()
    }

    /// The column where a character stands.
    pub fn column_of(&self, row: u16, wanted: &str) -> u16 {
        let screen = self.screen();
        let (_, columns) = screen.size();
        (0..columns.get())
            .find(|column| screen.cell(row, *column).is_some_and(|cell| cell.contents() == wanted))
            .unwrap_or_else(|| panic!("no {wanted} in {}", self.row(row)))
    }

    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().raw).into_owned()
    }

    pub fn quiet_for(&self, time: Duration) -> bool {
        self.seen.lock().unwrap().last.elapsed() > time
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.seen.lock().unwrap().parser.screen_mut().set_size(some(rows), some(columns));
        self.master.resize(size).unwrap();
    }

    pub fn wait_for(&self, text: &str) {
        self.wait(text, |pty| pty.text().contains(text));
    }

    pub fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        assert!(until(PATIENCE, || holds(self)), "never: {what}\n{}", self.text());
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.process_id().unwrap()).unwrap()).unwrap()
    }

    pub fn kill(&self, signal: Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    /// The exit code; `None` when it had to be killed.
    pub fn end(&mut self) -> Option<u32> {
        let ended = until(PATIENCE, || matches!(self.child.try_wait(), Ok(Some(_))));
        if !ended {
            let _ = self.child.kill();
            return None;
        }
        let _ = until(Duration::from_secs(2), || self.quiet_for(Duration::from_millis(50)));
        self.child.wait().ok().map(|status| status.exit_code())
    }

    /// The line settings, by their names.
    pub fn settings(&self) -> String {
        format!("{:?}", self.master.get_termios().unwrap().local_flags)
    }

    /// The modes are left and the line settings are a shell's.
    pub fn assert_restored(&self) {
        self.wait("the terminal is restored", |pty| {
            let screen = pty.screen();
            !screen.alternate_screen()
                && !screen.bracketed_paste()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        let settings = self.settings();
        assert!(settings.contains("ECHO") && settings.contains("ICANON"), "{settings}");
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
        }
    }
}
