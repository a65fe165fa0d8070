use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use super::super::digest::hex;
use super::super::onnx::tests::{TINY_GRAPH, TINY_TOKENIZER};
use super::super::service::{Options, Patience, Service, Source};
use super::*;
use crate::proto::EncoderState;

/// A request as the server got it.
struct Asked {
    method: String,
    path: String,
    /// Where the range begins that is asked for.
    range: Option<usize>,
    /// How often the same was asked before.
    before: usize,
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Bytes of the body that are sent; then the connection is cut, or kept in silence.
    sent: Option<(usize, Then)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Then {
    Cut,
    Silence,
}

impl Reply {
    fn new(status: u16, body: &[u8]) -> Self {
        Self { status, headers: Vec::new(), body: body.to_vec(), sent: None }
    }

    fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    fn ending(mut self, bytes: usize, then: Then) -> Self {
        self.sent = Some((bytes, then));
        self
    }
}

struct Server {
    base: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let log = Arc::new(Mutex::new(Vec::new()));
        let (answer, lines) = (Arc::new(answer), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, lines) = (Arc::clone(&answer), Arc::clone(&lines));
                std::thread::spawn(move || serve(stream, &*answer, &lines));
            }
        });
        Self { base, log }
    }

    fn count(&self, start: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|line| line.starts_with(start)).count()
    }
}

fn serve(stream: TcpStream, answer: &dyn Fn(&Asked) -> Reply, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_ascii_lowercase());
    }
    let Some(first) = lines.first().cloned() else { return };
    let mut words = first.split(' ');
    let (method, path) = (words.next().unwrap_or_default().to_uppercase(), words.next().unwrap_or_default().to_owned());
    let range = lines.iter().find_map(|line| line.strip_prefix("range: bytes="));
    let range = range.and_then(|range| range.trim_end_matches('-').parse().ok());
    let line = format!("{method} {path}");
    let before = {
        let mut log = log.lock().unwrap();
        let before = log.iter().filter(|known| known.split(" from ").next() == Some(&line)).count();
        log.push(range.map_or_else(|| line.clone(), |from: usize| format!("{line} from {from}")));
        before
    };
    let asked = Asked { method, path, range, before };
    send(stream, &asked, answer(&asked));
}

fn send(mut stream: TcpStream, asked: &Asked, reply: Reply) {
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    if !reply.headers.iter().any(|(name, _)| name == "content-length") {
        head.push_str(&format!("content-length: {}\r\n", reply.body.len()));
    }
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    if asked.method != "HEAD" {
        let count = reply.sent.map_or(reply.body.len(), |(count, _)| count);
        let _ = stream.write_all(&reply.body[..count]);
        let _ = stream.flush();
    }
    if reply.sent.is_some_and(|(_, then)| then == Then::Silence) {
        // Until the other side has had enough.
        let _ = stream.read(&mut [0; 64]);
    }
}

