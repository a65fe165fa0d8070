//! An instant model endpoint on loopback for benchmarks: OpenAI chat completions and responses.
//!
//! It answers without delay, asks for the number of sequential tool calls it was told, then says
//! `done`. It notes when each request arrived and when each reply had left.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

/// One exchange as the endpoint saw it.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub arrived: Instant,
    pub answered: Instant,
    /// Size of the request body.
    pub bytes: usize,
    pub tools: usize,
    pub path: String,
    pub request: Value,
}

pub struct Endpoint {
    pub base_url: String,
    log: Arc<Mutex<Vec<Exchange>>>,
}

/// What the model does before it says `done`.
#[derive(Debug, Clone)]
pub struct Plan {
    pub calls: usize,
    /// Tools to look for in the request, best first, with the arguments to call them with. `{n}` is
    /// the number of the call: calls that are all the same are taken for a loop.
    pub tool: Vec<(String, Value)>,
    /// Text chunks of the final reply.
    pub chunks: usize,
}

impl Plan {
    pub fn one_shot() -> Self {
        Self { calls: 0, tool: Vec::new(), chunks: 1 }
    }
}

impl Endpoint {
    /// Listens on a free loopback port; serves until the process ends.
    pub fn start(plan: Plan) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let log: Arc<Mutex<Vec<Exchange>>> = Arc::default();
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (plan, log) = (plan.clone(), Arc::clone(&shared));
                std::thread::spawn(move || serve(stream, &plan, &log));
            }
        });
        Ok(Self { base_url, log })
    }

    /// The exchanges since the last time this was asked.
    pub fn take(&self) -> Vec<Exchange> {
        self.log.lock().map(|mut log| std::mem::take(&mut *log)).unwrap_or_default()
    }
}

fn serve(stream: TcpStream, plan: &Plan, log: &Mutex<Vec<Exchange>>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let (path, body) = read_request(&mut reader)?;
        let arrived = Instant::now();
        let request: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let events = if path.ends_with("/chat/completions") {
            chat(&request, plan)
        } else if path.ends_with("/responses") {
            responses(&request, plan)
        } else {
            let reply = r#"{"object":"list","data":[],"models":[]}"#;
            write!(
                writer,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{reply}",
                reply.len()
            )
            .ok()?;
            continue;
        };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        writer.write_all(head.as_bytes()).ok()?;
        for event in events {
            write!(writer, "{:x}\r\n{event}\r\n", event.len()).ok()?;
        }
        writer.write_all(b"0\r\n\r\n").ok()?;
        writer.flush().ok()?;
        let tools = request["tools"].as_array().map_or(0, Vec::len);
        log.lock().ok()?.push(Exchange { arrived, answered: Instant::now(), bytes: body.len(), tools, path, request });
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, body))
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn chat(request: &Value, plan: &Plan) -> Vec<String> {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let done = messages.iter().filter(|message| message["role"] == "tool").count();
    let names: Vec<&str> = request["tools"]
        .as_array()
        .map(|tools| tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect())
        .unwrap_or_default();
    let chunk = |delta: Value, finish: Value| {
        data(&json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "instant",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let mut events = Vec::new();
    match pick(plan, &names, done) {
        Some((name, arguments)) => {
            events.push(chunk(
                json!({"role": "assistant", "tool_calls": [{"index": 0, "id": format!("call_{done}"), "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()}}]}),
                Value::Null,
            ));
            events.push(chunk(json!({}), json!("tool_calls")));
        }
        None => {
            for index in 0..plan.chunks {
                events.push(chunk(json!({"content": text(index)}), Value::Null));
            }
            events.push(chunk(json!({}), json!("stop")));
        }
    }
    events.push(data(&json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "instant",
        "choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}})));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn responses(request: &Value, plan: &Plan) -> Vec<String> {
    let input = request["input"].as_array().cloned().unwrap_or_default();
    let done = input
        .iter()
        .filter(|item| matches!(item["type"].as_str(), Some("function_call_output" | "custom_tool_call_output")))
        .count();
    let names: Vec<&str> = request["tools"]
        .as_array()
        .map(|tools| tools.iter().filter_map(|tool| tool["name"].as_str()).collect())
        .unwrap_or_default();
    let event = |kind: &str, mut value: Value| {
        value["type"] = json!(kind);
        format!("event: {kind}\ndata: {value}\n\n")
    };
    let mut events = vec![event("response.created", json!({"response": {"id": "r", "status": "in_progress"}}))];
    match pick(plan, &names, done) {
        Some((name, arguments)) => {
            let item = json!({"type": "function_call", "id": format!("fc_{done}"), "call_id": format!("call_{done}"),
                "name": name, "arguments": arguments.to_string(), "status": "completed"});
            events.push(event("response.output_item.done", json!({"output_index": 0, "item": item})));
        }
        None => {
            let whole: String = (0..plan.chunks).map(text).collect();
            let item =
                json!({"type": "message", "id": "m", "role": "assistant", "status": "in_progress", "content": []});
            events.push(event("response.output_item.added", json!({"output_index": 0, "item": item})));
            for index in 0..plan.chunks {
                events.push(event(
                    "response.output_text.delta",
                    json!({"item_id": "m", "output_index": 0, "content_index": 0, "delta": text(index)}),
                ));
            }
            let item = json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": whole, "annotations": []}]});
            events.push(event("response.output_item.done", json!({"output_index": 0, "item": item})));
        }
    }
    let usage = json!({"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1010});
    events.push(event(
        "response.completed",
        json!({"response": {"id": "r", "status": "completed", "usage": usage, "output": []}}),
    ));
    events
}

/// The next call, or `None` when the plan is done or the request offers no such tool.
fn pick(plan: &Plan, names: &[&str], done: usize) -> Option<(String, Value)> {
    if done >= plan.calls {
        return None;
    }
    plan.tool.iter().find_map(|(wanted, arguments)| {
        let name = names.iter().find(|name| *name == wanted || name.ends_with(wanted.as_str()))?;
        Some(((*name).to_owned(), numbered(arguments, done + 1)))
    })
}

fn numbered(arguments: &Value, number: usize) -> Value {
    match arguments {
        Value::String(text) if text == "{n}" => json!(number),
        Value::String(text) => json!(text.replace("{n}", &number.to_string())),
        Value::Array(items) => items.iter().map(|item| numbered(item, number)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), numbered(field, number)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

fn text(index: usize) -> String {
    if index == 0 { "done".to_owned() } else { format!(" word{index}") }
}
