use serde::{Deserialize, Serialize};

/// How a skill came to be active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillCause {
    /// `OCTOMIND_SKILLS`.
    Environment,
    /// A line of its rules held; index into the rules, from 0.
    Rule { line: u32 },
    /// `/skill`.
    Person,
    /// The `skill` tool.
    Model,
}

/// An active skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkillView {
    pub name: String,
    pub description: String,
    pub cause: SkillCause,
    /// The tap or folder it comes from.
    pub source: String,
    pub file: String,
    /// What it adds to every request, estimated.
    pub tokens: u32,
}

/// How the rules of one skill were judged for one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkillTrace {
    pub skill: String,
    pub activated: bool,
    /// Why it was not, although a line held; or which stage it did not pass.
    pub reason: Option<String>,
    pub lines: Vec<RuleTrace>,
}

/// One line of rules: it holds when all its checks do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleTrace {
    pub held: bool,
    pub checks: Vec<CheckTrace>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckTrace {
    /// As written: `content(rust)`.
    pub check: String,
    pub held: bool,
    /// The number it rested on, or why it could not be judged.
    pub evidence: String,
    /// Cosine of a `semantic()` check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f32>,
}
