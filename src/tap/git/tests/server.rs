//! A web server of a few lines in front of `git http-backend`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Serves,
    /// Answers this status to everything.
    Status(u16),
    /// Answers with a web page.
    Page,
    /// Takes the request and never answers.
    Mute,
    /// Sends half of every second answer, then nothing.
    Stalls,
    /// Hangs up in the middle of the pack.
    HangsUp,
    /// `/old/…` is at `/o/…` now.
    Moved,
    /// Leads to another machine without encryption.
    Elsewhere,
    Circles,
    /// Lists branches without end.
    Lists,
}

pub(super) struct Server {
    port: u16,
    pub requests: Arc<AtomicUsize>,
}

impl Server {
    pub fn start(root: &Path, manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let (root, counted) = (root.to_owned(), Arc::clone(&requests));
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (root, counted) = (root.clone(), Arc::clone(&counted));
                std::thread::spawn(move || {
                    while let Some(request) = Request::read(&stream) {
                        counted.fetch_add(1, Ordering::SeqCst);
                        if answer(&request, &stream, &root, manner, port).is_none() {
                            break;
                        }
                    }
                });
            }
        });
        Self { port, requests }
    }

    pub fn address(&self, path: &str) -> Address {
        Address::parse(&format!("http://127.0.0.1:{}/{path}", self.port)).unwrap()
    }
}

/// `None` where there is no `git http-backend` here, which is told.
pub(super) fn backend() -> Option<PathBuf> {
    let told = Command::new("git").arg("--exec-path").output().ok()?;
    let path = PathBuf::from(String::from_utf8(told.stdout).ok()?.trim()).join("git-http-backend");
    if !path.exists() {
        let _ = writeln!(std::io::stderr(), "skipped: there is no git http-backend on this machine");
        return None;
    }
    Some(path)
}

struct Request {
    method: String,
    path: String,
    query: String,
    kind: String,
    body: Vec<u8>,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut length, mut kind) = (0, String::new());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok()?,
                "content-type" => value.trim().clone_into(&mut kind),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        Some(Self { method, path: path.to_owned(), query: query.to_owned(), kind, body })
    }
}

fn answer(request: &Request, mut stream: &TcpStream, root: &Path, manner: Manner, port: u16) -> Option<()> {
    let plain = |status: u16, headers: &str, body: &str| {
        format!("HTTP/1.1 {status} x\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
    };
    let target = |host: &str, path: &str| format!("location: http://{host}{path}?{}\r\n", request.query);
    let own = format!("127.0.0.1:{port}");
    let text = match manner {
        Manner::Status(status) => plain(status, "www-authenticate: Basic realm=\"x\"\r\n", ""),
        Manner::Page => plain(200, "content-type: text/html\r\n", "<html>"),
        Manner::Mute => {
            // Until the other side has had enough.
            let _ = stream.read(&mut [0]);
            return None;
        }
        Manner::Moved if request.path.starts_with("/old/") => {
            plain(301, &target(&own, &request.path.replacen("/old/", "/o/", 1)), "")
        }
        Manner::Elsewhere => plain(302, &target("example.org", &request.path), ""),
        Manner::Circles => plain(302, &target(&own, &request.path), ""),
        Manner::Lists => {
            let head = "HTTP/1.1 200 x\r\ncontent-type: application/x-git-upload-pack-advertisement\r\n\r\n";
            let first = "001e# service=git-upload-pack\n0000";
            stream.write_all(format!("{head}{first}").as_bytes()).ok()?;
            let id = "1234567890123456789012345678901234567890";
            for number in 0.. {
                let line = format!("{id} refs/heads/{number:012}\n");
                stream.write_all(format!("{:04x}{line}", line.len() + 4).as_bytes()).ok()?;
            }
            return None;
        }
        _ => {
            let whole = from_backend(request, root)?;
            let post = request.method == "POST";
            let most =
                if post && matches!(manner, Manner::Stalls | Manner::HangsUp) { whole.len() / 2 } else { whole.len() };
            stream.write_all(&whole[..most]).ok()?;
            if most < whole.len() && manner == Manner::Stalls {
                let _ = stream.read(&mut [0]);
            }
            return (most == whole.len()).then_some(());
        }
    };
    stream.write_all(text.as_bytes()).ok()
}

fn from_backend(request: &Request, root: &Path) -> Option<Vec<u8>> {
    let mut child = Command::new(backend()?)
        .env_clear()
        .env("PATH", std::env::var_os("PATH")?)
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", &request.method)
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("CONTENT_TYPE", &request.kind)
        .env("CONTENT_LENGTH", request.body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(&request.body).ok()?;
    let output = child.wait_with_output().ok()?.stdout;
    let split = output.windows(4).position(|window| window == b"\r\n\r\n")?;
    let headers = String::from_utf8_lossy(&output[..split]).into_owned();
    let body = &output[split + 4..];
    let status = headers.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
    let mut whole = format!("HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    whole.extend_from_slice(body);
    Some(whole)
}
