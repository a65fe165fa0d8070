use serde::{Deserialize, Deserializer};

/// More entries than this are not read.
const MOST: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    Pass,
    Gaps,
}

/// What the verifier says, as it says it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Answer {
    pub verdict: Word,
    #[serde(default)]
    pub evidence: Vec<Cited>,
    #[serde(default)]
    pub gaps: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Cited {
    #[serde(rename = "ref")]
    pub reference: String,
    #[serde(default, deserialize_with = "text")]
    pub quote: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Finding {
    pub finding: String,
    pub blocking: bool,
    #[serde(rename = "ref", default, deserialize_with = "text")]
    pub reference: String,
    #[serde(default, deserialize_with = "text")]
    pub quote: String,
    /// Id of the earlier finding that this is.
    #[serde(default, deserialize_with = "text")]
    pub same_as: String,
    /// The person's words that rule out what it asks for.
    #[serde(default, deserialize_with = "text")]
    pub forbidden_by: String,
}

impl Answer {
    /// Refuses what contradicts itself, and cuts what is too long.
    pub fn checked(mut self) -> Result<Self, String> {
        self.evidence.truncate(MOST);
        self.gaps.truncate(MOST);
        self.gaps.retain(|gap| !gap.finding.trim().is_empty());
        match self.verdict {
            Word::Gaps if self.gaps.is_empty() => Err("the verdict is gaps, and none is given".to_owned()),
            _ => Ok(self),
        }
    }
}

/// What the second look says of the findings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SecondLook {
    pub findings: Vec<Looked>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Looked {
    pub id: String,
    pub stands: bool,
    #[serde(default, deserialize_with = "text")]
    pub why: String,
}

/// `null` is as good as nothing.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(Option::<String>::deserialize(from)?.unwrap_or_default())
}
