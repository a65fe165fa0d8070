//! A session out of the real parts: configuration, environment, providers, servers.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::children::RealChildren;
use super::encoder::Sentences;
use super::plugin_servers::Plugins;
use super::real_tools::RealTools;
use super::rules::Limits;
use super::seams::{
    Approval, Models, Person, Pick, Resolution, Role, Roles, Setup, StartTools, Supervision, Switch, Tools,
};
use super::starting::{self, Offers, Parts, Refused, Telling, local_role};
use super::surface::Wares;
use super::trust::TrustFlag;
use super::trust_desk::TrustDesk;
use super::{Handle, actor, not_run};
use crate::config::{self, Env, Loaded, Paths, Problem, prompt};
use crate::mcp::{self, ServerSpec};
use crate::model::{self, HttpProbe, Model, Otherwise};
use crate::proto::{Body, Decision, Fault, Held, Level, Timestamp};
use crate::sandbox::Holding;
use crate::tap::fill::Inputs;

/// What a front end gives to start a session.
#[derive(Debug, Clone)]
pub struct Start {
    pub loaded: Arc<Loaded>,
    pub paths: Paths,
    pub env: Env,
    pub workdir: PathBuf,
    pub role: Option<String>,
    /// `provider:model`; wins over the role's and the saved one.
    pub model: Option<String>,
    pub pick: Pick,
    /// Someone is there to be asked; without one, policy decides and says so.
    pub person: bool,
    /// What the project brings along may run (`--trust`).
    pub trust: bool,
    /// JSON Schema the replies must follow.
    pub schema: Option<Value>,
    /// How this process is held.
    pub holding: Holding,
}

/// Starts a session; returns at once. Must be called within a Tokio runtime.
pub fn start(start: Start) -> Handle {
    start_after(start, std::future::ready(()))
}

/// The same, but nothing is opened or started until `first` is over: the workbench paints meanwhile.
pub fn start_after(start: Start, first: impl Future<Output = ()> + Send + 'static) -> Handle {
    let encoder = Sentences::of_process(&start.loaded.config.encoder.model, &start.paths, &start.env);
    begin(start, Arc::new(encoder), first)
}

/// The same with this encoder.
pub(super) fn begin(start: Start, encoder: Arc<Sentences>, first: impl Future<Output = ()> + Send + 'static) -> Handle {
    actor::launch(setup(start, encoder), first)
}

/// What the actor is made from.
pub(super) fn setup(start: Start, encoder: Arc<Sentences>) -> Setup {
    let Start { loaded, paths, env, workdir, role, model, pick, person, trust, schema, holding } = start;
    let (inputs, problems) = Inputs::open(&paths.inputs_file);
    for (key, value) in inputs.values() {
        env.mask().add_given(key, value);
    }
    let mask = env.mask().clone();
    let (person, otherwise) =
        if person { (Person::Present, Otherwise::Tour) } else { (Person::Absent, Otherwise::Nothing) };
    let trust = if trust { TrustFlag::Given } else { TrustFlag::Absent };
    let (asked_model, sentences) = (model.clone(), Arc::clone(&encoder));
    let desk = Arc::new(TrustDesk::new(workdir.clone(), paths.trust_file.clone(), trust));
    let config = &loaded.config;
    let limits =
        Limits { session: config.max_session_spending_threshold, request: config.max_request_spending_threshold };
    let env = Arc::new(RwLock::new(env));
    let offers = Arc::new(Offers::new(&paths, &env, workdir.clone(), Parts::time_to_live(config)));
    let (inputs, loaded) = (Arc::new(Mutex::new(inputs)), Arc::clone(&loaded));
    let supervision = Supervision {
        config: config.supervisor.clone(),
        profile: config.supervisor.model.over(&config.model),
        loaded: Some(Arc::clone(&loaded)),
        config_file: paths.config_file.clone(),
    };
    let approval = Approval { mode: config.ui.approval, origin: loaded.origins.of("ui.approval").to_string() };
    let parts = Parts { loaded: Arc::clone(&loaded), paths, workdir, env, inputs, offers: Arc::clone(&offers), person };
    let (sessions, workdir) = (parts.paths.sessions.clone(), parts.workdir.clone());
    let checkpoints = Some(parts.paths.data.join("checkpoints"));
    let wares = Arc::new(Wares::new(parts.clone()));
    let children =
        RealChildren { parts: parts.clone(), model: asked_model, trust, holding: holding.clone(), sentences };
    let real = Arc::new(Real { parts, desk: Arc::clone(&desk), otherwise });
    let mut opening = opening(&loaded);
    opening.extend(aside(&workdir));
    opening.extend(not_run::told(&workdir, &loaded.config));
    opening.extend(of_holding(&holding));
    opening.extend(problems.iter().map(|problem| of_problem(problem, Level::Warning)));
    if person == Person::Absent && config.skills.auto_activation {
        // An agent's tag, its domain alone, or a role, which has none.
        let asked = role.as_deref().unwrap_or(&config.default);
        drop(super::encoder::want_early(&encoder, &offers, asked.split(':').next().unwrap_or_default()));
    }
    Setup {
        models: Arc::clone(&real) as Arc<dyn Models>,
        tools: Arc::clone(&real) as Arc<dyn StartTools>,
        roles: Arc::clone(&real) as Arc<dyn Roles>,
        clock: Arc::new(now),
        chance: Arc::new(chance),
        sessions,
        workdir,
        role,
        model,
        pick,
        person,
        mask,
        limits,
        request_limit: config.max_session_tokens_threshold,
        result_limit: config.mcp_response_tokens_threshold,
        schema,
        opening,
        trust: Some(desk),
        checkpoints,
        offers: Some(offers),
        encoder: Some(encoder),
        skill_rules: if config.skills.auto_activation { Switch::On } else { Switch::Off },
        wares: Some(wares),
        auto_capabilities: if config.auto_capabilities { Switch::On } else { Switch::Off },
        supervision,
        unheld: holding.question,
        approval,
        children: Some(Arc::new(children)),
        descent: None,
    }
}

