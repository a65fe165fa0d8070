use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::State;
use crate::proto::Order;

/// An overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layer {
    Help(Filtered),
    Palette(Filtered),
    /// Messages sent before.
    History(Filtered),
    /// One record in full.
    Reader(Reader),
}

/// A list with a filter that is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filtered {
    pub filter: String,
    pub selected: usize,
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    pub subject: Subject,
    /// Lines scrolled down; `view::prepare` clamps it.
    pub offset: usize,
}

/// What a reader shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Entry(Order),
    /// Index into the snapshot's notes, with its text so that a shifted index shows nothing wrong.
    Note {
        index: usize,
        text: String,
    },
    Server(String),
    Tool {
        server: String,
        wire_name: String,
    },
}

impl State {
    /// Messages sent before under a filter, the latest first, each once.
    pub fn history_rows(&self, filter: &str) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        let latest = self.composer.history.entries().iter().rev().map(String::as_str);
        filtered(latest.filter(|entry| seen.insert(*entry)).collect(), filter, |row| (*row).to_owned())
    }
}

/// The rows that match, best first; in their own order when nothing is asked for.
pub(in crate::ui) fn filtered<T>(rows: Vec<T>, filter: &str, text: impl Fn(&T) -> String) -> Vec<T> {
    if filter.trim().is_empty() {
        return rows;
    }
    let pattern = Pattern::parse(filter, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<(u32, T)> = rows
        .into_iter()
        .filter_map(|row| {
            let text = text(&row);
            let score = pattern.score(nucleo_matcher::Utf32Str::new(&text, &mut buffer), &mut matcher)?;
            Some((score, row))
        })
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, row)| row).collect()
}
