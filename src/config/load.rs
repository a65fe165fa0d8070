//! From texts to a configuration.

use std::path::Path;
use std::sync::OnceLock;

use serde::Deserialize;

use super::assign::assign;
use super::check::Checker;
use super::keys::ROOT;
use super::layer::{Origins, forget_omitted, merge};
use super::paths::Paths;
use super::problem::{Notice, Problem, Weight};
use super::project;
use super::require::require;
use super::schema::Config;
use super::source::{Source, SourceKind};
use super::tree::{self, Entry, Table, Value};

/// The embedded template: the single source of defaults, and what a first run writes.
pub const TEMPLATE: &str = include_str!("template.toml");

/// The `version` this program writes.
pub const VERSION: u32 = 17;

/// Everything a configuration is made of, as texts. Reading them is [`Sources::read`]'s business.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The person's files, in the order they are laid over each other.
    pub files: Vec<Source>,
    /// Files that could not be read.
    pub unreadable: Vec<Problem>,
    pub project: Option<Source>,
    /// `key=value`, in the order given.
    pub command_line: Vec<String>,
    /// `key=value`, in the order they were switched.
    pub session: Vec<String>,
}

/// A configuration that can be used whatever the files say, and what was found on the way.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub config: Config,
    /// The loudest first, then by file and line. Not empty: a headless run ends with 78.
    pub problems: Vec<Problem>,
    pub notices: Vec<Notice>,
    pub origins: Origins,
    /// What it was made of, so that a live switch can be laid over it.
    pub sources: Sources,
}

impl Config {
    /// The embedded template as a configuration.
    pub fn template() -> Self {
        static TEMPLATE_CONFIG: OnceLock<Config> = OnceLock::new();
        TEMPLATE_CONFIG.get_or_init(|| load(&Sources::default()).config).clone()
    }
}

impl Sources {
    /// Reads the person's files (`config.toml`, other `*.toml` by name, `mcp-*.toml` last) and the
    /// project's.
    pub fn read(paths: &Paths, workdir: &Path, command_line: Vec<String>) -> Self {
        let mut sources = Self { command_line, ..Self::default() };
        let mut files = vec![paths.config_file.clone()];
        if paths.reads_folder {
            files.extend(sources.neighbours(paths));
        }
        for file in files {
            match Source::read(&file) {
                Ok(Some(source)) => sources.files.push(source),
                Ok(None) => {}
                Err(problem) => sources.unreadable.push(problem),
            }
        }
        match Source::read(&Paths::project_file(workdir)) {
            Ok(source) => sources.project = source.map(|source| source.of_kind(SourceKind::Project)),
            Err(problem) => sources.unreadable.push(problem),
        }
        sources
    }

    fn neighbours(&mut self, paths: &Paths) -> Vec<std::path::PathBuf> {
        let entries = match std::fs::read_dir(&paths.config_folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                let label = paths.config_folder.display().to_string();
                self.unreadable.push(Problem::of_file(&label, format!("this folder cannot be read: {error}")));
                return Vec::new();
            }
        };
        let mut found: Vec<_> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
            .filter(|path| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.')))
            .filter(|path| *path != paths.config_file)
            .collect();
        let last =
            |path: &std::path::PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mcp-"));
        found.sort_by(|one, other| (last(one), one).cmp(&(last(other), other)));
        found
    }
}

impl Loaded {
    /// The same with one more live switch (`key=value`) for this session.
    ///
    /// # Errors
    /// The problem when the key or value cannot be used; nothing is changed then.
    pub fn switched(&self, assignment: &str) -> Result<Self, Problem> {
        let mut sources = self.sources.clone();
        sources.session.push(assignment.to_owned());
        let after = load(&sources);
        match after.problems.iter().find(|problem| !self.problems.contains(problem)) {
            Some(problem) => Err(problem.clone()),
            None => Ok(after),
        }
    }
}

/// Reads the files and makes the configuration; on a first run writes the template.
pub fn open(paths: &Paths, workdir: &Path, command_line: Vec<String>) -> Loaded {
    let written = super::write::write_template(paths);
    let mut loaded = load(&Sources::read(paths, workdir, command_line));
    match written {
        Ok(true) => loaded.notices.push(Notice::new(format!("wrote {}", paths.config_file.display()))),
        Ok(false) => {}
        Err(error) => loaded.notices.push(Notice::new(format!(
            "{} could not be written ({error}); running on the built-in defaults",
            paths.config_file.display()
        ))),
    }
    loaded
}

/// Makes the configuration. Pure and total: any texts give a usable configuration.
pub fn load(sources: &Sources) -> Loaded {
    let texts = texts(sources);
    let mut checker = Checker::new(&texts);
    checker.problems.extend(sources.unreadable.iter().cloned());
    let mut tree =
        tree::parse(&texts[0], 0).map(|table| checker.table(table, &ROOT, "", Weight::Ordinary)).unwrap_or_default();
    let template = tree.clone();
    let mut notices = lay_files(&mut checker, &mut tree, !sources.unreadable.is_empty());
    lay_project(&mut checker, &mut tree);
    for (id, source) in texts.iter().enumerate() {
        if matches!(source.kind, SourceKind::CommandLine | SourceKind::Session) {
            assign(&mut checker, &mut tree, id);
        }
    }
    check_together(&mut checker, &mut tree, &mut notices);
    notices.extend(checker.notices());
    let config = match Config::deserialize(tree::to_toml(&tree)) {
        Ok(config) => config,
        Err(error) => {
            let message = format!("the configuration could not be used: {}", error.message());
            checker.problems.push(Problem::of_file("configuration", message).hint("the built-in defaults are used"));
            tree = template;
            fallback(&tree)
        }
    };
    let origins = Origins::record(&tree, &texts);
    let mut problems = checker.problems;
    problems.sort_by_key(|problem| {
        let place = problem.place.as_ref().map(|place| (place.line, place.column));
        (problem.weight, texts.iter().position(|source| source.label == problem.file), place)
    });
    Loaded { config, problems, notices, origins, sources: sources.clone() }
}