const MODEL: &str = "/me/tiny/resolve/abc123/onnx/model.onnx";

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What a hub with the tiny model answers.
fn usual(asked: &Asked) -> Reply {
    let file = match asked.path.as_str() {
        "/api/models/me/tiny" => {
            let names = ["README.md", "tokenizer.json", "onnx/model.onnx", "../outside.json", "1_Pooling/../../x"];
            let siblings = names.map(|name| format!(r#"{{"rfilename": "{name}"}}"#)).join(",");
            return Reply::new(200, format!(r#"{{"sha": "abc123", "siblings": [{siblings}]}}"#).as_bytes());
        }
        MODEL => TINY_GRAPH,
        "/me/tiny/resolve/abc123/tokenizer.json" => TINY_TOKENIZER,
        _ => return Reply::new(404, b"no such thing"),
    };
    let tag = if asked.path == MODEL { sha256(file) } else { "5f1c".to_owned() };
    let reply = match asked.range {
        Some(from) => {
            let range = format!("bytes {from}-{}/{}", file.len() - 1, file.len());
            Reply::new(206, &file[from..]).with("content-range", range)
        }
        None => Reply::new(200, file),
    };
    reply.with("etag", format!("\"{tag}\""))
}

fn hub(server: &Server, folder: &Path) -> Hub {
    Hub {
        base: server.base.clone(),
        folder: folder.to_path_buf(),
        silence: Duration::from_millis(250),
        back_off: Duration::from_millis(2),
    }
}

async fn fetch(hub: &Hub) -> Result<PathBuf, DownloadError> {
    hub.fetch("me/tiny", &|_, _| {}, &CancellationToken::new()).await
}

fn assert_whole(folder: &Path) {
    assert_eq!(std::fs::read(folder.join("onnx/model.onnx")).unwrap(), TINY_GRAPH);
    assert_eq!(std::fs::read(folder.join("tokenizer.json")).unwrap(), TINY_TOKENIZER);
    assert!(folder.join("complete.json").is_file());
    let left = |name: &str| folder.join(name).exists();
    assert!(!left("onnx/model.onnx.part") && !left("onnx/model.onnx.part-of") && !left("tokenizer.json.part"));
}

#[tokio::test]
async fn a_model_is_fetched_once_and_needs_no_network_then() {
    let server = Server::start(usual);
    let home = tempfile::tempdir().unwrap();
    let seen = Mutex::new(Vec::new());
    let total = (TINY_GRAPH.len() + TINY_TOKENIZER.len()) as u64;
    let hub = hub(&server, home.path());
    let progress = |done: u64, of: Option<u64>| seen.lock().unwrap().push((done, of));
    let folder = hub.fetch("me/tiny", &progress, &CancellationToken::new()).await.unwrap();
    assert_eq!(folder, home.path().join("me--tiny"));
    assert_whole(&folder);
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.last(), Some(&(total, Some(total))));
    assert!(seen.is_sorted(), "{seen:?}");
    let asked = server.log.lock().unwrap().len();
    assert_eq!(fetch(&hub).await.unwrap(), folder);
    let away = Hub { base: "http://127.0.0.1:9".to_owned(), ..hub };
    assert_eq!(fetch(&away).await.unwrap(), folder);
    assert_eq!(server.log.lock().unwrap().len(), asked, "nothing more was asked");
    assert_eq!(server.count("GET /me/tiny/resolve/abc123/README"), 0, "only what is needed");
}

#[tokio::test]
async fn a_cut_and_a_silence_are_resumed_where_they_happened() {
    for then in [Then::Cut, Then::Silence] {
        let server = Server::start(move |asked| {
            let reply = usual(asked);
            match (asked.path.as_str(), asked.method.as_str(), asked.before) {
                (MODEL, "GET", 0) => reply.ending(200, then),
                (MODEL, "GET", 1) => reply.ending(100, then),
                _ => reply,
            }
        });
        let home = tempfile::tempdir().unwrap();
        assert_whole(&fetch(&hub(&server, home.path())).await.unwrap());
        let log = server.log.lock().unwrap().clone();
        let asked: Vec<&str> = log.iter().filter_map(|line| line.strip_prefix(&format!("GET {MODEL}"))).collect();
        assert_eq!(asked, ["", " from 200", " from 300"]);
    }
}

#[tokio::test]
async fn a_part_of_an_earlier_run_is_used_only_for_the_same_content() {
    for (tag, expected) in [(sha256(TINY_GRAPH), " from 50"), ("another".to_owned(), "")] {
        let server = Server::start(usual);
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("me--tiny/onnx");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("model.onnx.part"), &TINY_GRAPH[..50]).unwrap();
        std::fs::write(folder.join("model.onnx.part-of"), &tag).unwrap();
        assert_whole(&fetch(&hub(&server, home.path())).await.unwrap());
        assert_eq!(server.log.lock().unwrap().last(), Some(&format!("GET {MODEL}{expected}")));
    }
}

#[tokio::test]
async fn a_server_that_ignores_ranges_is_put_up_with() {
    let server = Server::start(|asked| match (asked.path.as_str(), asked.range) {
        (MODEL, Some(_)) => usual(&Asked { method: "GET".to_owned(), path: MODEL.to_owned(), range: None, before: 0 }),
        (MODEL, None) if asked.method == "GET" => usual(asked).ending(99, Then::Cut),
        _ => usual(asked),
    });
    let home = tempfile::tempdir().unwrap();
    assert_whole(&fetch(&hub(&server, home.path())).await.unwrap());
}

#[tokio::test]
async fn damage_on_the_way_is_noticed_and_nothing_is_kept() {
    let server = Server::start(|asked| {
        let mut reply = usual(asked);
        if asked.path == MODEL {
            reply.body[30] ^= 1;
        }
        reply
    });
    let home = tempfile::tempdir().unwrap();
    let error = fetch(&hub(&server, home.path())).await.unwrap_err();
    assert!(matches!(error, DownloadError::Checksum { .. }), "{error:?}");
    assert!(error.to_string().starts_with("onnx/model.onnx arrived damaged: its SHA-256 is "), "{error}");
    let folder = home.path().join("me--tiny");
    assert!(!folder.join("onnx/model.onnx").exists() && !folder.join("onnx/model.onnx.part").exists());
    assert!(!folder.join("complete.json").exists());
}

#[tokio::test]
async fn the_hub_s_own_checksum_holds_where_the_bytes_lie_elsewhere() {
    for spoilt in [false, true] {
        let server = Server::start(move |asked| match asked.path.as_str() {
            MODEL => Reply::new(302, b"")
                .with("location", "/elsewhere")
                .with("x-linked-etag", format!("\"{}\"", sha256(TINY_GRAPH)))
                .with("x-linked-size", TINY_GRAPH.len()),
            "/elsewhere" => {
                let mut body = TINY_GRAPH.to_vec();
                body[100] ^= u8::from(spoilt);
                Reply::new(200, &body).with("etag", "\"of-the-place\"")
            }
            _ => usual(asked),
        });
        let home = tempfile::tempdir().unwrap();
        let fetched = fetch(&hub(&server, home.path())).await;
        assert_eq!(matches!(fetched, Err(DownloadError::Checksum { .. })), spoilt, "{fetched:?}");
        assert_eq!(fetched.is_ok(), !spoilt);
    }
}

#[tokio::test]
async fn a_busy_hub_is_asked_again_but_not_for_ever() {
    for (failures, works) in [(2, true), (99, false)] {
        let server = Server::start(move |asked| match asked.path.as_str() {
            MODEL if asked.method == "GET" && asked.before < failures => Reply::new(503, b"later"),
            _ => usual(asked),
        });
        let home = tempfile::tempdir().unwrap();
        let fetched = fetch(&hub(&server, home.path())).await;
        assert_eq!(fetched.is_ok(), works, "{fetched:?}");
        if let Err(error) = fetched {
            assert_eq!(error.to_string(), "the hub answered 503 for onnx/model.onnx");
            assert_eq!(server.count(&format!("GET {MODEL}")), 4);
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_said_in_words() {
    let listing = |files: &'static str| Server::start(move |_| Reply::new(200, files.as_bytes()));
    let cases = [
        (Server::start(|_| Reply::new(404, b"")), "there is no `me/tiny` on the hub, or it is not public"),
        (Server::start(|_| Reply::new(401, b"")), "there is no `me/tiny` on the hub, or it is not public"),
        (Server::start(|_| Reply::new(500, b"")), "the hub answered 500 for `me/tiny`"),
        (listing(r#"{"siblings": [{"rfilename": "tokenizer.json"}]}"#), "`me/tiny` has no `model*.onnx`"),
        (listing(r#"{"siblings": [{"rfilename": "model.onnx"}]}"#), "`me/tiny` has no `tokenizer.json`"),
        (listing("<html>"), "the hub's list of files cannot be read: "),
        (listing(r#"{"sha": "../..", "siblings": []}"#), "the hub's list of files cannot be read: "),
        (Server::start(|asked| usual(asked).ending(5, Then::Silence)), "127.0.0.1 sent nothing for "),
    ];
    for (server, expected) in cases {
        let home = tempfile::tempdir().unwrap();
        let error = fetch(&hub(&server, home.path())).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error:?} is not {expected:?}");
    }
}

#[tokio::test]
async fn no_network_names_the_host() {
    let home = tempfile::tempdir().unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let hub = Hub {
        base: format!("http://{unused}"),
        ..Hub::new(&Env::from_pairs([("HF_ENDPOINT", "http://x/")]), home.path())
    };
    let error = fetch(&hub).await.unwrap_err().to_string();
    assert!(error.starts_with("127.0.0.1 could not be reached: "), "{error}");
}

#[test]
fn the_endpoint_can_be_set() {
    let hub = |pairs: &[(&str, &str)]| Hub::new(&Env::from_pairs(pairs.iter().copied()), Path::new("/cache"));
    assert_eq!(hub(&[("HF_ENDPOINT", "http://mirror.example/")]).base, "http://mirror.example");
    assert_eq!(hub(&[]).base, HUB);
    assert_eq!(hub(&[]).folder, Path::new("/cache/models"));
}

#[tokio::test]
async fn two_at_once_fetch_it_once() {
    let server = Server::start(|asked| {
        // Long enough for the other one to meet the lock.
        std::thread::sleep(Duration::from_millis(20));
        usual(asked)
    });
    let home = tempfile::tempdir().unwrap();
    let hub = hub(&server, home.path());
    let (first, second) = tokio::join!(fetch(&hub), fetch(&hub));
    assert_whole(&first.unwrap());
    assert_whole(&second.unwrap());
    assert_eq!(server.count(&format!("GET {MODEL}")), 1);
}

#[tokio::test]
async fn a_stopped_download_keeps_its_part() {
    let server = Server::start(|asked| match asked.path.as_str() {
        MODEL if asked.method == "GET" => usual(asked).ending(300, Then::Silence),
        _ => usual(asked),
    });
    let home = tempfile::tempdir().unwrap();
    let hub = Hub { silence: Duration::from_secs(20), ..hub(&server, home.path()) };
    let stop = CancellationToken::new();
    let enough = (TINY_TOKENIZER.len() + 300) as u64;
    let progress = |done: u64, _: Option<u64>| {
        if done >= enough {
            stop.cancel();
        }
    };
    assert!(matches!(hub.fetch("me/tiny", &progress, &stop).await, Err(DownloadError::Stopped)));
    let part = std::fs::read(home.path().join("me--tiny/onnx/model.onnx.part")).unwrap();
    assert_eq!(part, TINY_GRAPH[..300]);
}

#[tokio::test]
async fn a_service_uses_what_the_hub_has() {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let server = Server::start(move |asked| {
        if asked.path == MODEL && asked.method == "GET" {
            let _ = wait.lock().unwrap().recv_timeout(Duration::from_secs(20));
        }
        usual(asked)
    });
    let home = tempfile::tempdir().unwrap();
    let hub = Hub { silence: Duration::from_secs(20), ..hub(&server, home.path()) };
    let source = Source::Setting { model: "me/tiny".to_owned(), hub, env: Env::default() };
    let service = Service::new(Options { source, vectors: None });
    service.start();
    let mut state = service.state();
    let downloading = |state: &EncoderState| matches!(state, EncoderState::Downloading { .. });
    tokio::time::timeout(Duration::from_secs(20), state.wait_for(downloading)).await.unwrap().unwrap();
    let refused = service.encode("north", Patience::Now).await.unwrap_err().to_string();
    assert_eq!(refused, "the sentence model me/tiny is being downloaded");
    go.send(()).unwrap();
    assert_eq!(service.encode("north", Patience::Forever).await.unwrap().dimensions(), 3);
    assert_eq!(service.identity().unwrap().name, "me/tiny");
}
