//! Streams as seen in the wild, replayed from bytes.

use super::*;

#[derive(Clone, Copy)]
enum Kind {
    Chat,
    Messages,
    Lines,
    Responses,
}
use Kind::{Chat, Lines, Messages, Responses};

mod responses;

fn machine(kind: Kind) -> Machine {
    let asked = Asked {
        provider: "acme".into(),
        model: "m1".into(),
        key_variable: Some("ACME_API_KEY".into()),
        host: "acme.example".into(),
    };
    let decoder = match kind {
        Chat => Decoder::Chat(openai::Decoder::new(asked.clone())),
        Messages => Decoder::Messages(anthropic::Decoder::new(asked.clone())),
        Lines => Decoder::Ollama(ollama::Decoder::new(asked.clone())),
        Responses => Decoder::Responses(crate::model::responses::Decoder::new(asked.clone())),
    };
    Machine::new(asked, decoder)
}

/// Plays the chunks and tells what came, texts joined, one short line each.
fn replay(kind: Kind, chunks: &[&[u8]]) -> Vec<String> {
    let mut machine = machine(kind);
    let mut deltas = Vec::new();
    let mut run = || -> Result<(), Fault> {
        for chunk in chunks {
            let mut out = Vec::new();
            let flow = machine.push(chunk, &mut out);
            deltas.append(&mut out);
            if flow? == Flow::Done {
                return machine.finish(Flow::Done, &mut deltas);
            }
        }
        machine.finish(Flow::More, &mut deltas)
    };
    let end = run();
    let mut lines: Vec<String> = Vec::new();
    let mut say = |head: &str, text: &str| match lines.last_mut() {
        Some(last) if (head == "text" || head == "think") && last.starts_with(&format!("{head} ")) => {
            last.push_str(text)
        }
        _ => lines.push(format!("{head} {text}")),
    };
    for delta in deltas {
        match delta {
            Delta::Text(text) => say("text", &text),
            Delta::Reasoning(text) => say("think", &text),
            Delta::ReasoningDone(block) => {
                let proof = block.signature.or(block.redacted).unwrap_or_default();
                say("thought", &format!("{}|{proof}", block.text));
            }
            Delta::Call(call) => {
                let arguments = call.malformed.map_or_else(|| call.arguments.to_string(), |why| format!("!{why}"));
                say("call", &format!("{} {} {arguments}", call.provider_id, call.name));
            }
            Delta::Usage(u) => {
                let cost = u.cost.map(|cost| format!(" ${cost}")).unwrap_or_default();
                say(
                    "usage",
                    &format!(
                        "{}/{} read {} write {} think {}{cost}",
                        u.input, u.output, u.cache_read, u.cache_write, u.reasoning
                    ),
                );
            }
            Delta::Stop(reason) => say("stop", &format!("{reason:?}")),
            Delta::CallForming { .. } | Delta::Alive => {}
        }
    }
    if let Err(fault) = end {
        say("fault", &format!("{:?}: {}", fault.kind, fault.message));
    }
    lines
}

/// One chat chunk.
fn chunk(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}\n\n")
}

fn finish(reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
}

fn calls(list: &str) -> String {
    chunk(&format!("\"tool_calls\":[{list}]"))
}

/// An event of the messages protocol, named as the provider names it.
fn event(json: &str) -> String {
    let kind: Value = serde_json::from_str(json).unwrap();
    format!("event: {}\ndata: {json}\n\n", kind["type"].as_str().unwrap())
}

const DONE: &str = "data: [DONE]\n\n";

struct Row {
    name: &'static str,
    kind: Kind,
    bytes: Vec<u8>,
    expect: Vec<&'static str>,
}

fn row(name: &'static str, kind: Kind, text: &[&str], expect: &[&'static str]) -> Row {
    Row { name, kind, bytes: text.concat().into_bytes(), expect: expect.to_vec() }
}

