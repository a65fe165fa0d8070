use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{data_folder, json, read, servers};
use crate::config::schema::ServerType;
use crate::tap::{Finding, Severity};

const MANIFEST: &str = r#""$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json""#;
const MCP: &str = r#""$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json""#;

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join("plugins").join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn messages(findings: &[Finding]) -> Vec<(Severity, &str, String)> {
    let line = |finding: &Finding| {
        let place = finding.problem.place.as_ref().map(|place| format!("{}:{} ", place.line, place.column));
        format!("{}{}", place.unwrap_or_default(), finding.problem.message)
    };
    findings.iter().map(|finding| (finding.severity, finding.part.name.as_str(), line(finding))).collect()
}

#[test]
fn a_whole_plugin_is_read() {
    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        "p/plugin.json",
        &format!(r#"{{{MANIFEST}, "name": "acme.tools", "version": "1.2", "description": "d"}}"#),
    );
    write(root.path(), "p/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nB\n");
    write(root.path(), "p/skills/bad/SKILL.md", "---\nname: bad\n---\n");
    write(
        root.path(),
        "p/mcp.json",
        &format!(
            r#"{{{MCP}, "mcpServers": {{
              "local": {{"type": "stdio", "command": "./bin/run", "args": ["${{PLUGIN_ROOT}}/x", "${{PLUGIN_DATA}}/y", "${{TOKEN}}"], "env": {{"A": "b"}}}},
              "remote": {{"type": "streamable-http", "url": "https://example.org/mcp", "headers": {{"X-A": "${{KEY}}"}}}},
              "plain": {{"command": "npx", "cwd": "${{PLUGIN_DATA}}"}}
            }}}}"#
        ),
    );
    let (plugins, skills, findings) = read(&root.path().join("plugins"));
    assert_eq!(plugins.len(), 1, "{findings:?}");
    let plugin = &plugins[0];
    assert_eq!(
        (plugin.name.as_str(), plugin.version.as_str(), plugin.description.as_str()),
        ("acme.tools", "1.2", "d")
    );
    assert_eq!((plugin.skills.len(), skills.len(), plugin.skills[0].as_str()), (1, 1, "s"));
    let said = messages(&findings);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].2.contains("`plain`: `type` is missing"), "{said:?}");
    assert!(said[1].2.contains("no `description`"), "{said:?}");
    let folder = root.path().canonicalize().unwrap().join("plugins/p");
    let local = &plugin.servers[0];
    assert_eq!(local.command.as_deref(), Some(folder.join("bin/run").to_str().unwrap()));
    assert_eq!(local.args, [folder.join("x").to_str().unwrap(), "${PLUGIN_DATA}/y", "${TOKEN}"]);
    assert_eq!(local.cwd.as_deref(), folder.to_str());
    assert_eq!((plugin.servers[1].kind, plugin.servers[1].headers["X-A"].as_str()), (ServerType::Http, "${KEY}"));

    let started = servers(plugin, &data_folder(Path::new("/data"), &plugin.name));
    assert_eq!(started[0].args[1], "/data/plugins/acme.tools/y");
    assert_eq!(started[0].env["PLUGIN_DATA"], "/data/plugins/acme.tools");
    assert_eq!(started[0].env["PLUGIN_ROOT"], folder.to_str().unwrap());
    assert_eq!(started[2].cwd.as_deref(), Some("/data/plugins/acme.tools"));
    assert_eq!(started[1], plugin.servers[1]);
}

