//! One writer a session. The operating system releases the lock when its holder dies, so a lock
//! left by a killed process is simply free; the pid in the file is for people.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::open_private;

/// How long a lock of a dead holder is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
const BETWEEN: Duration = Duration::from_millis(10);

/// Held as long as this value lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// What an attempt to take the lock gave.
#[derive(Debug)]
pub enum Locked {
    Mine(Lock),
    /// Another process writes this session; the text names it.
    Held(String),
}

impl Lock {
    /// Waits only for a holder that is dead already: what it was just starting when it was killed holds
    /// the same file for a moment longer. Not for an async thread.
    pub fn take(folder: &Path) -> io::Result<Locked> {
        let mut file = open_private(&folder.join("lock"))?;
        let patience = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    file.set_len(0)?;
                    writeln!(file, "{}", std::process::id())?;
                    return Ok(Locked::Mine(Self { file }));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let holder = holder(&mut file);
            if holder.is_none_or(is_alive) || Instant::now() >= patience {
                return Ok(Locked::Held(named(holder)));
            }
            thread::sleep(BETWEEN);
        }
    }
}

/// Who holds the lock of this folder now, if anyone does. Changes nothing.
pub fn holder_of(folder: &Path) -> Option<String> {
    let mut file = File::open(folder.join("lock")).ok()?;
    // Whoever let go of it left it empty.
    if file.metadata().ok()?.len() == 0 {
        return None;
    }
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(named(holder(&mut file))),
        Ok(()) => {
            let _ = file.unlock();
            None
        }
        Err(TryLockError::Error(_)) => None,
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing would not do: a program that is just being started holds the same file for a moment.
        let _ = self.file.unlock();
    }
}

fn holder(file: &mut File) -> Option<i32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(32).read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

fn named(holder: Option<i32>) -> String {
    holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Whoever may not be signalled is alive.
#[cfg(unix)]
fn is_alive(pid: i32) -> bool {
    let gone = |pid| matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH));
    rustix::process::Pid::from_raw(pid).is_none_or(|pid| !gone(pid))
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    true
}
