use serde::{Deserialize, Serialize};

use super::{
    Answer, ApprovalCommand, AskId, Attachment, QueueId, RequestId, RewindCommand, ShelfCommand, ShellCommand,
    TimeCommand,
};

/// When a message typed while a turn runs should land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmitMode {
    /// At the next tool boundary of the running turn.
    #[default]
    Steer,
    /// When the running turn is over.
    Queue,
}

/// What a front end asks of a session. Never blocks, never answers directly: the answer is an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A message, or a slash command when it begins with `/`.
    Submit {
        text: String,
        attachments: Vec<Attachment>,
        mode: SubmitMode,
    },
    EditQueued {
        id: QueueId,
        text: String,
    },
    WithdrawQueued {
        id: QueueId,
    },
    /// Stop the running turn: stream, tools, retry wait.
    Interrupt,
    /// Do not wait for the retry countdown; try now.
    RetryNow,
    Answer {
        ask: AskId,
        answer: Answer,
    },
    RestartServer {
        name: String,
    },
    /// Stop the server and keep it off until asked.
    DisableServer {
        name: String,
    },
    /// Changes what the tool surface is made of.
    Surface(SurfaceCommand),
    /// What a message would do to the surface. Changes nothing; answered by [`super::Body::WhatIf`] with
    /// the same `id`. Only the newest question is answered when several wait.
    WhatIf {
        id: u64,
        text: String,
    },
    /// Flips a switch for this session, from the next safe point on; answered by
    /// [`super::Decision::Switched`].
    Switch {
        key: String,
        on: bool,
    },
    /// Writes the value a switch has now to the configuration file.
    SaveSwitch {
        key: String,
    },
    /// The bodies of a model call; answered by [`super::Body::Wire`].
    Wire {
        request: RequestId,
    },
    /// About the folder of all sessions; answered by [`super::Body::Shelf`].
    Shelf(ShelfCommand),
    /// About the session's past; answered by [`super::Body::Moment`].
    Time(TimeCommand),
    /// Back to an earlier prompt; nothing is done while a turn runs.
    Rewind(RewindCommand),
    /// Which calls are asked about, and what is remembered.
    Approval(ApprovalCommand),
    /// A command of the person in the working folder.
    Shell(ShellCommand),
    /// Leave: finish writing, stop servers, end the actor.
    Quit,
}

/// What a person does to the tool surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceCommand {
    Enable {
        name: String,
    },
    Disable {
        name: String,
    },
    /// A pinned capability is never evicted in this session; it still takes its place.
    Pin {
        name: String,
        pinned: bool,
    },
    Restart {
        server: String,
    },
}
