use std::hash::{DefaultHasher, Hash, Hasher};

/// Equal rounds after which the person is told.
const TELL_AT: u32 = 3;

/// Equal rounds after which the turn is ended.
const STOP_AT: u32 = 12;

/// Counts tool rounds in a row that did the same and got the same.
#[derive(Debug, Default)]
pub struct Rounds {
    last: u64,
    equal: u32,
}

/// What the count means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    Fine,
    Tell(u32),
    Stop(u32),
}

impl Rounds {
    /// `calls` are (tool, arguments, result), in any order.
    pub fn add(&mut self, calls: impl IntoIterator<Item = (String, String, String)>) -> Repeat {
        let mut calls: Vec<(String, String, String)> = calls.into_iter().collect();
        calls.sort_unstable();
        let mut hasher = DefaultHasher::new();
        calls.hash(&mut hasher);
        let round = hasher.finish();
        self.equal = if self.equal > 0 && round == self.last { self.equal + 1 } else { 1 };
        self.last = round;
        match self.equal {
            TELL_AT => Repeat::Tell(self.equal),
            STOP_AT.. => Repeat::Stop(self.equal),
            _ => Repeat::Fine,
        }
    }
}
