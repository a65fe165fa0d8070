//! What verifiers read. The system texts are constant; everything else is one JSON document.

use serde_json::{Value, json};

use super::Case;
use super::settle::{blocking, stands};
use crate::proto::{Gap, Mechanic};
use crate::supervisor::Ask;
use crate::supervisor::document::{self, Shown, Since, lines, list, object, one_of, pretty, string};
use crate::supervisor::evidence::Facts;
use crate::supervisor::excerpt::excerpt;
use crate::text::tokens::estimate;

/// Tokens of a case, estimated; and of its parts at the most.
const CASE: u64 = 24_000;
const REQUEST: u64 = 1_500;
const MESSAGES: u64 = 4_000;
const REPLY: u64 = 4_000;
const EVENT: u64 = 3_000;

const ANSWER_TOKENS: u32 = 8_192;

const VERIFY: &str = include_str!("verify.md");
const REFUTE: &str = include_str!("refute.md");

pub fn verify(case: &str) -> Ask {
    let gap = object(&[
        ("finding", string()),
        ("blocking", json!({ "type": "boolean" })),
        ("ref", string()),
        ("quote", string()),
        ("same_as", string()),
        ("forbidden_by", string()),
    ]);
    let schema = object(&[
        ("verdict", one_of(&["pass", "gaps"])),
        ("evidence", list(&object(&[("ref", string()), ("quote", string())]))),
        ("gaps", list(&gap)),
    ]);
    ask(Mechanic::Gate, VERIFY, case.to_owned(), schema)
}

pub fn refute(case: &str, gaps: &[Gap]) -> Ask {
    let finding = |(at, gap): (usize, &Gap)| json!({ "id": finding_id(at), "finding": gap.finding, "ref": gap.reference, "quote": gap.quote });
    let findings: Vec<Value> = gaps.iter().enumerate().filter(|(_, gap)| stands(gap)).map(finding).collect();
    let looked = object(&[("id", string()), ("stands", json!({ "type": "boolean" })), ("why", string())]);
    let text = format!("{case}\n\nThe findings, as JSON data:\n{}", pretty(&json!(findings)));
    ask(Mechanic::Refute, REFUTE, text, object(&[("findings", list(&looked))]))
}

pub fn finding_id(at: usize) -> String {
    format!("g{}", at + 1)
}

pub fn earlier_id(at: usize) -> String {
    format!("e{}", at + 1)
}

fn ask(mechanic: Mechanic, system: &str, text: String, schema: Value) -> Ask {
    Ask { mechanic, system: system.trim_end().to_owned(), text, schema, max_tokens: ANSWER_TOKENS }
}

/// The case as a verifier reads it, and what a quote of it can come from.
pub fn case(case: &Case, facts: &Facts) -> (String, Shown) {
    let mut shown = Shown::default();
    let reply = excerpt(case.reply, REPLY);
    shown.by_reference.insert("reply".to_owned(), reply.parts());
    let phases = case.plan.phases.iter().map(|phase| format!("{}\n{}\n", phase.title, phase.done_when));
    shown.by_reference.insert("plan".to_owned(), phases.collect());
    let turn = case.events.get(case.turn_from..).unwrap_or_default();
    let calls = |of: &[usize]| lines(of.iter().map(|at| format!("{} {}", turn[*at].reference, turn[*at].line)));
    let earlier = case.before.map(blocking).unwrap_or_default();
    let earlier = earlier.iter().enumerate().map(|(at, gap)| json!({ "id": earlier_id(at), "finding": gap.finding }));
    let mut document = json!({
        "request": excerpt(case.goal, REQUEST).json(),
        "user_messages": document::messages(case.messages, MESSAGES, &mut shown),
        "forbidden_by_user": lines(case.prohibitions.iter().cloned()),
        "agent_status": case.claim.map_or(json!("none given"), |claim| json!(claim)),
        "reply": reply.json(),
        "changes_in_this_turn": calls(&facts.changes),
        "commands_after_last_change": { "succeeded": calls(&facts.checks), "failed": calls(&facts.failed) },
        "commands_not_found": calls(&facts.not_found),
        "saved_files": lines(case.artifacts.iter().cloned()),
        "plan": document::plan(case.plan),
        "earlier_gaps": earlier.collect::<Vec<_>>(),
    });
    let room = CASE.saturating_sub(estimate(&pretty(&document)));
    let since = Since { index: case.turn_from, key: "turn", before: "earlier", after: "this" };
    document["events"] = json!(document::events(case.events, since, room, EVENT, &mut shown));
    document["left_out"] = json!(shown.left_out);
    (format!("The case, as JSON data:\n{}", pretty(&document)), shown)
}
