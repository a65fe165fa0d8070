use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// Modes that differ from run to run; the others are always entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    pub mouse: bool,
    /// The kitty protocol's flags are pushed.
    pub kitty: bool,
    /// xterm's way to tell modified keys apart, which tmux speaks.
    pub modify_other_keys: bool,
}

/// Alternate screen, bracketed paste, focus events, word of dark and light.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?2031h";
/// Ends a frame that a panic cut short, then the reverse of [`ENTER`], a plain style, a shown cursor.
const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?1049l\x1b[?25h";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Disambiguate escape codes; nothing more, so that text stays text.
const KITTY_ON: &str = "\x1b[>1u";
const KITTY_OFF: &str = "\x1b[<u";
const OTHER_KEYS_ON: &str = "\x1b[>4;1m";
const OTHER_KEYS_OFF: &str = "\x1b[>4m";

impl Modes {
    pub fn enter(self) -> String {
        let mut bytes = ENTER.to_owned();
        for (on, text) in [(self.mouse, MOUSE_ON), (self.kitty, KITTY_ON), (self.modify_other_keys, OTHER_KEYS_ON)] {
            if on {
                bytes.push_str(text);
            }
        }
        bytes
    }

    /// The kitty flags belong to the alternate screen, so they are popped before it is left.
    pub fn leave(self) -> String {
        let mut bytes = String::new();
        for (on, text) in [(self.modify_other_keys, OTHER_KEYS_OFF), (self.kitty, KITTY_OFF), (self.mouse, MOUSE_OFF)] {
            if on {
                bytes.push_str(text);
            }
        }
        bytes + LEAVE
    }

    /// What changes from one set of modes to another while both are in use.
    pub fn change(self, to: Self) -> String {
        let mut bytes = String::new();
        for (was, is, on, off) in [
            (self.mouse, to.mouse, MOUSE_ON, MOUSE_OFF),
            (self.kitty, to.kitty, KITTY_ON, KITTY_OFF),
            (self.modify_other_keys, to.modify_other_keys, OTHER_KEYS_ON, OTHER_KEYS_OFF),
        ] {
            if was != is {
                bytes.push_str(if is { on } else { off });
            }
        }
        bytes
    }
}

/// What must be undone, for the panic hook as well as for the guard.
#[derive(Debug, Default)]
struct Entered {
    modes: Option<Modes>,
    owner: Option<ThreadId>,
    /// Panics of other threads, to be told once the screen is ours no more.
    elsewhere: Vec<String>,
}

/// Wakes the loop when another thread panicked.
static PANICKED: tokio::sync::Notify = tokio::sync::Notify::const_new();

static ENTERED: Mutex<Entered> = Mutex::new(Entered { modes: None, owner: None, elsewhere: Vec::new() });

fn entered() -> MutexGuard<'static, Entered> {
    ENTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds the terminal in its workbench modes; gives it back when dropped.
#[derive(Debug)]
pub struct Guard {
    modes: Modes,
}

impl Guard {
    /// Raw mode and the modes. The panic hook is set once per process.
    pub fn enter(modes: Modes) -> io::Result<Self> {
        set_hook();
        let guard = Self { modes };
        guard.apply()?;
        Ok(guard)
    }

    fn apply(&self) -> io::Result<()> {
        {
            let mut entered = entered();
            entered.modes = Some(self.modes);
            entered.owner = Some(std::thread::current().id());
        }
        crossterm::terminal::enable_raw_mode()?;
        write(&self.modes.enter())
    }

    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Changes single modes while the terminal is ours.
    pub fn change(&mut self, to: Modes) -> io::Result<()> {
        let bytes = self.modes.change(to);
        self.modes = to;
        entered().modes = Some(to);
        write(&bytes)
    }

    /// Gives the terminal back, does something else with it, takes it again. The screen must be
    /// drawn whole afterwards.
    pub async fn with_restored<T>(&self, other: impl Future<Output = T>) -> io::Result<T> {
        restore();
        let out = other.await;
        self.apply()?;
        Ok(out)
    }

    /// Takes the terminal again after the process was stopped from outside.
    pub fn reapply(&self) -> io::Result<()> {
        self.apply()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns once another thread panicked. Cancel safe.
pub async fn panicked() {
    PANICKED.notified().await;
}

/// Panics of threads other than the workbench's own since the last call.
pub fn panics_elsewhere() -> Vec<String> {
    std::mem::take(&mut entered().elsewhere)
}

/// Leaves every mode that was entered. Does nothing the second time. Errors are of no use here: the
/// terminal may be gone.
fn restore() {
    let modes = entered().modes.take();
    if let Some(modes) = modes {
        let _ = write(&modes.leave());
        let _ = crossterm::terminal::disable_raw_mode();
    }
}

fn write(bytes: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_bytes())?;
    out.flush()
}

/// A panic of the workbench gives the terminal back before it speaks. A panic of another thread
/// leaves the screen alone and is told later: its task is lost, the workbench is not.
fn set_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let ours = {
                let mut entered = entered();
                let elsewhere = entered.modes.is_some() && entered.owner != Some(std::thread::current().id());
                if elsewhere {
                    entered.elsewhere.push(crate::text::sanitize_line(&info.to_string()).into_owned());
                }
                !elsewhere
            };
            if ours {
                restore();
                previous(info);
            } else {
                PANICKED.notify_one();
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen_after(bytes: &str) -> vt100::Screen {
        let (rows, columns) = (24.try_into().unwrap(), 80.try_into().unwrap());
        let mut parser = vt100::Parser::new(rows, columns, 0);
        parser.process(bytes.as_bytes());
        parser.screen().clone()
    }

    #[test]
    fn what_is_entered_is_left() {
        for (mouse, kitty, modify_other_keys) in [(true, false, true), (true, true, false), (false, false, false)] {
            let modes = Modes { mouse, kitty, modify_other_keys };
            let inside = screen_after(&modes.enter());
            assert!(inside.alternate_screen() && inside.bracketed_paste());
            assert_eq!(inside.mouse_protocol_mode() != vt100::MouseProtocolMode::None, mouse);
            // A frame was cut short in its middle: hidden cursor, a style, a synchronised update.
            let cut = format!("{}\x1b[?2026h\x1b[?25l\x1b[7mhalf", modes.enter());
            let after = screen_after(&(cut + &modes.leave()));
            assert!(!after.alternate_screen() && !after.bracketed_paste() && !after.hide_cursor());
            assert_eq!(after.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
            let left = modes.leave();
            for (on, off) in [(kitty, KITTY_OFF), (modify_other_keys, OTHER_KEYS_OFF), (true, "\x1b[?2026l")] {
                assert_eq!(left.contains(off), on, "{off:?}");
            }
            let screen = left.find("\x1b[?1049l").unwrap();
            assert!(left.find(KITTY_OFF).is_none_or(|at| at < screen), "flags belong to the alternate screen");
        }
    }

    #[test]
    fn modes_change_one_by_one() {
        let plain = Modes::default();
        let mouse = Modes { mouse: true, ..plain };
        assert_eq!(plain.change(mouse), MOUSE_ON);
        assert_eq!(mouse.change(plain), MOUSE_OFF);
        assert_eq!(mouse.change(Modes { kitty: true, ..mouse }), KITTY_ON);
        assert_eq!(mouse.change(mouse), "");
    }
}
