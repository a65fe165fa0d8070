//! What the linter says.

use serde::Serialize;

/// The whole comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub triggers: usize,
    /// One for each capability, in the order they were given.
    #[serde(rename = "capabilities")]
    pub standings: Vec<Standing>,
    /// The gravest first, then by capability.
    pub findings: Vec<Finding>,
}

/// How a capability does when its own triggers are the messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    pub capability: String,
    pub triggers: usize,
    /// How many of them would activate it, each judged without itself.
    pub activate: usize,
    /// Median of their scores; absent with a single trigger.
    pub median_score: Option<f64>,
    /// Who scores highest on them, on the whole.
    pub nearest: Option<String>,
    /// Median lead over the best other.
    pub median_lead: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gravity {
    /// Worth knowing.
    Note,
    /// Routing is worse than it need be.
    Warning,
    /// Messages will go astray, or nowhere.
    Error,
}

/// In the order in which findings about one capability are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The capability can never clear the margin against a neighbour.
    Shadowed,
    /// The same words in two capabilities.
    Duplicate,
    /// Two triggers of different capabilities that are nearly one.
    Twins,
    /// A trigger that is nearer to another capability than to its own.
    Stray,
    /// No trigger reaches the threshold in its own capability.
    Faint,
    /// Every trigger is held back, by one neighbour or another.
    Mute,
    /// A trigger that is like many capabilities.
    Generic,
    /// A trigger that is like messages which nothing should fire on.
    Chatter,
    /// A trigger far from its own siblings.
    Outlier,
    /// Fewer triggers than a score takes the mean of.
    Few,
    /// The same words, or nearly, twice in one capability.
    Repeated,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    pub gravity: Gravity,
    pub capability: String,
    /// Of the capability; absent when it is about all of them.
    pub trigger: Option<Place>,
    /// The capability it collides with.
    pub other: Option<String>,
    /// The trigger of `other`, or the sibling or message, that it collides with.
    pub other_trigger: Option<Place>,
    pub numbers: Vec<Number>,
    /// What is the matter, one sentence.
    pub message: String,
    /// What to change.
    pub advice: String,
}

/// A trigger and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    pub text: String,
    pub place: String,
}

/// A cosine, or a mean of three, or a difference of two.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Number {
    pub what: String,
    pub value: f64,
}

impl Gravity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl FindingKind {
    /// As `--json` writes it, with spaces.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shadowed => "shadowed",
            Self::Duplicate => "duplicate",
            Self::Twins => "twins",
            Self::Stray => "stray",
            Self::Faint => "faint",
            Self::Mute => "mute",
            Self::Generic => "generic",
            Self::Chatter => "chatter",
            Self::Outlier => "outlier",
            Self::Few => "few",
            Self::Repeated => "repeated",
        }
    }
}
