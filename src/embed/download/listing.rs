//! Which files of a repository make up the model.

use serde::Deserialize;

use super::super::model::best_graph;
use super::error::DownloadError;

/// Read when they are there; without them the defaults hold.
const OPTIONAL: [&str; 2] = ["1_Pooling/config.json", "sentence_bert_config.json"];

/// The hub's answer about a repository.
#[derive(Debug, Deserialize)]
pub struct Listing {
    #[serde(rename = "sha", default = "main")]
    pub revision: String,
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Debug, Deserialize)]
struct Sibling {
    rfilename: String,
}

fn main() -> String {
    "main".to_owned()
}

impl Listing {
    pub fn parse(text: &[u8]) -> Result<Self, DownloadError> {
        let listing: Self = serde_json::from_slice(text).map_err(|error| DownloadError::Listing(error.to_string()))?;
        let plain = listing.revision.chars().all(|letter| letter.is_ascii_alphanumeric());
        if plain { Ok(listing) } else { Err(DownloadError::Listing("the revision is no hash".to_owned())) }
    }

    /// Only names that are known here, so none of them leads out of the model's folder.
    pub fn needed(&self, repository: &str) -> Result<Vec<String>, DownloadError> {
        let missing = |what: &str| DownloadError::NoModel { repository: repository.to_owned(), what: what.to_owned() };
        let graph = best_graph(self.names().map(str::to_owned)).ok_or_else(|| missing("`model*.onnx`"))?;
        if !self.names().any(|name| name == "tokenizer.json") {
            return Err(missing("`tokenizer.json`"));
        }
        let weights = format!("{graph}_data");
        let mut needed = vec!["tokenizer.json".to_owned()];
        needed.extend(self.names().filter(|name| OPTIONAL.contains(name) || *name == weights).map(str::to_owned));
        needed.push(graph);
        Ok(needed)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.siblings.iter().map(|sibling| sibling.rfilename.as_str())
    }
}