fn now() -> Timestamp {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// From the keys that the standard library draws for its hash maps.
fn chance() -> f64 {
    (RandomState::new().hash_one(now()) >> 11) as f64 / (1u64 << 53) as f64
}

/// What is wrong in the configuration, and what is worth knowing of it.
fn opening(loaded: &Loaded) -> Vec<Body> {
    let problems = loaded.problems.iter().map(|problem| of_problem(problem, Level::Error));
    let notices = loaded.notices.iter().map(|found| Body::Notice {
        level: Level::Info,
        source: "config".to_owned(),
        text: found.to_string(),
        hint: None,
    });
    problems.chain(notices).collect()
}

/// The folders that are looked for in the working directory.
const OF_PROJECT: [&str; 3] = ["skills", "tools", "plugins"];

/// That the project's own things lie further up, where they are not looked for.
fn aside(workdir: &Path) -> Option<Body> {
    let own = |folder: &Path| {
        let there = OF_PROJECT.iter().filter(|name| folder.join(".agents").join(name).is_dir());
        there.copied().collect::<Vec<_>>()
    };
    if workdir.join(".git").exists() || !own(workdir).is_empty() {
        return None;
    }
    let project = workdir.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    let found = own(project);
    let text = format!(
        "The project's {} are in {}, and not used: they are looked for in the folder one starts in.",
        found.join(", "),
        project.join(".agents").display()
    );
    let hint = Some(format!("To have them, start in {}.", project.display()));
    let source = "project".to_owned();
    (!found.is_empty()).then_some(Body::Notice { level: Level::Info, source, text, hint })
}

/// How the process is held, and what of it is not as wished.
fn of_holding(holding: &Holding) -> Vec<Body> {
    let notice = |text: String, hint: Option<&str>| Body::Notice {
        level: Level::Warning,
        source: "sandbox".to_owned(),
        text,
        hint: hint.map(str::to_owned),
    };
    let gap = match &holding.view.held {
        Held::Partly { by, missing } => Some(notice(format!("The sandbox is partial, by {by}: {missing}."), None)),
        Held::Without { why } => Some(notice(
            format!("There is no sandbox though it was asked for: {why}. What is run can write wherever you can."),
            Some("octomind doctor tells more."),
        )),
        Held::No | Held::Full { .. } => None,
    };
    let notes = holding.notes.iter().map(|note| notice(sentence(note), None));
    std::iter::once(Body::Sandbox(holding.view.clone())).chain(gap).chain(notes).collect()
}

fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn of_problem(problem: &Problem, level: Level) -> Body {
    let (text, hint) = (problem.headline(), problem.hint.clone());
    Body::Notice { level, source: "config".to_owned(), text, hint }
}

#[derive(Debug)]
struct Real {
    parts: Parts,
    desk: Arc<TrustDesk>,
    otherwise: Otherwise,
}

pub(super) fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn read<T>(value: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    value.read().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn write<T>(value: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    value.write().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Models for Real {
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, Fault> {
        model::open(name, &self.parts.loaded.config, &read(&self.parts.env))
    }

    async fn choose(&self) -> (String, Decision) {
        let env = read(&self.parts.env).clone();
        model::choose(&env, &HttpProbe, self.otherwise).await
    }
}

#[async_trait]
impl Roles for Real {
    fn resolve(&self, name: Option<&str>) -> Result<Resolution, String> {
        let config = &self.parts.loaded.config;
        let name = name.unwrap_or(&config.default);
        if config.roles.iter().any(|role| role.name == name) {
            return local_role(&self.parts, name).map(|role| Resolution::Ready(Box::new(role)));
        }
        let mut profile = config.model.clone();
        if let Some(model) = config.taps.get(name) {
            profile.name.clone_from(model);
        }
        Ok(Resolution::ToPrepare(Box::new(Role {
            name: name.to_owned(),
            system: String::new(),
            welcome: String::new(),
            profile,
            servers: Vec::new(),
            runtime: None,
            orchestration: None,
            capabilities: Vec::new(),
            notices: Vec::new(),
        })))
    }

    fn usual(&self) -> Result<Role, String> {
        // That it is not the default, whoever asks for it has just learnt.
        let (role, _) = config::default_role(&self.parts.loaded.config).map_err(|error| error.to_string())?;
        local_role(&self.parts, &role.name)
    }

    async fn check(&self, name: &str) -> Result<(), Refused> {
        starting::check(&self.parts, name).await
    }

    async fn prepare(&self, name: &str, telling: &Telling) -> Result<Role, Refused> {
        starting::prepare(&self.parts, name, telling).await
    }

    fn names(&self) -> Vec<String> {
        self.parts.loaded.config.roles.iter().map(|role| role.name.clone()).collect()
    }

    async fn fill(&self, role: &str, texts: Vec<String>) -> Vec<String> {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let env = read(&self.parts.env).clone();
        let context = prompt::gather(&borrowed, role, &self.parts.workdir, &env, SystemTime::now()).await;
        texts.iter().map(|text| prompt::fill(text, &context)).collect()
    }
}

impl StartTools for Real {
    fn start(&self, servers: Vec<ServerSpec>, events: UnboundedSender<Body>) -> Arc<dyn Tools> {
        let options = mcp::Options {
            logs: Some(self.parts.paths.logs.clone()),
            described: Some(self.parts.paths.data.join("described")),
            mask: read(&self.parts.env).mask().clone(),
            open_local: Some(mcp::local::opener(self.desk.gate.allowed())),
            reserved: actor::own_names(),
            ..mcp::Options::new(self.parts.workdir.clone(), self.parts.expand())
        };
        let plugins = Plugins::new(&self.parts, Arc::clone(&self.desk.gate));
        RealTools::start(servers, events, options, plugins, &self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_has_further_up_is_named() {
        let root = tempfile::tempdir().unwrap();
        let (project, inner) = (root.path().join("project"), root.path().join("project/src/deep"));
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir_all(project.join(".agents/skills")).unwrap();
        let said = |folder: &Path| match aside(folder) {
            Some(Body::Notice { level: Level::Info, text, hint: Some(hint), .. }) => Some((text, hint)),
            Some(other) => panic!("{other:?}"),
            None => None,
        };
        assert_eq!(said(&inner), None, "no repository");
        std::fs::create_dir(project.join(".git")).unwrap();
        let (text, hint) = said(&inner).unwrap();
        assert!(text.starts_with(&format!("The project's skills are in {}/.agents,", project.display())), "{text}");
        assert_eq!(hint, format!("To have them, start in {}.", project.display()));
        assert_eq!(said(&project), None);
        std::fs::create_dir_all(inner.join(".agents/tools")).unwrap();
        assert_eq!(said(&inner), None, "it has its own");
    }
}
