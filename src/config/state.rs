//! Small state files of names and texts (`inputs.toml`): what can be read is read.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::problem::Problem;
use super::source::Source;

/// The strings of a flat TOML file. A line that cannot be read costs itself and is named.
pub fn read_texts(path: &Path) -> (BTreeMap<String, String>, Vec<Problem>) {
    match Source::read(path) {
        Ok(Some(source)) => texts(&source),
        Ok(None) => (BTreeMap::new(), Vec::new()),
        Err(problem) => (BTreeMap::new(), vec![problem]),
    }
}

fn texts(source: &Source) -> (BTreeMap<String, String>, Vec<Problem>) {
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    let mut problems = Vec::new();
    let mut broken = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let line = source.line_of(span.start);
        if !broken.contains(&line) {
            broken.push(line);
            problems.push(
                Problem::at(source, span, "this line cannot be read; it was skipped").hint("write NAME = \"text\""),
            );
        }
    }
    let mut found = BTreeMap::new();
    for (name, value) in document.into_inner() {
        let at = name.span();
        // What stands on a broken line was guessed by the parser.
        let lines = source.line_of(at.start)..=source.line_of(value.span().end);
        if broken.iter().any(|line| lines.contains(line)) {
            continue;
        }
        match value.get_ref().as_str() {
            Some(text) => {
                found.insert(name.get_ref().clone().into_owned(), text.to_owned());
            }
            None => problems.push(
                Problem::at(source, at, format!("`{}` is not a string; it was skipped", name.get_ref()))
                    .hint("write NAME = \"text\""),
            ),
        }
    }
    (found, problems)
}

#[cfg(test)]
mod tests;
