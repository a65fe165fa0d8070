use serde::{Deserialize, Serialize};

/// The title of the tap that comes with the program: what is changed in its files does not stay.
pub const WITH_PROGRAM: &str = "comes with the program";

/// What the connected taps, the project and the person's folders offer, as a front end lists it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CatalogueView {
    /// In order of priority.
    pub taps: Vec<CatalogueItem>,
    pub agents: Vec<CatalogueItem>,
    pub capabilities: Vec<CatalogueItem>,
    pub skills: Vec<CatalogueItem>,
    pub plugins: Vec<CatalogueItem>,
    /// Findings that belong to no item above.
    pub problems: Vec<CatalogueProblem>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CatalogueItem {
    /// `developer:general`, `database-postgres`, `muvon/tap`.
    pub name: String,
    pub title: String,
    pub description: String,
    /// Empty = every domain.
    pub domains: Vec<String>,
    /// Name of the tap, or the folder it comes from.
    pub tap: String,
    /// The file that declares it.
    pub file: String,
    /// One line more: providers and triggers of a capability, rules of a skill, state of a tap.
    pub detail: String,
    pub problems: Vec<CatalogueProblem>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CatalogueProblem {
    /// An error leaves the part out; anything else is doubtful.
    pub error: bool,
    /// Worth knowing and nothing to mend, as that another tap comes first: no problem, so not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub note: bool,
    /// `file:line:column`.
    pub place: String,
    pub message: String,
    pub hint: Option<String>,
}
