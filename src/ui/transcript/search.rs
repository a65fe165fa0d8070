use std::ops::Range;

use super::cache::{Cache, Scene};
use super::cell;
use super::scroll::Place;
use crate::proto::{Entry, Order};
use crate::ui::state::Search;

/// Bytes searched for one frame; the rest follows in the next ones.
const BYTES_PER_FRAME: usize = 1024 * 1024;

/// Entries that hold what is searched for.
#[derive(Debug, Default)]
pub struct SearchIndex {
    query: String,
    /// How often each entry holds it.
    hits: Vec<(Order, usize)>,
    /// Entries looked at, from the first.
    scanned: usize,
    /// The match the window was last brought to.
    current: Option<(Order, u32)>,
    /// The entry that stands open because it holds that match.
    pub(super) opened: Option<Order>,
}

impl SearchIndex {
    fn restart(&mut self, query: &str, entries: &[std::sync::Arc<Entry>]) {
        let narrower = !self.query.is_empty() && query.starts_with(&self.query);
        if narrower {
            let query = query.to_owned();
            self.hits.retain_mut(|(order, count)| {
                let Ok(index) = entries.binary_search_by_key(order, |entry| entry.order) else { return false };
                *count = occurrences(&cell::plain(&entries[index]), &query).len();
                *count > 0
            });
        } else {
            self.hits.clear();
            self.scanned = 0;
        }
        query.clone_into(&mut self.query);
        self.current = None;
        self.opened = None;
    }

    /// Looks on; true when not everything was looked at.
    fn scan(&mut self, entries: &[std::sync::Arc<Entry>]) -> bool {
        let mut left = BYTES_PER_FRAME;
        while let Some(entry) = entries.get(self.scanned) {
            if cell::unfinished(&entry.kind) {
                return false;
            }
            let text = cell::plain(entry);
            let count = occurrences(&text, &self.query).len();
            if count > 0 {
                self.hits.push((entry.order, count));
            }
            self.scanned += 1;
            left = left.saturating_sub(text.len());
            if left == 0 {
                return self.scanned < entries.len();
            }
        }
        false
    }
}

impl Cache {
    /// Matches found so far.
    pub fn matches(&self) -> usize {
        self.search.hits.iter().map(|(_, count)| count).sum()
    }

    /// Brings the index up to date; true when more is to be done.
    pub(super) fn update_search(&mut self, scene: &Scene, search: Option<&Search>) -> bool {
        let query = search.map(|search| search.query.as_str()).unwrap_or_default();
        if query.is_empty() {
            self.search = SearchIndex::default();
            return false;
        }
        if self.search.scanned > scene.entries.len() {
            self.search = SearchIndex::default();
        }
        if self.search.query != query {
            self.search.restart(query, scene.entries);
        }
        self.search.scan(scene.entries)
    }

    /// The next match in the given direction, going round at the ends.
    pub(super) fn find_match(&mut self, scene: &Scene, place: Place, count: i32) -> Option<Place> {
        let hits: Vec<Order> = self.search.hits.iter().map(|(order, _)| *order).collect();
        let many = hits.len();
        if many == 0 {
            return None;
        }
        let back = count < 0;
        let from = match self.search.current {
            Some((order, line)) => (order, line),
            None => (scene.entries.get(place.index)?.order, place.line),
        };
        let strict = self.search.current.is_some();
        let first = hits.partition_point(|order| *order < from.0);
        let after = hits.partition_point(|order| *order <= from.0);
        let mut found = None;
        // One step more than there are: the way round ends where it began.
        for step in 0..=many {
            let at = if back { (after + 2 * many - 1 - step) % many } else { (first + step) % many };
            let order = hits[at];
            let here = step == 0 && order == from.0;
            let beyond = |line: &u32| match (here, back) {
                (false, _) => true,
                (true, true) => *line < from.1,
                (true, false) => *line > from.1 || (!strict && *line == from.1),
            };
            let mut lines = self.match_lines(scene, order).into_iter().filter(beyond);
            found = if back { lines.next_back() } else { lines.next() }.map(|line| (order, line));
            if found.is_some() {
                break;
            }
        }
        let (order, line) = found?;
        self.search.current = found;
        let index = scene.entries.binary_search_by_key(&order, |entry| entry.order).ok()?;
        Some(Place { index, line })
    }

