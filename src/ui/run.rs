//! The loop: waits for whatever comes first, lets `update` change the state, carries effects out,
//! draws when a frame is due.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ratatui::layout::Rect;
use tokio::sync::{Notify, mpsc};

use super::composer::{Draft, Names};
use super::drafts::DraftFile;
use super::effect::{Effect, Reload};
use super::file_index::FileIndex;
use super::frames::{Cause, Frames};
use super::input::{Input, MouseKind};
use super::keys::{self, Keymap};
use super::log::LogTail;
use super::look::Files;
use super::perform::Wake;
use super::pictures::Drawn;
use super::state::{Settings, State};
use super::term::editor::Scratch;
use super::term::guard::{self, Modes};
use super::term::screen::{Out, terminal_size};
use super::term::{Guard, Links, Reader, Screen, Signal, Signals, probe};
use super::theme::{self, Theme};
use super::update::{Msg, Outcome, Said, update};
use super::view;
use crate::config::{Loaded, Mask, schema};
use crate::port::{Delivery, Port};
use crate::proto::{Command, Timestamp};

/// Deliveries taken in one go, so that keys are looked at in between.
const MAX_DELIVERIES: usize = 512;

/// How long a session that is behind may take to accept that we leave.
const QUIT_WITHIN: Duration = Duration::from_secs(1);

/// What the workbench needs beside the session.
#[derive(Debug, Clone)]
pub struct Options {
    pub settings: schema::Ui,
    /// Where settings are saved.
    pub configuration: Option<Configuration>,
    /// Holds the person's `keymaps/` and `themes/`.
    pub config_folder: Option<PathBuf>,
    /// Holds the history of sent messages.
    pub data_folder: PathBuf,
    pub workdir: PathBuf,
    /// What commands can name.
    pub names: Names,
    /// What this process logs.
    pub log: LogTail,
    /// Stands in the composer at first.
    pub draft: String,
    /// What is never kept as it is.
    pub mask: Mask,
    /// Told when the first frame is on the screen.
    pub painted: Arc<Notify>,
}

/// What the settings came from.
#[derive(Debug, Clone)]
pub struct Configuration {
    pub loaded: Arc<Loaded>,
    /// The main file.
    pub file: PathBuf,
}

/// Why the workbench ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Quit,
    /// To go on in the session that the exit names.
    Switch,
    SessionOver,
    Terminated,
    Interrupted,
    /// The terminal is gone.
    Hangup,
}

/// The session to go on in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    pub name: String,
    /// Where it worked.
    pub workdir: PathBuf,
    /// What was typed and not sent.
    pub draft: String,
}

/// What is to be said once the terminal is as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    pub reason: Reason,
    pub next: Option<Next>,
    /// Name of the session; empty when none began.
    pub session: String,
    /// Something was said in it, so that resuming makes sense.
    pub worth_resuming: bool,
    /// Tasks that panicked meanwhile.
    pub panics: Vec<String>,
}

impl Exit {
    /// The last words: the session's name and how to go on with it.
    pub fn farewell(&self) -> Option<String> {
        let session = crate::text::sanitize_line(&self.session);
        (self.worth_resuming && !session.is_empty())
            .then(|| format!("session {session}\nresume with: octomind run --resume {session}"))
    }
}

/// Shows the session until the person leaves it. Must be the future that the runtime blocks on: a
/// panic of its thread is one of the workbench.
///
/// # Errors
/// There is no terminal, or it cannot be set up.
pub async fn run(mut port: Port, options: Options) -> io::Result<Exit> {
    let mut workbench = Workbench::open(&port, options)?;
    workbench.draw()?;
    workbench.after_first_paint();
    let reason = workbench.follow(&mut port).await;
    workbench.take_answers(reason).await;
    let exit = workbench.exit(reason);
    leave(&port, reason).await;
    Ok(exit)
}

