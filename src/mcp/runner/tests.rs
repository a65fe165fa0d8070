use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::mcp::{Options, ServerSpec, Servers, Transport, Unlisted, local};
use crate::proto::{Body, ServerState};

const DEADLINE: Duration = Duration::from_secs(30);

fn spec(name: &str, transport: Transport) -> ServerSpec {
    ServerSpec {
        name: name.to_owned(),
        transport,
        timeout: Duration::from_secs(5),
        filter: Vec::new(),
        filter_origin: String::new(),
        origin: "a test".to_owned(),
    }
}

fn options(workdir: &Path) -> Options {
    let mut options = Options::new(workdir.to_owned(), Arc::new(|text| Ok(text.to_owned())));
    options.policy.delays = vec![Duration::from_millis(10)];
    options
}

fn last_state(told: &mut UnboundedReceiver<Body>) -> Option<ServerState> {
    let mut last = None;
    while let Ok(body) = told.try_recv() {
        if let Body::ServerChanged { state, .. } = body {
            last = Some(state);
        }
    }
    last
}

#[tokio::test]
async fn scripts_that_are_accepted_after_the_start_join_the_surface() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join(".agents/tools");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("deploy"), "#!/bin/sh\n# @description Deploys.\nprintf out\n").unwrap();
    fs::set_permissions(folder.join("deploy"), fs::Permissions::from_mode(0o755)).unwrap();
    let accepted = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&accepted);
    let mut options = options(project.path());
    options.open_local = Some(local::opener(Arc::new(move || match asked.load(Ordering::Relaxed) {
        true => Ok(crate::mcp::Moved::default()),
        false => Err(Unlisted::Waits("They wait for an answer.".to_owned())),
    })));
    let (events, mut told) = unbounded_channel();
    let servers = Servers::new(events, options);
    servers.start(vec![spec("local", Transport::Local { folder })]);
    servers.settled(DEADLINE).await;
    servers.refresh().await;
    assert!(servers.catalog().is_empty());
    assert!(last_state(&mut told).is_some_and(|state| state.is_held()), "nothing failed");

    accepted.store(true, Ordering::Relaxed);
    servers.refresh().await;
    assert_eq!(servers.catalog().len(), 1);
    assert!(matches!(last_state(&mut told), Some(ServerState::Ready { .. })));
    servers.shutdown().await;
}

#[tokio::test]
async fn what_a_server_said_is_the_reason_and_not_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let says = r#"read line; id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/');
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"ACME_KEY is not set"}}\n' "$id"; "#;
    for after in ["exit 3", "read line; exit 0"] {
        let (events, mut told) = unbounded_channel();
        let servers = Servers::new(events, options(folder.path()));
        let transport = Transport::Stdio {
            command: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), format!("{says}{after}")],
            env: BTreeMap::new(),
            cwd: None,
        };
        servers.start(vec![spec("acme", transport)]);
        let reason = loop {
            let body = tokio::time::timeout(DEADLINE, told.recv()).await.unwrap().unwrap();
            if let Body::ServerChanged { state: ServerState::Failed { reason, .. }, .. } = body {
                break reason;
            }
        };
        assert!(reason.contains("ACME_KEY is not set"), "{after}: {reason}");
        servers.shutdown().await;
    }
}
