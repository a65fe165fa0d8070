//! The log file: `<data>/logs/octomind.log`, readable by its owner only, opened at its first line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::config::Mask;
use crate::config::schema::LogLevel;

/// Bytes after which the file becomes `octomind.log.1`, replacing the one before.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Writes what the program logs from now on into the folder; never to the terminal. The last lines are
/// given to `tail` too, whatever is written.
///
/// `filter` (the value of `RUST_LOG`) wins over the level. Costs nothing until something is logged.
pub fn start(folder: &Path, level: LogLevel, filter: Option<&str>, mask: Mask, tail: Option<Tail>) {
    let log = Log::new(folder.join("octomind.log"), MAX_BYTES, mask.clone());
    let file = chosen_filter(level, filter).map(|filter| {
        let layer = tracing_subscriber::fmt::layer()
            .with_ansi(false)
            // It would write to standard error, which the workbench draws over.
            .log_internal_errors(false)
            .with_writer(log);
        layer.with_filter(filter)
    });
    let tail = tail.map(|tail| Kept { tail, mask }.with_filter(EnvFilter::new(KEPT)));
    if file.is_some() || tail.is_some() {
        // Fails only when a subscriber is set already, which then goes on.
        let _ = tracing_subscriber::registry().with(file).with(tail).try_init();
    }
}

/// What is kept for the workbench.
const KEPT: &str = "warn,octomind=debug";

/// Takes a line: when, how much it matters, who speaks, what is said.
pub type Tail = Box<dyn Fn(u64, tracing::Level, &str, String) + Send + Sync>;

/// Gives lines to whoever keeps them, secrets masked.
struct Kept {
    tail: Tail,
    mask: Mask,
}

impl<S: tracing::Subscriber> Layer<S> for Kept {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let mut words = Words::default();
        event.record(&mut words);
        let about = event.metadata();
        let text = self.mask.text(&words.0).into_owned();
        (self.tail)(super::now(), *about.level(), about.target(), text);
    }
}

/// The message, and what else is told, as `name=value` behind it.
#[derive(Default)]
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write;
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => {
                let rest = std::mem::take(&mut self.0);
                write!(self.0, "{value:?}{rest}")
            }
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

fn chosen_filter(level: LogLevel, filter: Option<&str>) -> Option<EnvFilter> {
    let own = match level {
        LogLevel::None => None,
        LogLevel::Info => Some("warn,octomind=info"),
        LogLevel::Debug => Some("info,octomind=debug"),
    };
    let parsed = filter.and_then(|filter| EnvFilter::try_new(filter).ok());
    parsed.or_else(|| own.map(EnvFilter::new))
}

/// A file that is opened late and kept small.
#[derive(Clone)]
struct Log {
    path: PathBuf,
    most: u64,
    mask: Mask,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    bytes: u64,
    /// It could not be opened; nothing is tried again.
    failed: bool,
}

impl Log {
    fn new(path: PathBuf, most: u64, mask: Mask) -> Self {
        Self { path, most, mask, state: Arc::default() }
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        let line = self.mask.text(line);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed {
            return Ok(());
        }
        if state.file.is_some() && state.bytes >= self.most {
            state.file = None;
            std::fs::rename(&self.path, self.path.with_extension("log.1"))?;
        }
        if state.file.is_none() {
            let opened = open(&self.path).inspect_err(|_| state.failed = true)?;
            state.bytes = opened.metadata().map_or(0, |about| about.len());
            state.file = Some(opened);
        }
        if let Some(file) = &mut state.file {
            file.write_all(line.as_bytes())?;
            state.bytes += line.len() as u64;
        }
        Ok(())
    }
}

/// For appending; file 0600 and folder 0700 whatever the umask.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_line(&String::from_utf8_lossy(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests;
