//! Servers that come with the program: which capability grants their tools, and what of them this version
//! has not got.

/// What is said of it.
pub const NOT_BUILT: &str = "is not built in this version";

/// Whether this version has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Built {
    Yes,
    No,
}

/// A tool of such a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BuiltIn {
    pub server: &'static str,
    /// Grants it.
    pub capability: &'static str,
    pub built: Built,
}

/// Of each agent of the configuration there would be one.
const AGENT_PREFIX: &str = "agent_";

/// Nothing when no such server has or will have a tool of this name (seeds: runtime, Built-in tools).
pub(super) fn tool(name: &str) -> Option<BuiltIn> {
    let (server, built) = match name {
        "skill" | "capability" => ("runtime", Built::Yes),
        "mcp" | "agent" => ("runtime", Built::No),
        "tap" => ("orchestration", Built::Yes),
        "schedule" | "monitor" => ("orchestration", Built::No),
        "recall" => ("core", Built::No),
        _ if name.starts_with(AGENT_PREFIX) => ("agent", Built::No),
        _ => return None,
    };
    Some(BuiltIn { server, capability: server, built })
}
