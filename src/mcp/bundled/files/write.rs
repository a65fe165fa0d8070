//! `write`: a whole file.

use super::args::Args;
use super::document::Document;
use super::preview::{Before, Planned};
use super::seen::Standing;
use super::{Answer, PATH, Refusal, Tools, diff, store};

/// What a file that is there and was not viewed needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Given,
    ByViewing,
}

pub fn run(tools: &Tools, args: &mut Args) -> Result<Answer, Refusal> {
    let (Planned { path, before, after }, leave) = plan(tools, args)?;
    let shown = tools.root.show(&path);
    let content = after.bytes();
    let (lines, size) = (after.lines.len(), content.len());
    let (bytes, done) = match &before {
        None => (None, format!("Created {shown}: {lines} lines, {size} bytes.")),
        // A file that is no text is replaced only on demand; there is no diff to show.
        Some(Before::Other(bytes)) => (
            Some(bytes.as_slice()),
            format!("Replaced {shown}, which was not text ({} bytes): {size} bytes now.", bytes.len()),
        ),
        Some(Before::Text(before)) => {
            if leave == Leave::ByViewing {
                viewed(tools, &path, &before.document)?;
            }
            let diff = diff::between(&before.document, &after);
            (Some(before.bytes.as_slice()), format!("Replaced {shown}: {diff}"))
        }
    };
    store::replace(&tools.root, &path, bytes, &content)?;
    tools.seen.note(&path, &after);
    Ok(Answer::text(done))
}

/// What the file would be; nothing is written.
pub(super) fn plan(tools: &Tools, args: &mut Args) -> Result<(Planned, Leave), Refusal> {
    let given = args.required(PATH)?;
    let content = args.required(&["content", "text", "contents", "file_text"])?;
    let overwrite = args.flag(&["overwrite", "force"])?;
    let path = tools.root.writable(&given)?;
    let shown = tools.root.show(&path);
    if path.is_dir() {
        return Err(Refusal::new(format!("{shown} is a folder. Give the path of a file.")));
    }
    let before = if path.exists() {
        Some(match store::load(&tools.root, &path) {
            Ok(loaded) => Before::Text(loaded),
            Err(_) if overwrite && path.is_file() => Before::Other(
                std::fs::read(&path).map_err(|error| Refusal::new(format!("Cannot read {shown}: {error}.")))?,
            ),
            Err(why) => return Err(why),
        })
    } else {
        None
    };
    let leave = if overwrite { Leave::Given } else { Leave::ByViewing };
    Ok((Planned { path, before, after: Document::from_text(&content) }, leave))
}

fn viewed(tools: &Tools, path: &std::path::Path, before: &Document) -> Result<(), Refusal> {
    let shown = tools.root.show(path);
    match tools.seen.standing(path, before) {
        Standing::Same => Ok(()),
        Standing::Unseen => Err(Refusal::new(format!(
            "{shown} exists ({} lines) and was not viewed here. View it first, use edit, or set overwrite to true.",
            before.lines.len()
        ))),
        Standing::Changed => {
            Err(Refusal::new(format!("{shown} changed since it was viewed. View it again, or set overwrite to true.")))
        }
    }
}
