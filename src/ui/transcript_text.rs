//! The transcript as plain text: for the clipboard and for the editor. Unwrapped, without borders.

use crate::proto::{Content, Entry, EntryKind, ShellState, Snapshot, ToolState};
use crate::text::{human, sanitize};
use crate::ui::transcript::cell;

/// Reads a body that is kept beside the journal, by its hash.
pub type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Every entry under a heading, sanitised. What `read` cannot give is shown as far as it is known.
pub fn all(snapshot: &Snapshot, read: Read) -> String {
    let mut out = String::new();
    for entry in snapshot.transcript.entries() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&self::entry(entry, read));
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
        EntryKind::StartUp { .. } => "start",
        EntryKind::Skill { .. } => "skill",
        EntryKind::Command { .. } => "command",
        EntryKind::Shell(_) => "shell",
        EntryKind::Asked { .. } => "question",
        EntryKind::Rewound(_) => "rewind",
    };
    crate::text::sanitize_line(name).into_owned()
}

/// One entry's own text, as far as it is known without reading anything.
pub fn one(entry: &Entry) -> String {
    whole(entry, &|_| None)
}

/// One entry in full, as Markdown.
pub fn entry(entry: &Entry, read: Read) -> String {
    format!("## {}\n\n{}\n", heading(entry), whole(entry, read).trim_end())
}

fn whole(entry: &Entry, read: Read) -> String {
    let text = match &entry.kind {
        EntryKind::User { text, .. } | EntryKind::Assistant { text, .. } | EntryKind::Thinking { text, .. } => {
            text.clone()
        }
        EntryKind::Tool { arguments, state, .. } => {
            let output = match state {
                ToolState::Running { note, .. } => note.clone().unwrap_or_else(|| "(running)".to_owned()),
                ToolState::Finished { content, .. } => content_text(content, read),
            };
            format!("{arguments}\n\n{output}")
        }
        EntryKind::Decision(decision) => decision.headline().2,
        EntryKind::Notice { text, hint, .. } => with(text, hint.as_deref()),
        EntryKind::Fault(fault) => with(&fault.message, Some(&fault.advice)),
        EntryKind::StartUp { .. } | EntryKind::Skill { .. } | EntryKind::Rewound(_) => cell::plain(entry).into_owned(),
        EntryKind::Command { line, output } => format!("{line}\n\n{output}"),
        EntryKind::Shell(view) => {
            let output = match &view.state {
                ShellState::Running { tail, .. } => tail.clone(),
                ShellState::Finished { content, .. } => content_text(content, read),
            };
            format!("$ {}\n\n{output}", view.command)
        }
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

fn content_text(content: &Content, read: Read) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { hash, bytes, preview } => {
            read(hash).unwrap_or_else(|| format!("{preview}\n… ({} in all)", human::bytes(*bytes)))
        }
        Content::Media { media_type, .. } => format!("({media_type})"),
        Content::Parts(parts) => parts.iter().map(|part| content_text(part, read)).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{CallId, Order, ToolOutcome};

    #[test]
    fn large_results_are_read_back_where_they_can_be() {
        let content = Content::Blob { hash: "ab".to_owned(), bytes: 2_000_000, preview: "head".to_owned() };
        let state = ToolState::Finished {
            outcome: ToolOutcome::Ok,
            elapsed_ms: 1,
            content,
            full_bytes: 2_000_000,
            spill: None,
            narrowed: None,
        };
        let kind = EntryKind::Tool {
            call: CallId("c".to_owned()),
            server: "files".to_owned(),
            tool: "view".to_owned(),
            arguments: serde_json::json!({"path": "a"}),
            state,
        };
        let entry = Entry { order: Order::default(), version: 0, at: 0, kind };
        let read = |hash: &str| (hash == "ab").then(|| "the \u{1b}[31mwhole".to_owned());
        assert_eq!(whole(&entry, &read), "{\"path\":\"a\"}\n\nthe whole");
        assert!(one(&entry).ends_with("head\n… (1.9 MB in all)"));
    }
}
