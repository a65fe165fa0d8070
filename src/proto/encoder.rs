use serde::{Deserialize, Serialize};

/// Whether sentences can be compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EncoderState {
    /// Not asked for yet.
    #[default]
    Idle,
    /// Being downloaded; bytes.
    Downloading {
        model: String,
        done: u64,
        total: Option<u64>,
    },
    /// Being read, or the phrases are being compared for the first time.
    Loading {
        model: String,
        phrases_done: u32,
        phrases: u32,
    },
    /// `note` says what was fallen back from, if anything.
    Ready {
        model: String,
        backend: String,
        load_ms: u64,
        note: Option<String>,
    },
    Failed {
        why: String,
        advice: String,
    },
}
