use serde::{Deserialize, Serialize};

/// The steps from a tag to a session, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartStep {
    /// What was asked for, and which rule made an agent or a role of it.
    Tag,
    Tap,
    Manifest,
    Capabilities,
    Placeholders,
    Deps,
    Servers,
    /// Sentences that a message is to be compared with are being read.
    Triggers,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    Running,
    Done,
    /// Works, but not as it should; the detail says why.
    Doubtful,
    Failed,
    /// There was nothing to do.
    Skipped,
    Cancelled,
}

/// One line of the start-up cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    pub step: StartStep,
    pub state: StepState,
    /// What it came to, or what is being done.
    pub detail: String,
    /// Of the step so far.
    pub elapsed_ms: u64,
    /// Last lines a running script wrote, sanitised; at most [`OUTPUT_LINES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<String>,
}

/// Lines of a script's output that the start-up cell keeps.
pub const OUTPUT_LINES: usize = 6;
