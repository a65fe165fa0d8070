//! `[deps]` scripts, one after another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use tokio_util::sync::CancellationToken;

use super::pipeline::{Parts, blocking};
use super::telling::{Refused, Telling};
use super::values;
use crate::config::EnvOrigin;
use crate::proto::{Level, StartStep, StepState};
use crate::tap::deps::{FindError, LIMIT, Left, Running, ScriptError, find, run};
use crate::tap::resolve::{Dep, Expanded};

/// What was run so far in this start.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// (tap, script) of those that are through, one way or the other.
    through: BTreeSet<(String, String)>,
    /// Capabilities whose script did not do what it should.
    left_out: BTreeSet<String>,
    ran: usize,
}

/// A script that did not do what it should.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    /// `org/tool`.
    pub script: String,
    pub tap: String,
    /// Capabilities that want it.
    pub wanted_by: Vec<String>,
    /// One sentence, then the script's last lines.
    pub reason: String,
    pub state: StepState,
    /// It is not there, so there is nothing to mend.
    missing: bool,
}

impl Scripts {
    /// Runs what was not run yet; stops at the first that fails.
    pub async fn run(
        &mut self,
        parts: &Parts,
        expanded: &Expanded,
        telling: &Telling,
    ) -> Result<Option<Failed>, Refused> {
        let waiting: Vec<&Dep> = expanded.deps.iter().filter(|dep| !self.through.contains(&key(dep))).collect();
        if waiting.is_empty() {
            if self.ran == 0 && self.left_out.is_empty() {
                telling.begin(StartStep::Deps, "").end(StepState::Skipped, "none");
            }
            return Ok(None);
        }
        let step = telling.begin(StartStep::Deps, "");
        for dep in waiting {
            step.now(dep.name.as_str());
            let env = environment(parts, expanded, dep);
            let (tap, name) = (dep.tap.clone(), dep.name.clone());
            let outcome = match blocking(move || find(&tap, &name)).await? {
                Err(error) => {
                    let missing = matches!(error, FindError::Missing { .. } | FindError::Name(_));
                    Err((error.to_string(), StepState::Failed, missing))
                }
                Ok(script) => {
                    let cancel = CancellationToken::new();
                    telling.running(&cancel);
                    let running = Running { workdir: &parts.workdir, env: &env, limit: LIMIT };
                    let ran = run(&script, running, |line| step.output(line), &cancel).await;
                    telling.rested();
                    if let Ok(done) = &ran {
                        left_behind(&script.name, &script.tap, &done.left, telling);
                    }
                    ran.map_err(|error| {
                        let cancelled = matches!(error, ScriptError::Cancelled { .. });
                        let state = if cancelled { StepState::Cancelled } else { StepState::Failed };
                        (error.to_string(), state, false)
                    })
                }
            };
            self.through.insert(key(dep));
            if let Err((reason, state, missing)) = outcome {
                step.end(state.clone(), reason.lines().next().unwrap_or_default());
                let (script, tap, wanted_by) = (dep.name.clone(), dep.tap.name.clone(), dep.wanted_by.clone());
                return Ok(Some(Failed { script, tap, wanted_by, reason, state, missing }));
            }
            self.ran += 1;
        }
        let names: Vec<&str> = expanded.deps.iter().map(|dep| dep.name.as_str()).collect();
        match self.left_out.is_empty() {
            true => step.done(names.join(", ")),
            false => step.end(StepState::Doubtful, format!("{} did not come up", self.names())),
        }
        Ok(None)
    }

    /// What needs the script stays off; the rest goes on.
    pub fn give_up(&mut self, failed: Failed, telling: &Telling) {
        let cancelled = failed.state == StepState::Cancelled;
        let level = if cancelled { Level::Warning } else { Level::Error };
        let text = match failed.wanted_by.as_slice() {
            [] => failed.reason.clone(),
            names => format!("{} stays off: {}", names.join(", "), failed.reason),
        };
        let hint = match cancelled {
            true => Some("It was cancelled; /role with the same name tries it again.".to_owned()),
            // The reason says what to do.
            false if failed.missing => None,
            false => Some(format!(
                "Mend deps/{}.sh of {}, or choose another provider in [capabilities].",
                failed.script, failed.tap
            )),
        };
        telling.notice(level, text, hint);
        self.left_out.extend(failed.wanted_by);
    }

    fn names(&self) -> String {
        self.left_out.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    /// Capabilities that are not there.
    pub fn left_out(&self) -> &BTreeSet<String> {
        &self.left_out
    }
}

/// Over the process environment: the person's own file, and of the project's what the placeholders of
/// those name that want the script.
fn environment(parts: &Parts, expanded: &Expanded, dep: &Dep) -> BTreeMap<String, String> {
    let env = parts.env.read().unwrap_or_else(PoisonError::into_inner);
    let named = values::variables(expanded, dep);
    let named = named.iter().filter(|name| matches!(env.origin(name), Some(EnvOrigin::File { .. })));
    let named = named.filter_map(|name| Some((name.as_str(), env.get(name)?)));
    env.from_files().chain(named).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// What outlives the session is not left unsaid.
fn left_behind(script: &str, tap: &str, left: &[Left], telling: &Telling) {
    if left.is_empty() {
        return;
    }
    let (one, them) = if left.len() == 1 { ("process", "it") } else { ("processes", "them") };
    let shown = left.iter().take(LEFT_SHOWN).map(|one| format!("{} {}", one.pid, one.command));
    let mut shown = shown.collect::<Vec<_>>().join("; ");
    if left.len() > LEFT_SHOWN {
        shown.push_str("; …");
    }
    let text = format!("deps/{script}.sh of {tap} left behind {} {one}: {shown}.", left.len());
    let pids: Vec<String> = left.iter().take(LEFT_SHOWN).map(|one| one.pid.to_string()).collect();
    let hint = format!("This session does not end {them}; `kill {}` does.", pids.join(" "));
    telling.notice(Level::Warning, text, Some(hint));
}

/// So many processes are named.
const LEFT_SHOWN: usize = 5;

fn key(dep: &Dep) -> (String, String) {
    (dep.tap.name.clone(), dep.name.clone())
}