fn fallback(template: &Table) -> Config {
    match Config::deserialize(tree::to_toml(template)) {
        Ok(config) => config,
        // A test holds the embedded template to be a configuration.
        Err(error) => unreachable!("the embedded template: {error}"),
    }
}

/// All texts, the template first: a value's source is an index into these.
fn texts(sources: &Sources) -> Vec<Source> {
    let arguments = |kind, list: &[String]| {
        let label = if kind == SourceKind::Session { "this session" } else { "command line -c" };
        list.iter().map(|argument| Source::new(kind, label, argument.as_str())).collect::<Vec<_>>()
    };
    let mut texts = vec![Source::new(SourceKind::Template, "template", TEMPLATE)];
    texts.extend(sources.files.iter().cloned());
    texts.extend(sources.project.iter().cloned());
    texts.extend(arguments(SourceKind::CommandLine, &sources.command_line));
    texts.extend(arguments(SourceKind::Session, &sources.session));
    texts
}

/// The person's files over the template. They must together say what is required; a file that is not
/// TOML costs itself only.
fn lay_files(checker: &mut Checker<'_>, tree: &mut Table, unreadable: bool) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut person = Table::new();
    let (mut any, mut whole) = (false, !unreadable);
    for (id, source) in checker.sources.iter().enumerate() {
        if source.kind != SourceKind::File {
            continue;
        }
        any = true;
        match tree::parse(source, id) {
            Ok(table) => {
                let good = checker.table(table, &ROOT, "", Weight::Ordinary);
                merge(&mut person, good, &ROOT);
            }
            Err(problem) => {
                checker.problems.push(problem);
                whole = false;
            }
        }
    }
    if !any {
        return notices;
    }
    if whole {
        require(checker, &person, tree, 1);
    }
    if let Some(entry) = person.get("version")
        && let Value::Whole(version) = entry.node.value
        && version > i64::from(VERSION)
    {
        notices.push(Notice::new(format!(
            "the configuration is of version {version}, this program knows {VERSION}; what it knows is used"
        )));
    }
    forget_omitted(tree, &person, &ROOT);
    merge(tree, person, &ROOT);
    notices
}

/// The project's file over the person's: only what cannot execute, and never in place of something
/// the person has.
fn lay_project(checker: &mut Checker<'_>, tree: &mut Table) {
    let found = checker.sources.iter().enumerate().find(|(_, source)| source.kind == SourceKind::Project);
    let Some((id, source)) = found else { return };
    match tree::parse(source, id) {
        Ok(mut table) => {
            project::refuse_servers(checker, &mut table, tree);
            let allowed = project::restrict(checker, table, &ROOT, "");
            let mut good = checker.table(allowed, &ROOT, "", Weight::Ordinary);
            project::refuse_shadows(checker, &mut good, tree);
            merge(tree, good, &ROOT);
        }
        Err(problem) => checker.problems.push(problem),
    }
}

/// What only shows when all layers are together.
fn check_together(checker: &mut Checker<'_>, tree: &mut Table, notices: &mut Vec<Notice>) {
    let whole = |path: &[&str]| match find(tree, path).map(|entry| &entry.node.value) {
        Some(Value::Whole(whole)) => *whole,
        _ => 0,
    };
    let (condense, cut) =
        (whole(&["supervisor", "condense", "tokens_threshold"]), whole(&["mcp_response_tokens_threshold"]));
    if condense > 0 && cut > 0 && condense >= cut {
        notices.push(Notice::new(format!(
            "supervisor.condense.tokens_threshold ({condense}) is not below mcp_response_tokens_threshold ({cut}): \
             results are cut first, so none will be condensed"
        )));
    }
    let flag = |path: &[&str]| find(tree, path).is_some_and(|entry| entry.node.value == Value::Flag(true));
    let evolution = ["supervisor", "learning", "evolution", "enabled"];
    if flag(&evolution) && !flag(&["supervisor", "gate", "enabled"]) {
        if let Some(entry) = find(tree, &evolution).cloned() {
            checker
                .problem(entry.node.source, entry.key, "evolution needs the gate, which is off; evolution stays off")
                .hint = Some("set supervisor.gate.enabled = true, or switch evolution off".to_owned());
        }
        if let Some(entry) = find_mut(tree, &evolution) {
            entry.node.value = Value::Flag(false);
        }
    }
}

fn find<'tree>(tree: &'tree Table, path: &[&str]) -> Option<&'tree Entry> {
    let (last, tables) = path.split_last()?;
    let table = tables.iter().try_fold(tree, |table, name| table.get(*name)?.node.table())?;
    table.get(*last)
}

fn find_mut<'tree>(tree: &'tree mut Table, path: &[&str]) -> Option<&'tree mut Entry> {
    let (last, tables) = path.split_last()?;
    let table = tables.iter().try_fold(tree, |table, name| match &mut table.get_mut(*name)?.node.value {
        Value::Table(inner) => Some(inner),
        _ => None,
    })?;
    table.get_mut(*last)
}

#[cfg(test)]
mod tests;
