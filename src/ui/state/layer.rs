use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::State;
use crate::proto::Order;
use crate::ui::action::{Action, Arguments, Call};
use crate::ui::keys::HelpRow;

/// An overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layer {
    Help(Filtered),
    Palette(Filtered),
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

/// An action as the palette shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaletteRow {
    pub call: Call,
    pub words: String,
    pub category: &'static str,
    /// `ctrl-p, :`; empty when only the palette has it.
    pub keys: String,
}

impl State {
    /// The help overlay's rows under its filter: those of the present context first.
    pub fn help_rows(&self, filter: &str) -> Vec<HelpRow> {
        let contexts = self.base_contexts();
        let rank =
            |row: &HelpRow| contexts.iter().position(|context| *context == row.context).unwrap_or(contexts.len());
        let mut rows = self.keymap.rows();
        rows.sort_by_key(rank);
        filtered(rows, filter, |row| format!("{} {} {}", row.keys, row.words, row.call.action.id()))
    }

    /// The palette's rows under its filter, best match first.
    pub fn palette_rows(&self, filter: &str) -> Vec<PaletteRow> {
        let rows = calls().map(|call| PaletteRow {
            words: call.describe(),
            category: call.action.category().title(),
            keys: self.keymap.keys_for(&call).join(", "),
            call,
        });
        filtered(rows.collect(), filter, |row| format!("{} {} {}", row.words, row.call.action.id(), row.category))
    }
}

/// Every action with every argument it can have, but those that only make sense under a caret.
fn calls() -> impl Iterator<Item = Call> {
    Action::ALL.iter().flat_map(|action| match action.arguments() {
        Arguments::OneOf(names) => names.iter().map(|name| Call::with(*action, name)).collect::<Vec<_>>(),
        Arguments::None | Arguments::Count => vec![Call::new(*action)],
    })
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
