//! What is new since the last look, in words.

use std::collections::BTreeMap;

use super::words;
use crate::proto::{Entry, EntryKind, Order, Origin, Snapshot, StepState, ToolState};
use crate::text::{self, human};
use crate::ui::transcript::cell;

/// Entries before the last ones that are looked at though all after them is told: one may come late.
const LATE: usize = 32;

/// How far an entry is told.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    version: u32,
    begun: bool,
    /// Bytes of a growing text, steps of a start.
    upto: usize,
    done: bool,
}

/// Remembers what was said.
#[derive(Debug, Default)]
pub struct Teller {
    session: String,
    told: BTreeMap<Order, Told>,
    /// Everything before it is told.
    settled: usize,
    /// The text of a reply stands in the middle of its line.
    open_line: bool,
}

impl Teller {
    /// Takes all that is there for told.
    pub fn skip(&mut self, snapshot: &Snapshot) {
        self.session.clone_from(&snapshot.session.name);
        self.told.clear();
        for entry in snapshot.transcript.entries() {
            let told = Told { version: entry.version, begun: true, upto: usize::MAX, done: true };
            let _ = self.told.insert(entry.order, told);
        }
        self.settled = snapshot.transcript.len();
    }

    /// Tells of this session from now on.
    pub fn name(&mut self, snapshot: &Snapshot) {
        self.session.clone_from(&snapshot.session.name);
    }

    /// Whether the last words are in the middle of a line.
    pub fn in_line(&self) -> bool {
        self.open_line
    }

    /// Whether the session is another one than was told of.
    pub fn is_new(&self, snapshot: &Snapshot) -> bool {
        self.session != snapshot.session.name
    }

    pub fn tell(&mut self, snapshot: &Snapshot) -> String {
        let entries = snapshot.transcript.entries();
        let mut out = String::new();
        let from = self.settled.min(entries.len()).saturating_sub(LATE);
        let mut settled = None;
        for (index, entry) in entries.iter().enumerate().skip(from) {
            let mut told = self.told.get(&entry.order).copied().unwrap_or_default();
            if !told.done && (!told.begun || told.version != entry.version) {
                told.version = entry.version;
                self.entry(entry, &mut told, &mut out);
                told.begun = true;
                let _ = self.told.insert(entry.order, told);
            }
            if !told.done && settled.is_none() {
                settled = Some(index);
            }
        }
        self.settled = settled.unwrap_or(entries.len());
        if self.told.len() > 4 * LATE + entries.len() {
            let first = entries.first().map(|entry| entry.order).unwrap_or_default();
            self.told = self.told.split_off(&first);
        }
        out
    }

    fn entry(&mut self, entry: &Entry, told: &mut Told, out: &mut String) {
        match &entry.kind {
            EntryKind::Assistant { text, streaming, interrupted, scripted } => {
                self.reply(text, *streaming, *scripted, told, out);
                if !streaming && *interrupted {
                    out.push_str("The reply was interrupted.\n");
                }
                told.done = !streaming;
                return;
            }
            // Who typed it knows it.
            EntryKind::User { origin: Origin::Person, .. } => {}
            EntryKind::User { text, origin: Origin::System { label, .. }, .. } => {
                self.say(&format!("{}: {}\n", words::line(label), text::sanitize(text.trim_end())), out);
            }
            EntryKind::Thinking { streaming, elapsed_ms, .. } => {
                if *streaming {
                    return;
                }
                self.say(&format!("The model thought for {}.\n", human::duration_ms(*elapsed_ms)), out);
            }
            EntryKind::Tool { server, tool, arguments, state, .. } => {
                if !told.begun {
                    self.say(&words::tool_started(server, tool, arguments), out);
                }
                if matches!(state, ToolState::Running { .. }) {
                    return;
                }
                self.say(&words::tool_finished(server, tool, state), out);
            }
            EntryKind::Shell(view) => {
                if !told.begun {
                    self.say(&format!("Command {} started.\n", words::line(&view.command)), out);
                }
                if view.state.is_running() {
                    return;
                }
                self.say(&words::shell_finished(&view.command, &view.state), out);
            }
            EntryKind::StartUp { steps } => {
                let over = |state: &StepState| *state != StepState::Running;
                let ready = steps.iter().take_while(|step| over(&step.state)).count();
                for step in steps.iter().take(ready).skip(told.upto) {
                    self.say(&words::step(step), out);
                }
                told.upto = told.upto.max(ready);
                return;
            }
            // The question itself is told where it can be answered.
            EntryKind::Asked { kind, answered } => {
                let Some(answered) = answered else { return };
                let answer = if *answered { "yes" } else { "no" };
                self.say(&format!("{} Answered {answer}.\n", cell::question(kind)), out);
            }
            EntryKind::Rewound(_) => self.say(&format!("{}\n", cell::plain(entry)), out),
            kind => self.say(&words::whole(kind), out),
        }
        told.done = true;
    }

    /// A reply as it grows: whole lines while it is written, the rest at its end.
    fn reply(&mut self, content: &str, streaming: bool, scripted: bool, told: &mut Told, out: &mut String) {
        let end = if streaming { content.rfind('\n').map_or(0, |at| at + 1) } else { content.len() };
        let Some(new) = content.get(told.upto.min(end)..end).filter(|new| !new.trim().is_empty()) else { return };
        if told.upto == 0 {
            self.say(if scripted { "Assistant, scripted: " } else { "Assistant: " }, out);
        }
        out.push_str(&text::sanitize(if told.upto == 0 { new.trim_start() } else { new }));
        told.upto = end;
        self.open_line = !out.ends_with('\n');
        if !streaming && self.open_line {
            out.push('\n');
            self.open_line = false;
        }
    }

    fn say(&mut self, words: &str, out: &mut String) {
        if words.is_empty() {
            return;
        }
        if std::mem::take(&mut self.open_line) {
            out.push('\n');
        }
        out.push_str(words);
    }
}
