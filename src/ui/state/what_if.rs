use std::sync::Arc;

use crate::proto::{Routing, SkillTrace, Timestamp};

/// How long an answer is waited for before another question may go out, milliseconds.
const PATIENCE_MS: u64 = 1_000;

/// A message that is tried: what it would bring is asked as it is typed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WhatIf {
    pub text: String,
    /// Lines scrolled down; `view::prepare` clamps it.
    pub offset: usize,
    /// The question that is out, and since when.
    pub waiting: Option<(u64, Timestamp)>,
    /// The text that was asked about last.
    pub asked: String,
    /// Number of the last question.
    pub last: u64,
    pub answer: Option<Answered>,
}

/// What the session said to one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub id: u64,
    pub routing: Arc<Routing>,
    pub would_evict: Option<String>,
    pub tokens_after: Option<u64>,
    pub skills: Vec<SkillTrace>,
    /// What those bring along.
    pub would_hold: Vec<String>,
    /// Why the one that passed the gate would stay off.
    pub refused: Option<String>,
}

impl WhatIf {
    /// `first` is a number that no question had before.
    pub fn new(text: String, first: u64) -> Self {
        Self { text, last: first, ..Self::default() }
    }

    /// The next question, if there is one to ask and none is out: while an answer is on its way,
    /// what is typed waits for it.
    pub fn ask(&mut self, now: Timestamp) -> Option<(u64, String)> {
        let out = self.waiting.is_some_and(|(_, since)| now < since + PATIENCE_MS);
        if out || self.text == self.asked {
            return None;
        }
        self.asked.clone_from(&self.text);
        if self.text.trim().is_empty() {
            self.waiting = None;
            self.answer = None;
            return None;
        }
        self.last += 1;
        self.waiting = Some((self.last, now));
        Some((self.last, self.text.clone()))
    }

    /// When another question may go out though the last one was not answered, if there is one.
    pub fn again_at(&self) -> Option<Timestamp> {
        let (_, since) = self.waiting?;
        (self.text != self.asked).then_some(since + PATIENCE_MS)
    }

    /// The answer may be another now: what is typed is asked about once more.
    pub fn ask_again(&mut self) {
        self.asked.clear();
    }

    /// Keeps the answer unless one to a later question is here already. A question may be answered again
    /// when more is known.
    pub fn answered(&mut self, answer: Answered) {
        if self.waiting.is_some_and(|(id, _)| id == answer.id) {
            self.waiting = None;
        }
        let known = self.answer.as_ref().map_or(0, |known| known.id);
        if answer.id >= known && answer.id <= self.last && !self.text.trim().is_empty() {
            self.answer = Some(answer);
        }
    }

    /// The session could not take the question: it may be asked again.
    pub fn unsent(&mut self, id: u64) {
        if self.waiting.is_some_and(|(waiting, _)| waiting == id) {
            self.waiting = None;
            self.asked.clear();
        }
    }

    /// Whether what is shown is the answer to what is typed.
    pub fn is_current(&self) -> bool {
        self.text == self.asked && self.answer.as_ref().is_some_and(|answer| answer.id == self.last)
    }
}
