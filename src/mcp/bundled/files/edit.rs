//! `edit`: edits guarded by line ids, and replacement of a string that occurs once.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::apply::{self, Change};
use super::args::Args;
use super::document::Document;
use super::ids::{self, LineId, Mark};
use super::limits::DIFF_CONTEXT;
use super::preview::{Before, Planned};
use super::{Answer, PATH, Refusal, Tools, diff, store, view};

/// Places shown of a string that occurs more than once.
const PLACES: usize = 8;

pub fn run(tools: &Tools, args: &mut Args) -> Result<Answer, Refusal> {
    let planned = plan(tools, args)?;
    let shown = tools.root.show(&planned.path);
    let Planned { path, before: Some(Before::Text(loaded)), after } = planned else {
        return Err(Refusal::new(format!("{shown} is no text file; nothing was changed.")));
    };
    store::replace(&tools.root, &path, Some(&loaded.bytes), &after.bytes())?;
    tools.seen.note(&path, &after);
    Ok(Answer::text(format!("{shown}: {}", diff::between(&loaded.document, &after))))
}

/// What the edit would make of the file; nothing is written.
pub(super) fn plan(tools: &Tools, args: &mut Args) -> Result<Planned, Refusal> {
    let given = args.required(PATH)?;
    let edits = args.value(&["edits", "changes"]);
    let old = args.text(&["old", "old_string", "old_str", "old_text"])?;
    let new = args.text(&["new", "new_string", "new_str", "new_text"])?;
    let path = tools.root.existing(&given)?;
    tools.root.writable(&given)?;
    let loaded = store::load(&tools.root, &path)?;
    let document = &loaded.document;
    let changes = match (edits, old) {
        (Some(_), Some(_)) => return Err(Refusal::new("Give either `edits` or `old` and `new`, not both.")),
        (None, None) => {
            return Err(Refusal::new(
                "edit needs `edits`, such as [{\"from\":\"12:ab\",\"text\":\"…\"}], or `old` and `new`.",
            ));
        }
        (Some(edits), None) => by_ids(tools, &path, document, edits)?,
        (None, Some(old)) => vec![by_text(document, &old, &new.unwrap_or_default())?],
    };
    let lines = apply::apply(&document.lines, &changes, document.usual_ending()).map_err(|conflict| {
        Refusal::new(format!(
            "Edits {} and {} touch the same lines. Join them into one. Nothing was changed.",
            conflict.one + 1,
            conflict.other + 1
        ))
    })?;
    let after = Document { bom: document.bom, lines };
    let shown = tools.root.show(&path);
    if after == *document {
        return Err(Refusal::new(format!("{shown} already reads so; nothing was changed.")));
    }
    Ok(Planned { path, before: Some(Before::Text(loaded)), after })
}

/// An edit as it was given, or why it makes no sense.
struct Given {
    change: Wanted,
    lines: Vec<String>,
}

enum Wanted {
    Replace { from: String, to: Option<String> },
    After(String),
}

fn by_ids(tools: &Tools, path: &Path, document: &Document, edits: Value) -> Result<Vec<Change>, Refusal> {
    let given = read(edits)?;
    let marks = document.marks();
    let mut changes = Vec::new();
    let mut stale = BTreeSet::new();
    for (index, edit) in given.into_iter().enumerate() {
        let mut find = |id: &str| match locate(id, document, &marks) {
            Ok(found) => Ok(Some(found)),
            Err(Miss::Stale(line)) => {
                stale.insert(line);
                Ok(None)
            }
            Err(Miss::Said(why)) => Err(Refusal::new(format!("Edit {}: {why} Nothing was changed.", index + 1))),
        };
        match edit.change {
            Wanted::After(id) => {
                if let Some(at) = find(&id)? {
                    changes.push(Change::Insert { at, lines: edit.lines });
                }
            }
            Wanted::Replace { from, to } => {
                let first = find(&from)?;
                let last = to.as_deref().map_or(Ok(first), find)?;
                let (Some(first), Some(last)) = (first, last) else { continue };
                if first == 0 || last < first {
                    return Err(Refusal::new(format!(
                        "Edit {}: `to` comes before `from`, or is 0. Nothing was changed.",
                        index + 1
                    )));
                }
                let (first, last) = (first - 1, last - 1);
                if !tools.seen.unchanged(path, document, first, last) {
                    stale.extend(first..=last);
                }
                changes.push(Change::Replace { first, last, lines: edit.lines });
            }
        }
    }
    if stale.is_empty() {
        return Ok(changes);
    }
    tools.seen.note(path, document);
    Err(Refusal::new(format!(
        "The file is not as these ids say; nothing was changed. The lines there now:\n{}",
        around(document, &marks, &stale)
    )))
}

/// Why an id leads nowhere.
enum Miss {
    /// The line (from 0) says something else now.
    Stale(usize),
    Said(String),
}

