//! From a configured server to one that can be connected to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::schema::{Server, ServerType};
use crate::config::{Env, ServerChoice};
use crate::mcp::{ServerSpec, Transport, local};

/// Built-in servers that this version brings along.
const BUNDLED: &[&str] = &["files"];

/// Seconds without progress before a local tool is given up.
const LOCAL_TIMEOUT: Duration = Duration::from_secs(300);

/// The error is one sentence: this server cannot be had, and why.
pub(super) fn spec(choice: &ServerChoice, role: &str, env: &Env) -> Result<ServerSpec, String> {
    let Server { name, kind, timeout_seconds, url, headers, command, args, env: own, cwd, .. } = &choice.server;
    let transport = match kind {
        ServerType::Builtin if BUNDLED.contains(&name.as_str()) => Transport::Bundled { name: name.clone() },
        ServerType::Builtin => return Err(format!("The built-in server {name} is not part of this version.")),
        ServerType::Stdio => Transport::Stdio {
            command: command.clone().ok_or_else(|| format!("Server {name} has no command, so it stays off."))?,
            args: args.clone(),
            env: with_files(own, env),
            cwd: cwd.as_ref().map(PathBuf::from),
        },
        ServerType::Http => Transport::Http {
            url: url.clone().ok_or_else(|| format!("Server {name} has no url, so it stays off."))?,
            headers: headers.clone(),
        },
    };
    let origin = if choice.filtered_by.is_empty() { format!("role {role}") } else { choice.filtered_by.clone() };
    let timeout = Duration::from_secs(*timeout_seconds);
    Ok(ServerSpec { name: name.clone(), transport, timeout, filter: choice.filter.clone(), origin })
}

/// What `.env` files set is there for servers too, under what the server's own table says.
fn with_files(own: &BTreeMap<String, String>, env: &Env) -> BTreeMap<String, String> {
    // These values are meant as they stand; a `$` in them is no variable.
    let from_files = env.from_files().map(|(name, value)| (name.to_owned(), value.replace('$', "$$")));
    from_files.chain(own.clone()).collect()
}

/// The project's scripts, in every role.
pub(super) fn local_tools(workdir: &Path) -> Option<ServerSpec> {
    let folder = workdir.join(".agents").join("tools");
    folder.is_dir().then(|| ServerSpec {
        name: local::SERVER.to_owned(),
        transport: Transport::Local { folder },
        timeout: LOCAL_TIMEOUT,
        filter: Vec::new(),
        origin: ".agents/tools".to_owned(),
    })
}
