use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use octomind::mcp::{ServerSpec, Transport};
use octomind::proto::{Body, ServerState, ToolOutcome};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::rig::Rig;
use crate::fake_server::{respond, spec};

/// A loopback MCP server over streamable HTTP.
#[derive(Debug, Default)]
struct Loopback {
    address: String,
    /// Answers everything with this status line and these headers instead.
    refuse: Mutex<Option<&'static str>>,
    sessions: AtomicU32,
    /// Sessions up to this number are forgotten.
    forgotten: AtomicU32,
    calls: AtomicU32,
    headers: Mutex<Vec<String>>,
}

impl Loopback {
    async fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/mcp", listener.local_addr().unwrap());
        let server = Arc::new(Self { address, ..Self::default() });
        let shared = Arc::clone(&server);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&shared).serve(stream));
            }
        });
        server
    }

    fn spec(&self, name: &str) -> ServerSpec {
        http(name, &self.address)
    }

    async fn serve(self: Arc<Self>, mut stream: TcpStream) {
        let mut data = Vec::new();
        let (head, body) = loop {
            let mut buffer = [0; 4096];
            let Ok(count @ 1..) = stream.read(&mut buffer).await else { return };
            data.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&data).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length: ").map(|n| n.parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                break (head.to_lowercase(), body.to_owned());
            }
        };
        let (status, headers, body) = self.answer(&head, &body);
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        let _ = stream.write_all(answer.as_bytes()).await;
    }

    fn answer(&self, head: &str, body: &str) -> (&'static str, String, String) {
        let plain = |status| (status, String::new(), String::new());
        self.headers.lock().unwrap().push(head.to_owned());
        if let Some(refuse) = *self.refuse.lock().unwrap() {
            let challenge = "www-authenticate: Bearer realm=\"x\"\r\n".to_owned();
            return (refuse, if refuse.starts_with("401") { challenge } else { String::new() }, String::new());
        }
        if !head.starts_with("post") {
            return plain("405 Method Not Allowed");
        }
        let session = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: s").map(|n| n.trim().parse::<u32>().unwrap()));
        if session.is_some_and(|session| session <= self.forgotten.load(Ordering::SeqCst)) {
            return plain("404 Not Found");
        }
        let message: Value = serde_json::from_str(body).unwrap();
        let mut headers = "content-type: application/json\r\n".to_owned();
        if message["method"] == "initialize" {
            let session = self.sessions.fetch_add(1, Ordering::SeqCst) + 1;
            headers = format!("{headers}mcp-session-id: s{session}\r\n");
        }
        if message["method"] == "tools/call" {
            self.calls.fetch_add(1, Ordering::SeqCst);
        }
        match respond("http", &message) {
            Some(answer) => ("200 OK", headers, answer.to_string()),
            None => plain("202 Accepted"),
        }
    }
}

fn http(name: &str, url: &str) -> ServerSpec {
    let headers = BTreeMap::from([("X-Api-Key".to_owned(), "abcdef".to_owned())]);
    ServerSpec { transport: Transport::Http { url: url.to_owned(), headers }, ..spec(name, "ok") }
}

#[tokio::test]
async fn tools_are_listed_and_called_with_the_configured_headers() {
    let server = Loopback::start().await;
    let rig = Rig::start(vec![server.spec("web")]).await;
    assert_eq!(rig.words("web", "hello", json!({})).await, (ToolOutcome::Ok, "hello".to_owned()));
    assert!(server.headers.lock().unwrap().iter().all(|head| head.contains("x-api-key: abcdef")));
    rig.end().await;
}

#[tokio::test]
async fn a_forgotten_session_is_opened_again_and_the_call_is_reported_not_replayed() {
    let server = Loopback::start().await;
    let mut rig = Rig::start(vec![server.spec("web")]).await;
    server.forgotten.store(1, Ordering::SeqCst);
    let (outcome, words) = rig.words("web", "status", json!({})).await;
    assert_eq!(outcome, ToolOutcome::Error);
    assert!(words.contains("did not run this call"), "{words}");
    assert_eq!(server.calls.load(Ordering::SeqCst), 0);
    // The next call waits for the new session by itself.
    assert_eq!(rig.words("web", "hello", json!({})).await.1, "hello");
    assert_eq!((server.calls.load(Ordering::SeqCst), server.sessions.load(Ordering::SeqCst)), (1, 2));
    rig.drain();
    let states =
        rig.told.iter().filter(|body| matches!(body, Body::ServerChanged { state: ServerState::Ready { .. }, .. }));
    assert_eq!(states.count(), 2);
    rig.end().await;
}

#[tokio::test]
async fn a_wanted_sign_in_is_a_state_of_its_own_and_blocks_nothing() {
    let server = Loopback::start().await;
    *server.refuse.lock().unwrap() = Some("401 Unauthorized");
    let began = Instant::now();
    let mut rig = Rig::start(vec![server.spec("web"), spec("good", "ok")]).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(
        matches!(rig.servers.state("web"), Some(ServerState::NeedsSignIn { .. })),
        "{:?}",
        rig.servers.state("web")
    );
    assert_eq!(rig.words("good", "hello", json!({})).await.1, "hello");
    let (_, words) = rig.words("web", "hello", json!({})).await;
    assert_eq!(words, "Server web cannot be used: the server wants a sign-in (HTTP 401).");
    // A new token and a restart are enough.
    *server.refuse.lock().unwrap() = None;
    rig.servers.restart("web");
    rig.told.clear();
    rig.state("web", "ready", |state| matches!(state, ServerState::Ready { .. })).await;
    rig.end().await;
}

#[tokio::test]
async fn a_sign_in_that_runs_out_during_a_session_is_told() {
    let server = Loopback::start().await;
    let mut rig = Rig::start(vec![server.spec("web")]).await;
    *server.refuse.lock().unwrap() = Some("401 Unauthorized");
    let (outcome, words) = rig.words("web", "hello", json!({})).await;
    assert_eq!(outcome, ToolOutcome::Error);
    assert!(words.contains("sign-in"), "{words}");
    rig.state("web", "sign-in", |state| matches!(state, ServerState::NeedsSignIn { .. })).await;
    rig.end().await;
}

#[tokio::test]
async fn servers_down_for_one_cause_give_one_notice() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let mut rig = Rig::start((0..5).map(|n| http(&format!("s{n}"), &address)).collect()).await;
    let (_, text, hint) = rig.notice("do not work").await;
    assert!(text.starts_with("5 servers do not work (s0, s1, s2, s3, s4): 127.0.0.1 cannot be reached"), "{text}");
    let hint = hint.unwrap();
    assert!(hint.contains("network") && !hint.contains("timeout"), "{hint}");
    let servers = rig.servers.clone();
    servers.shutdown().await;
    assert_eq!(rig.notices().len(), 1, "{:?}", rig.notices());
}

#[tokio::test]
async fn a_wrong_address_says_so_at_once() {
    let server = Loopback::start().await;
    *server.refuse.lock().unwrap() = Some("404 Not Found");
    let mut rig = Rig::start(vec![server.spec("web"), http("odd", "ftp://x")]).await;
    let (_, text, _) = rig.notice("web does not work").await;
    assert!(text.contains("no MCP endpoint at this address (HTTP 404)"), "{text}");
    let (_, text, _) = rig.notice("odd does not work").await;
    assert!(text.contains("not an http or https address"), "{text}");
    rig.end().await;
}
