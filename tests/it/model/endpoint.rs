use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// What the endpoint does after it has read a request.
#[derive(Clone)]
pub enum Do {
    /// Sends these bytes as they are.
    Send(Vec<u8>),
    /// Says nothing more but keeps the connection until the client leaves.
    Hang,
    /// Resets the connection.
    Reset,
    Wait(Duration),
}

/// A request as it came.
pub struct Seen {
    pub head: String,
    pub body: serde_json::Value,
}

pub struct Endpoint {
    pub url: String,
    pub seen: Receiver<Seen>,
    /// One message for every connection that the client closed while `Hang`.
    pub left: Receiver<()>,
}

/// Plays one script a request, in turn; the last one again when they run out.
pub fn serve(scripts: Vec<Vec<Do>>) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (say, seen) = channel();
    let (leave, left) = channel();
    std::thread::spawn(move || {
        for (served, stream) in listener.incoming().enumerate() {
            let Ok(stream) = stream else { return };
            let script = scripts[served.min(scripts.len() - 1)].clone();
            let (say, leave) = (say.clone(), leave.clone());
            std::thread::spawn(move || answer(stream, &script, &say, &leave));
        }
    });
    Endpoint { url, seen, left }
}

fn answer(mut stream: TcpStream, script: &[Do], say: &Sender<Seen>, leave: &Sender<()>) {
    let Some(request) = read_request(&mut stream) else { return };
    let _ = say.send(request);
    for step in script {
        match step {
            Do::Send(bytes) => {
                let _ = stream.write_all(bytes);
                let _ = stream.flush();
            }
            Do::Wait(time) => std::thread::sleep(*time),
            Do::Reset => {
                // Unread data makes the close a reset; without it the client sees a plain end, which
                // inside a chunked body is just as broken.
                let _ = stream.shutdown(std::net::Shutdown::Both);
                return;
            }
            Do::Hang => {
                let mut rest = [0; 64];
                while matches!(stream.read(&mut rest), Ok(read) if read > 0) {}
                let _ = leave.send(());
                return;
            }
        }
    }
}

fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_string();
        let length: usize = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse().unwrap()))
            .unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default();
            return Some(Seen { head, body });
        }
    }
}

/// The head of a streamed answer.
pub fn head(kind: &str) -> Do {
    Do::Send(format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes())
}

/// One HTTP chunk.
pub fn chunk(text: &str) -> Do {
    Do::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

pub fn end() -> Do {
    Do::Send(b"0\r\n\r\n".to_vec())
}

/// A whole answer with this status.
pub fn status(line: &str, headers: &str, body: &str) -> Vec<Do> {
    vec![Do::Send(
        format!("HTTP/1.1 {line}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
            .into_bytes(),
    )]
}

/// A streamed answer of these pieces.
pub fn stream(kind: &str, pieces: &[&str]) -> Vec<Do> {
    let mut script = vec![head(kind)];
    script.extend(pieces.iter().map(|piece| chunk(piece)));
    script.push(end());
    script
}
