//! Agent manifests: `agents/<domain>/<spec>.toml`.
//!
//! Owns: the header comments, the keys a manifest may have, where each mistake stands, and the cache
//! of manifests.
//!
//! Does not own: what a capability is (`capability`), laying it into the role (`resolve`).
//!
//! Invariant: reading never panics and never stops at the first mistake; an unknown key is named and
//! has no effect.

mod cache;
mod keys;
mod read;

pub use cache::{AgainstTap, Cache, CacheUse, Cached, Fetched, decide, fetch};
pub(super) use keys::{DEPS, MCP};
pub(super) use read::WrittenMcp;
pub use read::{Manifest, Parsed, parse};

#[cfg(test)]
mod tests;
