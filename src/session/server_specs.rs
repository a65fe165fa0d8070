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

/// The server whose tools act on the session itself.
pub(super) const RUNTIME: &str = "runtime";

/// The server whose tool hands work to other agents.
pub(super) const ORCHESTRATION: &str = "orchestration";

/// Servers whose tools the session itself offers.
pub(super) const OWN: [&str; 2] = [RUNTIME, ORCHESTRATION];

/// Whether the session itself is the server.
pub(super) fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

/// Whether this version brings the built-in server along.
pub(super) fn brings(name: &str) -> bool {
    is_own(name) || BUNDLED.contains(&name)
}

/// What a server of a role comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wanted {
    Server(Box<ServerSpec>),
    /// The session's own tools; with a filter, empty = all.
    Own(Vec<String>),
    /// A built-in server that this version has not.
    NotYet,
    /// One sentence: it cannot be had, and why.
    Unusable(String),
}

pub(super) fn spec(choice: &ServerChoice, role: &str, env: &Env) -> Wanted {
    match (&choice.server.kind, choice.server.name.as_str()) {
        (ServerType::Builtin, name) if is_own(name) => Wanted::Own(choice.filter.clone()),
        (ServerType::Builtin, name) if !brings(name) => Wanted::NotYet,
        _ => {
            let origins = (format!("role {role}"), choice.filtered_by.clone());
            match connectable(&choice.server, choice.filter.clone(), origins, env) {
                Ok(spec) => Wanted::Server(Box::new(spec)),
                Err(why) => Wanted::Unusable(why),
            }
        }
    }
}

/// One sentence when it cannot be had. `origin` and `filter_origin` say who wants it.
pub(super) fn connectable(
    server: &Server,
    filter: Vec<String>,
    (origin, filter_origin): (String, String),
    env: &Env,
) -> Result<ServerSpec, String> {
    let Server { name, kind, timeout_seconds, url, headers, command, args, env: own, cwd, .. } = server;
    let transport = match kind {
        ServerType::Builtin => Transport::Bundled { name: name.clone() },
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
    let timeout = Duration::from_secs(*timeout_seconds);
    Ok(ServerSpec { name: name.clone(), transport, timeout, filter, origin, filter_origin })
}

/// A server that a plugin brings along; every role has it.
///
/// # Errors
/// One sentence: it cannot be had, and why.
pub(super) fn of_plugin(server: Server, plugin: &str, env: &Env) -> Result<ServerSpec, String> {
    connectable(&server, Vec::new(), (format!("plugin {plugin}"), String::new()), env)
}

/// Whether no server of a plugin may be called this: calls to it would go elsewhere.
pub(super) fn is_reserved(name: &str) -> bool {
    name == local::SERVER || brings(name)
}

/// What the person's `.env` sets is there for servers too, under what the server's own table says.
fn with_files(own: &BTreeMap<String, String>, env: &Env) -> BTreeMap<String, String> {
    from_files(env).chain(own.clone()).collect()
}

/// These values are meant as they stand; a `$` in them is no variable.
fn from_files(env: &Env) -> impl Iterator<Item = (String, String)> {
    env.from_files().map(|(name, value)| (name.to_owned(), value.replace('$', "$$")))
}

/// The specification with what `.env` files say now in place of what they said before.
pub(super) fn with_environment(mut spec: ServerSpec, before: &Env, now: &Env) -> ServerSpec {
    if let Transport::Stdio { env: own, .. } = &mut spec.transport {
        for (name, value) in from_files(before) {
            if own.get(&name) == Some(&value) {
                own.remove(&name);
            }
        }
        for (name, value) in from_files(now) {
            own.entry(name).or_insert(value);
        }
    }
    spec
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
        filter_origin: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Paths;

    #[test]
    fn a_token_that_was_renewed_in_a_file_reaches_the_server() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::new(dir.path().join("data"), None);
        std::fs::create_dir_all(&paths.config_folder).unwrap();
        std::fs::write(dir.path().join(".env"), "PROJECT_TOKEN=of-the-project\n").unwrap();
        let file = |text: &str| std::fs::write(&paths.env_file, text).unwrap();
        file("MY_TOKEN=old-$token\nGONE=1\nOWN=file\n");
        let (before, _) = Env::from_pairs([("PATH", "/bin")]).with_files(&paths, dir.path());
        let own = BTreeMap::from([("OWN".to_owned(), "table".to_owned())]);
        let transport =
            Transport::Stdio { command: "x".into(), args: Vec::new(), env: with_files(&own, &before), cwd: None };
        let (timeout, filter, origin) = (LOCAL_TIMEOUT, Vec::new(), String::new());
        let spec = ServerSpec { name: "x".into(), transport, timeout, filter, origin, filter_origin: String::new() };
        file("MY_TOKEN=new-token-1\nOWN=other\n");
        let (now, _) = before.read_again(&paths, dir.path());
        assert_eq!(now.get("PATH"), Some("/bin"));
        assert_eq!(now.mask_secrets("old-$token new-token-1"), "[MY_TOKEN masked] [MY_TOKEN masked]");
        let Transport::Stdio { env, .. } = with_environment(spec, &before, &now).transport else { panic!() };
        let expected = [("MY_TOKEN", "new-token-1"), ("OWN", "table")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(env, BTreeMap::from(expected));
    }
}