    /// Rows of an entry that show a match. An entry that folds some of them away is opened for as long
    /// as the search stands in it; its first row stands for what is shown nowhere.
    fn match_lines(&mut self, scene: &Scene, order: Order) -> Vec<u32> {
        let Ok(index) = scene.entries.binary_search_by_key(&order, |entry| entry.order) else { return Vec::new() };
        let wanted = self.search.hits.binary_search_by_key(&order, |(order, _)| *order);
        let wanted = wanted.map_or(0, |at| self.search.hits[at].1);
        self.search.opened = self.search.opened.filter(|opened| *opened == order);
        self.lay(scene, index);
        let mut shown = self.shown_matches(order);
        if shown.iter().map(|(_, count)| count).sum::<usize>() < wanted && self.search.opened.is_none() {
            self.search.opened = Some(order);
            self.lay(scene, index);
            shown = self.shown_matches(order);
        }
        let gap = self.gap(order);
        if shown.is_empty() { vec![gap] } else { shown.into_iter().map(|(line, _)| gap + line).collect() }
    }

    /// Rows that show a match, and how many each.
    fn shown_matches(&self, order: Order) -> Vec<(u32, usize)> {
        let rows = self.rows(order).iter().enumerate();
        let counted = rows.map(|(line, row)| (line as u32, occurrences(&row.text, &self.search.query).len()));
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Which of the matches that is, counted from 1. Those that share a row count as the first of them.
    pub fn match_number(&self) -> Option<usize> {
        let (order, line) = self.search.current?;
        let before = self.search.hits.iter().take_while(|(hit, _)| *hit < order).map(|(_, count)| count).sum::<usize>();
        let own = self.search.hits.iter().find(|(hit, _)| *hit == order).map_or(1, |(_, count)| *count);
        let rows = self.rows(order).iter().take(line.saturating_sub(self.gap(order)) as usize);
        let above: usize = rows.map(|row| occurrences(&row.text, &self.search.query).len()).sum();
        Some(before + above.min(own.saturating_sub(1)) + 1)
    }

    /// The match the window was last brought to.
    pub fn current_match(&self) -> Option<(Order, u32)> {
        self.search.current
    }
}

/// Where `text` holds `query`. Capitals matter only when the query has some.
pub fn occurrences(text: &str, query: &str) -> Vec<Range<usize>> {
    if query.is_empty() {
        return Vec::new();
    }
    if query.chars().any(char::is_uppercase) {
        return text.match_indices(query).map(|(at, found)| at..at + found.len()).collect();
    }
    if query.is_ascii() {
        return ascii_occurrences(text, query);
    }
    let Some(first) = query.chars().next() else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(length) = text.get(at..).and_then(|rest| rest.chars().next()).map(char::len_utf8) {
        let rest = &text[at..];
        match matched(rest, query, first) {
            Some(bytes) => {
                found.push(at..at + bytes);
                at += bytes.max(1);
            }
            None => at += length,
        }
    }
    found
}

/// The same for a query of plain letters, byte by byte: what everybody searches for, in texts of megabytes.
fn ascii_occurrences(text: &str, query: &str) -> Vec<Range<usize>> {
    let (text, query) = (text.as_bytes(), query.as_bytes());
    let Some(first) = query.first().map(u8::to_ascii_lowercase) else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = text[at..].iter().position(|byte| byte.to_ascii_lowercase() == first) {
        let start = at + step;
        let end = start + query.len();
        match text.get(start..end) {
            Some(here) if here.eq_ignore_ascii_case(query) => {
                found.push(start..end);
                at = end;
            }
            Some(_) => at = start + 1,
            None => break,
        }
    }
    found
}

/// Bytes at the front of `text` that equal the lower-case `query`.
fn matched(text: &str, query: &str, first: char) -> Option<usize> {
    let begin = text.chars().next()?;
    if begin != first && !begin.to_lowercase().eq(std::iter::once(first)) {
        return None;
    }
    let mut wanted = query.chars();
    let mut bytes = 0;
    let mut letters = text.chars();
    loop {
        let Some(want) = wanted.next() else { return Some(bytes) };
        let letter = letters.next()?;
        if letter != want && !letter.to_lowercase().eq(std::iter::once(want)) {
            return None;
        }
        bytes += letter.len_utf8();
    }
}
