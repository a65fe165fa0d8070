use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::ToolResult;
use crate::proto::{Effort, ReasoningBlock, ToolCall};

fn text(words: &str) -> Part {
    Part::Text(words.to_owned())
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        purpose: Purpose::Main,
        system: "You are terse and exact.".to_owned(),
        tools: vec![
            ToolSpec { name: "view".into(), description: "Shows a file.".into(), schema: json!({ "type": "object" }) },
            ToolSpec { name: "edit".into(), description: "Changes it.".into(), schema: json!({ "type": "object" }) },
        ],
        static_tools: 2,
        messages,
        effort: Effort::Medium,
        max_tokens: 1000,
        temperature: 0.0,
        top_p: 1.0,
        top_k: 0,
        schema: None,
        idle_timeout: std::time::Duration::ZERO,
    }
}

fn call(name: &str) -> ToolCall {
    ToolCall {
        id: crate::proto::CallId(name.into()),
        provider_id: name.into(),
        wire_name: name.into(),
        arguments: json!({ "path": "src/lib.rs" }),
        malformed: None,
        signature: None,
    }
}

fn result(name: &str, words: &str) -> ToolResult {
    ToolResult { provider_id: name.into(), wire_name: name.into(), parts: vec![text(words)], error: false }
}

fn conversation() -> (Request, Vec<Voice>) {
    let voices = vec![
        Voice::Runtime("instructions".to_owned()),
        Voice::Skill("careful".to_owned()),
        Voice::Person,
        Voice::Person,
    ];
    let messages = vec![
        Message::User(vec![text("the project's rules"), text("be careful, in three steps"), text("look at it")]),
        Message::Assistant {
            text: "I look.".to_owned(),
            reasoning: vec![ReasoningBlock { text: "first the file".to_owned(), ..ReasoningBlock::default() }],
            calls: vec![call("view"), call("edit")],
            model: "p:m".to_owned(),
        },
        Message::Tools(vec![result("view", "fn main() {}"), result("edit", "done"), result("view", "again")]),
        Message::User(vec![text("thanks, and now the tests"), text("the goal, said again")]),
    ];
    (request(messages), voices)
}

#[test]
fn every_part_is_told_by_what_it_is_and_equal_ones_are_added_up() {
    let (request, voices) = conversation();
    let parts = weigh(&request, &voices);
    let told: Vec<String> = parts.iter().map(|(what, _)| format!("{what:?}")).collect();
    assert_eq!(
        told,
        [
            "System",
            "Tool(\"\", \"view\")",
            "Tool(\"\", \"edit\")",
            "Said(\"instructions\")",
            "Skill(\"careful\")",
            "Own",
            "Thinking",
            "Answers",
            "Calls",
            "Results(\"view\")",
            "Results(\"edit\")",
            "Said(\"recite\")",
        ]
    );
    let of = |what: &Filled| parts.iter().find(|(known, _)| known == what).map(|(_, tokens)| *tokens);
    let both = tokens::estimate("fn main() {}") + tokens::estimate("again");
    assert_eq!(of(&Filled::Results("view".to_owned())), Some(both));
    let weight = Weight::of(&parts);
    assert_eq!(weight.system, tokens::estimate(&request.system));
    assert_eq!(weight.tools, request.tools.iter().map(tool_tokens).sum::<u64>());
    assert_eq!(weight.total(), parts.iter().map(|(_, tokens)| tokens).sum::<u64>());
}

#[test]
fn what_no_message_said_is_evidence_to_the_supervisor() {
    let (request, _) = conversation();
    let request = Request { purpose: Purpose::Supervisor(crate::proto::Mechanic::Gate), ..request };
    let parts = weigh(&request, &[]);
    assert!(parts.iter().any(|(what, _)| *what == Filled::Said("evidence".to_owned())), "{parts:?}");
    assert!(!parts.iter().any(|(what, _)| *what == Filled::Own));
}

proptest! {
    /// However many parts and whatever the factor: nothing is lost to rounding.
    #[test]
    fn calibrated_parts_add_up_to_the_calibrated_whole(
        sizes in proptest::collection::vec(1u64..5000, 1..40),
        factor in 0.5f64..2.0,
    ) {
        let parts: Vec<(Filled, u64)> =
            sizes.iter().enumerate().map(|(at, size)| (Filled::Skill(at.to_string()), *size)).collect();
        let apply = |raw: u64| (raw as f64 * factor).round() as u64;
        let told = calibrated(&parts, apply);
        let sum: u64 = told.iter().map(|(_, tokens)| tokens).sum();
        prop_assert_eq!(sum, apply(sizes.iter().sum()));
        prop_assert!(told.iter().all(|(_, tokens)| *tokens > 0));
        for (what, tokens) in &told {
            let raw = parts.iter().find(|(known, _)| known == what).map_or(0, |(_, raw)| *raw);
            prop_assert!(tokens.abs_diff(apply(raw)) <= 1, "{} of {}", tokens, raw);
        }
    }
}
