//! The steps in their order.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::offers::Offers;
use super::telling::{Refused, RefusedBy, Telling};
use super::{capability, role, scripts, values};
use crate::config::schema::Config;
use crate::config::{Env, Loaded, Paths};
use crate::proto::{Decision, Level, StartStep, StepState};
use crate::session::encoder::Recent;
use crate::session::seams::{Person, Role};
use crate::tap::fill::Inputs;
use crate::tap::manifest::{self, Cache, Manifest};
use crate::tap::resolve::{Expanded, Reason, ResolveError, Resolved, Target, expand, resolve};
use crate::tap::{Agent, Catalogue, Severity};

/// What a start is made from.
#[derive(Debug, Clone)]
pub(in crate::session) struct Parts {
    pub loaded: Arc<Loaded>,
    pub paths: Paths,
    pub workdir: PathBuf,
    pub env: Arc<RwLock<Env>>,
    pub inputs: Arc<Mutex<Inputs>>,
    pub offers: Arc<Offers>,
    pub person: Person,
}

const HOUR: u64 = 60 * 60;

impl Parts {
    pub fn time_to_live(config: &Config) -> Duration {
        Duration::from_secs(config.registry.cache_ttl_hours.saturating_mul(HOUR))
    }

    fn roles(&self) -> Vec<&str> {
        self.loaded.config.roles.iter().map(|role| role.name.as_str()).collect()
    }

    fn resolved(&self, asked: &str, catalogue: &Catalogue) -> Result<Resolved, Box<ResolveError>> {
        resolve(Some(asked).filter(|asked| !asked.is_empty()), &self.roles(), catalogue)
    }
}

fn no_such(error: &ResolveError) -> Refused {
    if let Reason::Broken(broken) = &error.reason {
        let hint = broken.problem.hint.clone().or_else(|| Some("Mend it and start again.".to_owned()));
        return Refused { by: RefusedBy::Content, message: format!("{error}."), hint };
    }
    let hint = Some("`octomind config --show` lists the roles; in the workbench f3 lists the agents.".to_owned());
    Refused { by: RefusedBy::Name, message: error.to_string(), hint }
}

/// Whether the name means something. Fetches a tap that was never fetched, if the agent may be in it.
///
/// # Errors
/// Why nothing is meant by it.
pub(in crate::session) async fn check(parts: &Parts, asked: &str) -> Result<(), Refused> {
    find(parts, asked, None).await.map(drop)
}

type Found = (Arc<Catalogue>, Resolved);

async fn find(parts: &Parts, asked: &str, telling: Option<&Telling>) -> Result<Found, Refused> {
    let offers = Arc::clone(&parts.offers);
    let catalogue = blocking(move || offers.catalogue()).await?;
    let error = match parts.resolved(asked, &catalogue) {
        Ok(found) => return Ok((catalogue, found)),
        Err(error) => error,
    };
    let offers = Arc::clone(&parts.offers);
    let names = blocking(move || offers.never_fetched()).await?;
    if names.is_empty() {
        return Err(no_such(&error));
    }
    let catalogue = fetched(parts, names, telling).await?;
    match parts.resolved(asked, &catalogue) {
        Ok(found) => Ok((catalogue, found)),
        Err(error) => Err(no_such(&error)),
    }
}

async fn fetched(parts: &Parts, names: Vec<String>, telling: Option<&Telling>) -> Result<Arc<Catalogue>, Refused> {
    let stop = CancellationToken::new();
    let step = telling.map(|telling| {
        telling.running(&stop);
        Arc::new(telling.begin(StartStep::Tap, format!("fetching {}", names.join(", "))))
    });
    let (offers, shown, inner) = (Arc::clone(&parts.offers), step.clone(), stop.clone());
    let _stops = stop.drop_guard();
    let catalogue = blocking(move || {
        let told = Mutex::new(SystemTime::UNIX_EPOCH);
        offers.fetch(&names, &inner, &|name, progress| {
            let Some(step) = &shown else { return };
            let mut told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if told.elapsed().is_ok_and(|since| since < Duration::from_secs(1)) {
                return;
            }
            *told = SystemTime::now();
            step.now(format!("fetching {name}: {}", crate::text::human::bytes(progress.bytes)));
        });
        offers.read_again()
    })
    .await;
    if let Some(telling) = telling {
        telling.rested();
    }
    catalogue
}

/// Work that reads the disk, off the async threads.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refused {
        by: RefusedBy::Content,
        message: format!("Starting went wrong inside the program: {error}."),
        hint: Some("Please report it.".to_owned()),
    })
}

