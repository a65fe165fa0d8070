use std::collections::BTreeMap;

use regex::Regex;
use serde::Deserialize;
use serde_spanned::Spanned;

use crate::proto::{FaultKind, Mechanic};

/// A whole script.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// Tokens.
    #[serde(default)]
    pub(super) context_window: Option<u64>,
    /// Whether costs in `usage` are to be read as prices.
    #[serde(default)]
    pub(super) priced: bool,
    /// Milliseconds a chunk of text, unless a reply says otherwise.
    #[serde(default)]
    pub(super) pace_ms: u64,
    /// Words a chunk of text.
    #[serde(default = "three")]
    pub(super) words: usize,
    #[serde(rename = "turn")]
    pub(super) turns: Vec<Turn>,
    /// Answers to the supervisor; the first that fits counts.
    #[serde(default, rename = "supervise")]
    pub(super) supervised: Vec<Supervised>,
}

fn three() -> usize {
    3
}

/// What answers one kind of question of the supervisor's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Supervised {
    pub(super) asks: Mechanic,
    /// On the text of the question.
    #[serde(default, rename = "match")]
    pub(super) pattern: Option<Spanned<String>>,
    #[serde(skip)]
    pub(super) regex: Option<Regex>,
    /// Answers only so many times, then the next that fits does.
    #[serde(default)]
    pub(super) times: Option<u32>,
    #[serde(default)]
    pub(super) delay_ms: u64,
    /// JSON as the question wants it; `{{1}}` is a group of the pattern.
    #[serde(default)]
    pub(super) reply: String,
    #[serde(default)]
    pub(super) usage: Option<UsageSpec>,
    #[serde(default)]
    pub(super) fault: Option<FaultSpec>,
}

/// What answers one user message: the first reply at once, the next after its tools, and so on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    #[serde(default, rename = "match")]
    pub(super) pattern: Option<Spanned<String>>,
    #[serde(skip)]
    pub(super) regex: Option<Regex>,
    /// The user message this turn answers, counted from 1.
    #[serde(default)]
    pub(super) at: Option<usize>,
    /// Answers whatever no other turn does.
    #[serde(default)]
    pub(super) otherwise: bool,
    #[serde(rename = "reply")]
    pub(super) replies: Vec<Reply>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    #[serde(default)]
    pub(super) delay_ms: u64,
    #[serde(default)]
    pub(super) pace_ms: Option<u64>,
    #[serde(default)]
    pub(super) words: Option<usize>,
    #[serde(default)]
    pub(super) reasoning: String,
    #[serde(default)]
    pub(super) text: String,
    /// JSON of the status that ends the reply; only said to a session that asks for one.
    #[serde(default)]
    pub(super) status: String,
    /// The text so many times, each as one chunk.
    #[serde(default)]
    pub(super) repeat: Option<u32>,
    #[serde(default)]
    pub(super) calls: Vec<Call>,
    #[serde(default)]
    pub(super) usage: Option<UsageSpec>,
    #[serde(default)]
    pub(super) stop: Stop,
    /// Ends here instead of at the end of the reply.
    #[serde(default)]
    pub(super) end: End,
    /// Fails before anything else, for the first `times` tries.
    #[serde(default)]
    pub(super) fault: Option<FaultSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// A tool's wire name, or the last part of it.
    pub(super) tool: String,
    #[serde(default)]
    pub(super) arguments: BTreeMap<String, toml::Value>,
    /// Sent instead of `arguments`, as it is.
    #[serde(default)]
    pub(super) raw: Option<String>,
    #[serde(default)]
    pub(super) id: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageSpec {
    #[serde(default)]
    pub(super) input: u64,
    #[serde(default)]
    pub(super) output: u64,
    #[serde(default)]
    pub(super) cache_read: u64,
    #[serde(default)]
    pub(super) cache_write: u64,
    #[serde(default)]
    pub(super) reasoning: u64,
    /// Dollars.
    #[serde(default)]
    pub(super) cost: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    /// By what the reply holds: tool calls or not.
    #[default]
    Auto,
    Length,
    Refusal,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    #[default]
    Whole,
    /// The connection is lost after the text.
    Cut,
    /// Nothing more comes after the text.
    Stall,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultSpec {
    pub(super) kind: FaultKind,
    #[serde(default)]
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) advice: Option<String>,
    #[serde(default)]
    pub(super) retry_after_ms: Option<u64>,
    /// Tries that fail; after them the reply is played. None = all.
    #[serde(default)]
    pub(super) times: Option<u32>,
}

/// Why a script cannot be used.
#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    /// `line:column`.
    pub(super) place: String,
    pub(super) message: String,
    pub(super) excerpt: Option<String>,
}

pub(super) fn parse(text: &str) -> Result<Script, Problem> {
    let mut script: Script = toml::from_str(text).map_err(|error| Problem {
        place: place(text, error.span().map_or(0, |span| span.start)),
        message: error.message().trim_end_matches('.').replace('\n', " "),
        excerpt: Some(error.to_string()),
    })?;
    let compiled = |pattern: &Option<Spanned<String>>| {
        let Some(pattern) = pattern else { return Ok(None) };
        Regex::new(pattern.get_ref()).map(Some).map_err(|error| Problem {
            place: place(text, pattern.span().start),
            message: format!("the pattern is no regular expression ({})", first_reason(&error.to_string())),
            excerpt: Some(error.to_string()),
        })
    };
    for answer in &mut script.supervised {
        answer.regex = compiled(&answer.pattern)?;
    }
    for turn in &mut script.turns {
        turn.regex = compiled(&turn.pattern)?;
        if turn.replies.is_empty() {
            return Err(Problem { place: "1:1".to_owned(), message: "a turn has no reply".to_owned(), excerpt: None });
        }
    }
    Ok(script)
}

/// The regex crate ends its picture of the pattern with the reason.
fn first_reason(error: &str) -> String {
    error.lines().last().unwrap_or(error).trim_start_matches("error: ").to_owned()
}

fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("{line}:{column}")
}
