//! Which role or agent a name means.

use std::fmt;
use std::sync::Arc;

use super::tag::{TagError, split_version};
use crate::config::nearest_name;
use crate::tap::{Agent, Broken, Catalogue, PartKind, Tag};

/// The agent of a domain that knows the others.
pub const CHIEF: &str = "chief";
/// The domain whose chief a start without a name takes.
pub const ASSISTANT: &str = "assistant";

/// At most so many near names are given.
const NEAREST: usize = 3;

/// What a name means.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A `[[roles]]` entry of the configuration.
    Role(String),
    Agent(Arc<Agent>),
}

/// What was found, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub target: Target,
    /// After the `@`; not enforced.
    pub version: Option<String>,
    /// One line for each rule, in the order they were tried: the rule and what it found.
    pub tried: Vec<String>,
}

/// Nothing is meant by this name. `Display` is what to say; the fields are for a picker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ResolveError {
    pub asked: String,
    pub reason: Reason,
    pub tried: Vec<String>,
    /// The agents of the domain that was meant, as `tag — title`.
    pub agents: Vec<String>,
    /// Roles, domains and tags that look like it, the likeliest first.
    pub nearest: Vec<String>,
    /// Taps that could not be read, so that it may be there: `name: why`.
    pub unavailable: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    NotATag(TagError),
    /// Neither a role nor a domain.
    UnknownName,
    /// The domain has agents, but none that is its chief.
    NoChief {
        domain: String,
    },
    /// No tap has the agent.
    NoAgent {
        tag: Tag,
    },
    /// It is there, and its manifest cannot be used.
    Broken(Box<Broken>),
}

impl Resolved {
    /// What the session's role is called.
    pub fn role_name(&self) -> String {
        match &self.target {
            Target::Role(name) => name.clone(),
            Target::Agent(agent) => agent.tag.to_string(),
        }
    }
}

/// Finds what a name means: with no colon a local role first, then the chief of the domain of that
/// name; with a colon exactly that agent, unless a local role has the very name, for what the
/// configuration has is never replaced by a tap. Nothing means `assistant:chief`.
///
/// # Errors
/// When nothing is meant by it: what was tried and what looks like it.
pub fn resolve(asked: Option<&str>, roles: &[&str], catalogue: &Catalogue) -> Result<Resolved, Box<ResolveError>> {
    let asked = asked.map(str::trim).unwrap_or_default();
    let mut search = Search { asked, roles, catalogue, tried: Vec::new() };
    if asked.is_empty() {
        search.tried.push(format!("nothing was asked for, which means {ASSISTANT}:{CHIEF}"));
        let tag = Tag { domain: ASSISTANT.to_owned(), spec: CHIEF.to_owned(), version: None };
        return search.agent(tag);
    }
    if let Some(role) = search.role(asked) {
        return Ok(role);
    }
    let (name, version) = split_version(asked).map_err(|error| search.fail(Reason::NotATag(error)))?;
    if version.is_some()
        && let Some(role) = search.role(name)
    {
        return Ok(Resolved { version, ..role });
    }
    if name.contains(':') {
        let tag = Tag::parse(asked).map_err(|error| search.fail(Reason::NotATag(error)))?;
        return search.agent(tag);
    }
    search.domain(name, version)
}

struct Search<'inputs> {
    asked: &'inputs str,
    roles: &'inputs [&'inputs str],
    catalogue: &'inputs Catalogue,
    tried: Vec<String>,
}

