//! A tool that describes itself otherwise than before: shown as a difference, because what a person
//! agreed to was the first one. Pure.

use std::collections::BTreeMap;

use super::tools::Listed;
use super::visible;
use crate::proto::{Body, Level};

/// So many tools of one reading are shown; the rest is counted.
const SHOWN: usize = 4;

/// Letters shown of a description.
const LETTERS: usize = 300;

/// One warning for each tool whose description, schema or hints changed.
pub fn warnings(server: &str, before: &[Listed], after: &[Listed]) -> Vec<Body> {
    let old: BTreeMap<&str, &Listed> = before.iter().map(|tool| (tool.name.as_str(), tool)).collect();
    let changed = after.iter().filter_map(|new| Some((*old.get(new.name.as_str())?, new)));
    let changed: Vec<_> = changed.filter(|(old, new)| old.hash != new.hash).collect();
    let changes =
        changed.iter().map(|(old, new)| Change { name: &new.name, old: &old.description, new: &new.description });
    told(server, "when it was first listed", changes.collect())
}

/// What a tool said of itself, and says now.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    pub name: &'a str,
    pub old: &'a str,
    pub new: &'a str,
}

/// One warning for each, as far as anybody reads them. `than` ends a comparison: `when it was …`.
pub fn told(server: &str, than: &str, changes: Vec<Change<'_>>) -> Vec<Body> {
    let mut warnings: Vec<Body> = changes.iter().take(SHOWN).map(|change| warning(server, than, change)).collect();
    if changes.len() > SHOWN {
        let text = format!("{server} describes {} more tools otherwise than {than}.", changes.len() - SHOWN);
        warnings.push(notice(server, text));
    }
    warnings
}

fn warning(server: &str, than: &str, change: &Change<'_>) -> Body {
    let name = visible::line(change.name, 80);
    let mut text = format!(
        "{server} describes its tool {name} otherwise than {than}. The model reads the new words from its next request on."
    );
    if change.old != change.new {
        let (old, new) = (visible::line(change.old, LETTERS), visible::line(change.new, LETTERS));
        text.push_str(&format!("\n- {old}\n+ {new}"));
    } else {
        text.push_str("\nIts words are the same; what it takes, or says of its effects, is not.");
    }
    notice(server, text)
}

fn notice(server: &str, text: String) -> Body {
    let hint = format!("If that is not expected, switch {server} off and see what it has become.");
    Body::Notice { level: Level::Warning, source: server.to_owned(), text, hint: Some(hint) }
}
