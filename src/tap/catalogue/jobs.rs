//! What there is to read: one job for each agent and capability, one for each folder of skills and
//! plugins.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::build::Places;
use crate::config::Problem;
use crate::tap::confine::{Entry, EntryKind, Root};
use crate::tap::document::Report;
use crate::tap::{Finding, Part, PartKind, Severity, SkillSource, Tag, Tap};

/// One piece of work. They come in order of priority.
#[derive(Debug)]
pub(super) enum Job {
    Agent { tap: Arc<Tap>, tag: Tag, file: PathBuf },
    Capability { tap: Arc<Tap>, root: Arc<Root>, folder: Entry },
    Skills { folder: PathBuf, source: SkillSource },
    Plugins { folder: PathBuf, tap: String },
}

/// Everything to be read, and what was wrong on the way to it.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// With the reason where one cannot be read.
    pub taps: Vec<Arc<Tap>>,
    pub jobs: Vec<Job>,
    pub findings: Vec<Finding>,
}

/// The folders of a tap that are read here.
pub(super) const PARTS: [&str; 4] = ["agents", "capabilities", "skills", "plugins"];
/// Others that make a folder a tap.
const OTHER_PARTS: [&str; 2] = ["deps", "workflows"];

pub(super) fn list(places: &Places) -> Work {
    let mut work = Work::default();
    for tap in &places.taps {
        match tap.unavailable.clone().map_or_else(|| Root::new(&tap.root).map_err(|error| error.to_string()), Err) {
            Ok(root) => {
                list_tap(tap, &Arc::new(root), &mut work);
                work.taps.push(tap.clone());
            }
            Err(why) => work.unavailable(tap, why),
        }
    }
    for (folder, source) in [
        (Some(places.workdir.join(".agents/skills")), SkillSource::Workdir),
        (places.user.as_ref().map(|user| user.join("skills")), SkillSource::User),
    ] {
        work.jobs.extend(folder.filter(|folder| folder.is_dir()).map(|folder| Job::Skills { folder, source }));
    }
    let plugins = [Some(places.workdir.join(".agents/plugins")), places.user.as_ref().map(|user| user.join("plugins"))];
    for folder in plugins.into_iter().flatten().filter(|folder| folder.is_dir()) {
        work.jobs.push(Job::Plugins { folder, tap: String::new() });
    }
    if let Some(folder) = places.generated.clone().filter(|folder| folder.is_dir()) {
        work.jobs.push(Job::Skills { folder, source: SkillSource::Generated });
    }
    work
}

impl Work {
    fn unavailable(&mut self, tap: &Tap, why: String) {
        let message = format!("the tap {} cannot be read: {why}", tap.name);
        let problem = Problem::of_file(&tap.root.display().to_string(), message);
        self.finding(Severity::Error, PartKind::Tap, &tap.name, &tap.name, problem);
        self.taps.push(Arc::new(Tap { unavailable: Some(why), ..tap.clone() }));
    }

    fn finding(&mut self, severity: Severity, kind: PartKind, name: &str, tap: &str, problem: Problem) {
        self.findings.push(Finding {
            severity,
            part: Part { kind, name: name.to_owned() },
            tap: tap.to_owned(),
            problem,
        });
    }
}

fn list_tap(tap: &Arc<Tap>, root: &Arc<Root>, work: &mut Work) {
    let top = root.list(&tap.root);
    let mut report = Report::new(PartKind::Tap, &tap.name, &tap.name);
    for problem in top.problems.into_iter().filter(|problem| is_part(Path::new(&problem.file))) {
        report.error(problem);
    }
    let is_folder = |name: &str| top.entries.iter().any(|entry| entry.name == name && entry.kind == EntryKind::Folder);
    if !PARTS.iter().chain(&OTHER_PARTS).any(|name| is_folder(name)) {
        let problem = Problem::of_file(&tap.root.display().to_string(), "this tap has nothing in it");
        report.warning(problem.hint("a tap has agents/, capabilities/, skills/, deps/, workflows/ or plugins/"));
    }
    work.findings.append(&mut report.findings);
    if is_folder("agents") {
        list_agents(tap, root, work);
    }
    if is_folder("capabilities") {
        list_capabilities(tap, root, work);
    }
    if is_folder("skills") {
        work.jobs.push(Job::Skills { folder: tap.root.join("skills"), source: SkillSource::Tap(tap.clone()) });
    }
    if is_folder("plugins") {
        work.jobs.push(Job::Plugins { folder: tap.root.join("plugins"), tap: tap.name.clone() });
    }
}

fn is_part(path: &Path) -> bool {
    path.file_name().is_some_and(|name| PARTS.iter().any(|part| name == *part))
}

fn list_agents(tap: &Arc<Tap>, root: &Arc<Root>, work: &mut Work) {
    let domains = root.list(&tap.root.join("agents"));
    for problem in domains.problems {
        work.finding(Severity::Error, PartKind::Agent, "agents", &tap.name, problem);
    }
    for domain in domains.entries {
        let label = domain.path.display().to_string();
        if domain.kind == EntryKind::File {
            if domain.name.ends_with(".toml") {
                let problem =
                    Problem::of_file(&label, "a manifest belongs into the folder of its domain; this one is left out");
                let problem = problem.hint("agents/<domain>/<agent>.toml");
                work.finding(Severity::Error, PartKind::Agent, &domain.name, &tap.name, problem);
            }
            continue;
        }
        let files = root.list(&domain.path);
        for problem in files.problems {
            work.finding(Severity::Error, PartKind::Agent, &domain.name, &tap.name, problem);
        }
        for file in files.entries {
            let Some(spec) = file.name.strip_suffix(".toml").filter(|_| file.kind == EntryKind::File) else { continue };
            match Tag::parse(&format!("{}:{spec}", domain.name)) {
                Ok(tag) if tag.version.is_none() => {
                    work.jobs.push(Job::Agent { tap: tap.clone(), tag, file: file.path });
                }
                Ok(_) => {
                    let problem = Problem::of_file(
                        &file.path.display().to_string(),
                        "a file name has no @version; this manifest is left out",
                    );
                    work.finding(Severity::Error, PartKind::Agent, &file.name, &tap.name, problem);
                }
                Err(error) => {
                    let message = format!("its place makes no tag, so this manifest is left out: {error}");
                    let problem = Problem::of_file(&file.path.display().to_string(), message);
                    let name = format!("{}:{spec}", domain.name);
                    work.finding(
                        Severity::Error,
                        PartKind::Agent,
                        &name,
                        &tap.name,
                        problem.hint("rename the file or its folder"),
                    );
                }
            }
        }
    }
}

fn list_capabilities(tap: &Arc<Tap>, root: &Arc<Root>, work: &mut Work) {
    let folders = root.list(&tap.root.join("capabilities"));
    for problem in folders.problems {
        work.finding(Severity::Error, PartKind::Capability, "capabilities", &tap.name, problem);
    }
    for folder in folders.entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
        work.jobs.push(Job::Capability { tap: tap.clone(), root: root.clone(), folder });
    }
}
