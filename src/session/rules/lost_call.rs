use serde_json::Value;

/// How models write calls when nobody parses them: what it begins with and what ends it.
const MARKS: &[(&str, &str)] = &[
    ("<tool_call>", "</tool_call>"),
    ("<function=", "</function>"),
    ("<function_call>", "</function_call>"),
    ("<invoke name=", "</invoke>"),
    ("[TOOL_CALLS]", "]"),
    ("<|tool_call", "|>"),
];

/// Bytes of the text a record keeps.
const EXCERPT: usize = 200;

/// The part of a reply that is a tool call written as text, if its end is one. A call that is only
/// talked about, with more text after it, is none.
pub fn lost_call(text: &str, tools: &[String]) -> Option<String> {
    let text = text.trim_end();
    let marked = MARKS.iter().find_map(|(begin, end)| {
        let at = text.rfind(begin)?;
        let body = &text[at + begin.len()..];
        // Cut off by the token limit, the closing mark is missing; what follows it is not.
        let closed = body.find(end).is_none_or(|close| only_closing(&body[close + end.len()..]));
        closed.then_some(&text[at..])
    });
    let found = marked.or_else(|| json_at_end(text).filter(|json| is_call(json, tools)))?;
    Some(found[..found.floor_char_boundary(EXCERPT)].to_owned())
}

/// Nothing but closing tags, fences and space.
fn only_closing(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '`');
        let end = if rest.starts_with("</") {
            rest.find('>').map(|at| at + 1)
        } else if rest.starts_with("<|") {
            rest.find("|>").map(|at| at + 2)
        } else {
            None
        };
        match end {
            Some(end) => rest = &rest[end..],
            None => return rest.is_empty(),
        }
    }
}

/// The JSON object that is the whole text or the fenced block at its end.
fn json_at_end(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_suffix("```") {
        let (_, block) = inner.rsplit_once("```")?;
        let (_, json) = block.split_once('\n')?;
        return Some(json.trim());
    }
    text.trim_start().starts_with('{').then(|| text.trim())
}

fn is_call(json: &str, tools: &[String]) -> bool {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(json) else { return false };
    let fields = match fields.get("function") {
        Some(Value::Object(inner)) => inner,
        _ => &fields,
    };
    let names = ["name", "tool", "tool_name", "function"].iter().filter_map(|key| fields.get(*key)?.as_str());
    let arguments = ["arguments", "parameters", "args", "input"].iter().any(|key| fields.contains_key(*key));
    arguments && names.into_iter().any(|name| tools.iter().any(|tool| tool == name))
}
