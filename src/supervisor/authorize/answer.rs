use serde::Deserialize;

/// What a judge says, as it says it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    pub conflicts: Vec<Conflict>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Conflict {
    pub call: String,
    /// As in `user:0`.
    pub source: String,
    /// Of the source.
    pub quote: String,
    /// JSON pointer into the arguments; empty = the call as such.
    #[serde(default)]
    pub path: String,
    #[serde(default)]
    pub reason: String,
}