/// The session ends with its workbench, whatever ended that.
async fn leave(port: &Port, reason: Reason) {
    if reason != Reason::SessionOver {
        let _ = tokio::time::timeout(QUIT_WITHIN, port.commands.send(Command::Quit)).await;
    }
}

pub(super) struct Workbench {
    pub(super) state: State,
    pub(super) theme: Theme,
    pub(super) files: Files,
    pub(super) drafts: DraftFile,
    pub(super) index: FileIndex,
    pub(super) screen: Screen<Out>,
    pub(super) guard: Guard,
    pub(super) signals: Signals,
    pub(super) wake: mpsc::UnboundedSender<Wake>,
    pub(super) around: probe::Surroundings,
    pub(super) options: Options,
    pub(super) frames: Frames,
    pub(super) next: Option<Next>,
    /// Files that viewers of images were given.
    pub(super) shown: Vec<Scratch>,
    pub(super) drawn: Option<Drawn>,
    /// When the terminal was asked, until it answered all.
    pub(super) queried: Option<Instant>,
    woken: mpsc::UnboundedReceiver<Wake>,
    cache: view::Cache,
    layout: Option<view::Layout>,
    pub(super) reader: Reader,
}

/// What the loop waits for.
enum Happened {
    Read(io::Result<Vec<Input>>),
    Signal(Signal),
    Delivery(Option<Delivery>),
    Wake(Option<Wake>),
    Time,
}

impl Workbench {
    fn open(port: &Port, options: Options) -> io::Result<Self> {
        let env = |name: &str| std::env::var(name).ok();
        let depth = probe::depth(env);
        let settings = Settings {
            mouse: options.settings.mouse,
            motion: options.settings.motion,
            notifications: options.settings.notifications,
            transcript_ratio: options.settings.transcript_ratio,
        };
        let mut files = Files::new(&options);
        let loaded = files.load(&options.settings.keymap, &options.settings.theme, depth, None);
        let keymap = loaded.keymap.or_else(|| keys::load("default", None).keymap.map(Arc::new));
        let theme = loaded.theme.or_else(|| theme::load("dark", None, depth).theme);
        let built_in = || io::Error::other("the built-in keymap or theme cannot be read");
        let (keymap, theme): (Arc<Keymap>, Theme) = keymap.zip(theme).ok_or_else(built_in)?;
        let snapshot = (**port.snapshot.borrow()).clone();
        let mut state = State::new(snapshot, keymap, settings, depth);
        state.now = now();
        state.composer.names = options.names.clone();
        state.themes.setting.clone_from(&options.settings.theme);
        state.themes.rows = files.theme_rows();
        state.size = terminal_size()?;
        let around = probe::Surroundings::from_env(env);
        state.terminal.links = options.settings.links.within(around.links);
        state.terminal.images = around.drawn(options.settings.images);
        if !options.draft.is_empty() {
            state.composer.set(Draft::plain(&options.draft));
        }
        let (wake, woken) = mpsc::unbounded_channel();
        let cache = view::Cache::with_links(Links::here());
        let redraw = wake.clone();
        cache.on_ready(move || drop(redraw.send(Wake::Redraw)));
        let found = wake.clone();
        let index = FileIndex::new(&options.workdir, move |it| drop(found.send(Wake::Outcome(Outcome::Found(it)))));
        if !loaded.problems.is_empty() {
            let outcome = Outcome::Reloaded { keymap: None, problems: loaded.problems, asked: false };
            let _ = wake.send(Wake::Outcome(outcome));
        }
        // The terminal last: whatever fails before leaves it untouched.
        let signals = Signals::new()?;
        let reader = Reader::new()?;
        let screen = Screen::new(Out::stdout()?, state.size, cache.links().clone())?;
        let guard = Guard::enter(Modes { mouse: settings.mouse, ..Modes::default() })?;
        let frames = Frames::default();
        Ok(Self {
            state,
            theme,
            files,
            drafts: DraftFile::new(&options.data_folder, &options.workdir),
            index,
            screen,
            guard,
            signals,
            wake,
            around,
            options,
            frames,
            next: None,
            shown: Vec::new(),
            drawn: None,
            queried: None,
            woken,
            cache,
            layout: None,
            reader,
        })
    }

