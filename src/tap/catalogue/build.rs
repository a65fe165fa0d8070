//! Reading everything, on as many threads as there are processors.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::jobs::{self, Job};
use super::{parts, settle};
use crate::config::{Problem, Source};
use crate::tap::{
    Agent, Capability, Catalogue, Finding, Part, PartKind, Plugin, Severity, Skill, SkillSource, Tag, Tap, capability,
    manifest,
};

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 8;

/// Where everything is read from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places {
    /// In order of priority: the person's, the built-in one, the starter tap.
    pub taps: Vec<Arc<Tap>>,
    /// Its `.agents/skills` and `.agents/plugins` are read.
    pub workdir: PathBuf,
    /// `~/.config/agents`, with `skills` and `plugins`.
    pub user: Option<PathBuf>,
    /// Skills made by learning.
    pub generated: Option<PathBuf>,
}

/// What one job came to.
pub(super) enum Outcome {
    Agent(Option<ReadAgent>, Vec<Finding>),
    Capability(Option<Capability>, Vec<Finding>),
    Skills(Vec<Skill>, Vec<Finding>),
    Plugins(Vec<Plugin>, Vec<Skill>, Vec<Finding>),
    Failed(Finding),
}

/// An agent, and its text for as long as there is something to look up in it.
pub(super) struct ReadAgent {
    pub agent: Agent,
    pub source: Source,
    pub uses_spans: Vec<Range<usize>>,
    pub capability_spans: Vec<Range<usize>>,
}

/// Reads everything there is. Total: what cannot be read is a finding.
pub fn build(places: &Places) -> Catalogue {
    let work = jobs::list(places);
    let outcomes = run(&work.jobs);
    settle::settle(work.taps, outcomes, work.findings)
}

/// The outcome of each job, in the order of the jobs.
fn run(jobs: &[Job]) -> Vec<Outcome> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS);
    // A folder of skills is the longest job; begun last, it would be waited for.
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|index| matches!(jobs[*index], Job::Agent { .. } | Job::Capability { .. }));
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((*index, guarded(&jobs[*index])));
        }
        done
    };
    let mut done: Vec<(usize, Outcome)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(jobs.len())).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        done.extend(others.into_iter().filter_map(|thread| thread.join().ok()).flatten());
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// A mistake of ours in one part must not cost the others.
fn guarded(job: &Job) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| one(job))).unwrap_or_else(|_| {
        let (kind, name, tap, file) = match job {
            Job::Agent { tap, tag, file } => (PartKind::Agent, tag.to_string(), tap.name.clone(), file),
            Job::Capability { tap, folder, .. } => {
                (PartKind::Capability, folder.name.clone(), tap.name.clone(), &folder.path)
            }
            Job::Skills { folder, source } => (PartKind::Skill, "skills".to_owned(), parts::tap_of(source), folder),
            Job::Plugins { folder, tap } => (PartKind::Plugin, "plugins".to_owned(), tap.clone(), folder),
        };
        let message = "reading this went wrong inside the program, so it is left out; please report it";
        let problem = Problem::of_file(&file.display().to_string(), message);
        Outcome::Failed(Finding { severity: Severity::Error, part: Part { kind, name }, tap, problem })
    })
}

fn one(job: &Job) -> Outcome {
    match job {
        Job::Agent { tap, tag, file } => {
            let (agent, findings) = agent(tap, tag, file);
            Outcome::Agent(agent, findings)
        }
        Job::Capability { tap, root, folder } => {
            let (capability, findings) = capability::read(root, folder, tap);
            Outcome::Capability(capability, findings)
        }
        Job::Skills { folder, source } => {
            let (skills, findings) = parts::skills(folder, source);
            Outcome::Skills(skills, findings)
        }
        Job::Plugins { folder, tap } => {
            let (plugins, skills, findings) = parts::plugins(folder, tap);
            Outcome::Plugins(plugins, skills, findings)
        }
    }
}

fn agent(tap: &Arc<Tap>, tag: &Tag, file: &Path) -> (Option<ReadAgent>, Vec<Finding>) {
    let part = || Part { kind: PartKind::Agent, name: tag.to_string() };
    let source = match Source::read(file) {
        Ok(Some(source)) => source,
        // It was removed since it was listed.
        Ok(None) => return (None, Vec::new()),
        Err(problem) => {
            let finding = Finding { severity: Severity::Error, part: part(), tap: tap.name.clone(), problem };
            return (None, vec![finding]);
        }
    };
    let parsed = manifest::parse(&source, tag, &tap.name);
    let agent = parsed.manifest.map(|manifest| ReadAgent {
        agent: Agent {
            tag: manifest.tag,
            title: manifest.title,
            description: manifest.description,
            uses: manifest.uses,
            capabilities: manifest.capabilities,
            tap: tap.clone(),
            file: file.to_path_buf(),
        },
        uses_spans: parsed.uses_spans,
        capability_spans: parsed.capability_spans,
        source,
    });
    (agent, parsed.findings)
}

/// Which source of skills comes first.
pub(super) fn rank(source: &SkillSource) -> u8 {
    match source {
        SkillSource::Tap(_) => 0,
        SkillSource::Workdir => 1,
        SkillSource::User => 2,
        SkillSource::Plugin(_) => 3,
        SkillSource::Generated => 4,
    }
}
