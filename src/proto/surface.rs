use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{EncoderState, Offered, ServerTrouble, Shared, Timestamp, Top, TurnId, top};

/// How a capability came onto the surface, or who asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The role names it.
    Role,
    /// A fresh message passed the gate.
    Auto,
    /// `/capability`, or a key in the Surface pane.
    Person,
    /// The `capability` tool.
    Model,
    /// `OCTOMIND_CAPABILITIES`.
    Environment,
    /// Declared by an active skill.
    Skill { skill: String },
}

/// Where a message comes from that is compared with the triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentSource {
    /// A fresh message of the person.
    Message,
    /// `tap(action="capability")`.
    Model,
    /// What-if: nothing is changed by it.
    Question,
}

/// Why no score was even computed, in the order it is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// `auto_capabilities = false`.
    Off,
    /// No fresh message of the person: a follow-up request, text of the system.
    NotFresh,
    /// Characters that are not white space, XML blocks left out; fewer than 8.
    TooShort { characters: u32 },
    /// Every capability stopped at a stage before the comparison.
    NothingEligible,
    /// No vectors: what the encoder is doing.
    EncoderNotReady { encoder: EncoderState },
}

/// Where a capability stopped before it was compared; the stages in the order they are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It cannot be resolved: no provider, or a broken file.
    Unresolved {
        why: String,
    },
    NoTriggers,
    /// It is on the surface already.
    Active,
    OutOfDomain {
        domain: String,
        domains: Vec<String>,
    },
    /// Variables that its servers name and that are unset or empty.
    EnvironmentUnready {
        missing: Vec<String>,
    },
    /// Its phrases have no vectors yet.
    PhrasesUnready,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ineligible {
    pub capability: String,
    pub tap: String,
    pub stage: Stage,
    /// How near the message is to its triggers all the same, as the score of one that is eligible. Nothing
    /// where that was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriggerScore {
    pub trigger: Shared,
    pub cosine: f32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapabilityScore {
    pub capability: Shared,
    pub tap: Shared,
    /// Mean of `top`.
    pub score: f32,
    /// The best three, best first.
    #[serde(with = "top")]
    pub top: Top,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteOutcome {
    Skipped(Skip),
    /// The best is below the threshold.
    BelowThreshold,
    /// The best leads by too little.
    NarrowMargin,
    Activated {
        capability: String,
    },
}

/// Whether a message waited for the model and for triggers that were being read, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteWait {
    /// There was nothing to wait for.
    #[default]
    None,
    /// Milliseconds until all of it was there.
    Waited { ms: u64 },
    /// The longest wait passed: compared with what was there, and once more before a later request of its
    /// turn if the rest is there by then.
    Overdue { ms: u64 },
    /// The person went on without it; otherwise the same.
    WentOn { ms: u64 },
    /// This is that once more.
    Again,
}

/// One message against every capability in reach: the record that Scores, Why, What-if, `explain` and
/// `what-if` read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    pub turn: TurnId,
    pub source: IntentSource,
    /// First 16 hex digits of the SHA-256 of the text that was compared.
    pub message_hash: String,
    /// Its beginning, one line, sanitised and masked, at most 120 columns.
    pub excerpt: String,
    pub domain: String,
    /// Name and backend of what made the vectors; empty when none did.
    pub model: String,
    pub backend: String,
    pub threshold: f32,
    pub needed_margin: f32,
    /// Every eligible one, best first, ties by name.
    pub scores: Vec<CapabilityScore>,
    /// Of the best over the runner-up, or over 0 when it stands alone.
    pub margin: f32,
    pub ineligible: Vec<Ineligible>,
    pub outcome: RouteOutcome,
    /// Microseconds: the message's vector, and the decision after it.
    pub encoding_us: u64,
    pub deciding_us: u64,
    #[serde(default, skip_serializing_if = "RouteWait::is_none")]
    pub wait: RouteWait,
}

/// What happened to one server when a capability came or went, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStep {
    pub server: String,
    pub action: ServerAction,
    /// Tools this capability asks of it, as its `allowed_tools` patterns say; empty = all.
    pub tools: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerAction {
    /// Not there before: started.
    Started,
    /// The role owns it: its filter was widened, it was not registered again.
    Extended,
    /// Running for others: a reference was added.
    Shared { with: Vec<String> },
    /// The role owns it: its filter went back to what the role and the others ask.
    Narrowed,
    /// Others still refer to it.
    Kept { by: Vec<String> },
    /// Nobody refers to it any more; calls that run are let finish.
    Stopped,
    /// Nobody refers to it any more, and it never came up.
    NeverRan,
}

