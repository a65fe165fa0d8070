//! What a manifest may say.

use crate::config::keys::{Kind, ROLE_MCP, SERVER, TableKeys, may, need, table};

pub(super) static MANIFEST: TableKeys = table(&[
    may("capabilities", Kind::Texts),
    may("roles", Kind::List(&ROLE)),
    may("deps", Kind::Table(&DEPS)),
    may("mcp", Kind::Table(&MCP)),
]);

static ROLE: TableKeys = table(&[
    may("name", Kind::Text),
    need("system", Kind::Text),
    may("welcome", Kind::Text),
    may("model", Kind::Model),
    may("mcp", Kind::Table(&ROLE_MCP)),
    may("temperature", Kind::Number(0.0, 2.0)),
    may("top_p", Kind::Number(0.0, 1.0)),
    may("top_k", Kind::Whole(0, 1_000)),
]);

/// `[deps]`, of manifests and of providers.
pub(in crate::tap) static DEPS: TableKeys = table(&[may("require", Kind::Texts)]);

/// `[[mcp.servers]]`, of manifests and of providers.
pub(in crate::tap) static MCP: TableKeys = table(&[may("servers", Kind::List(&SERVER))]);
