//! Opening a session's folder: a new one, or one that is taken up again. Blocking; runs off the
//! session's task.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::super::journal::{JOURNAL, Journal, Lock, Locked, Reading, create_private_folder, read};
use super::super::seams::{Pick, Setup};
use super::super::store::{self, NameError};
use super::request::repair_name;
use super::supervise::Recalled;
use crate::model::History;
use crate::proto::{
    Body, Decision, EntryKind, Event, Level, Order, Purpose, Queued, RequestId, Snapshot, StopReason, Timestamp,
    ToolState,
};
use crate::text::human;

/// A journal from this size on takes long enough to be read that it is said, bytes.
const LARGE: u64 = 64 * 1024 * 1024;

/// A session's past, and the journal to write on.
pub(super) struct Opened {
    pub name: String,
    pub journal: Journal,
    pub past: Past,
    /// `None` for a new session.
    pub resumed: Option<Resumed>,
    pub notices: Vec<Body>,
}

pub(super) struct Resumed {
    pub reading: Reading,
    /// Who writes this session, when we may not.
    pub read_only: Option<String>,
}

/// What folding the journal gave.
#[derive(Default)]
pub(super) struct Past {
    pub snapshot: Snapshot,
    pub history: History,
    pub last_order: Order,
    pub last_request: u32,
    /// The latest time of all events, and that of the last one: clocks go back.
    pub last_at: Timestamp,
    pub end_at: Timestamp,
    /// What was mended in requests and has been said.
    pub repairs: BTreeSet<String>,
    /// The role that was resolved last, and the tap it came from.
    pub came_from: Option<(String, String)>,
    /// A reply that was being streamed when the process went away.
    pub partial: Option<Partial>,
    pub recalled: Recalled,
    /// Messages that nothing became of yet.
    pub waiting: Vec<Queued>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Partial {
    pub request: RequestId,
    pub order: Option<Order>,
    pub text: String,
    pub model: String,
}

impl Past {
    /// Folds one event in.
    pub fn take(&mut self, event: &Event) {
        self.snapshot.apply(event);
        self.last_at = self.last_at.max(event.at);
        self.end_at = event.at;
        self.history.apply(&event.body);
        if let Some(order) = event.order {
            self.last_order = self.last_order.max(order);
        }
        self.recalled.take(self.snapshot.turn.0, &event.body);
        if let Body::RequestStarted { request, .. } | Body::RequestFailed { request, .. } = &event.body {
            self.last_request = self.last_request.max(request.0);
        }
        self.take_waiting(&event.body);
        match &event.body {
            // Others may run beside the reply.
            Body::RequestStarted { request, model, purpose: Purpose::Main, .. } => {
                self.partial =
                    Some(Partial { request: *request, order: None, text: String::new(), model: model.clone() });
            }
            Body::TextDelta { request, offset, text } => {
                let partial = self.partial.as_mut().filter(|partial| partial.request == *request);
                if let Some(partial) = partial
                    && partial.text.len() as u64 == *offset
                {
                    partial.text.push_str(text);
                    partial.order = event.order;
                }
            }
            Body::AssistantMessage { .. } | Body::TurnEnded { .. } => self.partial = None,
            Body::Decided(repair @ Decision::RequestRepaired { .. }) => {
                self.repairs.insert(repair_name(repair));
            }
            Body::Decided(Decision::RoleResolved { role, tap, .. }) => {
                self.came_from = Some((role.clone(), tap.clone()));
            }
            _ => {}
        }
    }

    /// The end of a process takes the queue from the screen, not from here.
    fn take_waiting(&mut self, body: &Body) {
        match body {
            Body::Queued { id, text, mode } => self.waiting.push(Queued { id: *id, text: text.clone(), mode: *mode }),
            Body::QueueEdited { id, text } => {
                if let Some(one) = self.waiting.iter_mut().find(|one| one.id == *id) {
                    one.text.clone_from(text);
                }
            }
            Body::Unqueued { id } => self.waiting.retain(|one| one.id != *id),
            // It queued them anew, or said why not.
            Body::SessionResumed { .. } => self.waiting.clear(),
            _ => {}
        }
    }

