//! A command that the person runs in the working folder, beside the conversation.

use serde::{Deserialize, Serialize};

use super::{Body, Content, EntryKind, Event, Order, Snapshot, Timestamp};

/// What the person asks of the shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellCommand {
    Run {
        command: String,
        share: Share,
    },
    /// Ends the command that runs, with all that it started.
    Stop,
}

/// Whether the model gets to read a command and its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// With the next message.
    Model,
    Person,
}

/// What became of a command; its entry is that of the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellBody {
    Started {
        command: String,
        share: Share,
    },
    /// The last lines so far, and how many bytes there were in all.
    Output {
        tail: String,
        bytes: u64,
    },
    Finished {
        end: ShellEnd,
        /// All of it, or its beginning and its end.
        content: Content,
        full_bytes: u64,
        /// File that holds the whole when `content` does not.
        spill: Option<String>,
        elapsed_ms: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellEnd {
    Exited(i32),
    Signal(i32),
    /// By the person.
    Stopped,
    /// It could not be started, or nobody was there to see its end; one sentence.
    Lost(String),
}

/// A command as its cell shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShellView {
    pub command: String,
    pub share: Share,
    pub state: ShellState,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellState {
    Running { since: Timestamp, tail: String, bytes: u64 },
    Finished { end: ShellEnd, content: Content, full_bytes: u64, spill: Option<String>, elapsed_ms: u64 },
}

impl ShellState {
    /// The process that ran it went away.
    pub(super) fn lost() -> Self {
        Self::Finished {
            end: ShellEnd::Lost("ended with the program that ran it".to_owned()),
            content: Content::default(),
            full_bytes: 0,
            spill: None,
            elapsed_ms: 0,
        }
    }

    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

/// What a line that begins with `!` asks for: `!command`, or `!!command` for what the model is not to see.
pub fn parse(line: &str) -> Option<(Share, &str)> {
    let rest = line.trim_start().strip_prefix('!')?;
    let (share, command) = match rest.strip_prefix('!') {
        Some(command) => (Share::Person, command),
        None => (Share::Model, rest),
    };
    Some((share, command.trim()))
}

impl Snapshot {
    pub(super) fn apply_shell(&mut self, event: &Event) {
        let (Body::Shell(body), Some(order)) = (&event.body, event.order) else { return };
        match body {
            ShellBody::Started { command, share } => {
                let state = ShellState::Running { since: event.at, tail: String::new(), bytes: 0 };
                let view = ShellView { command: command.clone(), share: *share, state };
                self.shell = Some(order);
                self.put(event, EntryKind::Shell(view));
            }
            ShellBody::Output { tail, bytes } => self.edit_shell(order, |state| {
                if let ShellState::Running { tail: shown, bytes: count, .. } = state {
                    shown.clone_from(tail);
                    *count = *bytes;
                }
            }),
            ShellBody::Finished { end, content, full_bytes, spill, elapsed_ms } => {
                if self.shell == Some(order) {
                    self.shell = None;
                }
                self.edit_shell(order, |state| {
                    *state = ShellState::Finished {
                        end: end.clone(),
                        content: content.clone(),
                        full_bytes: *full_bytes,
                        spill: spill.clone(),
                        elapsed_ms: *elapsed_ms,
                    };
                });
            }
        }
    }

    /// Nobody is there any more to see how the command ends.
    pub(super) fn lose_shell(&mut self) {
        if let Some(order) = self.shell.take() {
            self.edit_shell(order, |state| *state = ShellState::lost());
        }
    }

    fn edit_shell(&mut self, order: Order, change: impl FnOnce(&mut ShellState)) {
        self.transcript.edit(order, |kind| {
            if let EntryKind::Shell(view) = kind {
                change(&mut view.state);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::Seq;

    fn event(seq: u64, body: ShellBody) -> Event {
        Event { seq: Seq(seq), at: seq, order: Some(Order::from((0, 0, 1))), body: Body::Shell(body) }
    }

    fn state(snapshot: &Snapshot) -> &ShellState {
        match &snapshot.transcript.entries()[0].kind {
            EntryKind::Shell(view) => &view.state,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_says_who_sees_the_output() {
        assert_eq!(parse("!ls -l "), Some((Share::Model, "ls -l")));
        assert_eq!(parse(" !! ls"), Some((Share::Person, "ls")));
        assert_eq!(parse("!"), Some((Share::Model, "")));
        assert_eq!(parse("wow!"), None);
    }

    #[test]
    fn a_command_runs_streams_and_ends() {
        let mut snapshot = Snapshot::default();
        snapshot.apply(&event(1, ShellBody::Started { command: "make".into(), share: Share::Model }));
        snapshot.apply(&event(2, ShellBody::Output { tail: "cc a.c\n".into(), bytes: 7 }));
        assert_eq!(*state(&snapshot), ShellState::Running { since: 1, tail: "cc a.c\n".into(), bytes: 7 });
        assert!(snapshot.shell.is_some());
        let finished = ShellBody::Finished {
            end: ShellEnd::Exited(2),
            content: Content::Text("cc a.c\n".into()),
            full_bytes: 7,
            spill: None,
            elapsed_ms: 5,
        };
        snapshot.apply(&event(3, finished));
        assert!(snapshot.shell.is_none());
        assert!(matches!(state(&snapshot), ShellState::Finished { end: ShellEnd::Exited(2), .. }));
    }

    #[test]
    fn what_a_killed_process_left_running_is_shown_as_lost() {
        let mut snapshot = Snapshot::default();
        snapshot.apply(&event(1, ShellBody::Started { command: "sleep 9".into(), share: Share::Person }));
        let body = Body::SessionResumed { events: 1, skipped: 0, read_only: None, version: String::new() };
        snapshot.apply(&Event { seq: Seq(2), at: 2, order: None, body });
        assert!(matches!(state(&snapshot), ShellState::Finished { end: ShellEnd::Lost(_), .. }));
        assert!(snapshot.shell.is_none());
    }
}
