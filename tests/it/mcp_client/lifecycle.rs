use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use octomind::config::Env;
use octomind::mcp::{Backend, CallResult, Listing, Progress, RawTool, ServerSpec, Transport, expand_with};
use octomind::proto::{Body, Content, Level, ServerState, ToolOutcome};
use serde_json::json;

use super::rig::{DEADLINE, Rig, alive, gone, options};
use crate::fake_server::spec;

fn command(name: &str, command: &str, args: &[&str]) -> ServerSpec {
    ServerSpec {
        transport: Transport::Stdio {
            command: command.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: None,
        },
        ..spec(name, "ok")
    }
}

fn failed(state: &ServerState) -> bool {
    matches!(state, ServerState::Failed { .. })
}

#[tokio::test]
async fn a_server_that_exits_is_given_up_with_its_reason_said_once() {
    let mut rig = Rig::start(vec![spec("bad", "exit1"), spec("good", "ok")]).await;
    assert_eq!(rig.words("good", "hello", json!({})).await.1, "hello", "the other one works meanwhile");
    let state = rig.state("bad", "giving up", failed).await;
    let ServerState::Failed { reason, .. } = state else { unreachable!() };
    assert_eq!(reason, "it exited with code 1 before it was ready; it said: UC_REQUIRED_KEY is not set");
    let (level, text, hint) = rig.notice("bad does not work").await;
    assert_eq!(level, Level::Error);
    assert!(text.contains("code 1") && hint.is_some(), "{text}");
    let last = rig.told.iter().rev().find_map(|body| match body {
        Body::ServerChanged { server, stderr, command, .. } if server == "bad" => {
            Some((stderr.clone(), command.clone()))
        }
        _ => None,
    });
    let (stderr, command) = last.unwrap();
    assert!(stderr.contains(&"UC_REQUIRED_KEY is not set".to_owned()), "{stderr:?}");
    assert!(command.contains("fake_server::entry"), "{command}");
    let (_, words) = rig.words("bad", "hello", json!({})).await;
    assert!(words.contains("does not work: it exited with code 1"), "{words}");
    let servers = rig.servers.clone();
    servers.shutdown().await;
    assert_eq!(rig.notices().iter().filter(|text| text.contains("bad")).count(), 1, "{:?}", rig.notices());
    let tries = rig.told.iter().filter(|body| matches!(body, Body::ServerChanged { server, state: ServerState::Starting { .. }, .. } if server == "bad"));
    let attempts: std::collections::BTreeSet<_> =
        tries.map(|body| format!("{body:?}").split("attempt").nth(1).map(|rest| rest[..4].to_owned())).collect();
    assert_eq!(attempts.len(), 3, "three tries and no more");
}