    /// The message that the broken-off reply becomes.
    pub fn broken_off(&mut self) -> Option<(Option<Order>, Body)> {
        let partial = self.partial.take().filter(|partial| !partial.text.is_empty())?;
        let body = Body::AssistantMessage {
            request: partial.request,
            text: partial.text,
            reasoning: Vec::new(),
            reasoning_ms: 0,
            calls: Vec::new(),
            stop: StopReason::Interrupted,
            scripted: self.snapshot.session.model.scripted,
            model: partial.model,
        };
        Some((partial.order, body))
    }
}

/// Opens what was picked. Fails only when a session was asked for that is not there.
/// `tell` shows what is worth knowing before it is open.
pub(super) fn open(setup: &Setup, tell: &dyn Fn(Body)) -> Result<Opened, NameError> {
    let folder = match &setup.pick {
        Pick::New { name: None } => return Ok(fresh(setup)),
        Pick::New { name: Some(name) } => setup.sessions.join(store::checked_name(name)?),
        Pick::Resume { name } => store::find(&setup.sessions, name)?,
        Pick::ResumeRecent => store::most_recent(&setup.sessions, &setup.workdir)?,
    };
    if let Ok(found) = folder.join(JOURNAL).metadata()
        && found.is_file()
    {
        if found.len() >= LARGE {
            let text = format!("Reading {} of {}.", human::bytes(found.len()), name_of(&folder));
            tell(Body::Notice { level: Level::Info, source: "journal".to_owned(), text, hint: None });
        }
        return Ok(resume(&folder));
    }
    Ok(begin(folder))
}

/// A new session under a name that is free.
pub(super) fn fresh(setup: &Setup) -> Opened {
    let mut folder = PathBuf::new();
    for _ in 0..16 {
        let chance = ((setup.chance)() * f64::from(u16::MAX)) as u16;
        folder = setup.sessions.join(store::generated_name((setup.clock)(), &setup.workdir, chance));
        if !folder.exists() {
            break;
        }
    }
    begin(folder)
}

fn begin(folder: PathBuf) -> Opened {
    let name = name_of(&folder);
    let opened = create_private_folder(&folder).and_then(|()| match Lock::take(&folder)? {
        Locked::Mine(lock) => Journal::open(&folder, 0, lock).map(Ok),
        Locked::Held(by) => Ok(Err(by)),
    });
    let (journal, notices) = match opened {
        Ok(Ok(journal)) => (journal, Vec::new()),
        Ok(Err(holder)) => return held(&folder, name, holder),
        Err(error) => (Journal::off(&folder), vec![in_memory(&folder, &error)]),
    };
    Opened { name, journal, past: Past::default(), resumed: None, notices }
}

/// Another process is just beginning a session in this folder.
fn held(folder: &Path, name: String, holder: String) -> Opened {
    let mut past = Past::default();
    past.snapshot.session.name.clone_from(&name);
    let resumed = Resumed { reading: Reading::default(), read_only: Some(holder) };
    Opened { name, journal: Journal::off(folder), past, resumed: Some(resumed), notices: Vec::new() }
}

fn resume(folder: &Path) -> Opened {
    let mut past = Past::default();
    let mut notices = Vec::new();
    let lock = Lock::take(folder);
    let reading = read(&folder.join(JOURNAL), |event| past.take(&event)).unwrap_or_else(|error| {
        notices.push(in_memory(folder, &error));
        Reading::default()
    });
    let mut read_only = None;
    let journal = match lock {
        Ok(Locked::Mine(lock)) => match Journal::open(folder, reading.good_bytes, lock) {
            Ok(journal) => Some(journal),
            Err(error) => {
                notices.push(in_memory(folder, &error));
                None
            }
        },
        Ok(Locked::Held(by)) => {
            read_only = Some(by);
            None
        }
        Err(error) => {
            notices.push(in_memory(folder, &error));
            None
        }
    };
    notices.extend(damage(&reading, read_only.is_some()));
    if read_only.is_none() {
        notices.extend(cut_short(&past));
    }
    let journal = journal.unwrap_or_else(|| Journal::off(folder));
    Opened { name: name_of(folder), journal, past, resumed: Some(Resumed { reading, read_only }), notices }
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn in_memory(folder: &Path, error: &io::Error) -> Body {
    Body::Notice {
        level: Level::Error,
        source: "journal".to_owned(),
        text: format!("This session is kept in memory only: {} cannot be used ({error}).", folder.display()),
        hint: Some("Make the folder writable, or set OCTOMIND_DATA_DIR to one that is.".to_owned()),
    }
}

/// A turn that the last process did not live to end.
fn cut_short(past: &Past) -> Option<Body> {
    if !past.snapshot.run.busy() {
        return None;
    }
    let running = past.snapshot.transcript.entries().iter().filter_map(|entry| match &entry.kind {
        EntryKind::Tool { server, tool, state: ToolState::Running { .. }, .. } => Some(format!("{server}.{tool}")),
        _ => None,
    });
    let running: Vec<String> = running.collect();
    let lost = match (running.as_slice(), &past.partial) {
        ([], Some(partial)) if !partial.text.is_empty() => "The reply broke off.".to_owned(),
        ([], _) => "Nothing that had finished is lost.".to_owned(),
        (running, _) => format!("Whether {} had an effect is not known.", running.join(", ")),
    };
    let text = format!("octomind ended in the middle of turn {}. {lost}", past.snapshot.turn.0);
    Some(Body::Notice { level: Level::Warning, source: "journal".to_owned(), text, hint: None })
}

/// What was lost, in words.
pub(super) fn damage(reading: &Reading, written_elsewhere: bool) -> Vec<Body> {
    let notice = |text: String| Body::Notice { level: Level::Warning, source: "journal".to_owned(), text, hint: None };
    let mut notices = Vec::new();
    // Another process may be in the middle of that very record.
    if reading.torn_bytes > 0 && !written_elsewhere {
        let bytes = reading.torn_bytes;
        notices.push(notice(format!(
            "The journal ended in the middle of a record ({bytes} bytes), which was cut off; everything before it is here."
        )));
    }
    if reading.skipped > 0 {
        let mut named: Vec<String> =
            reading.named.iter().map(|skipped| format!("line {}: {}", skipped.line, skipped.why)).collect();
        let more = reading.skipped - named.len() as u64;
        if more > 0 {
            named.push(format!("and {more} more"));
        }
        let lines = if reading.skipped == 1 { "1 line" } else { &format!("{} lines", reading.skipped) };
        notices.push(notice(format!(
            "{lines} of the journal could not be read and were left out ({}).",
            named.join("; ")
        )));
    }
    notices
}
