//! An [`Encoder`] of an ONNX graph and a tokenizer.
//!
//! Owns: loading both, the inputs, pooling. Does not own: where the files come from, when it is used.
//!
//! Invariant: the same text gives the same bits for as long as the backend is the same.

mod run;
mod vocabulary;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;
use sha2::{Digest, Sha256};
use tokenizers::{Tokenizer, TruncationParams};

use super::backend::{Backend, Kind};
use super::digest;
use super::encoder::{EncodeError, Encoder, Identity};
use super::model::{Graph, Model, ModelError, Pooling, weights_of};
use super::raw;
use super::vector::Vector;

/// Bytes of a text that are looked at: far more than any model's tokens, far less than a pasted log.
const MOST_BYTES: usize = 16 * 1024;

pub struct OnnxEncoder {
    identity: Identity,
    tokenizer: Tokenizer,
    session: Mutex<Session>,
    pooling: Pooling,
    /// How many the graph knows; `None` when its file does not say.
    tokens: Option<u64>,
}

impl OnnxEncoder {
    /// Takes from a tenth of a second to one; never on a thread that draws.
    pub fn load(model: Model, backend: &Backend) -> Result<Self, ModelError> {
        let tokenizer = tokenizer(&model)?;
        let tokens = tokens(&model.graph);
        let come_along = match model.graph {
            Graph::Embedded(bytes) => bytes,
            Graph::File(_) => &[],
        };
        let graph = |reason: String| ModelError::Graph { backend: backend.name.clone(), reason };
        let session = session(&model.graph, backend).map_err(|error| graph(error.to_string()))?;
        let identity = Identity { hash: hash(&model)?, name: model.name, backend: backend.name.clone(), dimensions: 0 };
        let mut encoder = Self { identity, tokenizer, session: Mutex::new(session), pooling: model.pooling, tokens };
        // Shows whether the graph takes what it is given, and how long its vectors are.
        let probe = encoder.encode("a sentence").map_err(|error| graph(error.to_string()))?;
        encoder.identity.dimensions = probe.dimensions();
        give_back(come_along);
        Ok(encoder)
    }
}

impl Encoder for OnnxEncoder {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn encode(&self, text: &str) -> Result<Vector, EncodeError> {
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let encoding =
            self.tokenizer.encode_fast(text, true).map_err(|error| EncodeError::Tokens(error.to_string()))?;
        if let Some(unknown) =
            encoding.get_ids().iter().find(|id| self.tokens.is_some_and(|known| u64::from(**id) >= known))
        {
            let known = self.tokens.unwrap_or_default();
            return Err(EncodeError::Tokens(format!("the tokenizer gives {unknown}, the graph knows {known} tokens")));
        }
        let ids: Vec<i64> = encoding.get_ids().iter().map(|id| i64::from(*id)).collect();
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers = run::run(&mut session, ids, self.pooling)?;
        drop(session);
        let known = self.identity.dimensions;
        if known != 0 && known != numbers.len() {
            let reason = format!("it gives {} numbers and not {known} as for other texts", numbers.len());
            return Err(EncodeError::Model(reason));
        }
        Ok(Vector::new(numbers)?)
    }
}

/// What cannot be made out here is refused by the backend, with its own reason.
fn tokens(graph: &Graph) -> Option<u64> {
    let read = match graph {
        Graph::Embedded(bytes) => vocabulary::tokens(Cursor::new(bytes)),
        Graph::File(path) => File::open(path).and_then(|file| vocabulary::tokens(BufReader::new(file))),
    };
    read.ok().flatten()
}

/// Nobody reads the graph's bytes again, and half of what was needed to read them is free.
fn give_back(come_along: &'static [u8]) {
    if !come_along.is_empty() && !raw::let_go(come_along) {
        tracing::debug!(target: "octomind::embed", "the embedded graph's bytes stay in memory");
    }
    raw::trim();
}

fn tokenizer(model: &Model) -> Result<Tokenizer, ModelError> {
    let broken = |error: tokenizers::Error| ModelError::Tokenizer(error.to_string());
    let mut tokenizer = Tokenizer::from_bytes(&model.tokenizer).map_err(broken)?;
    // One text at a time needs no padding, and padding would only cost.
    tokenizer.with_padding(None);
    if tokenizer.get_truncation().is_none_or(|cut| cut.max_length > model.most_tokens) {
        let cut = TruncationParams { max_length: model.most_tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(broken)?;
    }
    Ok(tokenizer)
}

fn session(graph: &Graph, backend: &Backend) -> ort::Result<Session> {
    let builder = Session::builder(&environment()?)?.with_optimization_level(GraphOptimizationLevel::Level3)?;
    let mut builder = match backend.kind {
        Kind::Tract => builder,
        Kind::OnnxRuntime => builder.with_intra_threads(1)?.with_inter_threads(1)?,
    };
    match graph {
        Graph::Embedded(bytes) => builder.commit_from_memory(bytes),
        Graph::File(path) => builder.commit_from_file(path),
    }
}

/// There may be one in a process, so it stays.
fn environment() -> ort::Result<Environment> {
    static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);
    let mut held = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*held {
        return Ok(environment.clone());
    }
    let made = ort::init().with_name("octomind").with_logger(Arc::new(log)).build()?;
    Ok(held.insert(made).clone())
}

/// ONNX Runtime writes to the terminal unless it is given somewhere else to write.
fn log(_: ort::logging::LogLevel, category: &str, _: &str, _: &str, message: &str) {
    tracing::debug!(target: "octomind::embed", category, message);
}

fn hash(model: &Model) -> Result<[u8; 32], ModelError> {
    let graph = match &model.graph {
        Graph::Embedded(bytes) => Sha256::digest(bytes).into(),
        Graph::File(path) => {
            let unreadable = |error| ModelError::Unreadable { path: path.clone(), error };
            hash_file(path, Sha256::new()).map_err(unreadable)?
        }
    };
    let pooling = [match model.pooling {
        Pooling::Mean => 0,
        Pooling::First => 1,
    }];
    Ok(digest::of_parts(&[&graph, &model.tokenizer, &pooling, &model.most_tokens.to_le_bytes()]))
}

/// With the weights that lie beside it, if they do.
fn hash_file(path: &Path, mut digest: Sha256) -> io::Result<[u8; 32]> {
    let beside = weights_of(path);
    for part in [path, &beside].into_iter().filter(|part| *part == path || part.exists()) {
        let mut file = File::open(part)?;
        let mut block = vec![0; 256 * 1024];
        loop {
            let count = file.read(&mut block)?;
            if count == 0 {
                break;
            }
            digest.update(&block[..count]);
        }
    }
    Ok(digest.finalize().into())
}

#[cfg(test)]
pub(super) mod tests;
