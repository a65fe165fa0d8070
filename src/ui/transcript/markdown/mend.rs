use std::borrow::Cow;

/// The open end of a growing segment as it will most likely go on, so that half-written syntax does
/// not flash: markers without a partner are closed or held back, a table's header shows as a table
/// at once.
pub fn mend(tail: &str) -> Cow<'_, str> {
    let (head, last) = tail.rsplit_once('\n').map_or(("", tail), |(head, last)| (&tail[..head.len() + 1], last));
    if let Some(columns) = table_columns(tail) {
        return Cow::Owned(mended_table(tail, columns));
    }
    let mut line = hold_back(last);
    // A line that would turn the paragraph above it into a heading, or is an empty item.
    if !line.trim().is_empty() && line.trim().chars().all(|c| matches!(c, '-' | '=' | '*' | '+' | '#' | '`' | '~')) {
        line = "";
    }
    let closing = closing(head, line);
    if closing.is_empty() && line.len() == last.len() {
        return Cow::Borrowed(tail);
    }
    Cow::Owned(format!("{head}{}{closing}", if closing.is_empty() { line } else { line.trim_end() }))
}

/// The line without a marker that has just begun.
fn hold_back(line: &str) -> &str {
    let line = match line.rfind('[') {
        // A link whose target is not complete: nothing after its `[` is sure yet.
        Some(at) if unfinished_link(&line[at..]) => &line[..at],
        _ => line,
    };
    let trimmed = line.trim_end_matches(['*', '_', '~', '`']);
    let marks = &line[trimmed.len()..];
    let opening = trimmed.is_empty() || trimmed.ends_with([' ', '(', '"']);
    if opening && !marks.is_empty() { trimmed } else { line }
}

fn unfinished_link(text: &str) -> bool {
    match text.find(']') {
        None => text.len() < 200,
        Some(close) => match text.as_bytes().get(close + 1) {
            Some(b'(') => !text[close..].contains(')'),
            _ => false,
        },
    }
}

/// Markers that close what the last paragraph has open, innermost first.
fn closing(head: &str, line: &str) -> String {
    let paragraph = head.rfind("\n\n").map_or(head, |at| &head[at..]);
    let mut open: Vec<&str> = Vec::new();
    let mut code = 0;
    for part in [paragraph, line] {
        let bytes = part.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            let run = match byte {
                b'`' | b'*' | b'~' => bytes[at..].iter().take_while(|next| **next == byte).count(),
                // The escaped byte after it is no marker.
                b'\\' => 2,
                _ => 1,
            };
            match (byte, run) {
                (b'`', _) if code == 0 => code = run,
                (b'`', _) if code == run => code = 0,
                (b'*', 2) if code == 0 => toggle(&mut open, "**", bytes, at, run),
                (b'*', 1) if code == 0 => toggle(&mut open, "*", bytes, at, run),
                (b'~', 2) if code == 0 => toggle(&mut open, "~~", bytes, at, run),
                _ => {}
            }
            at += run;
        }
    }
    let mut closing = "`".repeat(code);
    closing.extend(open.iter().rev().copied());
    closing
}

fn toggle<'a>(open: &mut Vec<&'a str>, mark: &'a str, bytes: &[u8], at: usize, run: usize) {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
    let after = bytes.get(at + run).copied().unwrap_or(b' ');
    match open.iter().rposition(|other| *other == mark) {
        Some(index) if !before.is_ascii_whitespace() => open.truncate(index),
        None if !after.is_ascii_whitespace() => open.push(mark),
        _ => {}
    }
}

/// Columns of a table whose delimiter row is not there yet.
fn table_columns(tail: &str) -> Option<usize> {
    let mut lines = tail.lines();
    let header = lines.next().filter(|line| line.starts_with('|'))?;
    let delimiter = lines.next().unwrap_or_default();
    let partial = delimiter.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    if lines.next().is_some() || !partial || tail.matches('\n').count() > 1 {
        return None;
    }
    Some(header.trim_end().trim_end_matches('|').matches('|').count().max(1))
}

fn mended_table(tail: &str, columns: usize) -> String {
    let header = tail.lines().next().unwrap_or_default();
    format!("{header}\n|{}", "---|".repeat(columns))
}
