use std::hash::{DefaultHasher, Hash, Hasher};

/// Equal rounds after which the turn is ended.
const STOP_AT: u32 = 12;

/// Rounds of one turn after which it is ended, whatever they did: nobody may be watching what it costs.
const MOST: u32 = 200;

/// How lines begin that the file server ends a command's output with. They hold times, process
/// numbers and file names, which differ each time.
const STATUS_LINES: [&str; 6] = [
    "[exit ",
    "[ended by signal ",
    "[cancelled after ",
    "[lost after ",
    "[timed out after ",
    "[still running in the background",
];

/// Counts tool rounds in a row that did the same and got the same.
#[derive(Debug, Default)]
pub struct Rounds {
    all: u32,
    last: u64,
    equal: u32,
}

/// What the count means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    Fine,
    Stop(u32),
    /// The turn has had so many rounds.
    TooMany(u32),
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
        self.all += 1;
        match self.equal {
            STOP_AT.. => Repeat::Stop(self.equal),
            _ if self.all >= MOST => Repeat::TooMany(self.all),
            _ => Repeat::Fine,
        }
    }
}

/// A result without what differs from one run of a command to the next.
pub fn timeless(result: &str) -> String {
    let line = |line: &str| {
        if !STATUS_LINES.iter().any(|start| line.starts_with(start)) {
            return line.to_owned();
        }
        let said = line.split([',', ';']).next().unwrap_or_default();
        match said.starts_with("[exit ") || said.starts_with("[ended by signal ") {
            true => said.to_owned(),
            false => said.chars().filter(|letter| !letter.is_ascii_digit()).collect(),
        }
    };
    result.lines().map(line).collect::<Vec<_>>().join("\n")
}