/// A capability came onto the surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activation {
    pub capability: String,
    pub title: String,
    pub tap: String,
    pub provider: String,
    pub cause: Cause,
    /// Of the routing that chose it.
    pub score: Option<f32>,
    pub margin: Option<f32>,
    pub servers: Vec<ServerStep>,
    /// `org/tool` scripts that were run for it; all there is to a toolchain capability.
    pub deps: Vec<String>,
    /// Who had to go for it.
    pub evicted: Option<String>,
    /// It had gone for this one, which could not be made to work: so it is back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_for: Option<String>,
}

/// Why a capability left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Departure {
    /// The least recently used of four, for `newcomer`; `order` is the whole order with last uses, the
    /// one that goes first in front.
    Evicted {
        newcomer: String,
        order: Vec<LruPlace>,
    },
    Person,
    Model,
    /// The new role's domain is none of its domains, or the new role names it itself.
    RoleChanged {
        role: String,
        why: String,
        /// The stage that it does not pass any more; nothing when the role names it itself.
        stage: Option<Stage>,
    },
    SkillForgotten {
        skill: String,
    },
    /// It could not be made to work: its scripts or servers failed.
    Failed {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LruPlace {
    pub capability: String,
    /// Last successful use of a tool of it.
    pub used: Option<Timestamp>,
    pub activated: Timestamp,
    pub pinned: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deactivation {
    pub capability: String,
    pub why: Departure,
    pub servers: Vec<ServerStep>,
}

/// A capability was asked for and did not come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    pub capability: String,
    pub cause: Cause,
    pub why: RefusalReason,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// No tap has one of this name; the nearest names.
    Unknown {
        nearest: Vec<String>,
    },
    Stage(Stage),
    /// All four are pinned.
    AllPinned {
        pinned: Vec<String>,
    },
    /// Its scripts or servers failed; `advice` says what to do.
    Failed {
        why: String,
        advice: String,
    },
    /// It is not active, so it cannot be disabled; or the role owns it.
    NotDynamic {
        owned_by_role: bool,
    },
    /// Active skills declare it, so it stays for as long as they do.
    HeldBySkill {
        skills: Vec<String>,
    },
}

/// What the surface is made of now. Emitted whole after each change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SurfaceView {
    pub domain: String,
    /// Capabilities that the role names, in its order.
    pub fixed: Vec<FixedCapability>,
    /// Servers that the role owns by itself or by a fixed capability: never stopped by the surface.
    pub fixed_servers: Vec<String>,
    /// Runtime-activated ones, the one that goes next first; at most four.
    pub dynamic: Vec<DynamicCapability>,
    /// Held by active skills; they take no place among the four.
    pub held: Vec<DynamicCapability>,
    /// Who refers to each running server: `role`, capabilities, `skill NAME`.
    pub references: Vec<ServerReferences>,
    /// What those servers offered when this was written, in the order of the wire. Explanations of a
    /// resumed session read it from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<SurfaceTool>,
    /// Known capabilities of the domain that are not on the surface.
    pub absent: u32,
    /// Everything that could come. Nothing in a record = as in the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<Arc<Offered>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixedCapability {
    pub name: String,
    pub tap: String,
    pub provider: String,
    pub servers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DynamicCapability {
    pub name: String,
    pub title: String,
    pub tap: String,
    pub provider: String,
    pub cause: Cause,
    pub score: Option<f32>,
    pub margin: Option<f32>,
    pub activated: Timestamp,
    /// Last successful use of one of its tools.
    pub used: Option<Timestamp>,
    pub pinned: bool,
    /// With the tools that it adds, as `server` and patterns (empty = all).
    pub servers: Vec<(String, Vec<String>)>,
    /// It was activated by running these; it may have no server.
    pub deps: Vec<String>,
}

/// A tool that a server of the surface offers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SurfaceTool {
    pub server: String,
    /// The server's own name for it.
    pub tool: String,
    pub wire_name: String,
    /// Estimated prompt tokens of its definition.
    pub tokens: u32,
    /// Why the model is not shown it, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Who asks for it: `role`, capabilities, `skill NAME`. The surface fills it in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerReferences {
    pub server: String,
    pub by: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<ServerTrouble>,
}

/// A change of the surface as the snapshot keeps it, for explanations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceChange {
    Routed(Arc<Routing>),
    Activated(Activation),
    Deactivated(Deactivation),
    Refused(Refusal),
}

/// When what happened to the surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceEvent {
    pub at: Timestamp,
    pub turn: TurnId,
    pub change: SurfaceChange,
}
