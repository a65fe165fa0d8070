//! Where things are in a JSON text, which the parser does not tell.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::config::Source;
use crate::tap::skill::Remark;

/// The object that the text is.
///
/// # Errors
/// Where it stops being JSON, or that it is no object.
pub fn object(source: &Source) -> Result<Map<String, Value>, Remark> {
    match serde_json::from_str(&source.text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Remark::error(0..source.text.trim_end().len(), "this is not a JSON object").hint("write { … }")),
        Err(error) => {
            let at = offset(&source.text, error.line(), error.column());
            let why = error.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            Err(Remark::error(at..at, format!("this is not JSON: {why}")))
        }
    }
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The key at the end of a path of keys, in a text that is JSON; the nearest one that is there.
pub fn key(text: &str, path: &[&str]) -> Range<usize> {
    let mut walk = Walk { text, at: 0 };
    walk.find(path, 0..0)
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl Walk<'_> {
    fn find(&mut self, path: &[&str], last: Range<usize>) -> Range<usize> {
        let Some((wanted, rest)) = path.split_first() else { return last };
        self.white();
        if !self.eat('{') {
            return last;
        }
        loop {
            self.white();
            let span = self.string();
            if span.is_empty() {
                return last;
            }
            self.white();
            self.eat(':');
            let name: Option<String> = serde_json::from_str(&self.text[span.clone()]).ok();
            if name.as_deref() == Some(wanted) {
                return self.find(rest, span);
            }
            self.value();
            self.white();
            if !self.eat(',') {
                return last;
            }
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn white(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, letter: char) -> bool {
        let there = self.rest().starts_with(letter);
        if there {
            self.at += letter.len_utf8();
        }
        there
    }

    /// A string with its quotes; empty if there is none.
    fn string(&mut self) -> Range<usize> {
        let start = self.at;
        if !self.eat('"') {
            return start..start;
        }
        let mut escaped = false;
        let end = self.rest().char_indices().find(|(_, letter)| {
            let ends = *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            ends
        });
        self.at = end.map_or(self.text.len(), |(at, _)| self.at + at + 1);
        start..self.at
    }

    /// Over any value.
    fn value(&mut self) {
        let mut depth = 0usize;
        loop {
            self.white();
            match self.rest().chars().next() {
                None => return,
                Some('"') => drop(self.string()),
                Some('{' | '[') => {
                    depth += 1;
                    self.at += 1;
                }
                Some('}' | ']') if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(',' | '}' | ']') if depth == 0 => return,
                Some(letter) => self.at += letter.len_utf8(),
            }
            if depth == 0 && self.rest().trim_start().starts_with([',', '}', ']']) {
                return;
            }
        }
    }
}
