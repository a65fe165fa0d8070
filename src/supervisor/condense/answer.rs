//! What of an answer counts: each result for itself.

use serde::Deserialize;
use serde_json::Value;

use super::{Candidate, prompt};
use crate::proto::{Keep, ToolOutcome};
use crate::supervisor::answer::parse;

#[derive(Deserialize)]
struct Answer {
    results: Vec<Value>,
}

#[derive(Deserialize)]
struct Said {
    keep: Wanted,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Wanted {
    Word(Word),
    Lines(Vec<(u32, u32)>),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    All,
    None,
}

/// `Err` when nothing of it can be used.
pub fn take(candidates: &mut [Candidate], reply: &str) -> Result<(), String> {
    let answer: Answer = parse(reply)?;
    for (at, candidate) in candidates.iter_mut().enumerate().filter(|(_, candidate)| candidate.trouble.is_none()) {
        let id = prompt::id(at);
        let mut about = answer.results.iter().filter(|entry| entry.get("id").and_then(Value::as_str) == Some(&id));
        let said = match (about.next(), about.next()) {
            (None, _) => Err("the answer does not speak of it"),
            (Some(_), Some(_)) => Err("the answer speaks of it twice"),
            (Some(entry), None) => Said::deserialize(entry).map_err(|_| "what the answer says of it has a wrong form"),
        };
        match said.and_then(|said| candidate.wanted(said.keep)) {
            Ok(()) => {}
            Err(why) => candidate.trouble = Some(why.to_owned()),
        }
    }
    Ok(())
}

impl Candidate {
    fn wanted(&mut self, wanted: Wanted) -> Result<(), &'static str> {
        let ranges = match wanted {
            Wanted::Word(Word::All) => return Ok(()),
            Wanted::Word(Word::None) if self.outcome != ToolOutcome::Ok => return Err("an error is never left out"),
            Wanted::Word(Word::None) if !self.view.is_whole() => return Err("only a part of it was looked at"),
            Wanted::Word(Word::None) => Vec::new(),
            Wanted::Lines(ranges) if ranges.is_empty() => return Err("the answer names no lines"),
            Wanted::Lines(ranges) => ranges,
        };
        let lines = self.view.lines;
        if ranges.iter().any(|(first, last)| first > last || *first == 0 || *first > lines) {
            return Err("the answer names lines that are not there");
        }
        let named = |line: &u32| ranges.iter().any(|(first, last)| (first..=last).contains(&line));
        let seen = |line: &u32| self.view.shown.iter().any(|(first, last)| (first..=last).contains(&line));
        let mut keep: Vec<u32> = (1..=lines).filter(|line| named(line) && seen(line)).collect();
        if keep.is_empty() && !ranges.is_empty() {
            return Err("the answer names no lines that were shown");
        }
        let before = keep.len();
        keep.extend(self.errors.iter().filter(|line| !(named(line) && seen(line))));
        self.saved = (keep.len() - before) as u32;
        if !keep.is_empty() {
            keep.extend(&self.marks);
        }
        keep.sort_unstable();
        keep.dedup();
        self.keep = match spans(&keep) {
            spans if spans.is_empty() => Keep::None,
            spans if spans == [(1, lines)] => Keep::All,
            spans => Keep::Lines(spans),
        };
        Ok(())
    }
}

/// Sorted lines as ranges.
fn spans(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => spans.push((*line, *line)),
        }
    }
    spans
}
