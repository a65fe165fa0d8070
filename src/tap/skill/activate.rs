//! What an activation adds to a session.

use std::path::{Path, PathBuf};

use super::confine::Roots;
use super::front_matter::fences;
use crate::config::Source;
use crate::tap::Skill;
use crate::text::sanitize;

/// The folders whose files an activation lists.
const RESOURCES: [&str; 3] = ["scripts", "references", "assets"];

/// The text of a skill without its front matter, as it is on disk now.
///
/// # Errors
/// One sentence: the file is gone, unreadable, or no longer a skill.
pub fn body(skill: &Skill) -> Result<String, String> {
    let roots = Roots::of(&skill.source, &skill.file);
    let own = folder(skill).map(Roots::new);
    let inside = roots.resolve(&skill.file).or_else(|refusal| match &own {
        Some(own) => own.resolve(&skill.file).map_err(|_| refusal),
        None => Err(refusal),
    });
    let name = &skill.name;
    inside.map_err(|refusal| format!("the skill `{name}` cannot be read from {}: {refusal}", skill.file.display()))?;
    let source = match Source::read(&skill.file) {
        Ok(Some(source)) => source,
        Ok(None) => return Err(format!("the skill `{name}` is gone: {} is no longer there", skill.file.display())),
        Err(problem) => return Err(format!("the skill `{name}` cannot be read: {}", problem.headline())),
    };
    let fences = fences(&source.text).map_err(|remark| {
        format!("the skill `{name}` is none any more, {}: {}", skill.file.display(), remark.message)
    })?;
    Ok(source.text[fences.body].to_owned())
}

/// The text as a person sees it: a model must not read what nobody can. Tabs stay.
pub(super) fn visible(text: &str) -> String {
    let whole: Vec<_> = text.split('\t').map(|part| sanitize(&part.replace("\r\n", "\n")).into_owned()).collect();
    whole.join("\t")
}

/// The body and, under `## Skill Resources`, the absolute paths of the files directly in
/// `scripts/`, `references/` and `assets/`.
///
/// # Errors
/// As [`body`].
pub fn activation_text(skill: &Skill) -> Result<String, String> {
    let mut text = visible(&body(skill)?);
    let resources = resources(skill);
    if !resources.is_empty() {
        text.truncate(text.trim_end().len());
        text.push_str("\n\n## Skill Resources\n\n");
        for path in resources {
            text.push_str(&format!("- {}\n", path.display()));
        }
    }
    Ok(text)
}

fn folder(skill: &Skill) -> Option<&Path> {
    skill.file.parent()
}

/// Sorted within each folder. A link that leads out is left out.
fn resources(skill: &Skill) -> Vec<PathBuf> {
    let Some(folder) = folder(skill).and_then(|folder| std::path::absolute(folder).ok()) else { return Vec::new() };
    let roots = Roots::of(&skill.source, &skill.file);
    let own = Roots::new(&folder);
    let mut found = Vec::new();
    for name in RESOURCES {
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else { continue };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')))
            .filter(|path| path.is_file() && (own.resolve(path).is_ok() || roots.resolve(path).is_ok()))
            .collect();
        files.sort();
        found.extend(files);
    }
    found
}
