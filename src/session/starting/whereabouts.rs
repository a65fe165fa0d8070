//! Where a placeholder stands in the files of an agent.

use std::path::{Path, PathBuf};

use crate::tap::fill::Need;
use crate::tap::resolve::Expanded;

/// Names of what wants values, as [`Need::wanted_by`] has them, and the file of each.
pub(super) type Sources = Vec<(String, PathBuf)>;

pub(super) fn agent(expanded: &Expanded) -> String {
    format!("agent {}", expanded.tag)
}

/// The files that an agent's placeholders can stand in.
pub(super) fn sources(expanded: &Expanded) -> Sources {
    let mut sources = vec![(agent(expanded), expanded.file.clone())];
    for one in &expanded.capabilities {
        let providers = one.capability.providers.iter();
        if let Some(provider) = providers.clone().find(|provider| provider.name == one.provider) {
            sources.push((format!("capability {} of {}", one.name, one.capability.tap.name), provider.file.clone()));
        }
    }
    sources
}

/// The need with the place after each that wants it. Reads the files.
pub(super) fn with_places(need: &mut Need, sources: &Sources) {
    let marker = need.key.to_string();
    for wanted_by in &mut need.wanted_by {
        let Some((_, file)) = sources.iter().find(|(name, _)| name == wanted_by) else { continue };
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        if let Some(found) = find(&text, &marker) {
            *wanted_by = format!("{wanted_by} ({})", shown(file, &found));
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Found {
    /// From 1.
    line: usize,
    /// All of them stand as an example does: in backticks, a fenced block or a table.
    example: bool,
}

fn find(text: &str, marker: &str) -> Option<Found> {
    let (mut first, mut example, mut fenced) = (None, true, false);
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        for (at, _) in line.match_indices(marker) {
            let before = &line[..at];
            // Doubled braces stand for the text itself.
            if before.ends_with("{{") {
                continue;
            }
            first.get_or_insert(index + 1);
            let quoted = before.matches('`').count() % 2 == 1;
            example &= fenced || quoted || line.trim_start().starts_with('|');
        }
    }
    first.map(|line| Found { line, example })
}

fn shown(file: &Path, found: &Found) -> String {
    let place = format!("{}:{}", file.display(), found.line);
    match found.example {
        true => format!("{place}, where it may be an example only; it can do without"),
        false => place,
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, find};

    #[test]
    fn the_first_place_counts_and_an_example_is_one_everywhere() {
        let found = |line, example| Some(Found { line, example });
        for (text, expected) in [
            ("a\nb {{ENV:VAR}}", found(2, false)),
            ("a\n| `{{ENV:VAR}}` | a variable |", found(2, true)),
            ("use `{{ENV:VAR}}`", found(1, true)),
            ("`x` {{ENV:VAR}}", found(1, false)),
            ("```\n{{ENV:VAR}}\n```", found(2, true)),
            ("```\n```\n{{ENV:VAR}}", found(3, false)),
            ("`{{ENV:VAR}}`\nkey = {{ENV:VAR}}", found(1, false)),
            ("{{{{ENV:VAR}}}}", None),
            ("{{ENV:VARS}}", None),
        ] {
            assert_eq!(find(text, "{{ENV:VAR}}"), expected, "{text}");
        }
    }
}
