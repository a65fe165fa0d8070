//! A session out of its real parts: scripted model, local tools behind trust, journal, resume.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use octomind::config::{Env, Paths, Sources, load};
use octomind::port::{Port, follow};
use octomind::proto::{Command, EntryKind, Snapshot, SubmitMode, ToolState, TurnOutcome};
use octomind::session::{Handle, Pick, Start, start};

const SCRIPT: &str = r#"
[[turn]]
match = "greet"

[[turn.reply]]
text = "I call it."
calls = [{ tool = "greet", arguments = { name = "Ada" } }]

[[turn.reply]]
text = "It said so."

[[turn]]
otherwise = true

[[turn.reply]]
text = "Nothing to do."
"#;

const TOOL: &str = "#!/bin/sh\n# @description Greets someone.\n# @param *name string Whom to greet.\n\
                    echo \"hello $OCTOMIND_PARAM_NAME\"\n";

fn begin(root: &Path, pick: Pick, trust: bool) -> Handle {
    let mut loaded = load(&Sources::default());
    loaded.config.default = "assistant".to_owned();
    // A script answers no verifier; sessions with one are tested elsewhere.
    loaded.config.supervisor.enabled = false;
    for role in &mut loaded.config.roles {
        // The bundled servers are children of the real binary, which this is not.
        role.mcp.server_refs.clear();
        role.mcp.allowed_tools.clear();
    }
    let workdir = root.join("project");
    start(Start {
        loaded: Arc::new(loaded),
        paths: Paths::new(root.join("data"), None),
        env: Env::from_pairs([("PATH", std::env::var("PATH").unwrap_or_default())]),
        workdir,
        role: None,
        model: Some(format!("script:{}", root.join("script.toml").display())),
        pick,
        person: false,
        trust,
        schema: None,
        holding: Default::default(),
    })
}

fn project(root: &Path) {
    let tools = root.join("project/.agents/tools");
    fs::create_dir_all(&tools).unwrap();
    fs::write(root.join("script.toml"), SCRIPT).unwrap();
    fs::write(tools.join("greet"), TOOL).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(tools.join("greet"), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

pub async fn until(port: &mut Port, own: &mut Snapshot, wanted: impl Fn(&Snapshot) -> bool) {
    let wait = async {
        while !wanted(own) {
            let delivery = port.events.next().await.expect("the session goes on");
            follow(own, &delivery, &port.snapshot);
        }
    };
    tokio::time::timeout(Duration::from_secs(30), wait).await.expect("what is waited for comes");
}

pub async fn turn(handle: &mut Handle, own: &mut Snapshot, text: &str) {
    let turn = own.turn.0 + 1;
    let text = text.to_owned();
    let command = Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Steer };
    handle.port.commands.send(command).await.unwrap();
    until(&mut handle.port, own, |own| own.turn.0 == turn && !own.run.busy()).await;
}

pub fn results(own: &Snapshot) -> Vec<String> {
    let result = |kind: &EntryKind| match kind {
        EntryKind::Tool { tool, state: ToolState::Finished { outcome, content, .. }, .. } => {
            Some(format!("{tool} {outcome:?} {content:?}"))
        }
        _ => None,
    };
    own.transcript.entries().iter().filter_map(|entry| result(&entry.kind)).collect()
}

#[cfg(unix)]
#[tokio::test]
async fn a_trusted_script_of_the_project_is_called_and_the_session_comes_back() {
    let root = tempfile::tempdir().unwrap();
    project(root.path());
    let mut handle = begin(root.path(), Pick::New { name: Some("real".into()) }, true);
    let mut own = Snapshot::default();
    turn(&mut handle, &mut own, "please greet her").await;
    assert_eq!(own.totals.last_turn.as_ref().map(|(outcome, _)| outcome), Some(&TurnOutcome::Done));
    let called = results(&own);
    assert!(called.len() == 1 && called[0].starts_with("greet Ok") && called[0].contains("hello Ada"), "{own:#?}");
    handle.port.commands.send(Command::Quit).await.unwrap();
    let end = handle.done.await.unwrap();
    assert_eq!((end.name.as_str(), end.refused, end.failure), ("real", 0, None));

    let mut handle = begin(root.path(), Pick::ResumeRecent, true);
    let mut again = Snapshot::default();
    until(&mut handle.port, &mut again, |own| own.turn.0 == 1).await;
    assert_eq!(results(&again), called);
    until(&mut handle.port, &mut again, |own| own.notes.iter().any(|note| note.text.contains("Went on with real")))
        .await;
    turn(&mut handle, &mut again, "and now?").await;
    handle.port.commands.send(Command::Quit).await.unwrap();
    assert_eq!(handle.done.await.unwrap().outcome, Some(TurnOutcome::Done));
}

#[cfg(unix)]
#[tokio::test]
async fn without_trust_nothing_of_the_project_runs_and_it_is_said() {
    let root = tempfile::tempdir().unwrap();
    project(root.path());
    let mut handle = begin(root.path(), Pick::New { name: None }, false);
    let mut own = Snapshot::default();
    turn(&mut handle, &mut own, "please greet her").await;
    let called = results(&own);
    assert!(called.len() == 1 && called[0].starts_with("greet Refused"), "{called:?}");
    let said =
        |own: &Snapshot| own.notes.iter().any(|note| note.text.contains("never accepted and nobody can be asked"));
    until(&mut handle.port, &mut own, said).await;
    handle.port.commands.send(Command::Quit).await.unwrap();
    assert_eq!(handle.done.await.unwrap().refused, 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_script_that_comes_during_the_session_is_a_tool_of_the_next_request() {
    let root = tempfile::tempdir().unwrap();
    project(root.path());
    let tools = root.path().join("project/.agents");
    fs::rename(&tools, root.path().join("aside")).unwrap();
    let mut handle = begin(root.path(), Pick::New { name: None }, true);
    let mut own = Snapshot::default();
    turn(&mut handle, &mut own, "hello").await;
    assert!(own.servers.is_empty(), "{:?}", own.servers);
    fs::rename(root.path().join("aside"), &tools).unwrap();
    turn(&mut handle, &mut own, "please greet her").await;
    let called = results(&own);
    assert!(called.len() == 1 && called[0].contains("hello Ada"), "{called:?}");
    assert_eq!(own.servers.len(), 1);
    handle.port.commands.send(Command::Quit).await.unwrap();
    handle.done.await.unwrap();
}
