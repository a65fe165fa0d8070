//! Asking the person before a tool call runs.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{AskKind, Body, CallId, Decision, Event, Level, RunState, Snapshot, Timestamp};

/// Which calls wait for a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalMode {
    /// None: guardrails and the sandbox are the policy.
    #[default]
    Off,
    /// Those that may change something.
    Writes,
    All,
}

impl ApprovalMode {
    pub const ALL: [Self; 3] = [Self::Off, Self::Writes, Self::All];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Writes => "writes",
            Self::All => "all",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalCommand {
    /// From the next call on.
    Mode(ApprovalMode),
    /// Takes back what is remembered under this number.
    Forget {
        rule: u32,
    },
    ForgetAll,
}

/// One call that waits, exactly as it would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    pub call: CallId,
    pub server: String,
    pub tool: String,
    /// All of them, as the tool would get them.
    pub arguments: serde_json::Value,
    /// Of a shell command: its parts in order. Of anything else: one, that names it.
    pub parts: Vec<ApprovalPart>,
    /// The rule by which it is asked; one sentence.
    pub why: String,
    pub preview: Option<ApprovalPreview>,
    /// What an answer for the session would remember, one line each.
    pub remembers: Vec<String>,
    /// What a no for the session would remember.
    pub refuses: Vec<String>,
    /// What else is to be known before an answer; one sentence each.
    pub warnings: Vec<String>,
    /// Its place among those of its reply that are asked about, from 1, and how many there are.
    pub number: u32,
    pub of: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalPart {
    /// As it stands in the command.
    pub text: String,
    pub standing: PartStanding,
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartStanding {
    /// It changes nothing.
    Reads,
    /// The person allowed it for the session.
    Allowed,
    Asks,
    /// The person refused it for the session.
    Refused,
}

/// What a call would make of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalPreview {
    pub path: String,
    pub creates: bool,
    pub added: u32,
    pub removed: u32,
    /// Unified; empty when there is none to show.
    pub diff: String,
    /// Why there is none, or what it does not show.
    pub note: Option<String>,
}

/// What became of a call, and everything that rested on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub call: CallId,
    pub server: String,
    pub tool: String,
    /// The command, the file, or the arguments, in one line.
    pub about: String,
    pub mode: ApprovalMode,
    pub parts: Vec<ApprovalPart>,
    pub why: String,
    pub outcome: ApprovalOutcome,
    /// What was remembered with the answer, one line each.
    pub remembered: Vec<String>,
    /// How long the person was waited for, milliseconds.
    pub waited_ms: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalOutcome {
    /// It needed no yes.
    Free,
    /// Allowed by what the person said before.
    ByRule,
    Once,
    Session,
    Refused,
    /// Refused for the session.
    Never,
    RefusedByRule,
    /// It needed a yes, and there was nobody to give one.
    NobodyThere,
    /// The turn was stopped before there was an answer.
    Interrupted,
    /// The file was not as it was shown any more; it was asked again.
    Outdated,
}

impl ApprovalOutcome {
    pub const fn runs(self) -> bool {
        matches!(self, Self::Free | Self::ByRule | Self::Once | Self::Session)
    }

    /// What was decided, and by whom.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Free => "needs no approval",
            Self::ByRule => "allowed by what you said in this session",
            Self::Once => "allowed once by you",
            Self::Session => "allowed for this session by you",
            Self::Refused => "refused by you",
            Self::Never => "refused for this session by you",
            Self::RefusedByRule => "refused by what you said in this session",
            Self::NobodyThere => "refused: nobody is here to approve it",
            Self::Interrupted => "not run: the turn was stopped before an answer",
            Self::Outdated => "asked again: the file changed since it was shown",
        }
    }
}

impl Approval {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let level = match self.outcome {
            ApprovalOutcome::NobodyThere | ApprovalOutcome::Outdated => Level::Warning,
            _ => Level::Info,
        };
        (level, "approval", format!("{} {}: {}", self.tool, self.about, self.outcome.words()))
    }
}

/// Something the person said for the whole session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRule {
    /// Unique in the session.
    pub id: u32,
    pub says: ApprovalSays,
    pub about: ApprovalAbout,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalSays {
    Allow,
    Refuse,
}

impl ApprovalSays {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allowed",
            Self::Refuse => "refused",
        }
    }
}

/// What calls a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalAbout {
    /// Command parts that begin with these words, whatever follows.
    Program { tool: String, words: Vec<String>, place: Option<String> },
    /// This command part and no other.
    Command { tool: String, text: String, place: Option<String> },
    /// Changes of this file by the bundled tools.
    File { path: String },
    /// Every call of this tool, as long as it says the same of itself.
    Tool { tool: String, fingerprint: String },
}

impl ApprovalAbout {
    /// Exactly what is remembered, for people.
    pub fn words(&self) -> String {
        let placed = |text: String, place: &Option<String>| match place {
            Some(place) => format!("{text}, {place}"),
            None => text,
        };
        match self {
            Self::Program { words, place, .. } => placed(format!("`{}` with any arguments", words.join(" ")), place),
            Self::Command { text, place, .. } => placed(format!("exactly `{text}`"), place),
            Self::File { path } => format!("edits and writes of {path}"),
            Self::Tool { tool, .. } => format!("every call of {tool}"),
        }
    }
}

/// How asking stands now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ApprovalStanding {
    pub mode: ApprovalMode,
    /// Where the mode comes from: a file and line, the command line, this session.
    pub origin: String,
    pub rules: Vec<ApprovalRule>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ApprovalView {
    pub standing: ApprovalStanding,
    /// The last decisions, the newest last, at most [`APPROVALS`].
    pub recent: VecDeque<(Timestamp, Approval)>,
}

/// Decisions kept in the snapshot; all of them are in the journal.
pub const APPROVALS: usize = 50;

impl Snapshot {
    pub(super) fn apply_approval(&mut self, standing: &ApprovalStanding) {
        Arc::make_mut(&mut self.approval).standing = standing.clone();
    }

    /// A decision about a call is kept; one that nobody was needed for is worth no note.
    pub(super) fn approval_decided(&mut self, event: &Event, decision: &Decision) -> Noted {
        let Decision::Approval(approval) = decision else { return Noted::Yes };
        let recent = &mut Arc::make_mut(&mut self.approval).recent;
        if recent.len() >= APPROVALS {
            recent.pop_front();
        }
        recent.push_back((event.at, (**approval).clone()));
        if approval.outcome == ApprovalOutcome::Free { Noted::No } else { Noted::Yes }
    }

    /// Whether a call waits for the person.
    pub fn awaits_approval(&self) -> bool {
        self.asks.iter().any(|(ask, _)| matches!(ask.kind, AskKind::Approval(_)))
    }

    /// Nothing runs beside a question about a call: then it is what the turn waits for.
    pub(super) fn approving(&mut self, event: &Event) {
        let awaits = self.awaits_approval();
        let runs = matches!(self.run, RunState::Tools { running: 1.., .. });
        let approving = matches!(self.run, RunState::Approving { .. });
        match &event.body {
            Body::Asked(_) | Body::ToolFinished { .. } if awaits && !runs && !approving && self.run.busy() => {
                self.run = RunState::Approving { since: event.at };
            }
            Body::Answered { .. } if !awaits && approving => {
                self.run = RunState::Tools { since: event.at, running: 0 };
            }
            _ => {}
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    Yes,
    No,
}