#[tokio::test]
async fn a_command_that_is_not_there_fails_at_once_with_a_hint() {
    let mut rig = Rig::start(vec![command("a", "no-such-bin-uc", &[]), command("b", "echo 'Hello World'", &[])]).await;
    rig.state("a", "failure", failed).await;
    let (_, text, hint) = rig.notice("no-such-bin-uc").await;
    assert!(text.contains("OS error 2"), "{text}");
    assert_eq!(hint.as_deref(), Some("install no-such-bin-uc, or give its full path in `command`"));
    let (_, _, hint) = rig.notice("Hello World").await;
    assert!(hint.unwrap().contains(r#"args = ["Hello", "World"]"#));
    rig.end().await;
}

#[tokio::test]
async fn a_variable_that_is_not_set_disables_that_server_and_names_the_field() {
    let mut options = options();
    options.expand = expand_with(Arc::new(Env::from_pairs([("HERE", "x")])));
    let mut rig = Rig::new(options);
    let mut bad = spec("bad", "ok");
    if let Transport::Stdio { env, .. } = &mut bad.transport {
        env.insert("K".to_owned(), "${UC_UNSET}".to_owned());
    }
    rig.servers.start(vec![bad, spec("good", "ok")]);
    assert_eq!(rig.servers.settled(DEADLINE).await, Vec::<String>::new());
    let state = rig.state("bad", "failure", failed).await;
    let ServerState::Failed { reason, .. } = state else { unreachable!() };
    assert_eq!(
        reason,
        "`env.K` cannot be filled in: the environment variable UC_UNSET is not set; export it or put it in a .env file"
    );
    assert_eq!(rig.words("good", "hello", json!({})).await.1, "hello");
    rig.end().await;
}

#[tokio::test]
async fn servers_start_side_by_side_and_start_returns_at_once() {
    let mut rig = Rig::new(options());
    let began = Instant::now();
    rig.servers.start((0..6).map(|n| spec(&format!("s{n}"), "slow")).collect());
    assert!(began.elapsed() < Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(rig.servers.settled(DEADLINE).await, Vec::<String>::new());
    assert!(began.elapsed() < Duration::from_millis(6 * 700), "{:?}", began.elapsed());
    rig.drain();
    let order: Vec<_> = rig.servers.catalog().iter().map(|tool| tool.server.clone()).collect();
    assert!(order.is_sorted(), "{order:?}");
    rig.end().await;
}

#[tokio::test]
async fn a_flood_on_the_error_output_does_not_block_and_its_end_is_kept() {
    let mut rig = Rig::start(vec![spec("s", "flood")]).await;
    assert_eq!(rig.words("s", "hello", json!({})).await.1, "hello");
    rig.servers.disable("s");
    let body = rig
        .until("disabled", |body| matches!(body, Body::ServerChanged { state: ServerState::Disabled { .. }, .. }))
        .await;
    let Body::ServerChanged { stderr, .. } = body else { unreachable!() };
    assert_eq!(stderr.len(), 64);
    assert!(stderr.last().unwrap().starts_with("line 39999 "), "{:?}", stderr.last());
    rig.end().await;
}

#[tokio::test]
async fn a_server_can_be_switched_off_and_on() {
    let mut rig = Rig::start(vec![spec("s", "ok")]).await;
    let pid = rig.pid("s").await;
    assert!(rig.servers.disable("s") && !rig.servers.disable("other"));
    rig.state("s", "disabled", |state| matches!(state, ServerState::Disabled { .. })).await;
    gone(pid).await;
    assert!(rig.servers.catalog().is_empty());
    assert_eq!(rig.words("s", "hello", json!({})).await.1, "Server s was switched off by the person.");
    assert!(rig.servers.restart("s"));
    rig.told.clear();
    rig.state("s", "ready again", |state| matches!(state, ServerState::Ready { .. })).await;
    assert_eq!(rig.words("s", "hello", json!({})).await.1, "hello");
    assert!(rig.servers.remove("s"));
    rig.until("gone", |body| matches!(body, Body::ServerGone { .. })).await;
    rig.end().await;
}

#[tokio::test]
async fn shutdown_ends_everything_even_what_does_not_want_to() {
    let stubborn = command("stubborn", "sh", &["-c", "trap '' TERM; echo $$ >&2; sleep 300 & echo $! >&2; wait; wait"]);
    let mut rig = Rig::new(options());
    rig.servers.start(vec![stubborn, spec("s", "ok"), spec("bad", "exit1")]);
    rig.state("s", "ready", |state| matches!(state, ServerState::Ready { .. })).await;
    let pid = rig.pid("s").await;
    let body = rig
        .until("its process ids", |body| {
            matches!(body, Body::ServerChanged { server, stderr, .. } if server == "stubborn" && stderr.len() >= 2)
        })
        .await;
    let Body::ServerChanged { stderr, .. } = body else { unreachable!() };
    let pids: Vec<u32> = stderr.iter().map(|line| line.parse().unwrap()).chain([pid]).collect();
    assert!(pids.iter().all(|pid| alive(*pid)));
    let began = Instant::now();
    rig.servers.shutdown().await;
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    for pid in pids {
        gone(pid).await;
    }
    let before = rig.told.len();
    rig.servers.start(vec![spec("late", "ok")]);
    rig.drain();
    assert!(
        !rig.told[before..].iter().any(|body| matches!(body, Body::ServerChanged { server, .. } if server == "late"))
    );
}

#[tokio::test]
async fn dropping_everything_leaves_no_process() {
    let rig = Rig::start(vec![spec("s", "ok")]).await;
    let pid = rig.pid("s").await;
    drop(rig);
    gone(pid).await;
}

#[tokio::test]
async fn variables_are_filled_in_everywhere_and_secrets_are_never_shown() {
    let mut options = options();
    options.expand = Arc::new(|text| Ok(text.replace("{{ENV:MY_TOKEN}}", "s3cr3t-value").replace("${HERE}", "hello")));
    let mut rig = Rig::new(options);
    let script = "echo \"$1 $API_KEY ${#API_KEY} $2\" >&2; exit 4";
    let mut shown = command("s", "sh", &["-c", script, "sh", "${HERE}", "--token={{ENV:MY_TOKEN}}"]);
    if let Transport::Stdio { env, .. } = &mut shown.transport {
        env.insert("API_KEY".to_owned(), "{{ENV:MY_TOKEN}}".to_owned());
    }
    rig.servers.start(vec![shown]);
    rig.state("s", "failure", failed).await;
    rig.notice("does not work").await;
    let words = format!("{:?}", rig.told);
    assert!(words.contains("hello [API_KEY masked] 12 --token=[API_KEY masked]"), "{words}");
    assert!(words.contains("--token={{ENV:MY_TOKEN}}") && !words.contains("s3cr3t"), "{words}");
    rig.end().await;
}

/// Scripts that change between two looks.
#[derive(Debug, Default)]
struct Scripts(std::sync::atomic::AtomicU32);

#[async_trait::async_trait]
impl Backend for Scripts {
    async fn list(&self) -> Result<Listing, octomind::mcp::Unlisted> {
        let look = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let tool = |name: String| RawTool { name, description: "a script".to_owned(), ..RawTool::default() };
        let rejected = vec![("broken".to_owned(), "it has no description".to_owned())];
        Ok(Listing { tools: vec![tool("hello".to_owned()), tool(format!("script_{look}"))], rejected })
    }

    async fn call(
        &self,
        name: &str,
        _: serde_json::Map<String, serde_json::Value>,
        _: tokio::sync::mpsc::UnboundedSender<Progress>,
        _: tokio_util::sync::CancellationToken,
    ) -> CallResult {
        CallResult { outcome: ToolOutcome::Ok, content: Content::Text(format!("ran {name}")) }
    }
}

#[tokio::test]
async fn scripts_are_looked_at_again_and_give_way_to_a_server_of_the_same_tool() {
    let mut options = options();
    options.open_local = Some(Arc::new(|_| Arc::new(Scripts::default())));
    let mut rig = Rig::new(options);
    let local = ServerSpec { transport: Transport::Local { folder: "/x".into() }, ..spec("local", "ok") };
    rig.servers.start(vec![local, spec("s", "badargs")]);
    assert_eq!(rig.servers.settled(DEADLINE).await, Vec::<String>::new());
    let names = rig.wire_names();
    assert!(names[0].starts_with("hello_") && names[1..] == ["script_0", "hello", "read_file"], "{names:?}");
    assert_eq!(rig.words("local", "hello", json!({})).await.1, "ran hello");
    let broken = rig.tools("local").into_iter().find(|tool| tool.name == "broken").unwrap();
    assert_eq!(broken.quarantine.unwrap().reason, "it has no description");
    rig.servers.refresh().await;
    assert_eq!(rig.wire_names()[1], "script_1");
    rig.end().await;
}

#[tokio::test]
async fn the_bundled_server_works_through_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("note.txt"), "from a file\n").unwrap();
    let mut options = options();
    options.workdir = root;
    let mut rig = Rig::new(options);
    rig.servers.start(vec![spec("files", "bundled")]);
    assert_eq!(rig.servers.settled(DEADLINE).await, Vec::<String>::new());
    let tools = rig.tools("files");
    assert_eq!(tools.len(), 6, "{:#?}", rig.told);
    assert!(tools.iter().all(|tool| tool.exposed() && tool.repairs.is_empty()), "{tools:#?}");
    let (outcome, words) = rig.words("files", "view", json!({"path": "note.txt"})).await;
    assert!(outcome == ToolOutcome::Ok && words.contains("from a file"), "{words}");
    let (outcome, words) = rig.words("files", "shell", json!({"command": "echo $((40 + 2)); exit 3"})).await;
    assert!(outcome == ToolOutcome::Error && words.contains("42"), "{words}");
    rig.end().await;
}

#[tokio::test]
async fn a_bundled_server_is_our_own_program() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("octomind");
    std::fs::write(&program, "#!/bin/sh\necho \"asked: $*\" >&2\nexit 1\n").unwrap();
    let mut permissions = std::fs::metadata(&program).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&program, permissions).unwrap();
    let mut options = options();
    options.program = program;
    let mut rig = Rig::new(options);
    let files = ServerSpec { transport: Transport::Bundled { name: "files".into() }, ..spec("files", "ok") };
    rig.servers.start(vec![files]);
    let (_, text, _) = rig.notice("does not work").await;
    assert!(text.contains("it said: asked: mcp files"), "{text}");
    rig.end().await;
}
