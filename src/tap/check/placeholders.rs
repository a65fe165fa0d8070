//! `{{…}}` that will not be filled in.

use std::ops::Range;

use crate::config::prompt::Placeholder;
use crate::config::{Problem, Source, is_name, nearest_name};
use crate::tap::Severity;
use crate::tap::document::Report;

/// Filled in while a tag is resolved, beside those of every prompt.
const OF_MANIFESTS: [&str; 2] = ["SPECIALISTS", "USES"];

/// With a key after the colon; in prompts and in the fields of servers.
const WITH_KEY: [&str; 2] = ["ENV", "INPUT"];

/// In `system` and `welcome`.
pub(super) fn of_prompt(source: &Source, within: Range<usize>, report: &mut Report) {
    let names: Vec<&str> = Placeholder::ALL.iter().map(|name| name.name()).chain(OF_MANIFESTS).collect();
    each(source, within, &names, report);
}

/// In a field of a server.
pub(super) fn of_server(source: &Source, within: Range<usize>, report: &mut Report) {
    each(source, within, &[], report);
}

fn each(source: &Source, within: Range<usize>, names: &[&str], report: &mut Report) {
    let text = source.text.get(within.clone()).unwrap_or_default();
    for (place, inner) in found(text) {
        if let Some((severity, message, hint)) = judge(inner, names) {
            let span = within.start + place.start..within.start + place.end;
            report.add(severity, Problem::at(source, span, message).hint(hint));
        }
    }
}

/// What stands in double braces. Doubled ones are meant to stay.
fn found(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("{{").map(|next| at + next) {
        if text[start..].starts_with("{{{{") {
            at = text[start..].find("}}}}").map_or(start + 4, |length| start + length + 4);
            continue;
        }
        let Some(length) = text[start + 2..].find("}}") else { break };
        let inner = &text[start + 2..start + 2 + length];
        if inner.contains(['{', '\n']) {
            at = start + 2;
        } else {
            at = start + length + 4;
            found.push((start..at, inner));
        }
    }
    found
}

/// Whether somebody meant one of ours. Braces of other languages are left alone.
fn judge(inner: &str, names: &[&str]) -> Option<(Severity, String, String)> {
    if let Some((kind, key)) = inner.split_once(':') {
        return with_key(inner, kind, key, names.is_empty());
    }
    let upper = inner.trim().to_ascii_uppercase();
    let stays = format!("{{{{{inner}}}}} is no placeholder, so it stays as it is");
    if names.contains(&inner) {
        None
    } else if names.contains(&upper.as_str()) {
        Some((Severity::Warning, stays, format!("write {{{{{upper}}}}}")))
    } else if WITH_KEY.contains(&upper.as_str()) {
        let severity = if names.is_empty() { Severity::Warning } else { Severity::Note };
        Some((severity, stays, format!("write {{{{{upper}:NAME}}}}")))
    } else if inner != upper || !is_name(inner) {
        None
    } else if let Some(near) = nearest_name(inner, names.iter().copied()) {
        Some((Severity::Warning, stays, format!("did you mean {{{{{near}}}}}?")))
    } else {
        let hint = match names.is_empty() {
            true => "here there are {{ENV:NAME}} and {{INPUT:NAME}}".to_owned(),
            false => format!(
                "there are: {}, ENV:NAME, INPUT:NAME; {{{{{{{{{inner}}}}}}}}} if it is meant as it stands",
                names.join(", ")
            ),
        };
        Some((Severity::Warning, stays, hint))
    }
}

/// A prompt may speak of placeholders; what a server is given has to be filled in.
fn with_key(inner: &str, kind: &str, key: &str, of_server: bool) -> Option<(Severity, String, String)> {
    let upper = kind.trim().to_ascii_uppercase();
    let good_key = is_name(key.trim());
    if WITH_KEY.contains(&kind) && good_key {
        return None;
    }
    if WITH_KEY.contains(&upper.as_str()) {
        let message = match good_key {
            true => format!("{{{{{inner}}}}} is no placeholder, so it stays as it is"),
            false => format!("{{{{{inner}}}}} names nothing that could be filled in"),
        };
        let severity = match (good_key, of_server) {
            (false, true) => Severity::Error,
            (false, false) => Severity::Note,
            (true, _) => Severity::Warning,
        };
        let key = if good_key { key.trim() } else { "NAME" };
        return Some((severity, message, format!("write {{{{{upper}:{key}}}}}: letters, digits and _")));
    }
    let near = nearest_name(&upper, WITH_KEY.iter().copied()).filter(|_| good_key && kind == upper)?;
    let message = format!("{{{{{inner}}}}} is no placeholder, so it stays as it is");
    Some((Severity::Warning, message, format!("did you mean {{{{{near}:{}}}}}?", key.trim())))
}

#[cfg(test)]
mod tests;
