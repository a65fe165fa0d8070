//! How the workbench looks and which keys it has: the person's keymap and theme files, read, watched and
//! followed while it runs. What cannot be read leaves in use what there was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::effect::Reload;
use super::keys::{self, Keymap};
use super::perform::Wake;
use super::problem::Problem;
use super::run::{Options, Workbench};
use super::state::{AUTO, ThemeRow};
use super::store::HistoryFile;
use super::theme::{self, Depth, Shade, Theme};
use super::update::Outcome;
use crate::config;

/// How long a change is waited upon, so that a file is read when all of it was written.
const SETTLE: Duration = Duration::from_millis(15);

/// The person's own files, and what of them was read when.
#[derive(Debug)]
pub(super) struct Files {
    keymaps: Option<PathBuf>,
    themes: Option<PathBuf>,
    pub(super) history: HistoryFile,
    seen: BTreeMap<PathBuf, (SystemTime, u64)>,
    /// A theme that could not be read, so that it is not tried with every key.
    unusable: Option<String>,
    watch: Option<RecommendedWatcher>,
}

/// What could be read of keymap and theme.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) keymap: Option<Arc<Keymap>>,
    pub(super) theme: Option<Theme>,
    pub(super) problems: Vec<Problem>,
}

impl Files {
    pub(super) fn new(options: &Options) -> Self {
        let under = |name: &str| options.config_folder.as_ref().map(|folder| folder.join(name));
        Self {
            keymaps: under("keymaps"),
            themes: under("themes"),
            history: HistoryFile::new(&options.data_folder, &options.workdir),
            seen: BTreeMap::new(),
            unusable: None,
            watch: None,
        }
    }

    /// Reads a keymap and a theme by name. A problem that leaves nothing usable says that what was in use
    /// stays.
    pub(super) fn load(&mut self, keymap: &str, theme: &str, depth: Depth, shade: Option<Shade>) -> Read {
        self.seen = self.times();
        let name = theme::choose(theme, depth, shade);
        let mut keymap = keys::load(keymap, self.keymaps.as_deref());
        let mut theme = theme::load(name, self.themes.as_deref(), depth);
        self.unusable = theme.theme.is_none().then(|| name.to_owned());
        for (usable, problems, what) in [
            (keymap.keymap.is_some(), &mut keymap.problems, "keymap"),
            (theme.theme.is_some(), &mut theme.problems, "theme"),
        ] {
            if let Some(first) = problems.first_mut().filter(|_| !usable) {
                first.message = format!("{}; the {what} in use stays", first.message);
            }
        }
        let problems = keymap.problems.into_iter().chain(theme.problems).collect();
        Read { keymap: keymap.keymap.map(Arc::new), theme: theme.theme, problems }
    }

    /// The themes that can be chosen: those that come along, then the person's own.
    pub(super) fn theme_rows(&self) -> Vec<ThemeRow> {
        let row = |name: &str, words: &str| ThemeRow { name: name.to_owned(), words: words.to_owned() };
        let mut rows = vec![row(AUTO, "dark or light, as the terminal is")];
        rows.extend(theme::BUILT_IN.iter().map(|(name, source)| row(name, about(source))));
        let own = self.themes.as_deref().map(toml_files).unwrap_or_default();
        for path in own {
            let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            match rows.iter_mut().find(|row| row.name == name) {
                Some(known) => known.words = path.display().to_string(),
                None => rows.push(row(name, &path.display().to_string())),
            }
        }
        rows
    }

    /// Whether a file came, went or changed since it was read.
    fn changed(&self) -> bool {
        self.times() != self.seen
    }

    fn times(&self) -> BTreeMap<PathBuf, (SystemTime, u64)> {
        let folders = [self.keymaps.as_deref(), self.themes.as_deref()];
        let files = folders.into_iter().flatten().flat_map(toml_files);
        files
            .filter_map(|path| {
                let about = std::fs::metadata(&path).ok()?;
                Some((path, (about.modified().ok()?, about.len())))
            })
            .collect()
    }

    /// Tells when something under the configuration folder changes. Without a watch, as where the system
    /// has none left, files are looked at whenever the window gets the focus.
    pub(super) fn watch(&mut self, folder: &Path, wake: tokio::sync::mpsc::UnboundedSender<Wake>) {
        let waiting = Arc::new(AtomicBool::new(false));
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let handler = move |event: notify::Result<Event>| {
            let reads = event.is_ok_and(
                |event| matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write)),
            );
            if reads || waiting.swap(true, Ordering::AcqRel) {
                return;
            }
            let (waiting, wake) = (Arc::clone(&waiting), wake.clone());
            drop(runtime.spawn(async move {
                tokio::time::sleep(SETTLE).await;
                waiting.store(false, Ordering::Release);
                let _ = wake.send(Wake::Files);
            }));
        };
        self.watch = notify::recommended_watcher(handler)
            .and_then(|mut watcher| watcher.watch(folder, RecursiveMode::Recursive).map(|()| watcher))
            .ok();
    }
}

/// The first comment of a theme that comes along, up to its first full stop.
fn about(source: &str) -> &str {
    let line = source.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    line.split_once('.').map_or(line, |(first, _)| first)
}

/// The `.toml` files of a folder, by name.
fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    files
}

impl Workbench {
    pub(super) fn reload(&mut self, reload: Reload) -> Option<Outcome> {
        if reload == Reload::Changed && !self.files.changed() {
            return None;
        }
        let terminal = self.state.terminal;
        let keymap = &self.options.settings.keymap;
        let read = self.files.load(keymap, self.state.shown_theme(), terminal.depth, terminal.shade);
        if let Some(theme) = read.theme {
            self.theme = theme;
        }
        self.state.themes.rows = self.files.theme_rows();
        Some(Outcome::Reloaded { keymap: read.keymap, problems: read.problems, asked: reload == Reload::All })
    }

    /// The theme that the state asks for: of the session, looked at in the list, or by the terminal's
    /// background.
    pub(super) fn follow_theme(&mut self) {
        let terminal = self.state.terminal;
        let name = theme::choose(self.state.shown_theme(), terminal.depth, terminal.shade);
        if name == self.theme.name || self.files.unusable.as_deref() == Some(name) {
            return;
        }
        let read = theme::load(name, self.files.themes.as_deref(), terminal.depth);
        match read.theme {
            Some(theme) => {
                self.theme = theme;
                self.files.unusable = None;
            }
            None => self.files.unusable = Some(name.to_owned()),
        }
        if !read.problems.is_empty() {
            let outcome = Outcome::Reloaded { keymap: None, problems: read.problems, asked: false };
            let _ = self.wake.send(Wake::Outcome(outcome));
        }
    }

    /// Writes the theme where the configuration says it, beside the loop.
    pub(super) fn save_theme(&self, name: String) {
        let (configuration, wake) = (self.options.configuration.clone(), self.wake.clone());
        drop(tokio::task::spawn_blocking(move || {
            let saved = match configuration {
                Some(known) => config::save(&known.loaded, &known.file, "ui.theme", name.as_str()),
                None => Err("there is no configuration file in this session".to_owned()),
            };
            let outcome = match saved {
                Ok(saved) => Outcome::Saved(format!("theme {name} is saved in {}", saved.file)),
                Err(why) => Outcome::Failed(format!("theme {name} is kept for this session and not saved: {why}")),
            };
            let _ = wake.send(Wake::Outcome(outcome));
        }));
    }
}
