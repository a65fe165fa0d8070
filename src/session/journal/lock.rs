//! One writer a session. The operating system releases the lock when its holder dies, so a lock
//! left by a killed process is simply free; the pid in the file is for people.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::open_private;

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
    /// Tries once, never waits.
    pub fn take(folder: &Path) -> io::Result<Locked> {
        let mut file = open_private(&folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                writeln!(file, "{}", std::process::id())?;
                Ok(Locked::Mine(Self { file }))
            }
            Err(TryLockError::WouldBlock) => Ok(Locked::Held(holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing would not do: a program that is just being started holds the same file for a moment.
        let _ = self.file.unlock();
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(32).read_to_string(&mut text));
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(pid)) => format!("process {pid}"),
        _ => "another process".to_owned(),
    }
}
