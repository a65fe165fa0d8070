//! Which model: the embedded one, a folder's or a hub's, and what its files say about it.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::config::read_ordinary;
use crate::text::human::bytes;

/// The graph that comes with the binary, pooling and normalisation in it.
static EMBEDDED_GRAPH: &[u8] = include_bytes!("../../assets/encoder/model.onnx");
static EMBEDDED_TOKENIZER: &[u8] = include_bytes!("../../assets/encoder/tokenizer.json");
/// Vectors of the starter tap's phrases, in the format of [`super::index`]; may be empty.
pub(super) static EMBEDDED_VECTORS: &[u8] = include_bytes!("../../assets/encoder/vectors.bin");

/// Tokens a text is cut to where the tokenizer does not say: what BERT-like models were trained with.
const MOST_TOKENS: usize = 512;

/// `[encoder] model`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    Embedded,
    /// `owner/name`.
    Hub(String),
    Folder(PathBuf),
}

impl Choice {
    /// `home` stands for a leading `~/`.
    pub fn read(setting: &str, home: Option<&Path>) -> Result<Self, ModelError> {
        let setting = setting.trim();
        if setting.is_empty() || setting == "embedded" {
            return Ok(Self::Embedded);
        }
        if let (Some(rest), Some(home)) = (setting.strip_prefix("~/"), home) {
            return Ok(Self::Folder(home.join(rest)));
        }
        let path = Path::new(setting);
        if path.is_absolute() || setting.starts_with('.') || path.is_dir() {
            return Ok(Self::Folder(path.to_path_buf()));
        }
        let parts: Vec<&str> = setting.split('/').collect();
        match parts.as_slice() {
            [owner, name] if is_hub_part(owner) && is_hub_part(name) => Ok(Self::Hub(setting.to_owned())),
            _ => Err(ModelError::Setting(setting.to_owned())),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Self::Embedded => "embedded".to_owned(),
            Self::Hub(repository) => repository.clone(),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }
}

fn is_hub_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with('.')
        && part.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("`{0}` is neither `embedded`, nor a hub repository (`owner/name`), nor a directory")]
    Setting(String),
    #[error("this build comes without a sentence model")]
    NotInBuild,
    #[error("{path} cannot be read: {error}")]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{path} has {found}, more than the {most} that a model may have")]
    TooLarge { path: PathBuf, found: String, most: String },
    #[error("{0} has no `model*.onnx`")]
    NoGraph(PathBuf),
    #[error("the tokenizer cannot be used: {0}")]
    Tokenizer(String),
    #[error("{backend} cannot use the model: {reason}")]
    Graph { backend: String, reason: String },
    #[error("{first}; that one failed too: {second}")]
    Both { first: String, second: String },
    #[error("{0}")]
    Download(#[from] super::download::DownloadError),
}

/// How the vectors of a text's tokens become one, where the graph does not do it itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    Mean,
    /// The first token's.
    First,
}

#[derive(Debug)]
pub enum Graph {
    Embedded(&'static [u8]),
    File(PathBuf),
}

/// A model before it is loaded.
#[derive(Debug)]
pub struct Model {
    pub name: String,
    pub graph: Graph,
    pub tokenizer: Cow<'static, [u8]>,
    pub pooling: Pooling,
    pub most_tokens: usize,
}

impl Model {
    pub fn embedded() -> Result<Self, ModelError> {
        if EMBEDDED_GRAPH.is_empty() || EMBEDDED_TOKENIZER.is_empty() {
            return Err(ModelError::NotInBuild);
        }
        Ok(Self {
            name: Choice::Embedded.name(),
            graph: Graph::Embedded(EMBEDDED_GRAPH),
            tokenizer: Cow::Borrowed(EMBEDDED_TOKENIZER),
            pooling: Pooling::Mean,
            most_tokens: MOST_TOKENS,
        })
    }

