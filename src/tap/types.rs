//! The values that the catalogue is made of. Reading them from disk is the other modules' business.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::skill::rules::RuleGroup;
use crate::config::Problem;
use crate::config::schema::Server;

/// Everything that the connected taps, the project and the person's folders offer. Immutable; a
/// change on disk makes a new one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalogue {
    /// In order of priority, the starter tap last.
    pub taps: Vec<Arc<Tap>>,
    /// One for each tag, of the first tap that provides it, sorted by tag.
    pub agents: Vec<Arc<Agent>>,
    /// Every capability of every tap: by name, then by priority. The first of a name is what a bare
    /// reference means; the others are reached by a pin or from an agent of their own tap.
    pub capabilities: Vec<Arc<Capability>>,
    /// One for each name, of the first source that provides it, sorted by name.
    pub skills: Vec<Arc<Skill>>,
    /// Those of other sources that have a name which is taken, sorted by name.
    pub shadowed_skills: Vec<Arc<Skill>>,
    pub plugins: Vec<Arc<Plugin>>,
    /// What was left out, ignored or is doubtful, the gravest first.
    pub findings: Vec<Finding>,
}

/// A connected tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tap {
    /// `owner/repo`, as it is connected: `muvon/tap`. The starter tap is `octomind/starter`.
    pub name: String,
    pub kind: TapKind,
    /// Where its files are.
    pub root: PathBuf,
    /// Why nothing can be read from it, if so.
    pub unavailable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TapKind {
    /// A clone that we made and refresh.
    Clone { url: String },
    /// A directory of the person's.
    Linked,
    /// `muvon/tap`: always there, after the person's taps.
    BuiltIn { url: String },
    /// Comes with the binary; last.
    Starter,
}

impl Tap {
    /// The part before the slash, as pins name it. The built-in tap is pinned as `octomind` too.
    pub fn owner(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }
}

/// `domain:spec[-sub][@version]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    pub domain: String,
    /// With its `-sub` if it has one.
    pub spec: String,
    /// Parsed, not enforced.
    pub version: Option<String>,
}

impl fmt::Display for Tag {
    /// Without the version: what the role is called.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.domain, self.spec)
    }
}

/// An entry of a chief's `# Uses:` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Uses {
    /// That domain's chief.
    Domain(String),
    Agent(Tag),
    /// The chief of every other domain; only for the global assistant.
    EveryChief,
}

/// An agent of a tap, without its prompt: resolving reads the manifest again.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub tag: Tag,
    pub title: String,
    pub description: String,
    pub uses: Vec<Uses>,
    /// As written: bare names and pins.
    pub capabilities: Vec<String>,
    pub tap: Arc<Tap>,
    pub file: PathBuf,
}

/// `capabilities/<name>/` of a tap.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    pub name: String,
    pub tap: Arc<Tap>,
    pub folder: PathBuf,
    /// Empty when there is no usable `config.toml`: then it can only be named by a manifest.
    pub triggers: Vec<String>,
    /// Empty = every domain.
    pub domains: Vec<String>,
    /// By file name without `.toml`; `default` among them if there is one.
    pub providers: Vec<Provider>,
}

/// One `<provider>.toml` of a capability.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    /// File name without `.toml`.
    pub name: String,
    /// What `default` points to, when it is a link.
    pub links_to: Option<String>,
    pub file: PathBuf,
    pub title: String,
    pub description: String,
    /// `org/tool`, in order.
    pub deps: Vec<String>,
    pub server_refs: Vec<String>,
    pub allowed_tools: Vec<String>,
    pub servers: Vec<Server>,
    /// Every `{{ENV:KEY}}` in `env`, `headers`, `args`, `url` and `command`, sorted.
    pub environment: Vec<String>,
}

/// A skill, without its body: activation reads the file again.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    pub name: String,
    pub title: String,
    pub description: String,
    pub compatibility: String,
    pub license: String,
    pub allowed_tools: Vec<String>,
    pub capabilities: Vec<String>,
    /// `*` = every domain; empty = no rule ever activates it.
    pub domains: Vec<String>,
    /// One line each; any of them activates.
    pub rules: Vec<RuleGroup>,
    pub source: SkillSource,
    /// `SKILL.md`.
    pub file: PathBuf,
}

/// Where a skill comes from, in order of precedence.
#[derive(Debug, Clone, PartialEq)]
pub enum SkillSource {
    Tap(Arc<Tap>),
    /// `.agents/skills/` of the working directory.
    Workdir,
    /// `~/.config/agents/skills/`.
    User,
    Plugin(String),
    /// Made by learning.
    Generated,
}

/// An Agent Plugin (1.0.0).
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    pub name: String,
    pub version: String,
    pub description: String,
    pub folder: PathBuf,
    /// From its `mcp.json`; untrusted until the person said yes.
    pub servers: Vec<Server>,
    pub skills: Vec<String>,
}

/// Something wrong or doubtful in a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub part: Part,
    /// Name of the tap, or `""` for the project's and the person's folders.
    pub tap: String,
    pub problem: Problem,
}

/// A part that is on disk and left out, and the first reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// A tag, a capability's or a skill's name.
    pub name: String,
    /// Name of the tap, or `""` for the project's and the person's folders.
    pub tap: String,
    pub problem: Problem,
    /// How many errors there are besides.
    pub more: usize,
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)?;
        if !self.tap.is_empty() {
            write!(formatter, " of {}", self.tap)?;
        }
        write!(formatter, " cannot be used: {}", self.problem.headline())?;
        match self.more {
            0 => Ok(()),
            1 => formatter.write_str(" (and 1 more error)"),
            more => write!(formatter, " (and {more} more errors)"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The part is left out, or something of it is ignored that it needs.
    Error,
    /// It works, but not as its author may think.
    Warning,
    /// Worth knowing; no reason to fail a check.
    Note,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub kind: PartKind,
    /// A tag, a capability's or a skill's name, …
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    Tap,
    Agent,
    Capability,
    Skill,
    Plugin,
    Dep,
    Workflow,
}
