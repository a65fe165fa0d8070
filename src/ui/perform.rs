//! Carries effects out. What takes time runs beside the loop and wakes it when it is done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::effect::{Effect, Reload, Secret};
use super::frames::Cause;
use super::keys::{self, Keymap};
use super::problem::Problem;
use super::run::{Options, Reason, Workbench};
use super::store::{self, HistoryFile};
use super::term::editor::{self, Scratch};
use super::term::guard::Modes;
use super::term::{Signal, clipboard, notify};
use super::theme::{self, Depth, Shade, Theme};
use super::transcript_text;
use super::update::Outcome;
use crate::config::schema;
use crate::port::Port;
use crate::text;

/// What work beside the loop says.
#[derive(Debug)]
pub(super) enum Wake {
    Outcome(Outcome),
    Copied(clipboard::Copied, &'static str),
    /// Something can be drawn better than it was.
    Redraw,
}

/// The person's own files, and what of them was read when.
#[derive(Debug)]
pub(super) struct Files {
    keymaps: Option<PathBuf>,
    pub(super) themes: Option<PathBuf>,
    pub(super) history: HistoryFile,
    seen: BTreeMap<PathBuf, SystemTime>,
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
        }
    }

    pub(super) fn load(&mut self, settings: &schema::Ui, depth: Depth, shade: Option<Shade>) -> Read {
        self.seen = self.times();
        let keymap = keys::load(&settings.keymap, self.keymaps.as_deref());
        let name = theme::choose(&settings.theme, depth, shade);
        let theme = theme::load(name, self.themes.as_deref(), depth);
        let problems = keymap.problems.into_iter().chain(theme.problems).collect();
        Read { keymap: keymap.keymap.map(Arc::new), theme: theme.theme, problems }
    }

    /// Whether a file came, went or changed since it was read.
    fn changed(&self) -> bool {
        self.times() != self.seen
    }

    fn times(&self) -> BTreeMap<PathBuf, SystemTime> {
        let folders = [self.keymaps.as_deref(), self.themes.as_deref()];
        let files = folders.into_iter().flatten().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        let is_toml = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
        files
            .filter_map(Result::ok)
            .filter(|entry| is_toml(&entry.path()))
            .filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.modified().ok()?)))
            .collect()
    }
}

impl Workbench {
    /// Carries one effect out; how it went, and whether it ended the workbench.
    pub(super) async fn perform(&mut self, port: &Port, effect: Effect) -> (Option<Outcome>, Option<Reason>) {
        let outcome = match effect {
            Effect::Send(command) => {
                use tokio::sync::mpsc::error::TrySendError::{Closed, Full};
                let sent = port.commands.try_send(command);
                sent.err().map(|(Full(command) | Closed(command))| Outcome::Unsent(command))
            }
            Effect::Copy { text, what } => {
                self.copy(text, what);
                None
            }
            Effect::CopySelection => {
                let text = self.selected();
                if !text.trim().is_empty() {
                    self.copy(text, "the selection");
                }
                None
            }
            Effect::EditDraft(text) => match self.edit("message.md", &text, Self::editor()).await {
                Ok(text) => {
                    Some(Outcome::Edited(text.map_err(|words| format!("{words}; the message stays as it was"))))
                }
                Err(reason) => return (None, Some(reason)),
            },
            Effect::ShowTranscript => {
                let snapshot = &self.state.snapshot;
                let blobs = Path::new(&snapshot.session.folder).join("blobs");
                let text = transcript_text::all(snapshot, &|hash| store::blob(&blobs, hash));
                let pager = editor::pager(|name| std::env::var(name).ok());
                match self.edit("transcript.md", &text, pager).await {
                    Ok(shown) => shown.err().map(Outcome::Failed),
                    Err(reason) => return (None, Some(reason)),
                }
            }
            Effect::OpenFile { path, line } => {
                let file = Path::new(&path);
                if !file.is_file() {
                    let words = format!(
                        "{} is no file on this disk; what comes with the program has none",
                        text::sanitize_line(&path)
                    );
                    return (Some(Outcome::Failed(words)), None);
                }
                let command = editor::at(Self::editor(), file, line);
                match self.lend(editor::run(&command)).await {
                    Ok(done) => done.err().map(Outcome::Failed),
                    Err(reason) => return (None, Some(reason)),
                }
            }
            Effect::Suspend => {
                let restored = self.guard.with_restored(self.signals.stop()).await;
                self.repaint();
                restored.err().map(|error| Outcome::Failed(format!("the terminal could not be taken again: {error}")))
            }
            Effect::Mouse(mouse) => {
                let modes = Modes { mouse, ..self.guard.modes() };
                let _ = self.guard.change(modes);
                None
            }
            Effect::Redraw => {
                self.repaint();
                None
            }
            Effect::Notify(text) => {
                let _ = self.screen.send(&notify::call(&text, self.around));
                None
            }
            Effect::Remember(text) => {
                self.remember(text);
                None
            }
            Effect::Forget(secret) => {
                self.forget(secret);
                None
            }
            Effect::Reload(reload) => self.reload(reload),
            Effect::ListFiles => {
                self.list_files();
                None
            }
            Effect::Quit => return (None, Some(Reason::Quit)),
        };
        (outcome, None)
    }