    /// `model*.onnx` (in the folder or in its `onnx/`), `tokenizer.json` and, where they are,
    /// `1_Pooling/config.json` and `sentence_bert_config.json`.
    pub fn in_folder(folder: &Path, name: String) -> Result<Self, ModelError> {
        let graph = graph_in(folder)?.ok_or_else(|| ModelError::NoGraph(folder.to_path_buf()))?;
        bounded(&[&graph, &weights_of(&graph)], MOST_GRAPH)?;
        Ok(Self {
            name,
            graph: Graph::File(graph),
            tokenizer: Cow::Owned(read_tokenizer(&folder.join("tokenizer.json"))?),
            pooling: pooling_in(folder),
            most_tokens: most_tokens_in(folder),
        })
    }
}

/// Of a graph with its weights: a message would wait too long for a larger one.
const MOST_GRAPH: u64 = 1 << 30;
/// The vocabularies of many languages have a quarter of it.
const MOST_TOKENIZER: u64 = 64 << 20;

fn read_tokenizer(path: &Path) -> Result<Vec<u8>, ModelError> {
    let unreadable = |error| ModelError::Unreadable { path: path.to_path_buf(), error };
    std::fs::metadata(path).map_err(unreadable)?;
    bounded(&[path], MOST_TOKENIZER)?;
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(MOST_TOKENIZER).read_to_end(&mut bytes)).map_err(unreadable)?;
    Ok(bytes)
}

/// Weights that a graph keeps beside it.
pub(super) fn weights_of(graph: &Path) -> PathBuf {
    let mut beside = graph.as_os_str().to_owned();
    beside.push("_data");
    PathBuf::from(beside)
}

/// Those of the files that exist are ordinary ones, and together not too large. Opening another kind
/// might wait forever.
fn bounded(files: &[&Path], most: u64) -> Result<(), ModelError> {
    let mut total = 0;
    for path in files {
        let found = match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            found => found,
        };
        let ordinary = found.and_then(|found| match found.is_file() {
            true => Ok(found.len()),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file")),
        });
        total += ordinary.map_err(|error| ModelError::Unreadable { path: path.to_path_buf(), error })?;
        if total > most {
            let (found, most) = (bytes(total), bytes(most));
            return Err(ModelError::TooLarge { path: path.to_path_buf(), found, most });
        }
    }
    Ok(())
}

/// Names of graphs in the order they are preferred: the smallest that keep their accuracy first.
pub(super) const PREFERRED_GRAPHS: [&str; 3] = ["model_int8.onnx", "model_quantized.onnx", "model.onnx"];

/// The best of `names`, paths relative to the model's folder.
pub(super) fn best_graph(names: impl IntoIterator<Item = String>) -> Option<String> {
    let rank = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let preferred = PREFERRED_GRAPHS.iter().position(|known| *known == name).unwrap_or(PREFERRED_GRAPHS.len());
        (preferred, path.contains('/'), path.to_owned())
    };
    let is_graph = |path: &String| {
        let name = path.strip_prefix("onnx/").unwrap_or(path);
        !name.contains(['/', '\\']) && name.starts_with("model") && name.ends_with(".onnx")
    };
    names.into_iter().filter(is_graph).min_by_key(|path| rank(path))
}

fn graph_in(folder: &Path) -> Result<Option<PathBuf>, ModelError> {
    let unreadable = |error| ModelError::Unreadable { path: folder.to_path_buf(), error };
    let mut names = names_in(folder).map_err(unreadable)?;
    names.extend(names_in(&folder.join("onnx")).unwrap_or_default().into_iter().map(|name| format!("onnx/{name}")));
    Ok(best_graph(names).map(|name| folder.join(name)))
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    Ok(std::fs::read_dir(folder)?.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

fn pooling_in(folder: &Path) -> Pooling {
    let config = read_ordinary(&folder.join("1_Pooling").join("config.json")).ok();
    let config: Option<PoolingConfig> = config.and_then(|text| serde_json::from_slice(&text).ok());
    if config.is_some_and(|config| config.pooling_mode_cls_token) { Pooling::First } else { Pooling::Mean }
}

#[derive(Deserialize)]
struct LengthConfig {
    max_seq_length: Option<usize>,
}

fn most_tokens_in(folder: &Path) -> usize {
    let config = read_ordinary(&folder.join("sentence_bert_config.json")).ok();
    let config: Option<LengthConfig> = config.and_then(|text| serde_json::from_slice(&text).ok());
    config.and_then(|config| config.max_seq_length).filter(|length| (8..=8192).contains(length)).unwrap_or(MOST_TOKENS)
}

#[cfg(test)]
mod tests;
