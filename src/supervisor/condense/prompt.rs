//! What the condenser reads. The system text is constant; everything else is one JSON document.

use serde_json::{Value, json};

use super::{Candidate, Need};
use crate::proto::Mechanic;
use crate::supervisor::Ask;
use crate::supervisor::document::{self, list, object, one_of, string};
use crate::supervisor::excerpt::excerpt;

/// Tokens of the parts, estimated.
const REQUEST: u64 = 1_500;
const INTENT: u64 = 1_000;

const ANSWER_TOKENS: u32 = 4_096;

const CONDENSE: &str = include_str!("condense.md");

pub fn id(at: usize) -> String {
    format!("r{}", at + 1)
}

pub fn ask(candidates: &[Candidate], need: &Need) -> Ask {
    let result = |(at, candidate): (usize, &Candidate)| {
        let shown: Vec<Value> = candidate.view.shown.iter().map(|(first, last)| json!([first, last])).collect();
        json!({
            "id": id(at),
            "tool": candidate.tool,
            "outcome": candidate.outcome,
            "lines": candidate.view.lines,
            "shown": shown,
            "text": candidate.view.text,
        })
    };
    let visible = candidates.iter().enumerate().filter(|(_, candidate)| candidate.trouble.is_none());
    let document = json!({
        "request": excerpt(need.goal, REQUEST).json(),
        "plan": document::plan(need.plan),
        "agent_said_before_the_calls": excerpt(need.intent, INTENT).json(),
        "results": visible.map(result).collect::<Vec<_>>(),
    });
    let ranges = list(&list(&json!({ "type": "integer" })));
    let keep = json!({ "anyOf": [one_of(&["all", "none"]), ranges] });
    let schema = object(&[("results", list(&object(&[("id", string()), ("keep", keep)])))]);
    Ask {
        mechanic: Mechanic::Condense,
        system: CONDENSE.trim_end().to_owned(),
        text: format!("The results, as JSON data:\n{document}"),
        schema,
        max_tokens: ANSWER_TOKENS,
    }
}
