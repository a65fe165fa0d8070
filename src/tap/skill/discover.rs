//! Finding skills in a folder.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::confine::{Refusal, Roots};
use super::document::{self, part, tap_name};
use super::settle;
use crate::config::{Problem, Source};
use crate::tap::{Finding, Severity, Skill, SkillSource};

pub const FILE: &str = "SKILL.md";

/// How deep below the `skills` folder a skill may lie: `skills/foo`, `skills/group/foo`.
const DEPTH: usize = 2;

/// Every skill of a `skills` folder, sorted by name, and what is wrong or doubtful in it. A name that
/// stands twice is listed twice, the one that wins first. A folder that is not there has none.
///
/// Links are followed inside the source's own root only, see [`Roots::of`].
pub fn read(folder: &Path, source: SkillSource) -> (Vec<Skill>, Vec<Finding>) {
    let roots = Roots::of(&source, folder);
    let mut reader = Reader { roots, source, seen: HashSet::new(), skills: Vec::new(), findings: Vec::new() };
    match std::fs::symlink_metadata(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        _ => match reader.roots.resolve(folder) {
            Ok(real) => {
                reader.folder(folder, &real, 1);
            }
            Err(refusal) => reader.refused(folder, &refusal),
        },
    }
    settle::order(&mut reader.skills);
    reader.findings.extend(settle::twice(&reader.skills));
    (reader.skills, reader.findings)
}

struct Reader {
    roots: Roots,
    source: SkillSource,
    /// `SKILL.md` files read, without links.
    seen: HashSet<PathBuf>,
    skills: Vec<Skill>,
    findings: Vec<Finding>,
}

/// What a folder holds, links last, so that a folder and a link to it give the folder.
struct Entry {
    path: PathBuf,
    link: bool,
}

impl Reader {
    /// Reads the skills right in a folder; how much there was to say of it.
    fn folder(&mut self, folder: &Path, real: &Path, depth: usize) -> usize {
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.say(
                    folder,
                    Severity::Error,
                    format!("this folder cannot be read: {error}"),
                    "mend its permissions",
                );
                return 0;
            }
        };
        let before = self.skills.len() + self.findings.len();
        for entry in entries {
            let resolved =
                if entry.link { self.roots.resolve(&entry.path) } else { Ok(real.join(name_of(&entry.path))) };
            match resolved {
                Ok(target) if !target.is_dir() => {}
                // A link to a folder around this one would be read for ever.
                Ok(target) if real.starts_with(&target) => self.refused(&entry.path, &Refusal::Loop),
                Ok(target) => self.entry(&entry.path, &target, depth),
                Err(refusal) => self.refused(&entry.path, &refusal),
            }
        }
        self.skills.len() + self.findings.len() - before
    }

    fn entry(&mut self, path: &Path, real: &Path, depth: usize) {
        if let Some(name) = skill_file(path) {
            if depth > 1 && matches!(self.source, SkillSource::Plugin(_)) {
                let why = "this skill lies one level too deep for a plugin and was not read";
                return self.say(&path.join(name), Severity::Warning, why, "move its folder right into `skills`");
            }
            return self.skill(path, real, name);
        }
        if depth < DEPTH {
            if self.folder(path, real, depth + 1) == 0 {
                self.say(path, Severity::Note, format!("this folder holds no {FILE}"), "remove it, or add the file");
            }
        } else if entries(path).is_ok_and(|deeper| deeper.iter().any(|entry| skill_file(&entry.path).is_some())) {
            let why = format!("skills below this folder were not read: they lie more than {DEPTH} levels deep");
            self.say(path, Severity::Warning, why, "move them up");
        }
    }

    fn skill(&mut self, folder: &Path, real: &Path, name: &str) {
        let file = folder.join(name);
        let link = std::fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink());
        let target = match if link { self.roots.resolve(&file) } else { Ok(real.join(name)) } {
            Ok(target) => target,
            Err(refusal) => return self.refused(&file, &refusal),
        };
        if !self.seen.insert(target.clone()) {
            let why = format!("this is the same skill as {}; it is listed once", target.display());
            return self.say(&file, Severity::Note, why, "remove the link if that is not meant");
        }
        let text = match Source::read(&file) {
            Ok(Some(text)) => text,
            Ok(None) => return self.refused(&file, &Refusal::Dangling),
            Err(problem) => {
                let part = part(&name_of(folder));
                let tap = tap_name(&self.source).to_owned();
                return self.findings.push(Finding { severity: Severity::Error, part, tap, problem });
            }
        };
        let (skill, findings) = document::read(&text, &file, &self.source);
        self.findings.extend(findings);
        if name != FILE {
            let why = format!("the file is named {name}; other programs only find {FILE}");
            self.say(&file, Severity::Warning, why, "rename it");
        }
        self.skills.extend(skill);
    }

    fn refused(&mut self, path: &Path, refusal: &Refusal) {
        let hint = "copy the folder instead of linking to it, or remove the link";
        self.say(path, Severity::Error, format!("this was not followed: {refusal}"), hint);
    }

    fn say(&mut self, path: &Path, severity: Severity, message: impl Into<String>, hint: &str) {
        let named =
            if path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE)) { path.parent() } else { None };
        let problem = Problem::of_file(&path.display().to_string(), message).hint(hint);
        let part = part(&name_of(named.unwrap_or(path)));
        self.findings.push(Finding { severity, part, tap: tap_name(&self.source).to_owned(), problem });
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Folders and links, without hidden ones.
fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && (kind.is_dir() || kind.is_symlink()) {
            entries.push(Entry { path: entry.path(), link: kind.is_symlink() });
        }
    }
    entries.sort_by(|left, right| left.link.cmp(&right.link).then_with(|| left.path.cmp(&right.path)));
    Ok(entries)
}

/// The name of the folder's skill file, whatever its case.
fn skill_file(folder: &Path) -> Option<&'static str> {
    [FILE, "skill.md", "Skill.md"].into_iter().find(|name| std::fs::symlink_metadata(folder.join(name)).is_ok())
}
