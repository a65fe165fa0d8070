use serde_json::Value;

use super::{Fold, Look, spinner, spread};
use crate::proto::{Content, Narrowing, ToolOutcome, ToolState};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::diff;
use crate::ui::transcript::{Break, Row, Styled};

/// Lines of output that a folded cell shows, and up to how many it shows all of them.
const FOLDED_OK: usize = 3;
const ALL_OK: usize = 4;
const FOLDED_ERROR: usize = 6;
const ALL_ERROR: usize = 8;

/// Lines and bytes up to which the output of a failure stands open. What says more is folded to
/// [`LAST_OF_MANY`] lines, so that no error floods the transcript.
const OPEN_LINES: usize = 40;
const OPEN_BYTES: usize = 8 * 1024;
const LAST_OF_MANY: usize = 24;
const FOLDED_DIFF: usize = 16;

/// Arguments that say most about a call, best first.
const TELLING: [&str; 12] =
    ["command", "cmd", "query", "sql", "pattern", "url", "uri", "path", "file_path", "file", "name", "text"];

pub fn render(server: &str, tool: &str, arguments: &Value, state: &ToolState, look: &Look) -> Vec<Row> {
    let edit = diff::of_edit(tool, arguments);
    // What the diff below shows is not said twice.
    let line = if edit.is_some() { telling(arguments).0 } else { one_line(arguments) };
    let mut rows = vec![head(&full_name(server, tool), &line, state, look)];
    // What stands open by itself says nothing twice that its first line tells whole.
    let told = stands_open(state) && !rows[0].text.contains('…');
    if look.fold == Fold::Open && edit.is_none() && !told {
        argument_rows(arguments, look.width, &mut rows);
    }
    if let Some(lines) = &edit {
        diff_rows(lines, look, &mut rows);
    }
    match state {
        ToolState::Running { note, .. } => {
            if let Some(note) = note.as_deref().filter(|note| !note.trim().is_empty()) {
                let line = gutter().with(&text::sanitize_line(note), Role::ToolRunning);
                rows.push(line.into_row(look.width));
            }
        }
        ToolState::Finished { outcome, content, full_bytes, spill, narrowed, .. } => {
            let quiet = edit.is_some() && *outcome == ToolOutcome::Ok && look.fold == Fold::Folded;
            if !quiet {
                output_rows(&Output { outcome: *outcome, content, full_bytes: *full_bytes }, look, &mut rows);
            }
            if let Some(narrowed) = narrowed {
                rows.push(narrowed_row(*narrowed, look.width));
            }
            if let (Fold::Open, Some(path)) = (look.fold, spill) {
                let line = gutter().with("the whole is in ", Role::UiDim).with(&text::sanitize_line(path), Role::UiDim);
                rows.extend(line.rows(look.width, Break::Anywhere, &Styled::default(), &gutter()));
            }
        }
    }
    rows
}

/// Whether the call went wrong and what it said is short enough to stand open.
pub fn stands_open(state: &ToolState) -> bool {
    match state {
        ToolState::Finished {
            outcome: ToolOutcome::Error | ToolOutcome::TimedOut | ToolOutcome::Refused,
            content,
            ..
        } => is_short(content),
        ToolState::Running { .. } | ToolState::Finished { .. } => false,
    }
}

/// Whether an output takes little room.
pub(super) fn is_short(content: &Content) -> bool {
    let text = content_text(content);
    text.len() <= OPEN_BYTES && text.lines().nth(OPEN_LINES).is_none()
}

/// What stands here is what the tool returned; the model goes on with less.
fn narrowed_row(narrowed: Narrowing, width: usize) -> Row {
    let words = format!("{} → {} tok", human::tokens(narrowed.before), human::tokens(narrowed.after));
    let line = gutter().with("◆ ", Role::DecisionMark).with("condensed for the model  ", Role::UiDim);
    line.with(&words, Role::UiDim).into_row(width)
}

pub fn plain(server: &str, tool: &str, arguments: &Value, state: &ToolState) -> String {
    let mut out = format!("{} {}", full_name(server, tool), one_line(arguments).text);
    if let ToolState::Finished { content, .. } = state {
        out.push('\n');
        out.push_str(&text::sanitize(&content_text(content)));
    }
    out
}

pub fn full_name(server: &str, tool: &str) -> String {
    let name = if server.is_empty() { tool.to_owned() } else { format!("{server}.{tool}") };
    text::sanitize_line(&name).into_owned()
}

