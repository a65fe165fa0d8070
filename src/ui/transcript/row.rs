//! A row of the transcript: text with the meaning of each piece, no colours.

use std::ops::Range;

use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation as _;

use super::flow::{self, Break};
use super::link::{self, Link, Target};
use crate::text;
use crate::ui::theme::{Role, Theme};

/// What a piece of text means; `over` is laid on `base` (a strong word in a quote).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tone {
    pub base: Role,
    pub over: Option<Role>,
}

impl From<Role> for Tone {
    fn from(base: Role) -> Self {
        Self { base, over: None }
    }
}

impl Tone {
    pub fn over(self, role: Role) -> Self {
        Self { over: Some(role), ..self }
    }

    pub fn style(self, theme: &Theme) -> Style {
        let base = theme.style(self.base);
        self.over.map_or(base, |role| base.patch(theme.style(role)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub bytes: u32,
    pub tone: Tone,
}

/// Text with marks; what rows are made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styled {
    pub text: String,
    pub marks: Vec<Mark>,
    /// Known beside those that the words themselves are.
    pub links: Vec<Link>,
}

impl Styled {
    pub fn new(text: &str, tone: impl Into<Tone>) -> Self {
        let mut styled = Self::default();
        styled.push(text, tone);
        styled
    }

    pub fn push(&mut self, text: &str, tone: impl Into<Tone>) {
        if text.is_empty() {
            return;
        }
        let tone = tone.into();
        self.text.push_str(text);
        match self.marks.last_mut() {
            Some(last) if last.tone == tone => last.bytes += text.len() as u32,
            _ => self.marks.push(Mark { bytes: text.len() as u32, tone }),
        }
    }

    pub fn append(&mut self, other: &Self) {
        let by = self.text.len() as u32;
        let moved = |link: &Link| Link { start: link.start + by, end: link.end + by, ..link.clone() };
        self.links.extend(other.links.iter().map(moved));
        let mut at = 0;
        for mark in &other.marks {
            let end = at + mark.bytes as usize;
            self.push(&other.text[at..end], mark.tone);
            at = end;
        }
    }

    /// What was pushed since `start` leads there.
    pub fn link_from(&mut self, start: usize, target: Target) {
        let (start, end) = (start as u32, self.text.len() as u32);
        if start < end && self.links.iter().all(|link| link.end <= start) {
            self.links.push(Link { start, end, target });
        }
    }

    /// Known links and those found in the words, in order.
    fn all_links(&self) -> Vec<Link> {
        let mut links = link::find(&self.text, &self.links);
        if !self.links.is_empty() {
            links.extend_from_slice(&self.links);
            links.sort_by_key(|link| link.start);
        }
        links
    }

    pub fn with(mut self, text: &str, tone: impl Into<Tone>) -> Self {
        self.push(text, tone);
        self
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn width(&self) -> usize {
        text::width(&self.text)
    }

    /// Fills with spaces up to `width` columns.
    pub fn pad_to(&mut self, width: usize, tone: impl Into<Tone>) {
        let missing = width.saturating_sub(self.width());
        self.push(&" ".repeat(missing), tone);
    }

    /// Cuts to `width` columns, ending in `…` when something was cut.
    pub fn cut(&mut self, width: usize) {
        if self.width() <= width {
            return;
        }
        let keep = flow::fit(&self.text, width.saturating_sub(1));
        let tone = self.tone_at(keep);
        self.shorten(keep);
        if width > 0 {
            self.push("…", tone);
        }
    }

    /// A link that is cut would show another address than it leads to: it is none any more.
    fn shorten(&mut self, bytes: usize) {
        self.text.truncate(bytes);
        self.links.retain(|link| link.end as usize <= bytes);
        let mut left = bytes as u32;
        self.marks.retain_mut(|mark| {
            mark.bytes = mark.bytes.min(left);
            left -= mark.bytes;
            mark.bytes > 0
        });
    }

    fn tone_at(&self, byte: usize) -> Tone {
        let mut at = 0;
        for mark in &self.marks {
            at += mark.bytes as usize;
            if byte < at {
                return mark.tone;
            }
        }
        self.marks.last().map_or(Role::UiText.into(), |mark| mark.tone)
    }

    /// One row, cut to the width.
    pub fn into_row(mut self, width: usize) -> Row {
        self.cut(width);
        let links = self.all_links().into();
        Row { text: self.text.into(), marks: self.marks.into(), links, gutter: 0, join: Join::Line }
    }

    /// Wraps to rows of at most `width` columns. `first` leads the first row, `rest` the others.
    pub fn rows(&self, width: usize, how: Break, first: &Self, rest: &Self) -> Vec<Row> {
        let lead = first.width().max(rest.width());
        let empty = Self::default();
        let (first, rest, room) = if lead < width { (first, rest, width - lead) } else { (&empty, &empty, width) };
        let mut cursor = Cursor { styled: self, mark: 0, mark_start: 0 };
        let ranges = flow::wrap(&self.text, room.max(1), how);
        let links = self.all_links();
        let mut next_link = 0;
        let mut rows = Vec::with_capacity(ranges.len());
        let mut before = 0;
        for (index, range) in ranges.into_iter().enumerate() {
            let join = match self.text.get(before..range.start) {
                Some("") if index > 0 => Join::Nothing,
                Some(between) if index > 0 && !between.contains('\n') => Join::Space,
                _ => Join::Line,
            };
            before = range.end;
            next_link += links[next_link..].iter().take_while(|link| link.end as usize <= range.start).count();
            let here = links[next_link..].iter().take_while(|link| (link.start as usize) < range.end);
            let lead = if index == 0 { first } else { rest };
            let mut row = lead.clone();
            let gutter = row.text.len() as u16;
            if flow::too_wide(&self.text[range.clone()], room) {
                row.push("…", Role::UiDim);
            } else {
                row.links.extend(here.map(|link| within(link, &range, gutter)));
                cursor.copy(range, &mut row);
            }
            rows.push(Row { text: row.text.into(), marks: row.marks.into(), links: row.links.into(), gutter, join });
        }
        rows
    }
}

/// The part of a link that stands in a row which takes these bytes behind its lead.
fn within(link: &Link, range: &Range<usize>, lead: u16) -> Link {
    let place = |byte: u32| u32::from(lead) + byte.clamp(range.start as u32, range.end as u32) - range.start as u32;
    Link { start: place(link.start), end: place(link.end), target: link.target.clone() }
}

/// Walks the marks once while ranges are taken in order.
struct Cursor<'a> {
    styled: &'a Styled,
    mark: usize,
    mark_start: usize,
}

impl Cursor<'_> {
    fn copy(&mut self, range: std::ops::Range<usize>, row: &mut Styled) {
        let mut at = range.start;
        while at < range.end {
            let Some(mark) = self.styled.marks.get(self.mark) else { return };
            let end = self.mark_start + mark.bytes as usize;
            if end <= at {
                self.mark += 1;
                self.mark_start = end;
                continue;
            }
            let stop = end.min(range.end);
            row.push(&self.styled.text[at..stop], mark.tone);
            at = stop;
        }
    }
}

/// One screen row, ready to draw at the width it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    pub text: Box<str>,
    pub marks: Box<[Mark]>,
    /// Pieces that lead somewhere, in order.
    pub links: Box<[Link]>,
    /// Bytes at the front that are furniture (gutter, bullet), not content.
    pub gutter: u16,
    pub join: Join,
}

