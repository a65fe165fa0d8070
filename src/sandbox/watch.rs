//! Ends what this process leaves behind, however it ends.
//!
//! A second process of the same program holds the reading end of a pipe. When the pipe closes, which
//! the kernel sees to even after `kill -9`, it ends every process whose environment carries the mark
//! that our children were given, and what descends from one. What clears its environment and leaves
//! its session is out of reach.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(target_os = "linux")]
mod sweep;

/// The word that starts the program as a watcher.
pub const WORD: &str = "__watch";

/// Marks of the sessions a process belongs to, separated by spaces: one may run within another.
const VARIABLE: &str = "OCTOMIND_RUN";

static WATCHED: OnceLock<Watched> = OnceLock::new();

#[derive(Debug)]
struct Watched {
    mark: String,
    temp: PathBuf,
    /// Held open for as long as this process is there.
    _pipe: ChildStdin,
}

/// Starts the watcher, once, before this process is held. Gives the private folder for temporary
/// files of this run, which goes with it.
///
/// # Errors
/// As the system says.
pub fn start() -> io::Result<&'static Path> {
    if let Some(watched) = WATCHED.get() {
        return Ok(&watched.temp);
    }
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let own = format!("octomind-run-{}-{stamp}", std::process::id());
    let temp = std::env::temp_dir().join(&own);
    let mut child = Command::new(std::env::current_exe()?)
        .arg(WORD)
        .arg(&own)
        .arg(&temp)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let pipe = child.stdin.take().ok_or_else(|| io::Error::other("the watcher has no pipe"))?;
    // After the watcher, which takes it away: no moment is left in which it would stay behind.
    private(&temp)?;
    let outer = std::env::var(VARIABLE).unwrap_or_default();
    let mark = format!("{outer} {own}").trim_start().to_owned();
    Ok(&WATCHED.get_or_init(|| Watched { mark, temp, _pipe: pipe }).temp)
}

/// Whether a process that started this one has what is left of it ended.
pub fn is_watched() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

fn private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().mode(0o700).create(folder)
}

/// The variable that every child gets.
pub fn mark() -> Option<(&'static str, &'static str)> {
    WATCHED.get().map(|watched| (VARIABLE, watched.mark.as_str()))
}

/// The watcher itself: waits for the end of the process that started it. Its arguments are the mark
/// and the folder for temporary files.
pub fn run(mut arguments: impl Iterator<Item = std::ffi::OsString>) {
    // Of no terminal and no group: neither a closed window nor ctrl-c ends it.
    let _ = rustix::process::setsid();
    let (Some(mark), Some(temp)) = (arguments.next(), arguments.next()) else { return };
    wait_for_end(&mut io::stdin());
    #[cfg(target_os = "linux")]
    sweep::end_all(&mark.to_string_lossy());
    let temp = PathBuf::from(temp);
    // Nothing but a folder that bears the mark is taken away.
    if temp.file_name() == Some(mark.as_os_str()) {
        let _ = std::fs::remove_dir_all(temp);
    }
}

fn wait_for_end(pipe: &mut impl Read) {
    let mut buffer = [0; 64];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
            _ => {}
        }
    }
}

/// Files that whoever started this process left open do not go on to its children.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn close_on_exec() {
    const FIRST: libc::c_uint = 3;
    // SAFETY: changes a flag of descriptors and closes none; takes no pointer.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

#[cfg(not(target_os = "linux"))]
pub fn close_on_exec() {}
