use serde::{Deserialize, Serialize};

use super::{Answer, AskId, Attachment, QueueId};

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
    /// Leave: finish writing, stop servers, end the actor.
    Quit,
}
