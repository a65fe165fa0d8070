//! Files are looked at around tool calls, and the session goes back to an earlier prompt.

pub(in crate::session::actor) mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::open::Resumed;
use super::supervise::{Class, PendingCall};
use super::turn::Phase;
use super::{Actor, Report};
use crate::proto::{
    Body, FileChange, Level, RewindCommand, RewindEvent, RewindPreview, RewindTo, RewindWhat, Rewound, TurnId,
};
use crate::session::checkpoint::{self, Checkpoints, Outcome, Since, Window, Wish};

/// What a cancelled call still does is waited for so long.
const AFTERMATH: Duration = Duration::from_millis(700);

/// What looks at the folder are at.
#[derive(Default)]
pub(super) struct Rewinding {
    pub checkpoints: Option<Arc<Checkpoints>>,
    /// Looks whose report has not come.
    looking: usize,
    /// Waits for them.
    waiting: Option<RewindCommand>,
    /// Files are being put back; what is said meanwhile waits.
    pub restoring: bool,
    /// Lines of the journal that could not be read.
    pub damaged: u64,
    /// It was said that this folder is not covered.
    said: bool,
}

/// A batch of calls that may change files. None of them begins before the folder was looked at: what is
/// shown as running runs.
#[derive(Debug)]
pub(super) struct Guarded {
    checkpoints: Arc<Checkpoints>,
    /// `None` while it is looked at.
    begun: Option<SystemTime>,
    only: Option<Vec<PathBuf>>,
}

impl Guarded {
    /// Whether the calls still wait for the look.
    pub fn looks(&self) -> bool {
        self.begun.is_none()
    }
}

/// How a batch of calls came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    ByItself,
    Cancelled,
}

/// What work beside the task brings back.
pub(super) enum RewindReport {
    /// The calls of this turn that wait for it may begin.
    Looked(TurnId),
    Changed(TurnId, Result<Vec<FileChange>, String>),
    Previewed(Box<RewindPreview>),
    Restored {
        to: RewindTo,
        what: RewindWhat,
        outcome: Result<Outcome, String>,
    },
}

impl Actor {
    pub(super) fn rewinding_of(&self, resumed: Option<&Resumed>) -> Rewinding {
        let damaged = resumed.map_or(0, |resumed| resumed.reading.skipped);
        let read_only = resumed.is_some_and(|resumed| resumed.read_only.is_some());
        let checkpoints = self.setup.checkpoints.as_ref().filter(|_| !read_only).map(|data| {
            let ours = vec![self.setup.sessions.clone(), data.clone()];
            let store = checkpoint::place(data, &self.setup.workdir);
            Arc::new(Checkpoints::new(&self.setup.workdir, store, &self.name, ours))
        });
        if let Some(kept) = checkpoints.clone() {
            tokio::task::spawn_blocking(move || kept.clean(SystemTime::now()));
        }
        Rewinding { checkpoints, damaged, ..Rewinding::default() }
    }

    /// The folder is looked at while the model writes its calls.
    pub(super) fn look_ahead(&self) {
        let Some(checkpoints) = self.rewinding.checkpoints.clone() else { return };
        tokio::spawn(async move { checkpoints.before(Since::ModelSpoke).await });
    }

    /// While the first request is out, if there is anything that could change a file.
    pub(super) fn look_first(&self) {
        let changes = |tool: &crate::mcp::ToolDefinition| tool.info.exposed() && tool.read_only != Some(true);
        if self.rewinding.checkpoints.is_some() && self.servers.tools.catalog().iter().any(changes) {
            self.look_ahead();
        }
    }

    /// One more call joins those that are looked after.
    pub(super) fn guard_also(&self, guarded: &mut Guarded, call: &PendingCall, class: Class) {
        if class == Class::Reads {
            return;
        }
        match (self.named(call, class), &mut guarded.only) {
            (Some(path), Some(named)) => named.push(path),
            _ => guarded.only = None,
        }
    }

    /// The only path that the call writes to, where that is known: of the bundled server.
    fn named(&self, call: &PendingCall, class: Class) -> Option<PathBuf> {
        let path = call.arguments.get("path").and_then(serde_json::Value::as_str)?;
        (class == Class::Changes && call.server == FILES).then(|| self.absolute(path))
    }

    /// `None` when no call of the batch can change a file, or nothing is kept.
    pub(super) fn guard(&self, calls: &[(PendingCall, Class)], since: Since) -> Option<Guarded> {
        let checkpoints = self.rewinding.checkpoints.clone()?;
        let mut only = Some(Vec::new());
        let mut changes = false;
        for (call, class) in calls.iter().filter(|(_, class)| *class != Class::Reads) {
            changes = true;
            match (self.named(call, *class), &mut only) {
                (Some(path), Some(named)) => named.push(path),
                _ => only = None,
            }
        }
        let turn = self.turn.as_ref().filter(|_| changes)?.id;
        let (report, looks) = (self.report.clone(), Arc::clone(&checkpoints));
        tokio::spawn(async move {
            looks.before(since).await;
            let _ = report.send(Report::Rewind(RewindReport::Looked(turn)));
        });
        Some(Guarded { checkpoints, begun: None, only })
    }

