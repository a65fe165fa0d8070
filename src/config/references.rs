//! Names in a configuration that lead nowhere, and servers that nothing leads to.

use super::keys::nearest;
use super::layer::{Origin, Origins};
use super::problem::{Notice, Problem};
use super::roles::missing_server;
use super::schema::Config;

/// What only a look at the whole shows. A run goes on without what is not there and says so; whoever
/// checks the files wants it named as wrong.
pub fn references(config: &Config, origins: &Origins) -> (Vec<Problem>, Vec<Notice>) {
    let mut problems = Vec::new();
    problems.extend(unknown_default(config, origins));
    for role in &config.roles {
        for reference in &role.mcp.server_refs {
            if !config.mcp.servers.iter().any(|server| server.name == *reference) {
                let path = format!("{}.mcp.server_refs", super::join_path("roles", &role.name));
                problems.push(Problem::of_file(&place(origins, &path), missing_server(config, role, reference)));
            }
        }
    }
    let unused = config.mcp.servers.iter().filter(|server| {
        let referenced = config.roles.iter().any(|role| role.mcp.server_refs.contains(&server.name));
        !referenced && server.auto_bind.is_empty()
    });
    let notices = unused.map(|server| {
        Notice::new(format!("no role uses the server `{}`: name it in the server_refs of one", server.name))
    });
    (problems, notices.collect())
}

/// A tag is an agent of a tap, which the configuration knows nothing of, and a bare name may be a
/// domain; one that is nearly a role's is a slip.
fn unknown_default(config: &Config, origins: &Origins) -> Option<Problem> {
    let names = || config.roles.iter().map(|role| role.name.as_str());
    if config.default.contains(':') || names().any(|name| name == config.default) {
        return None;
    }
    let near = nearest(&config.default, names())?;
    let message = format!("`default` names the role `{}`, which is not there", config.default);
    Some(Problem::of_file(&place(origins, "default"), message).hint(format!("did you mean `{near}`?")))
}

fn place(origins: &Origins, path: &str) -> String {
    match origins.of(path) {
        Origin::File { file, line } | Origin::Project { file, line } => format!("{file}:{line}"),
        other => other.to_string(),
    }
}