/// The number of the line, from 1; 0 is the place before the first.
fn locate(given: &str, document: &Document, marks: &[Mark]) -> Result<usize, Miss> {
    let id = LineId::parse(given).ok_or_else(|| {
        Miss::Said(format!(
            "`{given}` is not a line id. An id looks like 12:ab and is printed by view before each line."
        ))
    })?;
    if id.number == 0 {
        return Ok(0);
    }
    let Some(mark) = id.mark else {
        let line = view::print_line(document, marks, id.number - 1);
        return Err(Miss::Said(match marks.get(id.number - 1) {
            Some(_) => {
                format!("`{given}` lacks the two characters after the number. That line is {}.", line.trim_end())
            }
            None => format!("`{given}` is past the end; the file has {} lines.", document.lines.len()),
        }));
    };
    match marks.get(id.number - 1) {
        Some(now) if *now == mark => Ok(id.number),
        _ => Err(Miss::Stale((id.number - 1).min(document.lines.len().saturating_sub(1)))),
    }
}

/// The lines around these, with the ids they have now.
fn around(document: &Document, marks: &[Mark], lines: &BTreeSet<usize>) -> String {
    let near: BTreeSet<usize> = lines
        .iter()
        .flat_map(|line| line.saturating_sub(DIFF_CONTEXT)..=line + DIFF_CONTEXT)
        .filter(|line| *line < document.lines.len())
        .take(200)
        .collect();
    let mut out = String::new();
    let mut previous = None;
    for line in near {
        if previous.is_some_and(|previous: usize| previous + 1 != line) {
            out.push_str("--\n");
        }
        out.push_str(&view::print_line(document, marks, line));
        previous = Some(line);
    }
    if out.is_empty() { "(the file is empty)".into() } else { out }
}

/// The list of edits; a single one and a list written as JSON text are understood too.
fn read(edits: Value) -> Result<Vec<Given>, Refusal> {
    let edits = match edits {
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| Refusal::new(format!("`edits` must be a list, and its text is not JSON: {error}.")))?,
        other => other,
    };
    let edits = match edits {
        Value::Array(edits) => edits,
        single @ Value::Object(_) => vec![single],
        _ => return Err(Refusal::new("`edits` must be a list of objects.")),
    };
    if edits.is_empty() {
        return Err(Refusal::new("`edits` is empty, so there is nothing to change."));
    }
    edits.into_iter().enumerate().map(|(index, edit)| read_one(index + 1, edit)).collect()
}

fn read_one(number: usize, edit: Value) -> Result<Given, Refusal> {
    let wrong = |why: &str| Refusal::new(format!("Edit {number}: {why} Nothing was changed."));
    let Value::Object(edit) = edit else { return Err(wrong("it must be an object.")) };
    let mut args = Args::new("edit", Some(edit));
    let from = args.text(&["from", "start", "id", "line"])?;
    let to = args.text(&["to", "end"])?;
    let after = args.text(&["after", "insert_after"])?;
    let text = args.text(&["text", "new", "content"])?;
    if let Some(unknown) = args.leftovers() {
        return Err(wrong(&format!("{unknown}.")));
    }
    let Some(text) = text else { return Err(wrong("`text` is missing; give \"\" to delete lines.")) };
    let lines = apply::lines_of(&text);
    if !lines.is_empty() && lines.iter().all(|line| ids::has_prefix(line)) {
        return Err(wrong("`text` carries line ids such as 12:ab|; leave them out."));
    }
    let change = match (from, after) {
        (Some(from), None) => Wanted::Replace { from, to },
        (None, Some(_)) if lines.is_empty() => {
            return Err(wrong("there is no `text` to insert; \"\\n\" is a blank line."));
        }
        (None, Some(after)) => Wanted::After(after),
        _ => return Err(wrong("give `from` (and `to`) to replace lines, or `after` to insert.")),
    };
    Ok(Given { change, lines })
}

fn by_text(document: &Document, old: &str, new: &str) -> Result<Change, Refusal> {
    let old = old.replace("\r\n", "\n");
    if old.is_empty() {
        return Err(Refusal::new(
            "`old` is empty. Use `edits` with `after` to insert, or write to fill an empty file.",
        ));
    }
    let joined = document.joined();
    let found: Vec<usize> = joined.match_indices(&old).map(|(at, _)| at).collect();
    match found.as_slice() {
        [at] => Ok(apply::splice(&joined, *at, at + old.len(), new)),
        [] => Err(not_found(document, &old)),
        many => {
            let marks = document.marks();
            let lines: BTreeSet<usize> = many
                .iter()
                .map(|at| joined.get(..*at).unwrap_or_default().matches('\n').count())
                .take(PLACES)
                .collect();
            let places: String = lines.iter().map(|line| view::print_line(document, &marks, *line)).collect();
            Err(Refusal::new(format!(
                "`old` occurs {} times; nothing was changed. Add lines around it, or use `edits` with ids:\n{places}",
                many.len()
            )))
        }
    }
}

/// Says so, and where the text stands with other white space, if it does.
fn not_found(document: &Document, old: &str) -> Refusal {
    let wanted: Vec<&str> = old.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let lines: Vec<(usize, &str)> =
        document.texts().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()).collect();
    let place = (!wanted.is_empty())
        .then(|| lines.windows(wanted.len()).find(|window| window.iter().map(|(_, line)| line).eq(wanted.iter())))
        .flatten();
    let Some(window) = place else {
        return Refusal::new(
            "`old` does not occur in the file; nothing was changed. View the file and copy it exactly.",
        );
    };
    let span: BTreeSet<usize> = window.iter().map(|(index, _)| *index).collect();
    Refusal::new(format!(
        "`old` occurs only with other white space; nothing was changed. The lines as they are:\n{}",
        around(document, &document.marks(), &span)
    ))
}