/// From a name to a role.
///
/// # Errors
/// When there is no such role or agent, it cannot be used, or a value is missing that nobody can be
/// asked for.
pub(in crate::session) async fn prepare(parts: &Parts, asked: &str, telling: &Telling) -> Result<Role, Refused> {
    let (catalogue, agent) = match tag(parts, asked, telling).await? {
        (_, Meant::Role(name)) => {
            return role::local_role(parts, &name).map_err(|message| Refused {
                by: RefusedBy::Name,
                message,
                hint: None,
            });
        }
        (catalogue, Meant::Agent(agent)) => (catalogue, agent),
    };
    let manifest = read_manifest(parts, &agent, telling).await?;
    let mut config = parts.loaded.config.clone();
    let mut scripts = scripts::Scripts::default();
    let mut declined = Vec::new();
    'providers: loop {
        let expanded = expand(&agent, manifest.clone(), &catalogue, &config);
        capability::tell(&expanded, telling);
        values::ask(parts, &config, &expanded, &mut declined, telling).await?;
        while let Some(mut failed) = scripts.run(parts, &expanded, telling).await? {
            let others = capability::other_providers(&failed, &expanded, &catalogue);
            let taken = capability::take_others(parts, &mut config, &others, &failed, telling).await;
            if taken {
                failed.wanted_by.retain(|name| !others.iter().any(|other| other.capability == *name));
            }
            if !taken || !failed.wanted_by.is_empty() {
                scripts.give_up(failed, telling);
            }
            if taken {
                continue 'providers;
            }
        }
        let left_out = scripts.left_out();
        remember_use(parts, &expanded, left_out);
        return Ok(role::of_agent(parts, &config, &expanded, &declined, left_out, telling));
    }
}

/// Its capabilities' phrases are read first from now on. Beside the start, which does not depend on it.
fn remember_use(parts: &Parts, expanded: &Expanded, left_out: &BTreeSet<String>) {
    let names = expanded.capabilities.iter().map(|one| one.name.clone()).filter(|name| !left_out.contains(name));
    let (names, recent): (Vec<String>, _) = (names.collect(), Recent::at(&parts.paths));
    if names.is_empty() {
        return;
    }
    tokio::task::spawn_blocking(move || {
        if let Err(why) = recent.used(&names) {
            tracing::warn!(target: "octomind::session", "{why}");
        }
    });
}

enum Meant {
    Role(String),
    Agent(Arc<Agent>),
}

async fn tag(parts: &Parts, asked: &str, telling: &Telling) -> Result<(Arc<Catalogue>, Meant), Refused> {
    let shown = if asked.is_empty() { "nothing asked for" } else { asked };
    let step = telling.begin(StartStep::Tag, shown);
    let (catalogue, found) = match find(parts, asked, Some(telling)).await {
        Ok(found) => found,
        Err(refused) => {
            step.end(StepState::Failed, refused.message.lines().next().unwrap_or_default());
            return Err(refused);
        }
    };
    let role = found.role_name();
    let detail = if role == asked { role.clone() } else { format!("{shown} → {role}") };
    let (tap, file) = match &found.target {
        Target::Role(_) => (String::new(), parts.paths.config_file.display().to_string()),
        Target::Agent(agent) => (agent.tap.name.clone(), agent.file.display().to_string()),
    };
    let tried = found.tried.clone();
    step.done(detail);
    telling.decided(Decision::RoleResolved { asked: asked.to_owned(), role, tap, file, tried });
    match found.target {
        Target::Role(name) => Ok((catalogue, Meant::Role(name))),
        Target::Agent(agent) => {
            let step = telling.begin(StartStep::Tap, agent.tap.name.as_str());
            match parts.offers.stale() {
                Some(why) => step.end(StepState::Doubtful, format!("{}, as it was before: {why}", agent.tap.name)),
                None => step.done(agent.tap.name.as_str()),
            }
            Ok((catalogue, Meant::Agent(agent)))
        }
    }
}

async fn read_manifest(parts: &Parts, agent: &Arc<Agent>, telling: &Telling) -> Result<Manifest, Refused> {
    let file = agent.file.display().to_string();
    let step = telling.begin(StartStep::Manifest, &*file);
    let cache = Cache { folder: parts.paths.agents.clone(), time_to_live: Parts::time_to_live(&parts.loaded.config) };
    let of = Arc::clone(agent);
    let read = blocking(move || {
        manifest::fetch(&of, &cache, SystemTime::now()).map(|fetched| {
            let parsed = manifest::parse(&fetched.source, &of.tag, &of.tap.name);
            (fetched, parsed)
        })
    })
    .await?;
    let refused = |message: String, hint| Refused { by: RefusedBy::Content, message, hint };
    let (fetched, parsed) = match read {
        Ok(read) => read,
        Err(problem) => {
            step.end(StepState::Failed, problem.headline());
            return Err(refused(problem.headline(), problem.hint));
        }
    };
    // What only its author can better is in the catalogue and in `octomind taps check`.
    let mistakes = parsed.findings.iter().filter(|finding| finding.severity == Severity::Error);
    for finding in mistakes.clone() {
        telling.notice(Level::Error, finding.problem.headline(), finding.problem.hint.clone());
    }
    let mistakes = mistakes.count();
    if fetched.wants_refresh() {
        parts.offers.refresh(|_| {});
    }
    let Some(manifest) = parsed.manifest else {
        step.end(StepState::Failed, format!("{file} holds no role that could be started"));
        let message = format!("The agent {} cannot be started: {file} holds no role that could be.", agent.tag);
        return Err(refused(message, Some("Mend its manifest, or connect another tap that has it.".to_owned())));
    };
    match (mistakes, fetched.wants_refresh()) {
        (0, false) => step.done(file),
        (0, true) => step.end(StepState::Doubtful, format!("{file}, kept earlier; its tap is being refreshed")),
        (count, _) => step.end(StepState::Doubtful, format!("{file}, {count} to be mended, see the notes")),
    }
    Ok(manifest)
}
