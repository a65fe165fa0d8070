//! Listing sessions from the two ends of their journals, the latest first.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Shelf;
use crate::proto::{Body, Content, Event, Origin, Purpose, Seq, SessionRow, ShelfAnswer, Speaker};
use crate::session::journal::{JOURNAL, Line, holder_of, parse};
use crate::session::store::summary;

/// Sessions told at once, so that a screen full is there early; the others follow in larger pieces.
const FIRST: usize = 40;
const PIECE: usize = 200;

/// A journal up to so many bytes is read through for what the session cost.
const READ_THROUGH: u64 = 8 * 1024 * 1024;

/// Bytes of a journal's end that are looked into for its last messages.
const TAIL: u64 = 256 * 1024;

/// Messages of a preview, and characters of each.
const MESSAGES: usize = 12;
const CHARACTERS: usize = 1_200;

impl Shelf {
    /// Tells of all sessions in pieces.
    pub(super) fn list(&self, tell: &mut dyn FnMut(ShelfAnswer) -> bool) {
        let folders = self.folders();
        let total = folders.len();
        let mut from = 0;
        loop {
            let upto = (from + if from == 0 { FIRST } else { PIECE }).min(total);
            let rows: Vec<SessionRow> = folders[from..upto].iter().map(|folder| self.row(folder)).collect();
            let heard = tell(ShelfAnswer::Listed { from, total, rows: rows.into() });
            from = upto;
            if !heard || from >= total {
                return;
            }
        }
    }

    /// By when their journals were written last: what lists them need not be read for that.
    fn folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.sessions).into_iter().flatten().flatten();
        let dated = entries.filter_map(|entry| {
            let journal = entry.path().join(JOURNAL).metadata().ok().filter(fs::Metadata::is_file)?;
            Some((journal.modified().unwrap_or(SystemTime::UNIX_EPOCH), entry.path()))
        });
        let mut dated: Vec<(SystemTime, PathBuf)> = dated.collect();
        dated.sort_by(|one, two| two.cmp(one));
        dated.into_iter().map(|(_, folder)| folder).collect()
    }

    /// The last messages of a session, oldest first.
    pub fn preview(&self, name: &str) -> io::Result<Vec<(Speaker, String)>> {
        let folder = self.folder(name).map_err(io::Error::other)?;
        let mut file = File::open(folder.join(JOURNAL))?;
        let bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let mut said: Vec<(Speaker, String)> = Vec::new();
        for line in tail.split(|byte| *byte == b'\n') {
            let Line::Event(event) = parse(line) else { continue };
            said.extend(message(&event));
        }
        said.drain(..said.len().saturating_sub(MESSAGES));
        Ok(said)
    }
}

fn message(event: &Event) -> Option<(Speaker, String)> {
    let cut = |text: &str| text.trim().chars().take(CHARACTERS).collect::<String>();
    let (who, text) = match &event.body {
        Body::UserMessage { content, origin: Origin::Person, .. } => (Speaker::Person, cut(&plain(content))),
        Body::AssistantMessage { text, .. } => (Speaker::Agent, cut(text)),
        _ => return None,
    };
    (!text.is_empty()).then_some((who, text))
}

fn plain(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { preview, .. } => preview.clone(),
        Content::Media { media_type, .. } => format!("[{media_type}]"),
        Content::Parts(parts) => parts.iter().map(plain).collect::<Vec<_>>().join("\n"),
    }
}

/// What a list shows of one session.
pub(super) fn row(folder: &Path, own: Option<&str>) -> SessionRow {
    let told = summary(folder);
    let open_by = if own == Some(told.name.as_str()) { None } else { holder_of(folder) };
    let cost = if told.bytes <= READ_THROUGH { cost(&folder.join(JOURNAL)) } else { None };
    SessionRow {
        name: told.name,
        title: told.title,
        role: told.role,
        model: told.model,
        workdir: told.workdir,
        updated: told.updated,
        turns: told.turns,
        cost,
        bytes: told.bytes,
        open_by,
        parent: told.parent,
    }
}

/// Where a record of a finished request says so.
const FINISHED: &str = "\"request_finished\"";

fn cost(path: &Path) -> Option<f64> {
    let mut lines = BufReader::new(File::open(path).ok()?);
    let (mut line, mut cost) = (Vec::new(), None);
    while lines.read_until(b'\n', &mut line).ok()? > 0 {
        // The record's kind stands near its beginning.
        let head = &line[..line.len().min(160)];
        if String::from_utf8_lossy(head).contains(FINISHED)
            && let Line::Event(event) = parse(line.strip_suffix(b"\n").unwrap_or(&line))
            && let Body::RequestFinished {
                usage,
                purpose: Purpose::Main | Purpose::Supervisor(_) | Purpose::Compression,
                ..
            } = &event.body
            && let Some(dollars) = usage.cost
        {
            cost = Some(cost.unwrap_or(0.0) + dollars);
        }
        line.clear();
    }
    cost
}

/// Where a journal ends.
pub(super) struct End {
    /// Of the last record that can be read.
    pub seq: Seq,
    /// Up to the end of the last whole record.
    pub good_bytes: u64,
}

pub(super) fn end(path: &Path) -> io::Result<End> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut reach = 64 * 1024;
    loop {
        let from = bytes.saturating_sub(reach);
        file.seek(SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        (&mut file).take(bytes - from).read_to_end(&mut tail)?;
        let whole = tail.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let mut lines = tail[..whole.unwrap_or(0)].rsplit(|byte| *byte == b'\n');
        let last = lines.find_map(|line| match parse(line) {
            Line::Event(event) => Some(event.seq),
            Line::Unreadable(_) => None,
        });
        match (last, whole) {
            (Some(seq), Some(whole)) => return Ok(End { seq, good_bytes: from + whole as u64 }),
            _ if from == 0 => return Ok(End { seq: Seq(0), good_bytes: whole.unwrap_or(0) as u64 }),
            _ => reach = reach.saturating_mul(8),
        }
    }
}