    /// What nobody waits for.
    fn after_first_paint(&mut self) {
        self.options.painted.notify_one();
        let _ = self.screen.send(probe::QUERIES);
        self.queried = Some(Instant::now());
        if let Some(folder) = &self.options.config_folder {
            self.files.watch(folder, self.wake.clone());
        }
        let history = self.files.history.clone();
        let (wake, drafts) = (self.wake.clone(), self.drafts.clone());
        drop(tokio::task::spawn_blocking(move || {
            let _ = wake.send(Wake::Outcome(Outcome::Drafts(drafts.load())));
            let entries = history.load();
            if !entries.is_empty() {
                let _ = wake.send(Wake::Outcome(Outcome::History(entries)));
            }
        }));
    }

    async fn follow(&mut self, port: &mut Port) -> Reason {
        loop {
            let happened = self.wait(port).await;
            let ended = match happened {
                Happened::Read(Ok(inputs)) => self.inputs(port, inputs).await,
                Happened::Read(Err(_)) => Some(Reason::Hangup),
                Happened::Signal(signal) => self.signal(signal),
                Happened::Delivery(Some(first)) => self.deliveries(port, first).await,
                Happened::Delivery(None) => Some(Reason::SessionOver),
                Happened::Wake(wake) => self.woken(port, wake).await,
                Happened::Time => self.time(port).await,
            };
            if let Some(reason) = ended {
                return reason;
            }
            for panic in guard::panics_elsewhere() {
                let failed = Outcome::Failed(format!("a part of the program failed: {panic}"));
                let _ = self.say(port, Said::Outcome(failed), Cause::News).await;
            }
            if self.frames.due().is_some_and(|due| due <= Instant::now()) && self.draw().is_err() {
                return Reason::Hangup;
            }
        }
    }

    async fn wait(&mut self, port: &mut Port) -> Happened {
        let frame = self.frames.due();
        let wake = self.state.next_wake().map(|at| Instant::now() + Duration::from_millis(at.saturating_sub(now())));
        let next = [frame, wake].into_iter().flatten().min();
        tokio::select! {
            biased;
            read = self.reader.next() => Happened::Read(read),
            signal = self.signals.next() => Happened::Signal(signal),
            woken = self.woken.recv() => Happened::Wake(woken),
            () = until(next) => Happened::Time,
            () = guard::panicked() => Happened::Time,
            delivery = port.events.next() => Happened::Delivery(delivery),
        }
    }

    async fn inputs(&mut self, port: &Port, inputs: Vec<Input>) -> Option<Reason> {
        for input in inputs {
            if let Input::Answer(answer) = &input {
                self.answered(*answer);
            }
            let said = match (input, &self.layout) {
                (Input::Mouse(mouse), Some(layout)) => {
                    let within = self.state.selection.as_ref().filter(|_| mouse.kind != MouseKind::Press);
                    Said::Mouse(mouse, layout.pointed(mouse.column, mouse.row, within))
                }
                (input, _) => Said::Input(input),
            };
            if let Some(reason) = self.say(port, said, Cause::Person).await {
                return Some(reason);
            }
        }
        None
    }

    fn signal(&mut self, signal: Signal) -> Option<Reason> {
        match signal {
            Signal::Resize => self.frames.request(Cause::Person),
            Signal::Continue => {
                let _ = self.guard.reapply();
                self.screen.invalidate();
                self.drawn = None;
                self.frames.request(Cause::Person);
            }
            Signal::Terminate => return Some(Reason::Terminated),
            Signal::Interrupt => return Some(Reason::Interrupted),
            Signal::Hangup => return Some(Reason::Hangup),
        }
        None
    }

