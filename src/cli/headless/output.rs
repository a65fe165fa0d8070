use std::sync::Arc;

use super::{json, plain::Plain};
use crate::cli::args::Format;
use crate::proto::{Body, Entry, EntryKind, Event, GateOutcome, Snapshot, StopReason};
use crate::text::{in_json, sanitize_line};

/// Bytes for the two outputs.
#[derive(Debug, Default, PartialEq)]
pub struct Output {
    pub out: String,
    pub err: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending<'a> {
    pub code: u8,
    pub reason: &'a str,
    /// What a success does not mean.
    pub warning: Option<String>,
    /// What the gate came to.
    pub gate: Option<GateOutcome>,
}

/// How what happens is written. Pure: events in, text out.
#[derive(Debug)]
pub enum Printer {
    Plain(Plain),
    /// How the last reply ended.
    Jsonl(Option<StopReason>),
}

impl Printer {
    /// `terminal`: whether standard output is one; text is then sanitised, and kept as it is for
    /// files and pipes.
    pub fn new(format: Format, terminal: bool) -> Self {
        match format {
            Format::Plain => Self::Plain(Plain::new(terminal)),
            Format::Jsonl => Self::Jsonl(None),
        }
    }

    /// Writes one event; `after` is the snapshot with the event folded in.
    pub fn event(&mut self, event: &Event, after: &Snapshot, output: &mut Output) {
        match self {
            Self::Plain(plain) => plain.event(event, output),
            Self::Jsonl(stop) => {
                if let Body::AssistantMessage { stop: last, .. } = &event.body {
                    *stop = Some(last.clone());
                }
                let ended = matches!(event.body, Body::TurnEnded { .. });
                for mut line in json::lines(event, after) {
                    if let (true, Some(stop)) = (ended, &stop) {
                        line["data"]["stop"] = serde_json::json!(stop);
                    }
                    push_line(&mut output.out, &line);
                }
            }
        }
    }

    /// Writes the answers that were not delivered one by one.
    pub fn missed(&mut self, skipped: u64, entries: &[Arc<Entry>], after: &Snapshot, output: &mut Output) {
        let note = format!("{skipped} events were not delivered one by one");
        match self {
            Self::Plain(plain) => plain.note("note", &note, output),
            Self::Jsonl(_) => push_line(&mut output.out, &json::status(after, &note, None)),
        }
        for entry in entries {
            if let EntryKind::Assistant { text, streaming: false, .. } = &entry.kind {
                match self {
                    Self::Plain(plain) => plain.whole(text, output),
                    Self::Jsonl(_) => push_line(&mut output.out, &json::assistant(after, text)),
                }
            }
        }
    }

    /// The last words: how it ended, and why.
    pub fn end(&mut self, ending: &Ending<'_>, after: &Snapshot, output: &mut Output) {
        match self {
            Self::Plain(plain) => plain.end(ending, after, output),
            Self::Jsonl(_) => {
                let data = serde_json::json!({ "exit": ending.code, "verdict": ending.gate });
                push_line(&mut output.out, &json::status(after, ending.reason, Some(data)));
                if let Some(warning) = &ending.warning {
                    output.err.push_str(&format!("warning: {}\n", sanitize_line(warning)));
                }
            }
        }
    }
}

fn push_line(out: &mut String, line: &serde_json::Value) {
    out.push_str(&in_json(&line.to_string()));
    out.push('\n');
}
