//! The protocol over a child's pipes. What is not protocol on its standard output is skipped and
//! kept for people to see.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::envelope::Envelope;
use super::flood::{Budget, Flood, Noise};
use super::process::Tail;

/// A longer line is dropped; if it is an answer, its request fails.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Messages read ahead of the service.
const READ_AHEAD: usize = 256;

pub struct Pipes {
    writer: Arc<Mutex<Option<ChildStdin>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    reader: JoinHandle<()>,
}

impl Pipes {
    pub fn new(stdin: ChildStdin, stdout: ChildStdout, tail: Arc<Tail>) -> Self {
        let (sender, incoming) = mpsc::channel(READ_AHEAD);
        let reader = tokio::spawn(read(BufReader::with_capacity(64 * 1024, stdout), sender, tail));
        Self { writer: Arc::new(Mutex::new(Some(stdin))), incoming, reader }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut writer = writer.lock().await;
            let stdin = writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            stdin.write_all(&line).await?;
            stdin.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A write that hangs holds the lock; the process is ended next, which ends the write.
        if let Ok(mut writer) = tokio::time::timeout(Duration::from_millis(100), self.writer.lock()).await {
            writer.take();
        }
        Ok(())
    }
}

async fn read(mut stdout: impl AsyncBufRead + Unpin, sender: mpsc::Sender<ServerJsonRpcMessage>, tail: Arc<Tail>) {
    let (mut line, mut over) = (Vec::new(), None);
    let mut noise = Noise::new(Instant::now());
    let mut pace = Budget::of_messages(Instant::now());
    loop {
        match next_line(&mut stdout, &mut line, MAX_LINE, &mut over, &mut noise).await {
            Ok(true) => {}
            Ok(false) | Err(Unread::Io) => return,
            Err(Unread::Flood(flood)) => return tail.flooded(flood),
        }
        let messages = match &over {
            Some(envelope) => {
                let size = MAX_LINE / 1024 / 1024;
                tail.push(&format!("stdout: a line of more than {size} MB was dropped"));
                failed(envelope, &format!("it is larger than {size} MB; ask for less at a time")).into_iter().collect()
            }
            None => messages(&line, &tail),
        };
        let now = Instant::now();
        if messages.is_empty() {
            // The bytes of what cannot be a message are counted already.
            let bytes = if may_be_message(&line) { line.len() } else { 0 };
            if let Err(flood) = noise.add(bytes, 1, now) {
                return tail.flooded(flood);
            }
            continue;
        }
        noise.spoke(now);
        let wait = pace.spend(messages.len(), now);
        for message in messages {
            if sender.send(message).await.is_err() {
                return;
            }
        }
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
}

/// Why there is no further line.
#[derive(Debug)]
enum Unread {
    Io,
    Flood(Flood),
}

fn may_be_message(line: &[u8]) -> bool {
    let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, None | Some(b'{' | b'[' | 0xef))
}

/// Reads one line without its end; false at the end of the stream. Of an over-long line, `limit` + 1
/// bytes are kept, and what all of it is.
async fn next_line(
    from: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
    over: &mut Option<Envelope>,
    noise: &mut Noise,
) -> Result<bool, Unread> {
    line.clear();
    *over = None;
    let mut whole = 0;
    loop {
        let buffer = from.fill_buf().await.map_err(|_| Unread::Io)?;
        if buffer.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        if over.is_none() && line.len() + part.len() > limit {
            over.insert(Envelope::default()).push(line);
        }
        if let Some(envelope) = over {
            envelope.push(part);
        }
        line.extend_from_slice(&part[..part.len().min((limit + 1).saturating_sub(line.len()))]);
        whole += part.len() as u64;
        let now = Instant::now();
        if !may_be_message(line) {
            noise.add(part.len(), 0, now).map_err(Unread::Flood)?;
        }
        noise.grown(whole, limit.saturating_mul(2), now).map_err(Unread::Flood)?;
        let used = part.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// The messages of a line; noise goes to the tail.
pub(crate) fn messages(line: &[u8], tail: &Tail) -> Vec<ServerJsonRpcMessage> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return Vec::new();
    }
    if let Ok(message) = serde_json::from_str(text) {
        return vec![message];
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(batch)) => batch.into_iter().filter_map(|item| rescue(item, tail)).collect(),
        Ok(value) => rescue(value, tail).into_iter().collect(),
        Err(error) => {
            tail.push(&format!("stdout: {text}"));
            let mut envelope = Envelope::default();
            envelope.push(text.as_bytes());
            failed(&envelope, &error.to_string()).into_iter().collect()
        }
    }
}

/// The error that stands for an answer that cannot be read, so that whoever waits for it learns of it.
fn failed(envelope: &Envelope, why: &str) -> Option<ServerJsonRpcMessage> {
    let id = envelope.answers()?.clone();
    let words = format!("the server's answer cannot be read: {why}");
    Some(ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INTERNAL_ERROR, words, None), Some(id)))
}

