//! `{{SPECIALISTS}}` and `{{USES}}`.

/// What both become. It is the same for every agent and every tap, so that a system prompt never
/// changes with what is installed.
pub const SPECIALIST_SENTENCE: &str = "You do not choose a specialist by name: call tap(action=\"run\", prompt=…) with \
    the task in full, and the agent that fits it best is matched and started for you.";

const NAMES: [&str; 2] = ["SPECIALISTS", "USES"];

/// The text with both placeholders replaced. Doubled braces stand for the placeholder itself.
pub(super) fn fill(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match NAMES.iter().find_map(|name| placeholder(rest, name)) {
            Some((length, Form::Plain)) => {
                filled.push_str(SPECIALIST_SENTENCE);
                length
            }
            Some((length, Form::Doubled)) => {
                filled.push_str(&rest[2..length - 2]);
                length
            }
            None => {
                filled.push('{');
                1
            }
        };
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled
}

enum Form {
    Plain,
    Doubled,
}

/// How long the placeholder is that the text begins with.
fn placeholder(text: &str, name: &str) -> Option<(usize, Form)> {
    let doubled = text.strip_prefix("{{{{").and_then(|rest| rest.strip_prefix(name));
    if doubled.is_some_and(|rest| rest.starts_with("}}}}")) {
        return Some((name.len() + 8, Form::Doubled));
    }
    let plain = text.strip_prefix("{{").and_then(|rest| rest.strip_prefix(name));
    plain.filter(|rest| rest.starts_with("}}")).map(|_| (name.len() + 4, Form::Plain))
}
