//! What is wrong in a configuration, with place and advice, and how it is shown.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::source::Source;
use crate::text::{is_hidden, width as columns};

/// How loudly a problem is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It concerns a setting that guards what may be done.
    Security,
    Ordinary,
}

/// One thing that is wrong. The setting it is about has no effect; everything else has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub weight: Weight,
    /// One plain sentence without place.
    pub message: String,
    /// The file, or how the text came to be.
    pub file: String,
    pub place: Option<Box<Place>>,
    /// What to write instead; may have several lines.
    pub hint: Option<String>,
}

/// Where a problem is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// The source line, safe to print: tabs are four spaces, control characters are `·`.
    pub excerpt: String,
    /// Terminal columns before the caret.
    pub indent: usize,
    /// Carets, in terminal columns; at least 1.
    pub length: usize,
}

/// Something worth knowing that is not wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// One plain sentence, place included where there is one.
    pub message: String,
}

impl Notice {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: clean(&message.into()) }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Problem {
    /// At a span of bytes of a source.
    pub fn at(source: &Source, span: Range<usize>, message: impl Into<String>) -> Self {
        let place = Some(Box::new(Place::new(source, span)));
        Self {
            weight: Weight::Ordinary,
            message: sentence(&message.into()),
            file: clean(&source.label),
            place,
            hint: None,
        }
    }

    /// About a whole file.
    pub fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self {
            weight: Weight::Ordinary,
            message: sentence(&message.into()),
            file: clean(file),
            place: None,
            hint: None,
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().lines().map(sentence).collect::<Vec<_>>().join("\n"));
        self
    }

    pub fn weight(mut self, weight: Weight) -> Self {
        self.weight = weight;
        self
    }

    /// `file:line:column`, as editors understand it.
    pub fn location(&self) -> String {
        match &self.place {
            Some(place) => format!("{}:{}:{}", self.file, place.line, place.column),
            None => self.file.clone(),
        }
    }

    /// One line for a list.
    pub fn headline(&self) -> String {
        format!("{}: {}", self.location(), self.message)
    }
}

/// Several lines: message, place, source line, caret, hint. Ends without a line break.
impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.weight == Weight::Security { "error (security)" } else { "error" };
        self.write_as(word, formatter)
    }
}

impl Problem {
    /// The same lines under another word than `error`.
    pub fn called<'problem>(&'problem self, word: &'problem str) -> impl fmt::Display {
        fmt::from_fn(move |formatter| self.write_as(word, formatter))
    }

    fn write_as(&self, word: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.place.as_ref().map_or(1, |place| place.line.to_string().len());
        write!(formatter, "{word}: {}\n{:gutter$}--> {}", self.message, "", self.location())?;
        if let Some(place) = &self.place {
            let carets = "^".repeat(place.length);
            write!(formatter, "\n{:gutter$} |\n{} | {}", "", place.line, place.excerpt)?;
            write!(formatter, "\n{:gutter$} | {:indent$}{carets}", "", "", indent = place.indent)?;
        }
        if let Some(hint) = &self.hint {
            let mut lines = hint.lines();
            write!(formatter, "\n{:gutter$} = hint: {}", "", lines.next().unwrap_or_default())?;
            for line in lines {
                write!(formatter, "\n{:gutter$}   {line}", "")?;
            }
        }
        Ok(())
    }
}

/// The excerpt shows at most this many characters, so that a minified line does not fill the screen.
const EXCERPT: usize = 120;

impl Place {
    fn new(source: &Source, span: Range<usize>) -> Self {
        let line = source.line_range(span.start);
        let text = source.text.get(line.clone()).unwrap_or_default();
        let start = span.start.clamp(line.start, line.end) - line.start;
        let end = span.end.clamp(line.start + start, line.end) - line.start;
        let (before, rest) = text.split_at_checked(start).unwrap_or((text, ""));
        let marked = text.get(start..end).unwrap_or(rest);
        // A caret far to the right is brought back into view. Of a long line no more is looked at.
        let cut = before.char_indices().rev().nth(EXCERPT / 2 - 1).map_or(0, |(at, _)| at);
        let lead = if cut > 0 { "…" } else { "" };
        let shown_before = format!("{lead}{}", visible(&before[cut..]));
        let shown_rest: String = visible(head(rest)).chars().take(EXCERPT).collect();
        let length = columns(&visible(head(marked))).clamp(1, columns(&shown_rest).max(1));
        Self {
            line: source.line_of(span.start),
            column: before.chars().count() + 1,
            indent: columns(&shown_before),
            excerpt: format!("{shown_before}{shown_rest}").trim_end().to_owned(),
            length,
        }
    }
}

/// The first characters, no more than an excerpt shows.
fn head(text: &str) -> &str {
    text.char_indices().nth(EXCERPT).map_or(text, |(at, _)| &text[..at])
}

/// Without anything a terminal would act on, one column kept for each character taken away.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => shown.push_str("    "),
            letter if unsafe_to_show(letter) => shown.push('·'),
            letter => shown.push(letter),
        }
    }
    shown
}

/// A message or a line of a hint shows at most this many characters: it may quote what somebody wrote.
const SENTENCE: usize = 1_000;

fn sentence(text: &str) -> String {
    match text.char_indices().nth(SENTENCE) {
        Some((at, _)) => format!("{}…", visible(&text[..at])),
        None => visible(text),
    }
}

fn clean(text: &str) -> String {
    visible(text)
}

fn unsafe_to_show(letter: char) -> bool {
    is_hidden(letter) || matches!(letter, '\u{80}'..='\u{9f}' | '\u{200c}' | '\u{200d}') || letter.width().is_none()
}

#[cfg(test)]
mod tests;