fn framing() -> Vec<Row> {
    let hello = ["text Grüße 🐙", "stop End"];
    let plain = [chunk("\"content\":\"Grüße \""), chunk("\"content\":\"🐙\""), finish("stop"), DONE.into()].concat();
    vec![
        row("plain", Chat, &[&plain], &hello),
        row("crlf", Chat, &[&plain.replace('\n', "\r\n")], &hello),
        row("cr alone", Chat, &[&plain.replace('\n', "\r")], &hello),
        row("no space after data:", Chat, &[&plain.replace("data: ", "data:")], &hello),
        row("byte order mark", Chat, &["\u{feff}", &plain], &hello),
        row(
            "comments",
            Chat,
            &[
                ": ping\n\n:\n\nevent: ping\n\nevent: ping\ndata: {}\n\nid: 7\nretry: 10\n\n",
                &plain.replace("data:", ": OPENROUTER PROCESSING\n\ndata:"),
            ],
            &hello,
        ),
        row("no done", Chat, &[&plain.replace(DONE, "")], &hello),
        row("no empty line at the end", Chat, &[plain.replace(DONE, "").trim_end()], &hello),
        row("no empty lines between events", Chat, &[&plain.replace("\n\n", "\n"), "\n"], &hello),
        row(
            "data over two lines",
            Chat,
            &["data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"ok\"}}]}\n\n", DONE],
            &["text ok", "stop End"],
        ),
        row(
            "words of a gateway between events",
            Chat,
            &[&chunk("\"content\":\"a\""), "data: still working\n\n", DONE],
            &["text a", "stop End"],
        ),
        row("ends without a reason", Chat, &[&chunk("\"content\":\"hal\"")], &["text hal", "stop Cut"]),
        row("done without a reason", Chat, &[&chunk("\"content\":\"all\""), DONE], &["text all", "stop End"]),
        row("nothing at all", Chat, &[""], &["fault Cut: The connection to acme ended in the middle of the reply."]),
        row(
            "a whole answer where a stream was asked for",
            Chat,
            &[
                "{\n  \"choices\": [ { \"message\": { \"content\": \"whole\" },\n \"finish_reason\": \"stop\" } ],\n\"usage\":{\"prompt_tokens\":3}}",
            ],
            &["text whole", "usage 3/0 read 0 write 0 think 0", "stop End"],
        ),
        row(
            "a page instead of a stream",
            Chat,
            &["<html><body>Bad gateway</body></html>"],
            &["fault Protocol: acme sent something that is not its own protocol: no event stream."],
        ),
        row(
            "not json",
            Chat,
            &["data: {\"choices\n\n"],
            &[
                "fault Protocol: acme sent something that is not its own protocol: EOF while parsing a string at line 1 column 9.",
            ],
        ),
    ]
}

fn usage() -> Vec<Row> {
    let tokens = "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_tokens\":6},\"completion_tokens_details\":{\"reasoning_tokens\":2},\"cost\":0.5}";
    let counted = "usage 10/4 read 6 write 0 think 2 $0.5";
    let hi = chunk("\"content\":\"hi\"");
    vec![
        row(
            "emptychoices",
            Chat,
            &[&hi, &finish("stop"), "data: {\"choices\":[],", tokens, "}\n\n", DONE],
            &["text hi", counted, "stop End"],
        ),
        row(
            "null choices",
            Chat,
            &[&hi, "data: {\"choices\":null,", tokens, "}\n\n", DONE],
            &["text hi", counted, "stop End"],
        ),
        row("no choices", Chat, &[&hi, &finish("stop"), "data: {", tokens, "}\n\n"], &["text hi", counted, "stop End"]),
        row(
            "null usage and error",
            Chat,
            &[
                "data: {\"choices\":[{\"delta\":{\"content\":\"hi\",\"tool_calls\":null},\"finish_reason\":null}],\"usage\":null,\"error\":null}\n\n",
                DONE,
            ],
            &["text hi", "stop End"],
        ),
        row(
            "other names",
            Chat,
            &[
                &hi,
                "data: {\"x_groq\":{\"usage\":{\"prompt_tokens\":7.0,\"prompt_cache_hit_tokens\":\"5\"}}}\n\n",
                DONE,
            ],
            &["text hi", "usage 7/0 read 5 write 0 think 0", "stop End"],
        ),
        row(
            "other choices are not ours",
            Chat,
            &[
                "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},{\"index\":0,\"delta\":{\"content\":\"yes\"}}]}\n\n",
                DONE,
            ],
            &["text yes", "stop End"],
        ),
    ]
}

