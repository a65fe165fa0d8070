//! What fills a request, weighed part by part.

use crate::model::{Message, Part, Request, ToolSpec, Voice};
use crate::proto::{Filled, FilledGroup, Purpose};
use crate::text::tokens;

/// Tokens a model spends on one image, roughly; providers differ.
const IMAGE_TOKENS: u64 = 1600;

/// The kind of what is said again at the end of a request: nobody's message.
const RECITED: &str = "recite";

/// The kind of what the supervisor lays before its own model.
const EVIDENCE: &str = "evidence";

/// Raw estimates of all that the request holds, equal parts added up, in the order they stand there.
/// `voices` says whose words the parts of user messages are; what comes after them was said at the end.
/// Tools go by their name on the wire.
pub fn weigh(request: &Request, voices: &[Voice]) -> Vec<(Filled, u64)> {
    let mut parts = Parts::default();
    parts.add(Filled::System, tokens::estimate(&request.system));
    for tool in &request.tools {
        parts.add(Filled::Tool(String::new(), tool.name.clone()), tool_tokens(tool));
    }
    let mut voices = voices.iter();
    for message in &request.messages {
        match message {
            Message::User(said) => {
                for part in said {
                    let what = match voices.next() {
                        Some(Voice::Person) => Filled::Own,
                        Some(Voice::Skill(name)) => Filled::Skill(name.clone()),
                        Some(Voice::Runtime(kind)) => Filled::Said(kind.clone()),
                        None if request.purpose == Purpose::Main => Filled::Said(RECITED.to_owned()),
                        None => Filled::Said(EVIDENCE.to_owned()),
                    };
                    parts.add(what, part_tokens(part));
                }
            }
            Message::Assistant { text, reasoning, calls, .. } => {
                parts.add(Filled::Thinking, reasoning.iter().map(|block| tokens::estimate(&block.text)).sum());
                parts.add(Filled::Answers, tokens::estimate(text));
                let calls = calls.iter().map(|call| tokens::estimate(&call.arguments.to_string()) + 8);
                parts.add(Filled::Calls, calls.sum());
            }
            Message::Tools(results) => {
                for result in results {
                    let tokens = result.parts.iter().map(part_tokens).sum();
                    parts.add(Filled::Results(result.wire_name.clone()), tokens);
                }
            }
        }
    }
    parts.0
}

#[derive(Default)]
struct Parts(Vec<(Filled, u64)>);

impl Parts {
    fn add(&mut self, what: Filled, tokens: u64) {
        if tokens == 0 {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, known)) => *known += tokens,
            None => self.0.push((what, tokens)),
        }
    }
}

/// The parts as the provider is likely to count them. Their sum is exactly what `apply` makes of the sum.
pub fn calibrated(parts: &[(Filled, u64)], apply: impl Fn(u64) -> u64) -> Vec<(Filled, u64)> {
    let (mut raw, mut told) = (0, 0);
    let mut all = Vec::with_capacity(parts.len());
    for (what, tokens) in parts {
        raw += tokens;
        let upto = apply(raw).max(told);
        if upto > told {
            all.push((what.clone(), upto - told));
        }
        told = upto;
    }
    all
}

/// What the parts of a request weigh, estimated tokens before any factor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    pub system: u64,
    pub tools: u64,
    pub history: u64,
}

impl Weight {
    pub fn of(parts: &[(Filled, u64)]) -> Self {
        let mut weight = Self::default();
        for (what, tokens) in parts {
            match what.group() {
                FilledGroup::System => weight.system += tokens,
                FilledGroup::Tools => weight.tools += tokens,
                _ => weight.history += tokens,
            }
        }
        weight
    }

    pub fn total(&self) -> u64 {
        self.system + self.tools + self.history
    }
}

fn tool_tokens(tool: &ToolSpec) -> u64 {
    tokens::estimate(&tool.name) + tokens::estimate(&tool.description) + tokens::estimate(&tool.schema.to_string())
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(text) => tokens::estimate(text),
        Part::Media { .. } => IMAGE_TOKENS,
    }
}

#[cfg(test)]
mod tests;