fn head(name: &str, line: &Styled, state: &ToolState, look: &Look) -> Row {
    let (words, role) = state_words(state, look);
    let mut left = Styled::new("⚒ ", role).with(name, Role::ToolName);
    if !line.is_empty() {
        left.push("  ", Role::UiText);
        left.append(line);
    }
    spread(left, &Styled::new(&words, role), look.width)
}

/// How the call stands, legible without colour.
fn state_words(state: &ToolState, look: &Look) -> (String, Role) {
    match state {
        ToolState::Running { since, fraction, .. } => {
            let done = fraction.map(|part| format!("{:.0} % ", part.clamp(0.0, 1.0) * 100.0)).unwrap_or_default();
            let elapsed = human::duration_ms(look.now.saturating_sub(*since));
            (format!("{} {done}{elapsed}", spinner(look.now, look.motion)), Role::ToolRunning)
        }
        ToolState::Finished { outcome, elapsed_ms, .. } => {
            let (word, role) = match outcome {
                ToolOutcome::Ok => ("ok", Role::ToolOk),
                ToolOutcome::Error => ("✘ error", Role::ToolError),
                ToolOutcome::Cancelled => ("■ stopped", Role::NoticeWarning),
                ToolOutcome::TimedOut => ("✘ timed out", Role::ToolError),
                ToolOutcome::Refused => return ("✘ refused".to_owned(), Role::ToolError),
                ToolOutcome::Lost => return ("? lost with its server".to_owned(), Role::ToolError),
            };
            (format!("{word} {}", human::duration_ms(*elapsed_ms)), role)
        }
    }
}

/// The argument that says most, bare, and its name.
fn telling(arguments: &Value) -> (Styled, Option<&'static str>) {
    let name = TELLING.iter().copied().find(|name| arguments.get(*name).is_some_and(Value::is_string));
    let value = name.and_then(|name| arguments.get(name));
    (value.map(|value| Styled::new(&short(value), Role::ToolArguments)).unwrap_or_default(), name)
}

/// The arguments in one line: the telling one bare, the others with their names.
fn one_line(arguments: &Value) -> Styled {
    let (mut line, telling) = telling(arguments);
    let Value::Object(fields) = arguments else {
        if !arguments.is_null() {
            line.push(&short(arguments), Role::ToolArguments);
        }
        return line;
    };
    for (name, value) in fields.iter().filter(|(name, _)| Some(name.as_str()) != telling) {
        if !line.is_empty() {
            line.push("  ", Role::UiText);
        }
        line.push(&text::sanitize_line(name), Role::UiDim);
        line.push(" ", Role::UiDim);
        line.push(&short(value), Role::ToolArguments);
    }
    line
}

/// A value in one line, cut before it costs anything to measure.
fn short(value: &Value) -> String {
    const ENOUGH: usize = 512;
    let whole = match value {
        Value::String(text) => std::borrow::Cow::Borrowed(text.as_str()),
        other => other.to_string().into(),
    };
    let end = whole.floor_char_boundary(ENOUGH);
    let line = text::sanitize_line(whole[..end].trim()).replace("  ", " ");
    if end < whole.len() { format!("{line}…") } else { line }
}

pub(super) fn gutter() -> Styled {
    Styled::new("│ ", Role::UiDim)
}

/// A line behind the gutter: whole in an open cell, cut in a folded one.
pub(super) fn behind_gutter(line: &Styled, look: &Look, rows: &mut Vec<Row>) {
    if look.fold == Fold::Open {
        rows.extend(line.rows(look.width, Break::Anywhere, &gutter(), &gutter()));
    } else {
        let mut row = gutter();
        row.append(line);
        rows.push(row.into_row(look.width));
    }
}

fn argument_rows(arguments: &Value, width: usize, rows: &mut Vec<Row>) {
    let Value::Object(fields) = arguments else { return };
    let rest = Styled::new("│   ", Role::UiDim);
    for (name, value) in fields {
        let lead = gutter().with(&text::sanitize_line(name), Role::UiDim).with(" ", Role::UiDim);
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let body = Styled::new(&text::sanitize(value.trim_end()), Role::ToolArguments);
        rows.extend(body.rows(width, Break::Anywhere, &lead, &rest));
    }
    if !fields.is_empty() {
        rows.push(Styled::new("├╴", Role::UiDim).into_row(width));
    }
}

struct Output<'a> {
    outcome: ToolOutcome,
    content: &'a Content,
    full_bytes: u64,
}

