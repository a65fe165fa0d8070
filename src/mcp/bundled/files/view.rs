//! `view`: lines with ids, images, folders.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use rmcp::model::ContentBlock;

use super::args::Args;
use super::document::Document;
use super::ids::Mark;
use super::limits::{IMAGE_BYTES, LINE_CHARS, VIEW_BYTES};
use super::store;
use super::{Answer, PATH, Refusal, Tools, list};

/// The part of [`VIEW_BYTES`] that goes to the head of a long selection.
const HEAD_SHARE: usize = VIEW_BYTES / 4 * 3;

pub fn run(tools: &Tools, args: &mut Args) -> Result<Answer, Refusal> {
    let given = args.required(PATH)?;
    let start = args.number(&["start", "start_line", "offset", "from"])?;
    let end = args.number(&["end", "end_line", "to"])?;
    let limit = args.number(&["limit", "lines"])?;
    let end = end.or_else(|| limit.map(|limit| start.unwrap_or(1).max(1).saturating_add(limit.max(1)) - 1));
    let path = tools.root.existing(&given)?;
    if path.is_dir() {
        return list::tree(&tools.root, &path, 1).map(Answer::text);
    }
    if let Some(kind) = image_kind(&path) {
        return image(tools, &path, kind);
    }
    let loaded = store::load(&tools.root, &path)?;
    tools.seen.note(&path, &loaded.document);
    let shown = tools.root.show(&path);
    selection(&shown, &loaded.document, loaded.bytes.len(), start, end).map(Answer::text)
}

/// The head line and the chosen lines (numbers from 1, both inclusive).
pub fn selection(
    shown: &str,
    document: &Document,
    bytes: usize,
    start: Option<u64>,
    end: Option<u64>,
) -> Result<String, Refusal> {
    let count = document.lines.len();
    if count == 0 {
        return Ok(format!("{shown}: empty file.\n"));
    }
    let first = start.map_or(1, |line| line.clamp(1, count as u64 + 1) as usize);
    let last = end.map_or(count, |line| line.min(count as u64) as usize);
    if first > count {
        return Err(Refusal::new(format!("{shown} has {count} lines, so it ends before `start`.")));
    }
    if last < first {
        return Err(Refusal::new(format!("`end` must not be less than `start` ({first}).")));
    }
    let marks = document.marks();
    let body = capped(document, &marks, first - 1, last);
    let size = format!("{count} lines, {bytes} bytes");
    let part = if (first, last) == (1, count) { String::new() } else { format!(", lines {first}-{last}") };
    let open = document.lines.last().is_some_and(|line| line.ending == super::document::Ending::None);
    let tail = if open && last == count { "(no newline at the end)\n" } else { "" };
    Ok(format!("{shown}: {size}{part}\n{body}{tail}"))
}

/// Lines `first..last` (from 0); a selection over the limit loses its middle and says which lines.
fn capped(document: &Document, marks: &[Mark], first: usize, last: usize) -> String {
    let printed: Vec<String> = (first..last).map(|index| print_line(document, marks, index)).collect();
    let total: usize = printed.iter().map(String::len).sum();
    if total <= VIEW_BYTES {
        return printed.concat();
    }
    let fitting = |lines: &mut dyn Iterator<Item = &String>, limit: usize| {
        let mut used = 0;
        lines
            .take_while(|line| {
                used += line.len();
                used <= limit
            })
            .count()
            .max(1)
    };
    let head = fitting(&mut printed.iter(), HEAD_SHARE);
    let tail = fitting(&mut printed.iter().rev(), VIEW_BYTES - HEAD_SHARE).min(printed.len().saturating_sub(head));
    let hidden = printed.len() - head - tail;
    let (from, to) = (first + head + 1, first + head + hidden);
    let mut out = printed.get(..head).unwrap_or_default().concat();
    if hidden > 0 {
        out.push_str(&format!("[lines {from}-{to} not shown; view with start={from}]\n"));
    }
    out.push_str(&printed.get(printed.len() - tail..).unwrap_or_default().concat());
    out
}

/// One line with its id, very long ones cut.
pub fn print_line(document: &Document, marks: &[Mark], index: usize) -> String {
    let text = document.lines.get(index).map_or("", |line| line.text.as_str());
    let text = shorten(text);
    match marks.get(index) {
        Some(mark) => format!("{}:{mark}|{text}\n", index + 1),
        None => format!("{}|{text}\n", index + 1),
    }
}

pub fn shorten(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(LINE_CHARS) {
        None => text.into(),
        Some((at, _)) => {
            let rest = text.get(at..).unwrap_or_default().chars().count();
            format!("{}…[{rest} more characters]", text.get(..at).unwrap_or_default()).into()
        }
    }
}

fn image_kind(path: &Path) -> Option<&'static str> {
    use std::io::Read as _;
    if !path.is_file() {
        return None;
    }
    let mut head = [0u8; 12];
    let read = store::open_ordinary(path).and_then(|mut file| file.read(&mut head)).ok()?;
    media_type(head.get(..read)?)
}

/// The media type of an image by its first bytes: the four kinds that models take.
pub fn media_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn image(tools: &Tools, path: &Path, kind: &'static str) -> Result<Answer, Refusal> {
    let shown = tools.root.show(path);
    let cannot = |error: std::io::Error| Refusal::new(format!("Cannot read {shown}: {error}."));
    let size = fs::metadata(path).map_err(cannot)?.len();
    if size > IMAGE_BYTES {
        return Err(Refusal::new(format!(
            "{shown} is an image of {size} bytes; models take at most {IMAGE_BYTES}. Make a smaller copy with shell first."
        )));
    }
    let bytes = store::read_ordinary(path, IMAGE_BYTES).map_err(cannot)?;
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Ok(Answer {
        content: vec![ContentBlock::text(format!("{shown}: {kind}, {size} bytes")), ContentBlock::image(data, kind)],
        failed: false,
    })
}