    async fn deliveries(&mut self, port: &mut Port, first: Delivery) -> Option<Reason> {
        let mut batch = vec![first];
        while batch.len() < MAX_DELIVERIES
            && let Some(next) = port.events.try_next()
        {
            batch.push(next);
        }
        // The shared snapshot is held only when needed: while held, the session must copy it to change it.
        let resync = batch.iter().any(|delivery| matches!(delivery, Delivery::Resync { .. }));
        let latest = resync.then(|| Arc::clone(&port.snapshot.borrow()));
        self.say(port, Said::Session(batch, latest), Cause::News).await
    }

    async fn woken(&mut self, port: &Port, wake: Option<Wake>) -> Option<Reason> {
        match wake {
            Some(Wake::Outcome(outcome)) => self.say(port, Said::Outcome(outcome), Cause::News).await,
            Some(Wake::Copied(copied, what)) => {
                if let Some(sequence) = &copied.sequence {
                    let _ = self.screen.send(sequence.as_bytes());
                }
                let outcome = Outcome::Copied(copied.describe(what));
                self.say(port, Said::Outcome(outcome), Cause::Person).await
            }
            Some(Wake::Files) => match self.reload(Reload::Changed) {
                Some(outcome) => self.say(port, Said::Outcome(outcome), Cause::News).await,
                None => None,
            },
            Some(Wake::Redraw) | None => {
                self.frames.request(Cause::News);
                None
            }
        }
    }

    async fn time(&mut self, port: &Port) -> Option<Reason> {
        if self.state.next_wake().is_some_and(|at| at <= now()) {
            return self.say(port, Said::Tick, Cause::News).await;
        }
        None
    }

    /// One message through `update`, and what it asks for.
    async fn say(&mut self, port: &Port, said: Said, cause: Cause) -> Option<Reason> {
        let effects = update(&mut self.state, Msg { at: now(), said });
        self.follow_theme();
        self.frames.request(cause);
        for effect in effects {
            if effect == Effect::Quit {
                return Some(Reason::Quit);
            }
            let (outcome, ended) = self.perform(port, effect).await;
            if ended.is_some() {
                return ended;
            }
            if let Some(outcome) = outcome {
                // Outcomes ask for nothing in turn.
                let _ = update(&mut self.state, Msg { at: now(), said: Said::Outcome(outcome) });
            }
        }
        None
    }

    fn draw(&mut self) -> io::Result<()> {
        if let Ok((columns, rows)) = terminal_size()
            && self.state.size != (columns, rows)
        {
            let _ = update(&mut self.state, Msg { at: now(), said: Said::Resized(columns, rows) });
        }
        self.screen.resize(self.state.size);
        let (columns, rows) = self.state.size;
        let layout = view::prepare(&mut self.state, &mut self.cache, Rect::new(0, 0, columns, rows));
        self.clear_picture(&layout);
        let (state, cache, theme) = (&self.state, &self.cache, &self.theme);
        let drawn = self.screen.draw(|frame| view::draw(state, cache, &layout, theme, frame));
        self.draw_picture(&layout);
        self.frames.drawn(Instant::now());
        if layout.again {
            self.frames.request(Cause::News);
        }
        self.layout = Some(layout);
        drawn.map(drop)
    }

    /// The text that the mouse selected.
    pub(super) fn selected(&mut self) -> String {
        self.layout.as_ref().map(|layout| view::selected(&self.state, &mut self.cache, layout)).unwrap_or_default()
    }

    fn exit(mut self, reason: Reason) -> Exit {
        let next = self.next.take();
        if let Some(keep) = self.state.draft_left() {
            // The terminal is about to go: there is no place left to tell of a failure.
            let _ = self.drafts.write(keep, self.options.mask.clone())();
        }
        let snapshot = &self.state.snapshot;
        let exit = Exit {
            reason,
            next,
            session: snapshot.session.name.clone(),
            worth_resuming: snapshot.turn.0 > 0,
            panics: Vec::new(),
        };
        drop(self);
        Exit { panics: guard::panics_elsewhere(), ..exit }
    }
}

/// Milliseconds since the epoch.
pub(super) fn now() -> Timestamp {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
