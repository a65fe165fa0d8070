//! What the program and its children may write, and that no child outlives it.
//!
//! Owns: the probe of the kernel, which folders may be written ([`rules`]), holding this process and,
//! more tightly, every child to them, explaining a denial ([`denial`]), noticing planted git settings
//! ([`planted`]), the watcher that ends what is left ([`watch`]).
//!
//! Does not own: whether a sandbox is asked for, and what happens where there is none.
//!
//! Invariant: a child is started through [`spawn`], or not at all; one that cannot be held is not started.

pub mod denial;
mod holding;
#[cfg(target_os = "linux")]
mod landlock;
pub mod level;
pub mod planted;
pub mod rules;
pub mod seatbelt;
pub mod watch;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tokio::process::{Child, Command};

pub use holding::Holding;
pub use level::Level;
use rules::Roots;

/// Folders, separated by `:`, that may be written too. Read from the process only, never from a file
/// that a project brings along.
pub const EXTRA_VARIABLE: &str = "OCTOMIND_SANDBOX_WRITE";

/// Tells a server of ours, started by this process, the launch folder it is held to already.
const INHERITED_VARIABLE: &str = "OCTOMIND_SANDBOX_FOLDER";

static ACTIVE: OnceLock<Active> = OnceLock::new();

/// The sandbox that this process is in.
#[derive(Debug)]
struct Active {
    workdir: PathBuf,
    /// The private `TMPDIR` of the children.
    temp: PathBuf,
    extra: Vec<PathBuf>,
    children: Children,
}

/// Who holds what is started from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Children {
    /// This process, each of them, more tightly than itself.
    Ours,
    /// Whoever holds this process: it is a child itself.
    HeldAlready,
}

impl Active {
    fn children(&self) -> Roots {
        rules::children(&self.workdir, &self.temp, &self.extra)
    }
}

/// What this machine can do, asked of the kernel itself: files that tell of it may be hidden.
pub fn level() -> Level {
    #[cfg(target_os = "linux")]
    return level::of_landlock(landlock::version());
    #[cfg(target_os = "macos")]
    return level::of_seatbelt(Path::new(seatbelt::PROGRAM).exists());
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    return Level::Unavailable { why: "there is none for this system".to_owned() };
}

/// What [`enter`] is told.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    pub workdir: &'a Path,
    /// Where this process itself keeps what it must; no child and no file tool writes there.
    pub data: &'a Path,
    pub temp: &'a Path,
    pub extra: Vec<PathBuf>,
}

/// Holds this thread, and all that it starts from now on. For the first thread, before there are others.
/// Returns what could not be given as wished, one sentence each.
///
/// # Errors
/// Why it cannot be done; nothing is held then.
pub fn enter(wanted: Wanted<'_>) -> Result<Vec<String>, String> {
    let workdir = wanted.workdir.canonicalize().map_err(|error| format!("{}: {error}", wanted.workdir.display()))?;
    let active = Active { workdir, temp: wanted.temp.to_path_buf(), extra: wanted.extra, children: Children::Ours };
    let children = active.children();
    let own = rules::process(&children, wanted.data, &std::env::temp_dir());
    hold(&own)?;
    let mut notes = children.notes.clone();
    if children.hold(wanted.data) {
        notes.push(format!(
            "{} lies inside the launch folder, so what is run can write octomind's own files; start elsewhere",
            wanted.data.display()
        ));
    }
    let _ = ACTIVE.set(active);
    Ok(notes)
}

/// In a server of ours: takes over what the process that started it is held to. The kernel does the
/// holding; this only lets denials be explained.
pub fn inherit() {
    let Some(workdir) = std::env::var_os(INHERITED_VARIABLE) else { return };
    let extra = extra_of_process();
    let temp = std::env::temp_dir();
    let _ = ACTIVE.set(Active { workdir: workdir.into(), temp, extra, children: Children::HeldAlready });
}

/// The folders of [`EXTRA_VARIABLE`].
pub fn extra_of_process() -> Vec<PathBuf> {
    let named = std::env::var_os(EXTRA_VARIABLE).unwrap_or_default();
    std::env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect()
}

#[cfg(target_os = "linux")]
fn hold(roots: &Roots) -> Result<(), String> {
    landlock::restrict(roots)
}

#[cfg(target_os = "macos")]
fn hold(roots: &Roots) -> Result<(), String> {
    seatbelt::start_again(roots)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn hold(_roots: &Roots) -> Result<(), String> {
    Err("there is no sandbox for this system".to_owned())
}

/// Whether a tool that runs within this process may write the file.
///
/// # Errors
/// Why not, with the way out.
pub fn permits(path: &Path) -> Result<(), String> {
    let Some(active) = ACTIVE.get() else { return Ok(()) };
    let roots = active.children();
    if roots.hold(path) { Ok(()) } else { Err(denial::sentence(path, &roots)) }
}

/// One line about a denial in what a child wrote, when the sandbox is its likely reason.
pub fn explain(output: &str) -> Option<String> {
    let active = ACTIVE.get()?;
    denial::explain(output, &active.children())
}

/// Whether this process is held.
pub fn is_on() -> bool {
    ACTIVE.get().is_some()
}

/// The folder it is held to, links followed.
fn folder() -> Option<&'static Path> {
    ACTIVE.get().map(|active| active.workdir.as_path())
}

/// Marks the child as ours, and shows it where it may put temporary files. Last of what is set.
pub fn mark(command: &mut Command) {
    if let Some((name, value)) = watch::mark() {
        command.env(name, value);
    }
    let Some(active) = ACTIVE.get() else { return };
    command.env("TMPDIR", &active.temp).env(INHERITED_VARIABLE, &active.workdir);
    for (name, folder) in CACHES {
        if std::env::var_os(name).is_none() {
            command.env(name, active.temp.join(folder));
        }
    }
}

/// Caches outside of the launch folder that a build cannot do without writing to.
const CACHES: [(&str, &str); 3] = [("npm_config_cache", "npm"), ("PIP_CACHE_DIR", "pip"), ("GOCACHE", "go")];

/// Starts a child, held to its folders when the sandbox is on.
///
/// # Errors
/// As the system says.
#[cfg(target_os = "linux")]
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    let Some(active) = ACTIVE.get().filter(|active| active.children == Children::Ours) else {
        return command.spawn();
    };
    let runtime = tokio::runtime::Handle::try_current().map_err(io::Error::other)?;
    let held = || {
        landlock::restrict(&active.children()).map_err(io::Error::other)?;
        let _inside = runtime.enter();
        command.spawn()
    };
    // A thread that is held can never be let go: it starts this one child and ends.
    let ended = std::thread::scope(|scope| scope.spawn(held).join());
    ended.unwrap_or_else(|_| Err(io::Error::other("the thread that starts children broke")))
}

#[cfg(not(target_os = "linux"))]
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

#[cfg(test)]
mod tests;
