//! Agent Plugins 1.0.0: folders with a `plugin.json`, skills and servers.
//!
//! Owns: reading and checking `plugin.json` and `mcp.json`, finding a plugin's skills.
//!
//! Does not own: whether a plugin's servers may run (`session`), running them (`mcp`).
//!
//! Invariant: a bad manifest rejects the plugin whole; a bad skill or server costs only itself. No
//! path of a plugin leads out of its folder.

mod json;
mod manifest;
mod servers;

use std::path::{Path, PathBuf};

use crate::config::{Problem, Source};
use crate::tap::skill::{self, Refusal, Roots};
use crate::tap::{Finding, Part, PartKind, Plugin, Severity, Skill, SkillSource};

pub use servers::{data_folder, servers};

/// The plugins of a folder that holds plugin folders, sorted by name; their skills; what is wrong or
/// doubtful. The findings' `tap` is empty: the caller knows whose folder it is. A folder that is not
/// there has none.
///
/// A plugin folder may be a link as long as it stays in the folder above `folder`.
pub fn read(folder: &Path) -> (Vec<Plugin>, Vec<Skill>, Vec<Finding>) {
    let mut reader = Reader::default();
    let Ok(entries) = std::fs::read_dir(folder) else { return (Vec::new(), Vec::new(), Vec::new()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let roots = Roots::new(folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(folder));
    for path in paths {
        let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if hidden || (!path.is_symlink() && !path.is_dir()) {
            continue;
        }
        match roots.resolve(&path) {
            Ok(real) if real.is_dir() => reader.plugin(&path, &real),
            Ok(_) => {}
            Err(refusal) => reader.refused(&path, &name_of(&path), &refusal),
        }
    }
    reader.plugins.sort_by(|left, right| left.name.cmp(&right.name));
    (reader.plugins, reader.skills, reader.findings)
}

#[derive(Default)]
struct Reader {
    plugins: Vec<Plugin>,
    skills: Vec<Skill>,
    findings: Vec<Finding>,
}

impl Reader {
    fn plugin(&mut self, folder: &Path, real: &Path) {
        let label = name_of(folder);
        let roots = Roots::new(real);
        let source = match self.text(&folder.join("plugin.json"), &label, &roots) {
            Some(source) => source,
            None if self.findings.iter().any(|finding| finding.part.name == label) => return,
            None => {
                let message = "this folder has no plugin.json, so it is no plugin";
                return self.say(folder, &label, Severity::Warning, message, "add the file, or move the folder away");
            }
        };
        let mut remarks = Vec::new();
        let manifest = manifest::read(&source, &mut remarks);
        let name = manifest.as_ref().map_or(label.as_str(), |manifest| manifest.name.as_str()).to_owned();
        let part = part(&name);
        self.findings.extend(remarks.into_iter().map(|remark| remark.finding(&source, &part, "")));
        let Some(manifest) = manifest else { return };
        if let Some(first) = self.plugins.iter().find(|plugin| plugin.name == name) {
            let message =
                format!("there is a plugin `{name}` already, in {}; this one was left out", first.folder.display());
            return self.say(folder, &name, Severity::Error, &message, "give it another name");
        }
        let servers = self.servers(folder, real, &name, &roots);
        let (skills, findings) = skill::read(&folder.join("skills"), SkillSource::Plugin(name.clone()));
        self.findings.extend(findings);
        self.plugins.push(Plugin {
            version: manifest.version,
            description: manifest.description,
            folder: folder.to_owned(),
            servers,
            skills: skills.iter().map(|skill| skill.name.clone()).collect(),
            name,
        });
        self.skills.extend(skills);
    }

    fn servers(&mut self, folder: &Path, real: &Path, name: &str, roots: &Roots) -> Vec<crate::config::schema::Server> {
        let Some(source) = self.text(&folder.join("mcp.json"), name, roots) else { return Vec::new() };
        let mut remarks = Vec::new();
        let servers = servers::read(&source, real, &mut remarks);
        self.findings.extend(remarks.into_iter().map(|remark| remark.finding(&source, &part(name), "")));
        servers
    }

    /// A file of a plugin; `None` when there is none, or it was said why it is not read.
    fn text(&mut self, file: &Path, name: &str, roots: &Roots) -> Option<Source> {
        std::fs::symlink_metadata(file).ok()?;
        if let Err(refusal) = roots.resolve(file) {
            self.refused(file, name, &refusal);
            return None;
        }
        match Source::read(file) {
            Ok(source) => source,
            Err(problem) => {
                self.findings.push(Finding {
                    severity: Severity::Error,
                    part: part(name),
                    tap: String::new(),
                    problem,
                });
                None
            }
        }
    }

    fn refused(&mut self, path: &Path, name: &str, refusal: &Refusal) {
        let message = format!("this was not followed: {refusal}");
        self.say(path, name, Severity::Error, &message, "copy it instead of linking to it");
    }

    fn say(&mut self, path: &Path, name: &str, severity: Severity, message: &str, hint: &str) {
        let problem = Problem::of_file(&path.display().to_string(), message).hint(hint);
        self.findings.push(Finding { severity, part: part(name), tap: String::new(), problem });
    }
}

fn part(name: &str) -> Part {
    Part { kind: PartKind::Plugin, name: name.to_owned() }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
