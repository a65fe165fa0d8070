//! `write`: a whole file.

use super::args::Args;
use super::document::Document;
use super::seen::Standing;
use super::{Answer, PATH, Refusal, Tools, diff, store};

pub fn run(tools: &Tools, args: &mut Args) -> Result<Answer, Refusal> {
    let given = args.required(PATH)?;
    let content = args.required(&["content", "text", "contents", "file_text"])?;
    let overwrite = args.flag(&["overwrite", "force"])?;
    let path = tools.root.writable(&given)?;
    let shown = tools.root.show(&path);
    if path.is_dir() {
        return Err(Refusal::new(format!("{shown} is a folder. Give the path of a file.")));
    }
    let after = Document::from_text(&content);
    if !path.exists() {
        store::replace(&tools.root, &path, None, content.as_bytes())?;
        tools.seen.note(&path, &after);
        return Ok(Answer::text(format!("Created {shown}: {} lines, {} bytes.", after.lines.len(), content.len())));
    }
    let before = match store::load(&tools.root, &path) {
        Ok(loaded) => loaded,
        Err(_) if overwrite && path.is_file() => return replace_unreadable(tools, &path, &content, &after),
        Err(why) => return Err(why),
    };
    match tools.seen.standing(&path, &before.document) {
        _ if overwrite => {}
        Standing::Same => {}
        Standing::Unseen => {
            return Err(Refusal::new(format!(
                "{shown} exists ({} lines) and was not viewed here. View it first, use edit, or set overwrite to true.",
                before.document.lines.len()
            )));
        }
        Standing::Changed => {
            return Err(Refusal::new(format!(
                "{shown} changed since it was viewed. View it again, or set overwrite to true."
            )));
        }
    }
    store::replace(&tools.root, &path, Some(&before.bytes), content.as_bytes())?;
    tools.seen.note(&path, &after);
    Ok(Answer::text(format!("Replaced {shown}: {}", diff::between(&before.document, &after))))
}

/// A file that is no text is replaced only on demand; there is no diff to show.
fn replace_unreadable(
    tools: &Tools,
    path: &std::path::Path,
    content: &str,
    after: &Document,
) -> Result<Answer, Refusal> {
    let shown = tools.root.show(path);
    let before = std::fs::read(path).map_err(|error| Refusal::new(format!("Cannot read {shown}: {error}.")))?;
    store::replace(&tools.root, path, Some(&before), content.as_bytes())?;
    tools.seen.note(path, after);
    Ok(Answer::text(format!(
        "Replaced {shown}, which was not text ({} bytes): {} bytes now.",
        before.len(),
        content.len()
    )))
}
