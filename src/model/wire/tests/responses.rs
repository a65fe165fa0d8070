//! Streams of the responses protocol.

use super::*;

fn added(index: u64, item: &str) -> String {
    event(&format!(r#"{{"type":"response.output_item.added","output_index":{index},"item":{item}}}"#))
}

fn done(index: u64, item: &str) -> String {
    event(&format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#))
}

fn said(index: u64, id: &str, delta: &str) -> String {
    event(&format!(
        r#"{{"type":"response.output_text.delta","item_id":"{id}","output_index":{index},"content_index":0,"delta":"{delta}"}}"#
    ))
}

fn arguments(index: u64, id: &str, delta: &str) -> String {
    event(&format!(
        r#"{{"type":"response.function_call_arguments.delta","item_id":"{id}","output_index":{index},"delta":"{delta}"}}"#
    ))
}

fn closed(kind: &str, response: &str) -> String {
    event(&format!(r#"{{"type":"response.{kind}","response":{response}}}"#))
}

fn message(text: &str) -> String {
    format!(r#"{{"type":"message","id":"m","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}"#)
}

fn call(id: &str, call_id: &str, name: &str, arguments: &str) -> String {
    format!(r#"{{"type":"function_call","id":"{id}","call_id":"{call_id}","name":"{name}","arguments":"{arguments}"}}"#)
}

const CREATED: &str = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\",\"status\":\"in_progress\"}}\n\n";

const USAGE: &str = r#""usage":{"input_tokens":11,"input_tokens_details":{"cached_tokens":4},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14}"#;

pub(super) fn rows() -> Vec<Row> {
    [texts(), endings(), thoughts(), called(), strays()].into_iter().flatten().collect()
}

fn texts() -> Vec<Row> {
    let counted = "usage 11/3 read 4 write 0 think 2";
    let hi = [said(0, "m", "Grüße "), said(0, "m", "🐙")].concat();
    let whole = format!(r#"{{"status":"completed","output":[{}],{USAGE}}}"#, message("Grüße 🐙"));
    vec![
        row(
            "responses text",
            Responses,
            &[
                CREATED,
                &added(0, r#"{"type":"message","id":"m","content":[]}"#),
                &hi,
                &event(r#"{"type":"response.output_text.done","item_id":"m","output_index":0,"text":"Grüße 🐙"}"#),
                &done(0, &message("Grüße 🐙")),
                &closed("completed", &whole),
            ],
            &["text Grüße 🐙", counted, "stop End"],
        ),
        row(
            "responses text that never came in pieces",
            Responses,
            &[CREATED, &done(0, &message("Grüße 🐙")), &closed("completed", "{}")],
            &["text Grüße 🐙", "stop End"],
        ),
        row(
            "responses text that is only in the closing event",
            Responses,
            &[CREATED, &closed("completed", &whole)],
            &["text Grüße 🐙", counted, "stop End"],
        ),
        row(
            "responses text whose end is only in the closing event",
            Responses,
            &[&said(0, "m", "Grüße "), &closed("completed", &whole)],
            &["text Grüße 🐙", counted, "stop End"],
        ),
        row(
            "responses refusal",
            Responses,
            &[
                &event(r#"{"type":"response.refusal.delta","item_id":"m","output_index":0,"delta":"I will not."}"#),
                &closed("completed", "{}"),
            ],
            &["text I will not.", "stop Refusal"],
        ),
        row(
            "responses whole answer where a stream was asked for",
            Responses,
            &[&format!(
                r#"{{"object":"response","status":"completed","error":null,"output":[{}],{USAGE}}}"#,
                message("hi")
            )],
            &["text hi", counted, "stop End"],
        ),
    ]
}

fn endings() -> Vec<Row> {
    let hi = said(0, "m", "hi");
    let cut = "fault Cut: The connection to acme ended in the middle of the reply.";
    vec![
        row(
            "responses closing event without usage, output and status",
            Responses,
            &[&hi, &closed("completed", r#"{"id":"r"}"#)],
            &["text hi", "stop End"],
        ),
        row(
            "responses closing event without a response",
            Responses,
            &[&hi, "data: {\"type\":\"response.completed\"}\n\n"],
            &["text hi", "stop End"],
        ),
        row(
            "responses closing event that is no JSON",
            Responses,
            &[&hi, "event: response.completed\ndata: {\"type\":\"response.comp\n\n"],
            &["text hi", "stop End"],
        ),
        row(
            "responses closing event without its empty line",
            Responses,
            &[&hi, closed("completed", "{}").trim_end()],
            &["text hi", "stop End"],
        ),
        row("responses ended by done alone", Responses, &[&hi, DONE], &["text hi", "stop End"]),
        row(
            "responses all items whole, closing event lost",
            Responses,
            &[&hi, &done(0, &message("hi"))],
            &["text hi", "stop Cut"],
        ),
        row("responses cut in the text", Responses, &[CREATED, &hi], &["text hi", cut]),
        row("responses cut before anything", Responses, &[CREATED], &[cut]),
        row(
            "responses cut in a call",
            Responses,
            &[&added(0, &call("f", "c1", "ls", "")), &arguments(0, "f", "{\\\"p\\\":")],
            &[cut],
        ),
        row(
            "responses out of output tokens",
            Responses,
            &[
                &hi,
                &closed("incomplete", r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#),
            ],
            &["text hi", "stop Length"],
        ),
        row(
            "responses incomplete without a reason",
            Responses,
            &[&hi, &closed("incomplete", "{}")],
            &["text hi", "stop Length"],
        ),
        row(
            "responses filtered",
            Responses,
            &[&hi, &closed("incomplete", r#"{"incomplete_details":{"reason":"content_filter"}}"#)],
            &["text hi", "stop Refusal"],
        ),
        row(
            "responses failed",
            Responses,
            &[
                &hi,
                &closed(
                    "failed",
                    r#"{"status":"failed","error":{"code":"server_error","message":"The server had an error"}}"#,
                ),
            ],
            &["text hi", "fault Server: acme reported an error of its own."],
        ),
        row(
            "responses failed without a word",
            Responses,
            &[&closed("failed", r#"{"status":"failed","error":null}"#)],
            &[
                "fault Protocol: acme sent something that is not its own protocol: the response failed without a reason.",
            ],
        ),
        row(
            "responses error event",
            Responses,
            &[
                &hi,
                "event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window\",\"param\":\"input\"}\n\n",
            ],
            &["text hi", "fault ContextOverflow: The prompt is longer than m1 takes."],
        ),
        row(
            "responses error object with no type",
            Responses,
            &[
                "data: {\"error\":{\"type\":\"invalid_request_error\",\"code\":\"model_not_found\",\"message\":\"The model m1 does not exist\"}}\n\n",
            ],
            &["fault UnknownModel: acme has no model m1."],
        ),
    ]
}

fn thoughts() -> Vec<Row> {
    let think = |delta: &str| {
        event(&format!(
            r#"{{"type":"response.reasoning_summary_text.delta","item_id":"rs","output_index":0,"summary_index":0,"delta":"{delta}"}}"#
        ))
    };
    let next =
        event(r#"{"type":"response.reasoning_summary_part.added","item_id":"rs","output_index":0,"summary_index":1}"#);
    let item = r#"{"type":"reasoning","id":"rs","status":"completed","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"ENC"}"#;
    let kept = r#"{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"ENC"}"#;
    let thought: &'static str = Box::leak(format!("thought a\n\nb|{{\"item\":{kept},\"after\":0}}").into_boxed_str());
    let later: &'static str = Box::leak(
        "thought |{\"item\":{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"E2\"},\"after\":1}"
            .to_owned()
            .into_boxed_str(),
    );
    vec![
        row(
            "responses reasoning with its proof",
            Responses,
            &[
                &added(0, r#"{"type":"reasoning","id":"rs","summary":[]}"#),
                &think("a"),
                &next,
                &think("b"),
                &done(0, item),
                &said(1, "m", "hi"),
                &closed("completed", "{}"),
            ],
            &["think a\n\nb", "text hi", thought, "stop End"],
        ),
        row(
            "responses summary that never came in pieces",
            Responses,
            &[&done(0, item), &said(1, "m", "hi"), &closed("completed", "{}")],
            &["think a\n\nb", "text hi", thought, "stop End"],
        ),
        row(
            "responses reasoning without a proof goes nowhere",
            Responses,
            &[
                &event(r#"{"type":"response.reasoning_text.delta","item_id":"rs","output_index":0,"delta":"hm"}"#),
                &done(
                    0,
                    r#"{"type":"reasoning","id":"rs","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}"#,
                ),
                &said(1, "m", "hi"),
                &closed("completed", "{}"),
            ],
            &["think hm", "text hi", "thought hm|", "stop End"],
        ),
        row(
            "responses reasoning between two calls keeps its place",
            Responses,
            &[
                &done(0, &call("f1", "c1", "ls", "{}")),
                &done(1, r#"{"type":"reasoning","id":"rs2","summary":[],"encrypted_content":"E2"}"#),
                &done(2, &call("f2", "c2", "ls", "{}")),
                &closed("completed", "{}"),
            ],
            &["call c1 ls {}", later, "call c2 ls {}", "stop ToolCalls"],
        ),
    ]
}

fn called() -> Vec<Row> {
    let one = ["call c1 ls {\"p\":1}", "stop ToolCalls"];
    let two = ["call c1 ls {\"p\":1}", "call c2 cat {\"q\":2}", "stop ToolCalls"];
    let (p, q) = ("{\\\"p\\\":1}", "{\\\"q\\\":2}");
    let both = format!(r#"{{"output":[{},{}]}}"#, call("f1", "c1", "ls", p), call("f2", "c2", "cat", q));
    vec![
        row(
            "responses call",
            Responses,
            &[
                &added(0, &call("f", "c1", "ls", "")),
                &arguments(0, "f", "{\\\"p\\\""),
                &arguments(0, "f", ":1}"),
                &event(&format!(
                    r#"{{"type":"response.function_call_arguments.done","item_id":"f","output_index":0,"arguments":"{p}"}}"#
                )),
                &done(0, &call("f", "c1", "ls", p)),
                &closed("completed", "{}"),
            ],
            &one,
        ),
        row(
            "responses parallel calls, pieces mixed",
            Responses,
            &[
                &added(0, &call("f1", "c1", "ls", "")),
                &added(1, &call("f2", "c2", "cat", "")),
                &arguments(1, "f2", "{\\\"q\\\":"),
                &arguments(0, "f1", p),
                &arguments(1, "f2", "2}"),
                &done(1, &call("f2", "c2", "cat", q)),
                &done(0, &call("f1", "c1", "ls", p)),
                &closed("completed", &both),
            ],
            &two,
        ),
        row(
            "responses parallel calls under one index",
            Responses,
            &[
                &added(0, &call("f1", "c1", "ls", "")),
                &added(0, &call("f2", "c2", "cat", "")),
                &arguments(0, "f1", p),
                &arguments(0, "f2", q),
                &closed("completed", "{}"),
            ],
            &two,
        ),
        row(
            "responses calls whose ids change with every event",
            Responses,
            &[
                &added(0, &call("x1", "c1", "ls", "")),
                &arguments(0, "x2", p),
                &done(0, &call("x3", "c1", "ls", p)),
                &added(1, &call("x4", "c2", "cat", "")),
                &arguments(1, "x5", q),
                &done(1, &call("x6", "c2", "cat", q)),
                &closed("completed", &both),
            ],
            &two,
        ),
        row(
            "responses call without indexes",
            Responses,
            &[
                &event(&format!(r#"{{"type":"response.output_item.added","item":{}}}"#, call("f", "c1", "ls", ""))),
                &event(&format!(r#"{{"type":"response.function_call_arguments.delta","delta":"{p}"}}"#)),
                &closed("completed", "{}"),
            ],
            &one,
        ),
        row("responses calls only in the closing event", Responses, &[CREATED, &closed("completed", &both)], &two),
        row(
            "responses one call streamed, the other only in the closing event",
            Responses,
            &[&done(1, &call("f2", "c2", "cat", q)), &closed("completed", &both)],
            &["call c2 cat {\"q\":2}", "call c1 ls {\"p\":1}", "stop ToolCalls"],
        ),
        row(
            "responses call without ids",
            Responses,
            &[&done(0, r#"{"type":"function_call","name":"ls","arguments":{"p":1}}"#), &closed("completed", "{}")],
            &["call call_1 ls {\"p\":1}", "stop ToolCalls"],
        ),
        row(
            "responses call whose tokens ran out",
            Responses,
            &[
                &added(0, &call("f", "c1", "ls", "")),
                &arguments(0, "f", "{\\\"p\\\":"),
                &closed("incomplete", r#"{"incomplete_details":{"reason":"max_output_tokens"}}"#),
            ],
            &[
                "call c1 ls !the arguments are not valid JSON (EOF while parsing a value at line 1 column 5)",
                "stop Length",
            ],
        ),
    ]
}

fn strays() -> Vec<Row> {
    vec![
        row(
            "responses tools of the provider are not ours",
            Responses,
            &[
                &added(0, r#"{"type":"web_search_call","id":"ws","status":"in_progress"}"#),
                &event(r#"{"type":"response.web_search_call.searching","item_id":"ws","output_index":0}"#),
                &done(0, r#"{"type":"web_search_call","id":"ws","status":"completed"}"#),
                &said(1, "m", "hi"),
                &closed("completed", "{}"),
            ],
            &["text hi", "stop End"],
        ),
        row(
            "responses keep-alives, crlf, no event lines",
            Responses,
            &[
                ": ping\r\n\r\ndata: {\"type\":\"keepalive\"}\r\n\r\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\r\n\r\ndata: {\"type\":\"response.completed\",\"response\":{}}\r\n\r\n",
            ],
            &["text hi", "stop End"],
        ),
        row(
            "responses two messages",
            Responses,
            &[
                &said(0, "m1", "one "),
                &done(0, &message("one ").replace("\"m\"", "\"m1\"")),
                &said(1, "m2", "two"),
                &closed("completed", "{}"),
            ],
            &["text one two", "stop End"],
        ),
    ]
}