/// How a row goes on from the one above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Join {
    /// It does not: a line of its own.
    #[default]
    Line,
    /// The same line, broken at a space.
    Space,
    /// The same line, broken inside a word.
    Nothing,
}

impl Row {
    pub fn blank() -> Self {
        Self::default()
    }

    /// What stands in the row beside its furniture.
    pub fn content(&self) -> &str {
        self.text.get(self.gutter as usize..).unwrap_or_default()
    }

    /// The row as text that can be added to.
    pub fn to_styled(&self) -> Styled {
        Styled { text: self.text.to_string(), marks: self.marks.to_vec(), links: self.links.to_vec() }
    }

    /// What of the content stands in these columns, and which columns that are. A character of two
    /// columns is in when one of them is.
    pub fn cut_out(&self, columns: Range<u16>) -> (Range<u16>, &str) {
        let gutter = self.gutter as usize;
        let mut at = text::width(self.text.get(..gutter).unwrap_or_default());
        let content = self.content();
        let (from, to) = (usize::from(columns.start), usize::from(columns.end));
        let mut found: Option<(Range<usize>, Range<usize>)> = None;
        for (byte, cluster) in content.grapheme_indices(true) {
            let end = at + text::width(cluster);
            if end > from && at < to {
                let (bytes, shown) = found.get_or_insert((byte..byte, at..at));
                bytes.end = byte + cluster.len();
                shown.end = end;
            }
            at = end;
        }
        let (bytes, shown) = found.unwrap_or_default();
        (shown.start as u16..shown.end as u16, &content[bytes])
    }

    /// Pieces with their tones, left to right.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, Tone)> {
        let mut at = 0;
        self.marks.iter().map(move |mark| {
            let start = at;
            at += mark.bytes as usize;
            (&self.text[start..at], mark.tone)
        })
    }
}
