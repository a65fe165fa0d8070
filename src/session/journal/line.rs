//! One record of the journal.

use crate::proto::Event;

/// What a line of the file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    Event(Box<Event>),
    Unreadable(Unreadable),
}

/// Why a line is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("a block of NUL bytes")]
    Nuls,
    #[error("not valid UTF-8")]
    NotText,
    #[error("written by a newer version: {0}")]
    Newer(String),
    #[error("damaged: {0}")]
    Damaged(String),
    #[error("longer than {0} bytes")]
    TooLong(usize),
}

/// Reads one record, without its LF.
pub fn parse(line: &[u8]) -> Line {
    match serde_json::from_slice::<Event>(line) {
        Ok(event) => Line::Event(Box::new(event)),
        Err(error) => Line::Unreadable(why(line, &error.to_string())),
    }
}

fn why(line: &[u8], error: &str) -> Unreadable {
    if !line.is_empty() && line.iter().all(|byte| *byte == 0) {
        return Unreadable::Nuls;
    }
    if std::str::from_utf8(line).is_err() {
        return Unreadable::NotText;
    }
    // serde names the kind it does not know; everything else is damage.
    match error.strip_prefix("unknown variant `").and_then(|rest| rest.split_once('`')) {
        Some((kind, _)) => Unreadable::Newer(kind.to_owned()),
        None => Unreadable::Damaged(error.to_owned()),
    }
}