/// A message that does not fit the types. An answer is turned into an error, so that whoever waits
/// for it learns of it.
fn rescue(value: Value, tail: &Tail) -> Option<ServerJsonRpcMessage> {
    if let Ok(message) = serde_json::from_value(value.clone()) {
        return Some(message);
    }
    let id = match value.get("id") {
        Some(Value::Number(number)) => RequestId::Number(number.as_i64()?),
        Some(Value::String(text)) => RequestId::String(text.as_str().into()),
        _ => {
            tail.push(&format!("stdout: {value}"));
            return None;
        }
    };
    let words = value.get("error").map_or_else(|| "no result and no error".to_owned(), Value::to_string);
    let words = format!("the server's answer cannot be read: {}", super::visible::line(&words, 300));
    Some(ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INTERNAL_ERROR, words, None), Some(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_skipped_and_kept() {
        let tail = Tail::default();
        for line in ["Server started on stdio", "Content-Length: 12", "{\"not\": \"protocol\"}", "", "  \r"] {
            assert!(messages(line.as_bytes(), &tail).is_empty(), "{line}");
        }
        assert_eq!(
            tail.lines(),
            ["stdout: Server started on stdio", "stdout: Content-Length: 12", "stdout: {\"not\":\"protocol\"}"]
        );
        assert!(messages(b"\xff\xfe\x00garbage", &tail).is_empty());
    }

    #[test]
    fn messages_come_through_with_damage_around_them() {
        let tail = Tail::default();
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"x":1}}"#;
        for line in [answer.to_owned(), format!("\u{feff}{answer}\r"), format!("[{answer}]")] {
            assert_eq!(messages(line.as_bytes(), &tail).len(), 1, "{line}");
        }
        let broken = r#"{"jsonrpc":"2.0","id":1,"error":"oops"}"#;
        assert!(matches!(messages(broken.as_bytes(), &tail)[..], [ServerJsonRpcMessage::Error(_)]));
    }

    #[tokio::test]
    async fn an_endless_line_does_not_fill_memory() {
        let data = [vec![b'x'; 100], b"\nok\nlast".to_vec()].concat();
        let mut from = BufReader::with_capacity(7, &data[..]);
        let (mut line, mut over) = (Vec::new(), None);
        let mut noise = Noise::new(Instant::now());
        assert!(next_line(&mut from, &mut line, 10, &mut over, &mut noise).await.unwrap());
        assert!(line.len() == 11 && over.is_some());
        assert!(
            next_line(&mut from, &mut line, 10, &mut over, &mut noise).await.unwrap()
                && line == b"ok"
                && over.is_none()
        );
        assert!(next_line(&mut from, &mut line, 10, &mut over, &mut noise).await.unwrap() && line == b"last");
        assert!(!next_line(&mut from, &mut line, 10, &mut over, &mut noise).await.unwrap());
    }

    #[tokio::test]
    async fn an_answer_too_long_or_too_deep_fails_its_request() {
        let long = format!("{{\"id\":4,\"result\":\"{}\"}}\n", "x".repeat(100));
        let mut from = BufReader::with_capacity(7, long.as_bytes());
        let (mut line, mut over) = (Vec::new(), None);
        let mut noise = Noise::new(Instant::now());
        assert!(next_line(&mut from, &mut line, 20, &mut over, &mut noise).await.unwrap());
        let error = failed(&over.unwrap(), "it is larger than 64 MB");
        assert!(matches!(error, Some(ServerJsonRpcMessage::Error(error)) if error.error.message.contains("64 MB")));

        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(20_000), "]".repeat(20_000));
        let answers = messages(deep.as_bytes(), &Tail::default());
        let [ServerJsonRpcMessage::Error(error)] = &answers[..] else { panic!("{answers:?}") };
        assert!(error.error.message.contains("recursion limit"), "{}", error.error.message);
    }

    async fn heard(data: &[u8]) -> (usize, Arc<Tail>) {
        let (sender, mut incoming) = mpsc::channel(READ_AHEAD);
        let tail = Arc::new(Tail::default());
        read(BufReader::with_capacity(64 * 1024, data), sender, Arc::clone(&tail)).await;
        let mut count = 0;
        while incoming.recv().await.is_some() {
            count += 1;
        }
        (count, tail)
    }

    const ANSWER: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1}}\n";

    #[tokio::test]
    async fn a_flood_is_not_read_to_its_end_and_says_how_much_it_was() {
        let lines = b"garbage\n".repeat(200_000);
        let floods: [(Vec<u8>, usize); 6] = [
            (lines.clone(), 0),
            (b"\n".repeat(200_000), 0),
            (vec![b'x'; 3 << 20], 0),
            ([b"{".to_vec(), vec![b' '; 5 << 20]].concat(), 0),
            (b"{\"level\":\"info\"}\n".repeat(100_000), 0),
            ([ANSWER, &lines, &lines, &lines].concat(), 1),
        ];
        for (data, messages) in floods {
            let begin = String::from_utf8_lossy(&data[..60]).into_owned();
            // What came after it is not heard.
            let (count, tail) = heard(&[&data[..], ANSWER].concat()).await;
            assert_eq!(count, messages, "{begin}");
            let Some(Flood(words)) = tail.flood() else { panic!("no flood: {begin}") };
            assert!(words.contains(" MB in "), "{words}");
        }
    }

    #[tokio::test]
    async fn a_banner_and_an_answer_of_many_megabytes_are_no_flood() {
        let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"x\":\"{}\"}}}}\n", "y".repeat(9 << 20));
        let banner = b"Installing package 17 of 90\n".repeat(2000);
        let (count, tail) = heard(&[&banner, ANSWER, long.as_bytes(), &banner, ANSWER].concat()).await;
        assert_eq!((count, tail.flood()), (3, None));
    }

    /// The rest of them comes later, and all of them.
    #[tokio::test(start_paused = true)]
    async fn messages_without_end_are_read_at_a_pace() {
        let (sender, mut incoming) = mpsc::channel(READ_AHEAD);
        let data = ANSWER.repeat(8_000);
        let tail = Arc::new(Tail::default());
        let begun = tokio::time::Instant::now();
        let reading = tokio::spawn(async move { read(&data[..], sender, tail).await });
        let mut count = 0;
        while incoming.recv().await.is_some() {
            count += 1;
        }
        reading.await.unwrap();
        assert_eq!(count, 8_000);
        assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}
