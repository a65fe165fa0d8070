//! Servers of Agent Plugins in a session out of its real parts: behind trust, in every role.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use octomind::config::{Env, Paths, Sources, load};
use octomind::proto::{Answer, AskKind, Command, ServerState, ServerView, Snapshot};
use octomind::session::{Handle, Pick, Start, start};

use super::session::{results, turn, until};

const SCRIPT: &str = r#"
[[turn]]
otherwise = true

[[turn.reply]]
text = "I call it."
calls = [{ tool = "hello", arguments = {} }]

[[turn.reply]]
text = "That was it."
"#;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0";

/// A plugin with one stdio server; the program leaves a mark in the plugin's data folder.
fn plugin(folder: &Path, name: &str) -> PathBuf {
    let folder = folder.join(name);
    fs::create_dir_all(&folder).unwrap();
    let head = format!(
        "{{\"$schema\":\"{SCHEMA}/plugin.schema.json\",\"name\":\"{name}\",\"version\":\"1.0.0\",\
         \"description\":\"Greets.\"}}"
    );
    fs::write(folder.join("plugin.json"), head).unwrap();
    let servers = format!(
        "{{\"$schema\":\"{SCHEMA}/mcp.schema.json\",\"mcpServers\":{{\"greeter\":{{\"type\":\"stdio\",\
         \"command\":\"./serve\",\"args\":[\"${{PLUGIN_DATA}}/mark\"]}}}}}}"
    );
    fs::write(folder.join("mcp.json"), servers).unwrap();
    let program = std::env::current_exe().unwrap();
    let text = format!(
        "#!/bin/sh\ntouch \"$1\" || exit 1\nexport OCTOMIND_FAKE_SERVER=plain\n\
         exec '{}' fake_server::entry --exact --nocapture\n",
        program.display()
    );
    fs::write(folder.join("serve"), text).unwrap();
    fs::set_permissions(folder.join("serve"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn begin(root: &Path, person: bool, trust: bool) -> Handle {
    fs::create_dir_all(root.join("project")).unwrap();
    fs::write(root.join("script.toml"), SCRIPT).unwrap();
    let mut loaded = load(&Sources::default());
    loaded.config.default = "assistant".to_owned();
    for role in &mut loaded.config.roles {
        role.mcp.server_refs.clear();
        role.mcp.allowed_tools.clear();
    }
    let home = root.join("home").display().to_string();
    start(Start {
        loaded: Arc::new(loaded),
        paths: Paths::new(root.join("data"), None),
        env: Env::from_pairs([("PATH", std::env::var("PATH").unwrap_or_default()), ("HOME", home)]),
        workdir: root.join("project"),
        role: None,
        model: Some(format!("script:{}", root.join("script.toml").display())),
        pick: Pick::New { name: None },
        person,
        trust,
        schema: None,
        holding: Default::default(),
    })
}

fn greeter(own: &Snapshot) -> Option<&ServerView> {
    own.servers.iter().find(|server| server.name == "greeter")
}

fn mark(root: &Path, name: &str) -> PathBuf {
    root.join("data/plugins").join(name).join("mark")
}

async fn leave(handle: Handle) {
    handle.port.commands.send(Command::Quit).await.unwrap();
    handle.done.await.unwrap();
}

#[tokio::test]
async fn a_plugin_of_the_person_serves_from_the_first_request_on() {
    let root = tempfile::tempdir().unwrap();
    plugin(&root.path().join("home/.config/agents/plugins"), "own");
    let mut handle = begin(root.path(), false, false);
    let mut own = Snapshot::default();
    turn(&mut handle, &mut own, "greet me").await;
    let called = results(&own);
    assert!(called.len() == 1 && called[0].starts_with("hello Ok"), "{called:?}");
    assert!(mark(root.path(), "own").is_file());
    let data = fs::metadata(mark(root.path(), "own").parent().unwrap()).unwrap();
    assert_eq!(data.permissions().mode() & 0o777, 0o700, "what a plugin keeps is for its owner alone");
    leave(handle).await;
}

#[tokio::test]
async fn a_plugin_of_a_project_that_nobody_accepted_starts_nothing_and_is_named() {
    let root = tempfile::tempdir().unwrap();
    plugin(&root.path().join("project/.agents/plugins"), "theirs");
    let mut handle = begin(root.path(), false, false);
    let mut own = Snapshot::default();
    turn(&mut handle, &mut own, "greet me").await;
    let called = results(&own);
    assert!(called.len() == 1 && called[0].starts_with("hello Refused"), "{called:?}");
    let refused = |own: &Snapshot| {
        greeter(own).is_some_and(|server| match &server.state {
            ServerState::Failed { reason, .. } => reason.contains("never accepted and nobody can be asked"),
            _ => false,
        })
    };
    until(&mut handle.port, &mut own, refused).await;
    leave(handle).await;
    assert!(!mark(root.path(), "theirs").exists());
}

#[tokio::test]
async fn it_waits_for_the_answer_and_stops_when_what_was_accepted_changes() {
    let root = tempfile::tempdir().unwrap();
    let folder = plugin(&root.path().join("project/.agents/plugins"), "theirs");
    let mut handle = begin(root.path(), true, false);
    let mut own = Snapshot::default();
    let held = |own: &Snapshot| greeter(own).is_some_and(|server| server.state.is_held());
    until(&mut handle.port, &mut own, |own| held(own) && !own.asks.is_empty()).await;
    assert!(!mark(root.path(), "theirs").exists());
    let ask = own.asks.iter().find(|ask| matches!(ask.0.kind, AskKind::Trust { .. })).unwrap().0.id;
    handle.port.commands.send(Command::Answer { ask, answer: Answer::Yes }).await.unwrap();
    let ready = |own: &Snapshot| greeter(own).is_some_and(|server| matches!(server.state, ServerState::Ready { .. }));
    until(&mut handle.port, &mut own, ready).await;
    turn(&mut handle, &mut own, "greet me").await;
    let called = results(&own);
    assert!(called.len() == 1 && called[0].starts_with("hello Ok"), "{called:?}");

    fs::write(folder.join("more"), "something else").unwrap();
    turn(&mut handle, &mut own, "greet me again").await;
    let called = results(&own);
    assert!(called.len() == 2 && called[1].starts_with("hello Refused"), "{called:?}");
    until(&mut handle.port, &mut own, held).await;
    leave(handle).await;
}
