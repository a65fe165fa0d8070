//! Real servers from npm and PyPI. Used when they are installed under the target directory;
//! `OCTOMIND_REAL_SERVERS=1` installs them there first. Skipped with a message otherwise.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use octomind::mcp::{ServerSpec, Transport};
use octomind::proto::{Content, ToolOutcome};
use serde_json::json;
use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::rig::Rig;
use crate::fake_server::spec;

const INSTALL: Duration = Duration::from_secs(240);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-servers")
}

/// The program of a server, if it is there or can be had.
async fn program(path: &str) -> Option<PathBuf> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let program = folder().join(path);
    if !program.exists() && std::env::var_os("OCTOMIND_REAL_SERVERS").is_some() {
        INSTALLED.get_or_init(install).await;
    }
    if !program.exists() {
        eprintln!("skipped: {} is not installed (OCTOMIND_REAL_SERVERS=1 installs it)", program.display());
        return None;
    }
    Some(program)
}

async fn install() {
    let folder = folder();
    std::fs::create_dir_all(&folder).unwrap();
    let prefix = folder.to_string_lossy().into_owned();
    let pip = folder.join("venv/bin/pip").to_string_lossy().into_owned();
    let venv = folder.join("venv").to_string_lossy().into_owned();
    let steps: [&[&str]; 3] = [
        &[
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--prefix",
            &prefix,
            "@modelcontextprotocol/server-everything",
            "@modelcontextprotocol/server-filesystem",
        ],
        &["python3", "-m", "venv", &venv],
        &[&pip, "install", "--quiet", "mcp-server-time"],
    ];
    for step in steps {
        let mut command = Command::new(step[0]);
        command.args(&step[1..]).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true);
        match timeout(INSTALL, command.status()).await {
            Ok(Ok(status)) if status.success() => {}
            other => eprintln!("could not run {step:?}: {other:?}"),
        }
    }
}

fn server(name: &str, program: &Path, args: &[&str]) -> ServerSpec {
    ServerSpec {
        transport: Transport::Stdio {
            command: program.to_string_lossy().into_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: None,
        },
        ..spec(name, "ok")
    }
}

/// Whatever a real server lists must be usable.
fn all_exposed(rig: &mut Rig, name: &str) -> Vec<String> {
    let tools = rig.tools(name);
    assert!(!tools.is_empty(), "{:#?}", rig.told);
    for tool in &tools {
        assert!(tool.exposed(), "{tool:?}");
    }
    tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn everything() {
    let Some(program) = program("node_modules/.bin/mcp-server-everything").await else { return };
    let mut rig = Rig::start(vec![server("everything", &program, &["stdio"])]).await;
    let tools = all_exposed(&mut rig, "everything");
    assert!(tools.contains(&"echo".to_owned()), "{tools:?}");
    let (outcome, words) = rig.words("everything", "echo", json!({"message": "hi there"})).await;
    assert!(outcome == ToolOutcome::Ok && words.contains("hi there"), "{words}");
    let (outcome, words) = rig.words("everything", "echo", json!({})).await;
    assert!(outcome == ToolOutcome::Refused && words.contains("`message` is missing"), "{words}");
    let image = tools.iter().find(|name| name.to_lowercase().contains("image")).unwrap();
    let result = rig.call("everything", image, json!({})).await;
    let Content::Parts(parts) = result.content else { panic!("{result:?}") };
    assert!(parts.iter().any(|part| matches!(part, Content::Media { media_type, .. } if media_type == "image/png")));
    rig.end().await;
}

#[tokio::test]
async fn filesystem() {
    let Some(program) = program("node_modules/.bin/mcp-server-filesystem").await else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("note.txt"), "from a file").unwrap();
    let mut rig = Rig::start(vec![server("fs", &program, &[&root.to_string_lossy()])]).await;
    all_exposed(&mut rig, "fs");
    let path = root.join("note.txt");
    let (outcome, words) = rig.words("fs", "read_text_file", json!({"path": path})).await;
    assert!(outcome == ToolOutcome::Ok && words.contains("from a file"), "{words}");
    let (outcome, _) = rig.words("fs", "read_text_file", json!({"path": "/etc/passwd"})).await;
    assert_eq!(outcome, ToolOutcome::Error);
    rig.end().await;
}

#[tokio::test]
async fn time() {
    let Some(program) = program("venv/bin/mcp-server-time").await else { return };
    let mut rig = Rig::start(vec![server("time", &program, &["--local-timezone", "UTC"])]).await;
    all_exposed(&mut rig, "time");
    let (outcome, words) = rig.words("time", "get_current_time", json!({"timezone": "Europe/Oslo"})).await;
    assert!(outcome == ToolOutcome::Ok && words.contains("Europe/Oslo"), "{words}");
    rig.end().await;
}
