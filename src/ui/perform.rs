//! Carries effects out. What takes time runs beside the loop and wakes it when it is done.

use std::path::{Path, PathBuf};

use super::drafts::Keep;
use super::effect::{Effect, Secret};
use super::frames::Cause;
use super::run::{Next, Reason, Workbench};
use super::store;
use super::term::editor::{self, Scratch};
use super::term::guard::Modes;
use super::term::{Signal, clipboard, notify};
use super::transcript_text;
use super::update::Outcome;
use crate::port::Port;
use crate::text;

/// What work beside the loop says.
#[derive(Debug)]
pub(super) enum Wake {
    Outcome(Outcome),
    Copied(clipboard::Copied, &'static str),
    /// Something can be drawn better than it was.
    Redraw,
    /// Keymap or theme files may have changed.
    Files,
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
            Effect::ShowEntry(order) => {
                let snapshot = &self.state.snapshot;
                let blobs = Path::new(&snapshot.session.folder).join("blobs");
                let entry = snapshot.transcript.get(order);
                let read = |hash: &str| store::blob(&blobs, hash);
                let Some(text) = entry.map(|entry| transcript_text::entry(entry, &read)) else { return (None, None) };
                let pager = editor::pager(|name| std::env::var(name).ok());
                match self.edit("entry.md", &text, pager).await {
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
            Effect::OpenAddress(address) => {
                self.open_address(address);
                None
            }
            Effect::OpenPicture(picture) => self.open_picture(picture),
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
            Effect::ReadLog => Some(Outcome::Log(self.options.log.lines())),
            Effect::SaveTheme(name) => {
                self.save_theme(name);
                None
            }
            Effect::FindFiles(query) => {
                self.index.find(query);
                None
            }
            Effect::KeepDraft(keep) => {
                self.keep_draft(keep);
                None
            }
            Effect::Switch { name, workdir } => {
                let draft = self.state.composer.content();
                self.next = Some(Next { name, workdir: PathBuf::from(workdir), draft });
                return (None, Some(Reason::Switch));
            }
            Effect::Quit => return (None, Some(Reason::Quit)),
        };
        (outcome, None)
    }

    pub(super) fn copy(&self, text: String, what: &'static str) {
        let (wake, around) = (self.wake.clone(), self.around);
        drop(tokio::spawn(async move {
            let copied = clipboard::copy(&text, around).await;
            let _ = wake.send(Wake::Copied(copied, what));
        }));
    }

    fn repaint(&mut self) {
        self.drawn = None;
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

    fn keep_draft(&mut self, keep: Keep) {
        let (write, wake) = (self.drafts.write(keep, self.options.mask.clone()), self.wake.clone());
        drop(tokio::task::spawn_blocking(move || {
            if let Err(error) = write() {
                let words = format!("the message could not be kept for the next start: {error}");
                let _ = wake.send(Wake::Outcome(Outcome::Failed(words)));
            }
        }));
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