    fn copy(&self, text: String, what: &'static str) {
        let (wake, around) = (self.wake.clone(), self.around);
        drop(tokio::spawn(async move {
            let copied = clipboard::copy(&text, around).await;
            let _ = wake.send(Wake::Copied(copied, what));
        }));
    }

    fn repaint(&mut self) {
        self.screen.invalidate();
        self.frames.request(Cause::Person);
    }

    fn remember(&self, text: String) {
        let (history, wake) = (self.files.history.clone(), self.wake.clone());
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = history.append(&text) {
                let words = format!("the message could not be kept in the history: {error}");
                let _ = wake.send(Wake::Outcome(Outcome::Failed(words)));
            }
        }));
    }

    fn forget(&self, secret: Secret) {
        let (history, wake) = (self.files.history.clone(), self.wake.clone());
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = history.mask(&secret.0) {
                let words = format!("a secret in the history could not be masked there: {error}");
                let _ = wake.send(Wake::Outcome(Outcome::Failed(words)));
            }
        }));
    }

    fn list_files(&self) {
        let (workdir, wake) = (self.options.workdir.clone(), self.wake.clone());
        drop(tokio::task::spawn_blocking(move || {
            let _ = wake.send(Wake::Outcome(Outcome::Files(store::project_files(&workdir))));
        }));
    }

    fn reload(&mut self, reload: Reload) -> Option<Outcome> {
        if reload == Reload::Changed && !self.files.changed() {
            return None;
        }
        let terminal = self.state.terminal;
        let read = self.files.load(&self.options.settings, terminal.depth, terminal.shade);
        if let Some(theme) = read.theme {
            self.theme = theme;
        }
        Some(Outcome::Reloaded { keymap: read.keymap, problems: read.problems, asked: reload == Reload::All })
    }

    fn editor() -> Vec<String> {
        editor::command(|name| std::env::var(name).ok())
    }

    /// Gives the terminal to the editor. What it left in the file, or what went wrong.
    ///
    /// # Errors
    /// The process was told to end meanwhile.
    async fn edit(&mut self, name: &str, text: &str, command: Vec<String>) -> Result<Result<String, String>, Reason> {
        let scratch = match Scratch::new(name, text) {
            Ok(scratch) => scratch,
            Err(error) => return Ok(Err(format!("no file for the editor could be made: {error}"))),
        };
        let command = editor::at(command, scratch.path(), None);
        let done = self.lend(editor::run(&command)).await?;
        Ok(done.and_then(|()| scratch.read().map_err(|error| error.to_string())))
    }

    /// Gives the terminal to a program until it ends; how that went.
    ///
    /// # Errors
    /// The process was told to end meanwhile.
    async fn lend(&mut self, run: impl Future<Output = Result<(), String>>) -> Result<Result<(), String>, Reason> {
        let signals = &mut self.signals;
        let lent = self.guard.with_restored(async {
            tokio::pin!(run);
            loop {
                tokio::select! {
                    done = &mut run => return Ok(done),
                    signal = signals.next() => match signal {
                        Signal::Terminate => return Err(Reason::Terminated),
                        Signal::Hangup => return Err(Reason::Hangup),
                        // The keys are the editor's.
                        Signal::Interrupt | Signal::Resize | Signal::Continue => {}
                    },
                }
            }
        });
        let lent = lent.await;
        self.repaint();
        match lent {
            Ok(done) => done,
            Err(_) => Err(Reason::Hangup),
        }
    }
}
