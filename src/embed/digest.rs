//! Hashes of models and texts.

use sha2::{Digest, Sha256};

/// SHA-256 over several parts, each with its length, so that no two lists of parts look the same.
pub fn of_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// What a text is found by: half a SHA-256.
pub fn of_text(text: &str) -> [u8; 16] {
    let whole: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
