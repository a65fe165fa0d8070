//! `{{INPUT:KEY}}` and `{{ENV:KEY}}`: what is needed, asking for it, keeping it.

use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::pipeline::{Parts, blocking};
use super::telling::{Refused, RefusedBy, Step, Telling};
use super::whereabouts;
use crate::config::goes_with_commits;
use crate::config::schema::Config;
use crate::proto::{Answer, AskKind, Level, StartStep, StepState};
use crate::session::seams::Person;
use crate::tap::fill::{self, Key, KeyKind, Missing, Need, Needs, Places, Values, keep};
use crate::tap::resolve::{Dep, Expanded};

/// Asks for every value that is not there yet; what stays missing is added to `declined`, and not
/// asked for again.
///
/// # Errors
/// Without a person, when anything is missing.
pub(super) async fn ask(
    parts: &Parts,
    config: &Config,
    expanded: &Expanded,
    declined: &mut Vec<Key>,
    telling: &Telling,
) -> Result<(), Refused> {
    let step = telling.begin(StartStep::Placeholders, "");
    let needs = needs(config, expanded);
    if needs.all().is_empty() {
        step.end(StepState::Skipped, "none");
        return Ok(());
    }
    let missing = parts.with_values(|values| needs.missing(values));
    let sources = whereabouts::sources(expanded);
    let missing = blocking(move || {
        let mut missing = missing;
        missing.iter_mut().for_each(|need| whereabouts::with_places(need, &sources));
        missing
    })
    .await?;
    let places = Places::new(&parts.paths, &parts.workdir);
    if parts.person == Person::Absent && !missing.is_empty() {
        step.end(StepState::Failed, format!("{} without a value", missing.len()));
        let lines: Vec<String> = missing.into_iter().map(|need| Missing::new(need, &places).to_string()).collect();
        return Err(Refused { by: RefusedBy::MissingValue, message: lines.join("\n"), hint: None });
    }
    let mut left = 0;
    let mut warned = false;
    for need in missing {
        step.now(format!("waiting for {}", need.key.name));
        if declined.contains(&need.key) {
            left += 1;
        } else if !answered(parts, &need, &places, &mut warned, telling, &step).await? {
            left += 1;
            declined.push(need.key);
        }
    }
    let detail = filled(needs.all().len(), left);
    step.end(if left == 0 { StepState::Done } else { StepState::Doubtful }, detail);
    Ok(())
}

fn filled(all: usize, left: usize) -> String {
    match left {
        0 => format!("{all} filled in"),
        left => format!("{} filled in, {left} without a value", all - left),
    }
}

fn needs(config: &Config, expanded: &Expanded) -> Needs {
    let mut needs = Needs::default();
    let agent = whereabouts::agent(expanded);
    needs.text(&expanded.role.system, &agent);
    needs.text(&expanded.role.welcome, &agent);
    for server in &expanded.servers {
        let by = match &server.capability {
            Some(name) => format!("capability {name} of {}", server.tap.name),
            None => agent.clone(),
        };
        needs.server(&server.server, &by);
    }
    for server in config.mcp.servers.iter().filter(|one| expanded.role.mcp.server_refs.contains(&one.name)) {
        needs.server(server, &format!("server {} of the configuration", server.name));
    }
    needs
}

/// The variables that placeholders name of those that want the script.
pub(super) fn variables(expanded: &Expanded, dep: &Dep) -> Vec<String> {
    let mut needs = Needs::default();
    if dep.wanted_by.is_empty() {
        needs.text(&expanded.role.system, "");
        needs.text(&expanded.role.welcome, "");
    }
    for server in &expanded.servers {
        let wants = match &server.capability {
            Some(name) => dep.wanted_by.contains(name),
            None => dep.wanted_by.is_empty(),
        };
        if wants {
            needs.server(&server.server, "");
        }
    }
    let keys = needs.all().iter().map(|need| &need.key);
    keys.filter(|key| key.kind == KeyKind::Env).map(|key| key.name.clone()).collect()
}

/// The file, and once that a project's is none that a secret should be in.
async fn kept_in(places: &Places, key: &Key, warned: &mut bool) -> Result<String, Refused> {
    let file = places.file(key).to_owned();
    let shown = file.display().to_string();
    let of_project = file == places.project && !*warned;
    if of_project && blocking(move || goes_with_commits(&file)).await? {
        *warned = true;
        return Ok(format!("{shown}, which git does not ignore here (add .env to .gitignore)"));
    }
    Ok(shown)
}

async fn answered(
    parts: &Parts,
    need: &Need,
    places: &Places,
    warned: &mut bool,
    telling: &Telling,
    step: &Step,
) -> Result<bool, Refused> {
    let key = need.key.clone();
    let kept_in = kept_in(places, &key, warned).await?;
    let kind = AskKind::Secret { key: key.name.clone(), wanted_by: need.wanted_by.join(", "), kept_in };
    let Answer::Text(answer) = telling.ask(kind).await else { return Ok(false) };
    parts.with_values(|values| values.env.mask().add_given(&key.name, answer.trim()));
    step.now(format!("keeping {}", key.name));
    let (parts, places, name) = (parts.clone(), places.clone(), key.name.clone());
    let outcome = blocking(move || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let mut inputs = parts.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut env = parts.env.write().unwrap_or_else(PoisonError::into_inner);
        keep(&key, &answer, &places, &mut inputs, &mut env, u64::try_from(now).unwrap_or_default())
    })
    .await?;
    match outcome {
        Ok(kept) => {
            if let Some(aside) = kept.set_aside {
                let text = format!("{} was damaged; it is now {}.", kept.file.display(), aside.display());
                telling.notice(Level::Warning, text, Some("What could be read of it was kept.".to_owned()));
            }
            Ok(true)
        }
        Err(fill::KeepError::Empty) => Ok(false),
        Err(error @ (fill::KeepError::Io { .. } | fill::KeepError::LinkedAway { .. })) => {
            telling.notice(Level::Warning, format!("{name}: {error}."), None);
            Ok(true)
        }
        Err(error) => {
            telling.notice(Level::Warning, format!("{name}: {error}."), None);
            Ok(false)
        }
    }
}

impl Parts {
    pub(in crate::session) fn with_values<T>(&self, work: impl FnOnce(Values<'_>) -> T) -> T {
        let env = self.env.read().unwrap_or_else(PoisonError::into_inner);
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        work(Values { env: &env, inputs: inputs.values() })
    }

    /// For [`crate::mcp::Options`]: a server's field with its values.
    pub(in crate::session) fn expand(&self) -> crate::mcp::Expand {
        let parts = self.clone();
        Arc::new(move |text| {
            parts
                .with_values(|values| crate::config::expand::expand_with(text, values.env, values.inputs))
                .map_err(|error| error.to_string())
        })
    }
}