    fn absolute(&self, path: &str) -> PathBuf {
        let path = path.trim();
        let path = path.strip_prefix("file://").unwrap_or(path);
        let place = self.setup.workdir.join(path);
        // A path that is written may lead through links; its folder exists by then.
        let real = place.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
        match (std::fs::canonicalize(&place), real, place.file_name()) {
            (Ok(place), ..) => place,
            (_, Some(folder), Some(name)) => folder.join(name),
            _ => place.components().collect(),
        }
    }

    fn calls_begin(&mut self, of: TurnId) {
        let Some(Phase::Tools(batch)) = self.turn.as_mut().filter(|turn| turn.id == of).map(|turn| &mut turn.phase)
        else {
            return;
        };
        let Some(guarded) = batch.guarded.as_mut().filter(|guarded| guarded.begun.is_none()) else { return };
        guarded.begun = Some(SystemTime::now());
        self.advance_batch();
    }

    /// The calls are over: what they changed is found out while the next request is out.
    pub(super) fn look_after(&mut self, guarded: Option<Guarded>, how: Ended) {
        let (Some(guarded), Some(turn)) = (guarded, self.turn.as_ref().map(|turn| turn.id)) else { return };
        let Guarded { checkpoints, begun, only } = guarded;
        // A batch that was stopped before it began changed nothing.
        let Some(begun) = begun else { return };
        self.rewinding.looking += 1;
        let report = self.report.clone();
        let wait = if how == Ended::Cancelled { AFTERMATH } else { Duration::ZERO };
        let ended = SystemTime::now() + wait;
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let window = Window { begun, ended, only };
            let changed = tokio::task::spawn_blocking(move || checkpoints.changed(&window)).await;
            let changed = changed.unwrap_or_else(|error| Err(error.to_string()));
            let _ = report.send(Report::Rewind(RewindReport::Changed(turn, changed)));
        });
    }

    pub(super) fn rewind_command(&mut self, command: RewindCommand) {
        if let Some(why) = self.no_rewind() {
            return self.refuse_rewind(&command, why);
        }
        if self.rewinding.looking > 0 {
            self.rewinding.waiting = Some(command);
            return;
        }
        self.begin_rewind(command);
    }

    /// Why the session cannot go back now.
    fn no_rewind(&self) -> Option<String> {
        if let Some(holder) = &self.read_only {
            return Some(format!("this session is open elsewhere ({holder}) and can only be read here"));
        }
        if self.rewinding.damaged > 0 {
            let lines = crate::proto::counted(self.rewinding.damaged, "line");
            return Some(format!(
                "{lines} of its journal could not be read, so what was changed is not known for sure"
            ));
        }
        if self.turn.is_some() {
            return Some("a turn runs; stop it first".to_owned());
        }
        self.rewinding.restoring.then(|| "files are being put back right now".to_owned())
    }

    fn refuse_rewind(&mut self, command: &RewindCommand, why: String) {
        match command {
            RewindCommand::Preview { to } => {
                let refused = Some(why);
                let preview = RewindPreview { to: *to, messages: 0, files: Vec::new(), uncovered: Vec::new(), refused };
                self.rec.emit(Body::Rewind(RewindEvent::Previewed(Arc::new(preview))));
            }
            RewindCommand::Go { .. } => {
                self.rec.notice(Level::Warning, "rewind", format!("The session does not go back: {why}."), None);
            }
        }
    }

    fn begin_rewind(&mut self, command: RewindCommand) {
        let to = match &command {
            RewindCommand::Preview { to } | RewindCommand::Go { to, .. } => *to,
        };
        let view = Arc::clone(&self.rec.hub.snapshot().rewind);
        let wishes = match (to, &view.before) {
            (RewindTo::Before, None) => {
                return self.refuse_rewind(&command, "it was not rewound before".to_owned());
            }
            (RewindTo::Before, Some(before)) => Wish::of(before.files.iter()),
            (RewindTo::Turn(turn), _) if !view.points.iter().any(|point| point.turn == turn) => {
                return self.refuse_rewind(&command, format!("turn {} is not in the conversation", turn.0));
            }
            (RewindTo::Turn(turn), _) => Wish::of(view.changes_from(turn)),
        };
        let (report, checkpoints) = (self.report.clone(), self.rewinding.checkpoints.clone());
        let messages = self.rec.history.messages_of(to);
        // What was done is undone whole, and no more than it.
        let what = match (&command, &view.before) {
            (RewindCommand::Go { .. }, Some(before)) if to == RewindTo::Before => before.what,
            (RewindCommand::Go { what, .. }, _) => *what,
            (RewindCommand::Preview { .. }, _) => RewindWhat::Both,
        };
        if matches!(command, RewindCommand::Go { .. }) {
            self.rewinding.restoring = true;
        }
        tokio::task::spawn_blocking(move || {
            let told = match command {
                RewindCommand::Preview { .. } => {
                    let uncovered = checkpoints.as_ref().map(|kept| kept.uncovered()).unwrap_or_default();
                    let files = checkpoints.map_or_else(|| Ok(Vec::new()), |kept| kept.preview(&wishes));
                    let (files, refused) = match files {
                        Ok(files) => (files, None),
                        Err(why) => (Vec::new(), Some(why)),
                    };
                    RewindReport::Previewed(Box::new(RewindPreview { to, messages, files, uncovered, refused }))
                }
                RewindCommand::Go { by_hand, .. } => {
                    let outcome = match checkpoints.filter(|_| what.files()) {
                        Some(kept) => kept.restore(&wishes, by_hand),
                        None => Ok(Outcome::default()),
                    };
                    RewindReport::Restored { to, what, outcome }
                }
            };
            // The session may be over.
            let _ = report.send(Report::Rewind(told));
        });
    }

    pub(super) fn rewind_reported(&mut self, report: RewindReport) {
        match report {
            RewindReport::Looked(turn) => self.calls_begin(turn),
            RewindReport::Changed(turn, changed) => self.files_changed(turn, changed),
            RewindReport::Previewed(preview) => {
                self.rec.emit(Body::Rewind(RewindEvent::Previewed(Arc::new(*preview))));
            }
            RewindReport::Restored { to, what, outcome } => self.files_restored(to, what, outcome),
        }
    }

    fn files_changed(&mut self, turn: TurnId, changed: Result<Vec<FileChange>, String>) {
        self.rewinding.looking = self.rewinding.looking.saturating_sub(1);
        match changed {
            Ok(changes) if changes.is_empty() => {}
            Ok(changes) => self.rec.emit(Body::Rewind(RewindEvent::FilesChanged { turn, changes })),
            Err(why) if !std::mem::replace(&mut self.rewinding.said, true) => {
                let text = format!("What is changed in this folder cannot be taken back by a rewind: {why}.");
                self.rec.notice(Level::Warning, "rewind", text, None);
            }
            Err(_) => {}
        }
        if self.rewinding.looking == 0
            && let Some(command) = self.rewinding.waiting.take()
        {
            match self.no_rewind() {
                Some(why) => self.refuse_rewind(&command, why),
                None => self.begin_rewind(command),
            }
        }
    }

    fn files_restored(&mut self, to: RewindTo, what: RewindWhat, outcome: Result<Outcome, String>) {
        self.rewinding.restoring = false;
        match outcome {
            Err(why) => self.rec.notice(Level::Error, "rewind", format!("Nothing was changed. {why}"), None),
            Ok(Outcome { files, left }) => {
                let messages = if what.conversation() { self.rec.history.messages_of(to) } else { 0 };
                let rewound = Rewound { to, what, messages, files, left };
                self.rec.cell(Body::Rewind(RewindEvent::Rewound(Box::new(rewound))));
                if what.conversation() {
                    self.conversation_rewound(to);
                }
                drop(self.rec.settle());
                self.measure();
            }
        }
        if self.turn.is_none() {
            let next = self.queue.take_next();
            self.begin_waiting(next);
        }
    }

    /// What the session has beside the history follows it.
    fn conversation_rewound(&mut self, to: RewindTo) {
        self.context_said = self.rec.history.items().iter().any(super::request::is_context);
        let plan = Arc::clone(&self.rec.hub.snapshot().supervisor.plan);
        self.plan_restore(&plan);
        self.watch_rewound(to);
    }

    /// Looks that still run are waited for, but not for long.
    pub(super) async fn looks_settle(&mut self) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(3);
        while self.rewinding.looking > 0 {
            match tokio::time::timeout_at(deadline, self.reports.recv()).await {
                Ok(Some(Report::Rewind(RewindReport::Changed(turn, changed)))) => self.files_changed(turn, changed),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break,
            }
        }
        if let Some(checkpoints) = &self.rewinding.checkpoints {
            checkpoints.stop();
        }
    }

    /// As `/rewind` is asked for in words.
    pub(super) fn slash_rewind(&mut self, arguments: &str) -> String {
        let view = Arc::clone(&self.rec.hub.snapshot().rewind);
        match words::parse(arguments) {
            Ok(words::Asked::List) => words::list(&view),
            Ok(words::Asked::Go { to, what, by_hand }) => {
                self.rewind_command(RewindCommand::Go { to, what, by_hand });
                String::new()
            }
            Err(why) => why,
        }
    }
}

/// The name of the bundled server's owner in a session.
const FILES: &str = "files";
