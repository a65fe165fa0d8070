use super::layout::{percent, row, shares, table};
use crate::model::{HistoryItem, build};
use crate::proto::Snapshot;
use crate::text::{self, human};

/// Bytes from which a message counts as large.
const LARGE: usize = 1000;

/// Columns of a message's first line.
const EXCERPT: usize = 72;

/// What the next request will hold; `filter` lists its messages of one kind.
pub(super) fn context(snapshot: &Snapshot, items: &[HistoryItem], blobs: build::Blobs<'_>, filter: &str) -> String {
    let totals = &snapshot.totals;
    let line = |name: &str, tokens: u64, share: &str| row([name, &human::tokens(tokens), share]);
    let [system, tools, messages] = shares([totals.context_system, totals.context_tools, totals.context_history]);
    let mut rows = vec![
        line("system", totals.context_system, &system),
        line("tools", totals.context_tools, &tools),
        line("messages", totals.context_history, &messages),
        line("together", totals.context_tokens, if totals.context_tokens == 0 { "" } else { "100 %" }),
    ];
    if let Some(window) = snapshot.session.model.context_window {
        rows.push(row(["window", &human::tokens(window), &format!("{} used", percent(totals.context_tokens, window))]));
    }
    let messages = self::messages(items, blobs, filter);
    if messages.is_empty() { table(&rows) } else { format!("{}\n\n{}", table(&rows), table(&messages)) }
}

fn messages(items: &[HistoryItem], blobs: build::Blobs<'_>, filter: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let (kind, body) = match item {
            HistoryItem::User { content, .. } => ("user", build::plain(content, blobs)),
            HistoryItem::Assistant { text, calls, .. } => {
                let calls = calls.iter().map(|call| format!("[calls {}]", call.wire_name));
                ("assistant", std::iter::once(text.clone()).chain(calls).collect::<Vec<_>>().join(" "))
            }
            HistoryItem::Result { content, .. } => ("tool", build::plain(content, blobs)),
        };
        let wanted = match filter {
            "user" | "assistant" | "tool" => filter == kind,
            "system" => false,
            "large" => body.len() > LARGE,
            _ => true,
        };
        if wanted {
            let tokens = format!("{} tok", human::tokens(text::tokens::estimate(&body)));
            let line = text::sanitize_line(body.trim()).into_owned();
            rows.push(vec![
                (position + 1).to_string(),
                kind.to_owned(),
                tokens,
                text::truncate(&line, EXCERPT).into_owned(),
            ]);
        }
    }
    rows
}