#[test]
fn a_bad_manifest_rejects_the_plugin_with_place_and_reason() {
    let table = [
        (format!("{{{MANIFEST}}}"), "no `name`"),
        (format!(r#"{{{MANIFEST}, "name": "Bad-Name"}}"#), "no plugin name"),
        (format!(r#"{{{MANIFEST}, "name": "a--b"}}"#), "two signs in a row"),
        (format!(r#"{{{MANIFEST}, "name": 1}}"#), "`name` is not a text"),
        (format!(r#"{{{MANIFEST}, "name": "p", "version": 1}}"#), "1:88 `version` is not a text"),
        (format!(r#"{{{MANIFEST}, "name": "p", "author": "me"}}"#), "`author`"),
        (format!(r#"{{{MANIFEST}, "name": "p", "keywords": [1]}}"#), "`keywords`"),
        (r#"{"name": "p"}"#.to_owned(), "does not say by `$schema`"),
        (
            r#"{"$schema": "https://agent-plugins.org/schemas/9.0.0/plugin.schema.json", "name": "p"}"#.to_owned(),
            "no version",
        ),
        ("[]".to_owned(), "not a JSON object"),
        ("{\n  \"name\": \n}".to_owned(), "3:1 this is not JSON"),
    ];
    for (text, reason) in table {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "p/plugin.json", &text);
        write(root.path(), "p/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nB\n");
        let (plugins, skills, findings) = read(&root.path().join("plugins"));
        assert!(plugins.is_empty() && skills.is_empty(), "{text}");
        let said = messages(&findings);
        assert_eq!((said.len(), said[0].0), (1, Severity::Error), "{said:?}");
        assert!(said[0].2.contains(reason), "{text}: {said:?}");
    }
}

#[test]
fn unknown_fields_are_said_and_ignored() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "p/plugin.json", &format!(r#"{{{MANIFEST}, "name": "p", "hooks": {{}}, "extensions": 1}}"#));
    write(root.path(), "none/README.md", "x");
    let (plugins, _, findings) = read(&root.path().join("plugins"));
    assert_eq!(plugins.len(), 1);
    let said = messages(&findings);
    assert!(said.iter().all(|(severity, ..)| *severity == Severity::Warning), "{said:?}");
    assert!(
        said[0].2.contains("no plugin.json") && said[1].2.contains("`hooks`") && said[2].2.contains("`extensions`")
    );
}

#[test]
fn a_bad_server_costs_only_itself() {
    let table = [
        (r#""x""#, "not an object"),
        (r#"{"type": "stdio"}"#, "no `command`"),
        (r#"{"type": "stdio", "command": "../run"}"#, "path out of the plugin"),
        (r#"{"type": "stdio", "command": "./../run"}"#, "leads out"),
        (r#"{"type": "stdio", "command": "/bin/sh"}"#, "path out of the plugin"),
        (r#"{"type": "stdio", "command": "a", "cwd": "data"}"#, "no path of the plugin"),
        (r#"{"type": "stdio", "command": "a", "cwd": "${PLUGIN_ROOT}/../x"}"#, "leads out"),
        (r#"{"type": "stdio", "command": "a", "cwd": "${PLUGIN_DATA}/../x"}"#, "leads out"),
        (r#"{"type": "stdio", "command": "a", "args": "x"}"#, "`args`"),
        (r#"{"type": "stdio", "command": "a", "env": {"A": 1}}"#, "`env`"),
        (r#"{"type": "stdio", "command": "a", "env": {"PLUGIN_ROOT": "x"}}"#, "PLUGIN_ROOT"),
        (r#"{"type": "stdio", "command": "a", "url": "x"}"#, "`url` is no field"),
        (r#"{"type": "sse", "url": "https://example.org"}"#, "not supported"),
        (r#"{"type": "streamable-http", "url": "http://example.org"}"#, "use https"),
        (r#"{"type": "streamable-http", "url": "https://me@example.org"}"#, "a user"),
        (r#"{"type": "streamable-http", "url": "nonsense"}"#, "no address"),
        (r#"{"type": "streamable-http", "url": "https://example.org", "headers": {"A": "1", "a": "2"}}"#, "twice"),
        (r#"{}"#, "none that is known"),
    ];
    for (entry, reason) in table {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "p/plugin.json", &format!(r#"{{{MANIFEST}, "name": "p"}}"#));
        let good = r#"{"type": "streamable-http", "url": "http://127.0.0.1:8080/mcp"}"#;
        write(root.path(), "p/mcp.json", &format!(r#"{{{MCP}, "mcpServers": {{"bad": {entry}, "good": {good}}}}}"#));
        let (plugins, _, findings) = read(&root.path().join("plugins"));
        assert_eq!(plugins[0].servers.len(), 1, "{entry}");
        let said = messages(&findings);
        assert_eq!((said.len(), said[0].0), (1, Severity::Error), "{entry}: {said:?}");
        assert!(said[0].2.contains("`bad` was left out") && said[0].2.contains(reason), "{entry}: {said:?}");
    }
}

#[test]
fn a_bad_mcp_file_leaves_the_skills() {
    for text in ["{", "{}", r#"{"$schema": "x", "mcpServers": {}}"#] {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "p/plugin.json", &format!(r#"{{{MANIFEST}, "name": "p"}}"#));
        write(root.path(), "p/mcp.json", text);
        write(root.path(), "p/skills/s/SKILL.md", "---\nname: s\ndescription: d\n---\nB\n");
        let (plugins, skills, findings) = read(&root.path().join("plugins"));
        assert_eq!((plugins.len(), skills.len(), findings.len()), (1, 1, 1), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_a_plugin() {
    use std::os::unix::fs::symlink;
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(root.path(), "p/plugin.json", &format!(r#"{{{MANIFEST}, "name": "p"}}"#));
    write(other.path(), "s/SKILL.md", "---\nname: s\ndescription: d\n---\nB\n");
    symlink(other.path().join("plugins"), root.path().join("plugins/p/skills")).unwrap();
    symlink(other.path(), root.path().join("plugins/out")).unwrap();
    let (plugins, skills, findings) = read(&root.path().join("plugins"));
    assert_eq!((plugins.len(), skills.len()), (1, 0));
    let said = messages(&findings);
    assert!(said.len() == 2 && said.iter().all(|(_, _, message)| message.contains("outside")), "{said:?}");
}

proptest! {
    #[test]
    fn a_key_lies_inside_any_text(text in "(\"|\\{|\\}|\\[|\\]|:|,| |a|b|é|\\\\|1){0,40}") {
        let span = json::key(&text, &["a", "b"]);
        prop_assert!(text.get(span).is_some());
    }
}