impl Search<'_> {
    fn role(&mut self, name: &str) -> Option<Resolved> {
        let found = self.roles.contains(&name);
        self.tried.push(match found {
            true => format!("a role `{name}` of the configuration: it is there"),
            false => format!("a role `{name}` of the configuration: there is none"),
        });
        found.then(|| Resolved {
            target: Target::Role(name.to_owned()),
            version: None,
            tried: std::mem::take(&mut self.tried),
        })
    }

    fn agent(&mut self, tag: Tag) -> Result<Resolved, Box<ResolveError>> {
        match self.catalogue.agent(&tag) {
            Some(agent) => {
                self.tried.push(format!("the agent {tag}: {} has it", agent.tap.name));
                Ok(self.found(agent, tag.version))
            }
            None => {
                if let Some(broken) = self.catalogue.broken(PartKind::Agent, &tag.to_string()) {
                    self.tried.push(format!("the agent {tag}: {} has it, with mistakes", broken.tap));
                    return Err(self.fail(Reason::Broken(Box::new(broken))));
                }
                self.tried.push(format!("the agent {tag}: no tap has it"));
                let no_chief = tag.is_chief() && self.catalogue.agents_of(&tag.domain).next().is_some();
                Err(self.fail(match no_chief {
                    true => Reason::NoChief { domain: tag.domain },
                    false => Reason::NoAgent { tag },
                }))
            }
        }
    }

    fn domain(&mut self, name: &str, version: Option<String>) -> Result<Resolved, Box<ResolveError>> {
        let tag = Tag::chief_of(name).map_err(|error| self.fail(Reason::NotATag(error)))?;
        let broken = || self.catalogue.broken(PartKind::Agent, &tag.to_string()).is_some();
        if self.catalogue.agents_of(name).next().is_none() && !broken() {
            self.tried.push(format!("the domain `{name}`: no tap has an agent of it"));
            return Err(self.fail(Reason::UnknownName));
        }
        self.tried.push(format!("the domain `{name}`: it is there, so its chief is meant"));
        self.agent(Tag { version, ..tag })
    }

    fn found(&mut self, agent: &Arc<Agent>, version: Option<String>) -> Resolved {
        Resolved { target: Target::Agent(agent.clone()), version, tried: std::mem::take(&mut self.tried) }
    }

    fn fail(&mut self, reason: Reason) -> Box<ResolveError> {
        let domain = match &reason {
            Reason::NoChief { domain } => domain.as_str(),
            Reason::NoAgent { tag } => tag.domain.as_str(),
            Reason::NotATag(_) | Reason::UnknownName | Reason::Broken(_) => "",
        };
        let elsewhere = !matches!(reason, Reason::NotATag(_) | Reason::Broken(_));
        let agents = self.catalogue.agents_of(domain).map(|agent| format!("{} — {}", agent.tag, agent.title)).collect();
        let unavailable = self.catalogue.taps.iter().filter(|_| elsewhere).filter_map(|tap| {
            let why = tap.unavailable.as_ref()?;
            Some(format!("{}: {why}", tap.name))
        });
        Box::new(ResolveError {
            asked: self.asked.to_owned(),
            agents,
            // What was asked for is known there; nothing is to be guessed.
            nearest: match reason {
                Reason::Broken(_) | Reason::NoChief { .. } => Vec::new(),
                Reason::NotATag(_) | Reason::UnknownName | Reason::NoAgent { .. } => self.nearest(),
            },
            unavailable: unavailable.collect(),
            tried: std::mem::take(&mut self.tried),
            reason,
        })
    }

    fn nearest(&self) -> Vec<String> {
        let bare = !self.asked.contains(':');
        let tags: Vec<String> = self.catalogue.agents.iter().map(|agent| agent.tag.to_string()).collect();
        let mut names: Vec<&str> = tags.iter().map(String::as_str).collect();
        if bare {
            names.extend(self.catalogue.domains());
            // `general` was meant for `developer:general`.
            names.extend(self.catalogue.agents.iter().map(|agent| agent.tag.spec.as_str()));
        }
        names.extend(self.roles);
        let mut nearest: Vec<String> = Vec::new();
        while nearest.len() < NEAREST
            && let Some(near) = nearest_name(self.asked, names.iter().copied())
        {
            names.retain(|name| *name != near);
            let of_spec = self.catalogue.agents.iter().filter(|agent| bare && agent.tag.spec == near);
            let whole: Vec<String> = of_spec.map(|agent| agent.tag.to_string()).collect();
            let known = self.roles.contains(&near) || self.catalogue.domains().any(|domain| domain == near);
            match whole.is_empty() || known {
                true => nearest.push(near.to_owned()),
                false => nearest.extend(whole),
            }
        }
        nearest.dedup();
        nearest.truncate(NEAREST);
        nearest
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::NotATag(error) => write!(formatter, "`{}` cannot be started: {error}", self.asked)?,
            Reason::UnknownName => {
                write!(formatter, "`{}` is neither a role of the configuration nor a domain of a tap", self.asked)?;
            }
            Reason::NoChief { domain } => {
                write!(formatter, "the domain `{domain}` has no chief; name one of its agents")?
            }
            Reason::NoAgent { tag } => write!(formatter, "no tap has an agent {tag}")?,
            Reason::Broken(broken) => write!(formatter, "{broken}")?,
        }
        if !self.nearest.is_empty() {
            write!(formatter, "; did you mean {}?", alternatives(&self.nearest))?;
        }
        for agent in &self.agents {
            write!(formatter, "\n  {agent}")?;
        }
        if self.nearest.is_empty() && self.agents.is_empty() && !self.unavailable.is_empty() {
            formatter.write_str(".")?;
        }
        for tap in &self.unavailable {
            write!(formatter, "\nIt may be in a tap that could not be read: {tap}")?;
        }
        Ok(())
    }
}

fn alternatives(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
