//! Denials that were confirmed, for the same call in the same context.

use std::collections::HashMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Batch, Pending};
use crate::proto::{BlockedCall, CallId};

/// Denials remembered; when there are more, all are forgotten.
const MOST: usize = 1_000;

pub type Key = [u8; 32];

/// Denials known from before, of this process.
#[derive(Debug, Default)]
pub struct Known {
    denials: HashMap<Key, BlockedCall>,
}

impl Known {
    pub fn denial(&self, key: &Key, call: &CallId) -> Option<BlockedCall> {
        self.denials.get(key).map(|blocked| BlockedCall { call: call.clone(), ..blocked.clone() })
    }

    pub fn remember(&mut self, key: Key, blocked: &BlockedCall) {
        if self.denials.len() >= MOST {
            self.denials.clear();
        }
        self.denials.insert(key, blocked.clone());
    }
}

/// Of everything a judgement rests on but the call.
pub fn context(batch: &Batch) -> Key {
    let users: Vec<&str> = batch.users.iter().map(|user| user.text.as_str()).collect();
    hash(&serde_json::json!([batch.role, users, batch.ancestors]))
}

pub fn key(context: &Key, call: &Pending) -> Key {
    hash(&serde_json::json!([context, call.tool, sorted(&call.arguments)]))
}

fn hash(value: &Value) -> Key {
    Sha256::digest(value.to_string()).into()
}

/// The order of keys says nothing.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> =
                fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}