fn tool_calls() -> Vec<Row> {
    let head = r#"{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}"#;
    let args = |index: u32, id: &str, text: &str| {
        let id = if id == "-" { String::new() } else { format!("\"id\":\"{id}\",") };
        calls(&format!(r#"{{"index":{index},{id}"function":{{"name":"","arguments":{}}}}}"#, Value::from(text)))
    };
    let one = ["call a ls {\"p\":1}", "stop ToolCalls"];
    let two = ["call a ls {\"p\":1}", "call b cat {\"q\":2}", "stop ToolCalls"];
    vec![
        row(
            "one call",
            Chat,
            &[&calls(head), &args(0, "-", "{\"p\""), &args(0, "-", ":1}"), &finish("tool_calls"), DONE],
            &one,
        ),
        row("emptyid", Chat, &[&calls(head), &args(0, "", "{\"p\":1}"), &finish("tool_calls"), DONE], &one),
        row(
            "id repeated in every delta",
            Chat,
            &[&calls(head), &args(0, "a", "{\"p\""), &args(0, "a", ":1}"), DONE],
            &one,
        ),
        row("reason says stop", Chat, &[&calls(head), &args(0, "-", "{\"p\":1}"), &finish("stop"), DONE], &one),
        row("reason comes early", Chat, &[&finish("tool_calls"), &calls(head), &args(0, "-", "{\"p\":1}"), DONE], &one),
        row(
            "reason says calls but there are none",
            Chat,
            &[&chunk("\"content\":\"x\""), &finish("tool_calls"), DONE],
            &["text x", "stop End"],
        ),
        row(
            "noid",
            Chat,
            &[&calls(r#"{"index":0,"function":{"name":"ls","arguments":"{\"p\":1}"}}"#), DONE],
            &["call call_1 ls {\"p\":1}", "stop ToolCalls"],
        ),
        row(
            "no index",
            Chat,
            &[
                &calls(r#"{"id":"a","function":{"name":"ls","arguments":"{\"p\":"}}"#),
                &calls(r#"{"function":{"arguments":"1}"}}"#),
                DONE,
            ],
            &one,
        ),
        row(
            "objargs",
            Chat,
            &[&calls(r#"{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":1}}}"#), DONE],
            &one,
        ),
        row("arguments written twice over", Chat, &[&calls(head), &args(0, "-", "\"{\\\"p\\\":1}\""), DONE], &one),
        row("empty object first", Chat, &[&calls(head), &args(0, "-", "{}"), &args(0, "-", "{\"p\":1}"), DONE], &one),
        row("no arguments", Chat, &[&calls(head), DONE], &["call a ls {}", "stop ToolCalls"]),
        row(
            "badargs",
            Chat,
            &[&calls(head), &args(0, "-", "{\"p\":"), DONE],
            &[
                "call a ls !the arguments are not valid JSON (EOF while parsing a value at line 1 column 5)",
                "stop ToolCalls",
            ],
        ),
        row(
            "arguments that are a list",
            Chat,
            &[&calls(head), &args(0, "-", "[1]"), DONE],
            &["call a ls !the arguments are a list, not a JSON object", "stop ToolCalls"],
        ),
        row(
            "two calls in one delta",
            Chat,
            &[
                &calls(
                    r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}"#,
                ),
                DONE,
            ],
            &two,
        ),
        row(
            "interleaved",
            Chat,
            &[
                &calls(head),
                &calls(r#"{"index":1,"id":"b","function":{"name":"cat"}}"#),
                &args(0, "-", "{\"p\""),
                &args(1, "-", "{\"q\""),
                &args(0, "-", ":1}"),
                &args(1, "-", ":2}"),
                DONE,
            ],
            &two,
        ),
        row(
            "badindex",
            Chat,
            &[
                &calls(head),
                &args(0, "-", "{\"p\":1}"),
                &calls(r#"{"index":0,"id":"b","function":{"name":"cat","arguments":""}}"#),
                &args(0, "-", "{\"q\":2}"),
                DONE,
            ],
            &two,
        ),
        row(
            "gapindex",
            Chat,
            &[
                &calls(&head.replace("\"index\":0", "\"index\":3")),
                &args(3, "-", "{\"p\":1}"),
                &calls(r#"{"index":7,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}"#),
                DONE,
            ],
            &two,
        ),
        row("continued under an index nobody announced", Chat, &[&calls(head), &args(5, "-", "{\"p\":1}"), DONE], &one),
        row(
            "ids repeat within one reply",
            Chat,
            &[
                &calls(
                    r#"{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"a","function":{"name":"cat","arguments":"{\"q\":2}"}}"#,
                ),
                DONE,
            ],
            &["call a ls {\"p\":1}", "call a cat {\"q\":2}", "stop ToolCalls"],
        ),
        row(
            "no index, no id, twice",
            Chat,
            &[
                &calls(
                    r#"{"function":{"name":"ls","arguments":"{\"p\":1}"}},{"function":{"name":"cat","arguments":"{\"q\":2}"}}"#,
                ),
                DONE,
            ],
            &["call call_1 ls {\"p\":1}", "call call_2 cat {\"q\":2}", "stop ToolCalls"],
        ),
        row(
            "the id comes late",
            Chat,
            &[&calls(r#"{"index":0,"function":{"name":"ls","arguments":"{\"p\""}}"#), &args(0, "a", ":1}"), DONE],
            &one,
        ),
        row(
            "ghost head without a name",
            Chat,
            &[&calls(r#"{"index":0,"id":"x","function":{"arguments":""}}"#), &chunk("\"content\":\"x\""), DONE],
            &["text x", "stop End"],
        ),
        row(
            "a ghost tool keeps its name",
            Chat,
            &[&calls(r#"{"index":0,"id":"a","function":{"name":"no such tool","arguments":"{}"}}"#), DONE],
            &["call a no such tool {}", "stop ToolCalls"],
        ),
        row(
            "channel marks in the name",
            Chat,
            &[
                &calls(r#"{"index":0,"id":"a","function":{"name":"ls<|channel|>commentary","arguments":"{\"p\":1}"}}"#),
                DONE,
            ],
            &one,
        ),
        row(
            "calls that are no list",
            Chat,
            &["data: {\"choices\":[{\"delta\":{\"tool_calls\":", head, "}}]}\n\n", DONE],
            &["call a ls {}", "stop ToolCalls"],
        ),
        row(
            "the old way",
            Chat,
            &[
                &chunk(r#""function_call":{"name":"ls","arguments":"{\"p\":"}"#),
                &chunk(r#""function_call":{"arguments":"1}"}"#),
                DONE,
            ],
            &["call call_1 ls {\"p\":1}", "stop ToolCalls"],
        ),
        row(
            "a signature of Gemini",
            Chat,
            &[
                &calls(
                    r#"{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"S"}},"function":{"name":"ls","arguments":"{\"p\":1}"}}"#,
                ),
                DONE,
            ],
            &one,
        ),
    ]
}

fn reasoning() -> Vec<Row> {
    let answer = chunk("\"content\":\"so\"");
    vec![
        row(
            "reasoning_content",
            Chat,
            &[
                &chunk("\"reasoning_content\":\"h\",\"content\":null"),
                &chunk("\"reasoning_content\":\"m\""),
                &answer,
                DONE,
            ],
            &["think hm", "text so", "thought hm|", "stop End"],
        ),
        row(
            "reasoning",
            Chat,
            &[&chunk("\"reasoning\":\"hm\",\"content\":\"\""), &answer, DONE],
            &["think hm", "text so", "thought hm|", "stop End"],
        ),
        row(
            "reasoning_details",
            Chat,
            &[
                &chunk(r#""reasoning":"h","reasoning_details":[{"type":"reasoning.text","index":0,"text":"h"}]"#),
                &chunk(
                    r#""reasoning":"m","reasoning_details":[{"type":"reasoning.text","index":0,"text":"m","signature":"S"}]"#,
                ),
                &chunk(r#""reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"D"}]"#),
                &answer,
                DONE,
            ],
            &[
                "think hm",
                "text so",
                r#"thought hm|[{"type":"reasoning.text","index":0,"text":"hm","signature":"S"},{"type":"reasoning.encrypted","index":1,"data":"D"}]"#,
                "stop End",
            ],
        ),
        row(
            "thinking parts",
            Chat,
            &[
                &chunk(
                    r#""content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]"#,
                ),
                DONE,
            ],
            &["think hm", "text so", "thought hm|", "stop End"],
        ),
        row("refusal", Chat, &[&chunk("\"refusal\":\"No.\""), &finish("stop"), DONE], &["text No.", "stop Refusal"]),
        row("length", Chat, &[&answer, &finish("length"), DONE], &["text so", "stop Length"]),
        row("filter", Chat, &[&answer, &finish("content_filter"), DONE], &["text so", "stop Refusal"]),
        row("a reason of its own", Chat, &[&answer, &finish("sleepy"), DONE], &["text so", "stop Other(\"sleepy\")"]),
    ]
}

fn errors() -> Vec<Row> {
    let hi = chunk("\"content\":\"hi\"");
    vec![
        row(
            "error200",
            Chat,
            &[
                "data: {\"error\":{\"message\":\"Incorrect API key provided: sk-abc123\",\"type\":\"invalid_request_error\",\"code\":\"invalid_api_key\"}}\n\n",
            ],
            &["fault WrongKey: acme refused the key."],
        ),
        row(
            "error after text",
            Chat,
            &[
                &hi,
                "data: {\"error\":{\"code\":502,\"message\":\"upstream\"},\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\n",
            ],
            &["text hi", "fault Server: acme failed with status 502."],
        ),
        row(
            "error in a choice",
            Chat,
            &["data: {\"choices\":[{\"delta\":{},\"error\":{\"code\":429,\"message\":\"slow down\"}}]}\n\n"],
            &["fault RateLimit: acme allows no more requests for the moment."],
        ),
        row(
            "error as text",
            Chat,
            &["data: {\"error\":\"model 'm1' not found\"}\n\n"],
            &["fault UnknownModel: acme has no model m1."],
        ),
        row(
            "error event",
            Chat,
            &["event: error\ndata: {\"message\":\"Rate limit reached, try again in 2s\"}\n\n"],
            &["fault RateLimit: acme allows no more requests for the moment."],
        ),
        row(
            "error object",
            Chat,
            &[
                "data: {\"object\":\"error\",\"message\":\"This model's maximum context length is 8192 tokens. However, you requested 9001 tokens.\"}\n\n",
            ],
            &["fault ContextOverflow: The prompt has 9001 tokens, m1 takes 8192."],
        ),
        row(
            "error as a plain body",
            Chat,
            &["{\"error\":{\"message\":\"Insufficient credits\",\"code\":402}}"],
            &["fault OutOfCredit: The account at acme is out of credit."],
        ),
        row(
            "errorevent",
            Messages,
            &[&event(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#)],
            &["fault Overloaded: acme is overloaded."],
        ),
        row(
            "error without its event name",
            Messages,
            &["data: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}}\n\n"],
            &["fault RateLimit: acme allows no more requests for the moment."],
        ),
        row(
            "a text that speaks of errors",
            Chat,
            &[&chunk(r#""content":"{\"error\":1}""#), DONE],
            &["text {\"error\":1}", "stop End"],
        ),
    ]
}

fn messages() -> Vec<Row> {
    let start = event(
        r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":7,"cache_creation_input_tokens":2,"output_tokens":1}}}"#,
    );
    let counted = "usage 14/1 read 7 write 2 think 0";
    let text = [
        event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#),
        event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße "}}"#),
        event(r#"{"type":"ping"}"#),
        event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"🐙"}}"#),
        event(r#"{"type":"content_block_stop","index":0}"#),
    ]
    .concat();
    let end = |reason: &str| {
        event(&format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":9}}}}"#
        )) + &event(r#"{"type":"message_stop"}"#)
    };
    let call_start = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"ls","input":{}}}"#;
    let call = [
        event(call_start),
        event(
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}"#,
        ),
        event(r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#),
    ]
    .concat();
    let stop1 = event(r#"{"type":"content_block_stop","index":1}"#);
    let after = "usage 14/9 read 7 write 2 think 0";
    let called = "call t1 ls {\"p\":1}";
    vec![
        row("text", Messages, &[&start, &text, &end("end_turn")], &[counted, "text Grüße 🐙", after, "stop End"]),
        row(
            "text, crlf",
            Messages,
            &[&[start.as_str(), &text, &end("end_turn")].concat().replace('\n', "\r\n")],
            &[counted, "text Grüße 🐙", after, "stop End"],
        ),
        row(
            "no event names",
            Messages,
            &[
                &[start.as_str(), &text, &end("end_turn")]
                    .concat()
                    .lines()
                    .filter(|line| !line.starts_with("event"))
                    .collect::<Vec<_>>()
                    .join("\n"),
                "\n\n",
            ],
            &[counted, "text Grüße 🐙", after, "stop End"],
        ),
        row(
            "call",
            Messages,
            &[&start, &text, &call, &stop1, &end("tool_use")],
            &[counted, "text Grüße 🐙", called, after, "stop ToolCalls"],
        ),
        row(
            "reason says end_turn",
            Messages,
            &[&start, &call, &stop1, &end("end_turn")],
            &[counted, called, after, "stop ToolCalls"],
        ),
        row(
            "block never closed",
            Messages,
            &[&start, &call, &end("tool_use")],
            &[counted, after, called, "stop ToolCalls"],
        ),
        row(
            "call input whole at its start",
            Messages,
            &[&event(&call_start.replace("\"input\":{}", "\"input\":{\"p\":1}")), &stop1, &end("tool_use")],
            &[called, "usage 0/9 read 0 write 0 think 0", "stop ToolCalls"],
        ),
        row(
            "two calls interleaved",
            Messages,
            &[
                &event(call_start),
                &event(&call_start.replace("\"index\":1", "\"index\":2").replace("t1", "t2").replace("ls", "cat")),
                &event(r#"{"type":"content_block_delta","index":1,"delta":{"partial_json":"{\"p\":1}"}}"#),
                &event(r#"{"type":"content_block_delta","index":2,"delta":{"partial_json":"{\"q\":2}"}}"#),
                &stop1,
                &event(r#"{"type":"content_block_stop","index":2}"#),
                &end("tool_use"),
            ],
            &[called, "call t2 cat {\"q\":2}", "usage 0/9 read 0 write 0 think 0", "stop ToolCalls"],
        ),
        row(
            "signed and hidden thinking",
            Messages,
            &[
                &event(
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
                ),
                &event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#),
                &event(
                    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"AB"}}"#,
                ),
                &event(
                    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"C="}}"#,
                ),
                &event(r#"{"type":"content_block_stop","index":0}"#),
                &event(
                    r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"XYZ"}}"#,
                ),
                &stop1,
                &end("end_turn"),
            ],
            &["think hm", "thought hm|ABC=", "thought |XYZ", "usage 0/9 read 0 write 0 think 0", "stop End"],
        ),
        row(
            "a delta without its start",
            Messages,
            &[
                &event(r#"{"type":"content_block_delta","index":4,"delta":{"type":"text_delta","text":"hi"}}"#),
                &end("end_turn"),
            ],
            &["text hi", "usage 0/9 read 0 write 0 think 0", "stop End"],
        ),
        row(
            "cut before its end",
            Messages,
            &[&start, &event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hal"}}"#)],
            &[counted, "text hal", "fault Cut: The connection to acme ended in the middle of the reply."],
        ),
        row(
            "no message_stop",
            Messages,
            &[
                &start,
                &text,
                &end("end_turn").replace("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", ""),
            ],
            &[counted, "text Grüße 🐙", after, "stop End"],
        ),
        row(
            "max_tokens in the middle of a call",
            Messages,
            &[
                &event(call_start),
                &event(r#"{"type":"content_block_delta","index":1,"delta":{"partial_json":"{\"p\":"}}"#),
                &end("max_tokens"),
            ],
            &[
                "usage 0/9 read 0 write 0 think 0",
                "call t1 ls !the arguments are not valid JSON (EOF while parsing a value at line 1 column 5)",
                "stop Length",
            ],
        ),
        row(
            "a whole message",
            Messages,
            &[
                r#"{"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"ls","input":{"p":1}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}"#,
            ],
            &["text hi", called, "usage 3/2 read 0 write 0 think 0", "stop ToolCalls"],
        ),
        row(
            "a server's own tool is not ours",
            Messages,
            &[
                &event(
                    r#"{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search"}}"#,
                ),
                &stop1,
                &end("end_turn"),
            ],
            &["usage 0/9 read 0 write 0 think 0", "stop End"],
        ),
    ]
}

fn lines() -> Vec<Row> {
    let think = "{\"message\":{\"thinking\":\"hm\"}}\n";
    let say = "{\"message\":{\"content\":\"Grüße\"},\"done\":false}\n";
    let call = "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"ls\",\"arguments\":{\"p\":1}}},{\"id\":\"x\",\"function\":{\"name\":\"cat\",\"arguments\":\"{\\\"q\\\":2}\"}}]}}\n";
    let done = "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":3}\n";
    let counted = "usage 7/3 read 0 write 0 think 0";
    vec![
        row("ollama", Lines, &[think, say, done], &["think hm", "text Grüße", counted, "thought hm|", "stop End"]),
        row(
            "ollama, crlf and no last line end",
            Lines,
            &[&say.replace('\n', "\r\n"), done.trim_end()],
            &["text Grüße", counted, "stop End"],
        ),
        row(
            "ollama calls",
            Lines,
            &[call, done],
            &[counted, "call call_1 ls {\"p\":1}", "call x cat {\"q\":2}", "stop ToolCalls"],
        ),
        row(
            "ollama error in the stream",
            Lines,
            &[say, "{\"error\":\"model 'm1' not found, try pulling it first\"}\n"],
            &["text Grüße", "fault UnknownModel: acme has no model m1."],
        ),
        row(
            "ollama breaks off",
            Lines,
            &[say],
            &["text Grüße", "fault Cut: The connection to acme ended in the middle of the reply."],
        ),
        row(
            "ollama runs out of room",
            Lines,
            &[say, &done.replace("stop", "length")],
            &["text Grüße", counted, "stop Length"],
        ),
    ]
}

fn all() -> Vec<Row> {
    [framing(), usage(), tool_calls(), reasoning(), errors(), messages(), lines(), responses::rows()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn every_stream_gives_exactly_what_it_means() {
    let mut wrong = String::new();
    for row in all() {
        let got = replay(row.kind, &[&row.bytes]);
        if got != row.expect {
            wrong.push_str(&format!("{}\n  expected {:?}\n  got      {got:?}\n", row.name, row.expect));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn where_a_stream_is_cut_into_chunks_changes_nothing() {
    for row in all() {
        let single: Vec<&[u8]> = row.bytes.chunks(1).collect();
        assert_eq!(replay(row.kind, &single), row.expect, "{} byte by byte", row.name);
        for split in 1..row.bytes.len() {
            let (a, b) = row.bytes.split_at(split);
            assert_eq!(replay(row.kind, &[a, b]), row.expect, "{} cut at {split}", row.name);
        }
    }
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_reply() {
    let bytes = [chunk("\"content\":\"a%\""), chunk("\"content\":\"b\""), DONE.into()].concat().into_bytes();
    let broken: Vec<u8> = bytes.into_iter().map(|byte| if byte == b'%' { 0xff } else { byte }).collect();
    let lines = replay(Chat, &[&broken]);
    assert!(lines[0].starts_with("text a") && lines[0].ends_with('b'), "{lines:?}");
}

#[test]
fn keep_alives_are_seen_as_life() {
    let mut machine = machine(Chat);
    for bytes in [": ping\n\n", ":\n", "event: ping\n\n", "da"] {
        let mut out = Vec::new();
        machine.push(bytes.as_bytes(), &mut out).unwrap();
        assert_eq!(out, vec![Delta::Alive], "{bytes:?}");
    }
}

#[test]
fn nothing_after_the_end_is_read() {
    let bytes = [chunk("\"content\":\"a\""), DONE.into(), chunk("\"content\":\"b\"")].concat();
    assert_eq!(replay(Chat, &[bytes.as_bytes()]), vec!["text a", "stop End"]);
}

#[tokio::test]
async fn an_error_body_without_end_is_not_read_to_its_end() {
    let endless = futures::stream::repeat_with(|| Ok(vec![b'x'; 1000]));
    assert_eq!(beginning(endless).await.len(), ERROR_BODY);
}

#[test]
fn a_reply_cut_in_its_second_call_gives_no_call() {
    let call = |index: u32, arguments: &str| {
        let call = serde_json::json!({"index": index, "id": format!("c{index}"),
            "function": {"name": "shell", "arguments": arguments}});
        format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let calls = |lines: &[String]| lines.iter().filter(|line| line.starts_with("call ")).count();
    let first = call(0, "{\"command\":\"rm a\"}");
    for second in ["{\"command\":\"cp a", ""] {
        let second = call(1, second);
        let lines = replay(Chat, &[first.as_bytes(), second.as_bytes()]);
        assert_eq!(calls(&lines), 0, "{lines:?}");
        let ended = replay(Chat, &[first.as_bytes(), second.as_bytes(), b"data: [DONE]\n\n"]);
        assert_eq!(calls(&ended), 2, "{ended:?}");
    }
}
