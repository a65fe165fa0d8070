//! The rule grammar, as a typed tree.

pub mod balance;
mod parse;

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

pub use parse::parse;

/// A line of rules has at most so many bytes.
pub const LONGEST: usize = 2048;
/// A skill has at most so many lines of rules.
pub const MOST: usize = 1_000;

/// One line of rules: holds when all its checks do. The lines of a skill are alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleGroup {
    /// Line in the file, from 1.
    pub line: u32,
    pub checks: Vec<Check>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    pub kind: CheckKind,
    /// As written.
    pub text: String,
    /// Bytes of the file.
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CheckKind {
    /// A file of the working directory matches.
    File { glob: String },
    /// The message has this word or phrase, whole words, whatever the case.
    Content { words: String },
    /// The message matches, case as written.
    Match { pattern: Pattern },
    /// A file's text matches; ignored files aside.
    Grep { pattern: String, glob: Option<String> },
    /// Set and not empty, or equal to a value.
    Env { name: String, value: Option<String> },
    /// A program on `PATH`.
    Bin { name: String },
    /// Part of the working directory's path, whatever the case.
    Workdir { part: String },
    /// Part of the session's name, whatever the case.
    Session { part: String },
    /// Like in meaning; threshold 0–1 when it is not the usual one.
    Semantic { phrase: String, threshold: Option<f32> },
    /// No check we know: never holds.
    Unknown { name: String },
    /// A check that we know, but that cannot be judged as it is written: never holds.
    Broken { why: String },
}

/// A regular expression that is compiled when it is first needed, and then kept.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    compiled: OnceLock<Result<Regex, String>>,
}

impl Pattern {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), compiled: OnceLock::new() }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What is wrong with it; much cheaper than compiling it.
    pub fn problem(&self) -> Option<PatternProblem> {
        let mut parser = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).build();
        match parser.parse(&self.text).err()? {
            regex_syntax::Error::Parse(error) => Some(self.wrong(error.kind().to_string(), error.span())),
            regex_syntax::Error::Translate(error) => Some(self.wrong(error.kind().to_string(), error.span())),
            other => Some(PatternProblem { why: one_line(&other.to_string()), part: 0..self.text.len() }),
        }
    }

    fn wrong(&self, why: String, span: &regex_syntax::ast::Span) -> PatternProblem {
        let start = span.start.offset;
        let next = self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        PatternProblem { why, part: start..span.end.offset.max(start + next) }
    }

    /// # Errors
    /// Why it cannot be used, in one line.
    pub fn regex(&self) -> Result<&Regex, &str> {
        self.compiled.get_or_init(|| compile(&self.text)).as_ref().map_err(String::as_str)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// Why a text is no regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternProblem {
    pub why: String,
    /// Bytes of the pattern.
    pub part: Range<usize>,
}

/// Groups in groups.
const MAX_NESTING: u32 = 50;

/// A compiled expression takes at most this many bytes, so that a file cannot fill the memory.
const MAX_REGEX_BYTES: usize = 1 << 20;

fn compile(text: &str) -> Result<Regex, String> {
    let mut builder = regex::RegexBuilder::new(text);
    builder.size_limit(MAX_REGEX_BYTES).nest_limit(MAX_NESTING);
    builder.build().map_err(|error| one_line(&error.to_string()))
}

fn one_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests;
