//! Lines that are kept whatever the model says: those that report an error, and those in which a tool or
//! octomind itself says what is not there and where it is.

use std::sync::LazyLock;

use regex::Regex;

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let kinds = [
        r"(?i:\berrors?\s*(?:\[[^\]]*\])?\s*:(?:[^:]|$))",
        r"(?i:^\s*(?:error|fatal|failures?)\b)",
        r"\b\w+(?:Error|Exception)\b\s*:",
        r"\b(?:ERROR|FATAL|FAIL|FAILED|FAILURE)\b",
        r"(?i:\bfailed\b|\bfatal:|\btraceback\b|\bpanicked at\b|\bsegmentation fault\b)",
        r"(?i:\bpermission denied\b|\bcommand not found\b|\bno such file\b|\bcannot find\b)",
        r"^\[(?:exit [1-9]|ended by signal|timed out|cancelled|lost)",
    ];
    Regex::new(&kinds.join("|")).ok()
});

/// What was left out before, and how a command ended.
static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\[(?:\d+ bytes not shown|lines \d+-\d+ not shown|… \d+ lines, about \d+ tokens, left out)|^\[exit \d")
        .ok()
});

fn places(text: &str, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = u32> {
    text.lines().enumerate().filter(move |(_, line)| wanted(line)).map(|(at, _)| at as u32 + 1)
}

fn matches(regex: &LazyLock<Option<Regex>>, line: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(line))
}

/// Numbers of the lines that report an error, from 1.
pub fn errors(text: &str) -> Vec<u32> {
    places(text, |line| matches(&ERROR, line)).collect()
}

/// More of these are somebody's text.
const MARKS: usize = 8;

/// Numbers of the lines that tell what the text is, from 1; the last few.
pub fn marks(text: &str) -> Vec<u32> {
    let found: Vec<u32> = places(text, |line| matches(&MARK, line)).collect();
    found[found.len().saturating_sub(MARKS)..].to_vec()
}

/// Whether the text itself says that something of it was left out.
pub fn is_cut(text: &str) -> bool {
    text.lines().any(|line| matches(&MARK, line) && !line.starts_with("[exit"))
}
