use std::borrow::Cow;

use super::{Fold, Look, Stream, assistant, led};
use crate::proto::{Level, WELCOME};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};

/// Rows that a folded notice shows, and up to how many it shows all of them.
const FOLDED: usize = 6;
const ALL: usize = 8;

/// Rows of its last line that stay in sight.
const TAIL: usize = 2;

/// The mark and role of a level; the mark tells it without colour.
pub fn mark(level: Level) -> (&'static str, Role) {
    match level {
        Level::Info => ("i", Role::NoticeInfo),
        Level::Warning => ("!", Role::NoticeWarning),
        Level::Error => ("✘", Role::NoticeError),
    }
}

pub fn render(level: Level, source: &str, content: &str, hint: Option<&str>, look: &Look) -> Vec<Row> {
    if source == WELCOME {
        return greeting(content, look);
    }
    let (sign, role) = mark(level);
    let mut lead = Styled::new(sign, role).with(" ", role);
    let source = text::sanitize_line(source);
    if !source.is_empty() && look.width > 30 {
        lead.push(&text::truncate(&source, 20), role);
        lead.push("  ", Role::UiText);
    }
    let folded = look.fold == Fold::Folded;
    let content = if folded { compact(content) } else { content.into() };
    let mut rows = led(lead.clone(), &content, Role::UiText, look.width);
    let mut ends = Vec::new();
    if source == "role" && level == Level::Error && !look.keys.agents.is_empty() {
        let words = Styled::new("  ", Role::UiText).with(look.keys.agents, Role::UiStatusKey);
        ends.push(words.with(" lists the agents to choose from", Role::NoticeHint).into_row(look.width));
    }
    let hints = hint.map(|hint| hint_rows(hint, look.width)).unwrap_or_default();
    if !folded || rows.len() + ends.len() + hints.len() <= ALL {
        rows.extend(ends);
        rows.extend(hints);
        return rows;
    }
    // What came of it is said last: that stays in sight beside how it begins.
    let all = rows.len() + hints.len();
    let (head, last) = content.rsplit_once('\n').unwrap_or((&content, ""));
    let mut tail =
        if last.is_empty() { Vec::new() } else { led(Styled::new("  ", role), last, Role::UiText, look.width) };
    if tail.is_empty() || tail.len() > TAIL {
        tail.clear();
        rows.extend(hints);
    } else {
        rows = led(lead, head, Role::UiText, look.width);
    }
    rows.truncate(FOLDED.saturating_sub(tail.len() + ends.len()).max(2));
    let hidden = all.saturating_sub(rows.len() + tail.len());
    rows.push(Styled::new(&format!("  … {hidden} more rows"), Role::UiDim).into_row(look.width));
    rows.append(&mut tail);
    rows.append(&mut ends);
    rows
}

/// What the role greets with looks as all that it says.
fn greeting(content: &str, look: &Look) -> Vec<Row> {
    let mut stream = Stream::default();
    stream.update(content, assistant::State::of(false, false, false), look);
    stream.into_rows()
}

/// The name on a line of a list: `  lawyer:uk — UK Law Specialist`.
fn entry(line: &str) -> Option<&str> {
    let line = line.strip_prefix("  ")?;
    let (name, _) = line.split_once(" — ")?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

/// Lines of a list in it.
fn listed(content: &str) -> usize {
    content.lines().filter(|line| entry(line).is_some()).count()
}

/// Lists as their names alone, in one line each; everything else as it is.
fn compact(content: &str) -> Cow<'_, str> {
    if listed(content) < 2 {
        return content.into();
    }
    let mut lines: Vec<String> = Vec::new();
    let mut in_list = false;
    for line in content.lines() {
        match (entry(line), lines.last_mut().filter(|_| in_list)) {
            (Some(name), Some(last)) => {
                last.push_str(" · ");
                last.push_str(name);
            }
            (Some(name), None) => lines.push(name.to_owned()),
            (None, _) => lines.push(line.to_owned()),
        }
        in_list = entry(line).is_some();
    }
    lines.join("\n").into()
}

/// What one can do about it.
pub fn hint_rows(hint: &str, width: usize) -> Vec<Row> {
    led(Styled::new("  hint: ", Role::NoticeHint), hint, Role::NoticeHint, width)
}
