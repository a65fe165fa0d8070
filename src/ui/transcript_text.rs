//! The transcript as plain text: for the clipboard and for the editor. Unwrapped, without borders.

use crate::proto::{Content, Entry, EntryKind, Snapshot, ToolState};
use crate::text::sanitize;

/// Every entry under a heading, sanitised.
pub fn all(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for entry in snapshot.transcript.entries() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("## {}\n\n{}\n", heading(entry), one(entry).trim_end()));
    }
    out
}

fn heading(entry: &Entry) -> String {
    let name = match &entry.kind {
        EntryKind::User { .. } => "you",
        EntryKind::Assistant { scripted: true, .. } => "assistant (scripted)",
        EntryKind::Assistant { .. } => "assistant",
        EntryKind::Thinking { .. } => "thinking",
        EntryKind::Tool { server, tool, .. } => return format!("tool {server}.{tool}"),
        EntryKind::Decision(_) => "decision",
        EntryKind::Notice { source, .. } => source,
        EntryKind::Fault(_) => "error",
        EntryKind::Command { .. } => "command",
        EntryKind::Asked { .. } => "question",
    };
    crate::text::sanitize_line(name).into_owned()
}

/// One entry's own text.
pub fn one(entry: &Entry) -> String {
    let text = match &entry.kind {
        EntryKind::User { text, .. } | EntryKind::Assistant { text, .. } | EntryKind::Thinking { text, .. } => {
            text.clone()
        }
        EntryKind::Tool { arguments, state, .. } => {
            let output = match state {
                ToolState::Running { note, .. } => note.clone().unwrap_or_else(|| "(running)".to_owned()),
                ToolState::Finished { content, .. } => content_text(content),
            };
            format!("{arguments}\n\n{output}")
        }
        EntryKind::Decision(decision) => decision.headline().2,
        EntryKind::Notice { text, hint, .. } => with(text, hint.as_deref()),
        EntryKind::Fault(fault) => with(&fault.message, Some(&fault.advice)),
        EntryKind::Command { line, output } => format!("{line}\n\n{output}"),
        EntryKind::Asked { answered, .. } => match answered {
            Some(true) => "answered yes".to_owned(),
            Some(false) => "answered no".to_owned(),
            None => "not answered".to_owned(),
        },
    };
    sanitize(&text).into_owned()
}

fn with(text: &str, more: Option<&str>) -> String {
    more.map_or_else(|| text.to_owned(), |more| format!("{text}\n{more}"))
}

fn content_text(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { bytes, preview, .. } => format!("{preview}\n… ({bytes} bytes in all)"),
        Content::Media { media_type, .. } => format!("({media_type})"),
        Content::Parts(parts) => parts.iter().map(content_text).collect::<Vec<_>>().join("\n"),
    }
}