impl Output<'_> {
    /// `12 lines, 4.1 KB`: the size of what the tool returned, however little is shown.
    fn size(&self, lines: usize) -> String {
        let bytes = human::bytes(self.full_bytes.max(self.content.bytes()));
        let noun = if lines == 1 { "line" } else { "lines" };
        if self.is_whole() { format!("{lines} {noun}, {bytes}") } else { format!("{bytes} in all") }
    }

    /// Whether the entry holds all that the tool returned.
    fn is_whole(&self) -> bool {
        match self.content {
            Content::Text(text) => text.len() as u64 >= self.full_bytes,
            Content::Blob { .. } => false,
            Content::Media { .. } | Content::Parts(_) => true,
        }
    }
}

fn output_rows(output: &Output, look: &Look, rows: &mut Vec<Row>) {
    let raw = content_text(output.content);
    let clean = text::sanitize(raw.trim_end());
    if clean.is_empty() {
        return;
    }
    let role = if output.outcome == ToolOutcome::Ok { Role::ToolOutput } else { Role::ToolError };
    if diff::is_unified(&clean) {
        let mut lines: Vec<diff::Line> = clean.lines().map(diff::classify).collect();
        diff::mark_words(&mut lines);
        return diff_rows(&lines, look, rows);
    }
    if look.fold == Fold::Open {
        rows.extend(Styled::new(&clean, role).rows(look.width, Break::Anywhere, &gutter(), &gutter()));
        return;
    }
    folded_rows(output, &clean, role, look.width, rows);
}

/// The first lines, or of a failure that said much the last ones, and how much there is in all.
fn folded_rows(output: &Output, clean: &str, role: Role, width: usize, rows: &mut Vec<Row>) {
    let lines: Vec<&str> = clean.lines().filter(|line| !line.trim().is_empty()).collect();
    let ok = output.outcome == ToolOutcome::Ok;
    let (most, few) = match ok {
        true => (ALL_OK, FOLDED_OK),
        false if lines.len() > OPEN_LINES => (LAST_OF_MANY, LAST_OF_MANY),
        false => (ALL_ERROR, FOLDED_ERROR),
    };
    let shown = if lines.len() <= most { lines.len() } else { few };
    let hidden = lines.len() - shown;
    let size = output.size(clean.lines().count());
    let rest = |words: String| gutter().with(&words, Role::UiDim).into_row(width);
    if hidden == 0 {
        let cut = lines.iter().any(|line| text::width(line) + 2 > width) || !output.is_whole();
        for (index, line) in lines.iter().enumerate() {
            let row = gutter().with(line, role);
            let last = index + 1 == lines.len();
            let words = if cut && last { Styled::new(&format!("({size})"), Role::UiDim) } else { Styled::default() };
            rows.push(if words.is_empty() { row.into_row(width) } else { spread(row, &words, width) });
        }
        return;
    }
    if !ok {
        rows.push(rest(format!("… {hidden} lines before ({size})")));
    }
    let part = if ok { &lines[..shown] } else { &lines[hidden..] };
    rows.extend(part.iter().map(|line| gutter().with(line, role).into_row(width)));
    if ok {
        rows.push(rest(format!("… {hidden} more lines ({size})")));
    }
}

fn diff_rows(lines: &[diff::Line], look: &Look, rows: &mut Vec<Row>) {
    let limit = if look.fold == Fold::Open { usize::MAX } else { FOLDED_DIFF };
    for line in lines.iter().take(limit) {
        behind_gutter(&line.styled(), look, rows);
    }
    if lines.len() > limit {
        let more = format!("… {} more lines", lines.len() - limit);
        rows.push(gutter().with(&more, Role::UiDim).into_row(look.width));
    }
}

/// `image/png, 640 × 480, 12 KB`: what stands for media. `None` for text.
pub fn picture_words(content: &Content) -> Option<String> {
    let label = match content {
        Content::Media { media_type, base64 } => text::picture::label(media_type, base64),
        // Texts are kept by their bare hash.
        Content::Blob { hash, preview, .. } if hash.ends_with(".media") => {
            text::sanitize_line(preview.trim_start_matches('[').trim_end_matches(']')).into_owned()
        }
        Content::Text(_) | Content::Blob { .. } | Content::Parts(_) => return None,
    };
    Some(format!("{label}, {}", human::bytes(content.bytes())))
}

/// The text of a result; media by name and size.
pub fn content_text(content: &Content) -> std::borrow::Cow<'_, str> {
    match content {
        Content::Text(text) => text.into(),
        Content::Blob { preview, .. } => match picture_words(content) {
            Some(words) => format!("[{words}]").into(),
            None => preview.into(),
        },
        Content::Media { .. } => format!("[{}]", picture_words(content).unwrap_or_default()).into(),
        Content::Parts(parts) => parts.iter().map(content_text).collect::<Vec<_>>().join("\n").into(),
    }
}
