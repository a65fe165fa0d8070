//! How parts come together: unions without repeats, servers by name, the configuration's first.

use std::sync::Arc;

use super::choose::Choice;
use super::expand::{Dep, ExpandedServer};
use crate::config::schema::{Config, RoleMcp, Server, ServerType};
use crate::config::{Problem, nearest_name};
use crate::tap::manifest::Manifest;
use crate::tap::{Agent, Finding, Part, PartKind, Severity, Tap};

/// Servers of our own. One of a tap must not look like them.
pub(crate) const RESERVED: [&str; 6] = ["runtime", "core", "files", "orchestration", "agent", "local"];

/// Collects what an agent comes to.
pub(super) struct Merge<'inputs> {
    config: &'inputs Config,
    agent: &'inputs Agent,
    mcp: RoleMcp,
    servers: Vec<ExpandedServer>,
    deps: Vec<Dep>,
    findings: Vec<Finding>,
}

pub(super) struct Merged {
    pub mcp: RoleMcp,
    pub servers: Vec<ExpandedServer>,
    pub deps: Vec<Dep>,
    pub findings: Vec<Finding>,
}

impl<'inputs> Merge<'inputs> {
    pub fn new(config: &'inputs Config, agent: &'inputs Agent) -> Self {
        let (mcp, servers, deps, findings) = Default::default();
        Self { config, agent, mcp, servers, deps, findings }
    }

    pub fn manifest(&mut self, manifest: &Manifest) {
        self.part(&manifest.role.mcp, &manifest.servers, &self.agent.tap.clone(), None);
        for dep in &manifest.deps {
            self.dep(dep, &self.agent.tap.clone(), None);
        }
    }

    /// What the capability adds: the servers it refers to and the tools it allows.
    pub fn capability(&mut self, choice: &Choice) -> (Vec<String>, Vec<String>) {
        let provider = choice.provider();
        let (tap, name) = (&choice.capability.tap, choice.capability.name.as_str());
        for dep in &provider.deps {
            self.dep(dep, tap, Some(name));
        }
        let mcp = RoleMcp { server_refs: provider.server_refs.clone(), allowed_tools: provider.allowed_tools.clone() };
        let allowed = self.part(&mcp, &provider.servers, tap, Some(name));
        (provider.server_refs.clone(), allowed)
    }

    fn part(&mut self, mcp: &RoleMcp, servers: &[Server], tap: &Arc<Tap>, capability: Option<&str>) -> Vec<String> {
        for server in servers {
            self.server(server, tap, capability);
        }
        for reference in &mcp.server_refs {
            add(&mut self.mcp.server_refs, reference);
        }
        let allowed = qualified(mcp, |name| self.find(name));
        for pattern in &allowed {
            add(&mut self.mcp.allowed_tools, pattern);
        }
        allowed
    }

    fn find(&self, name: &str) -> Option<&Server> {
        let own = self.servers.iter().map(|expanded| &expanded.server);
        self.config.mcp.servers.iter().chain(own).find(|server| server.name == name)
    }

    fn server(&mut self, server: &Server, tap: &Arc<Tap>, capability: Option<&str>) {
        let by = || capability.map_or_else(|| "the manifest".to_owned(), |name| format!("capability `{name}`"));
        if server.kind != ServerType::Builtin && RESERVED.contains(&server.name.as_str()) {
            let message = format!(
                "the server `{}` of {} is not used: the name belongs to a server of octomind",
                server.name,
                by()
            );
            return self.finding(Severity::Error, message, Some("give it another name"));
        }
        if let Some(base) = self.config.mcp.servers.iter().find(|base| base.name == server.name) {
            if base != server {
                let message = format!(
                    "the server `{}` of {} is not used: the configuration has one of that name",
                    server.name,
                    by()
                );
                self.finding(Severity::Note, message, None);
            }
            return;
        }
        if let Some(known) = self.servers.iter().find(|known| known.server.name == server.name) {
            if known.server != *server {
                let first = known.capability.as_deref().unwrap_or("the manifest").to_owned();
                let message =
                    format!("the server `{}` of {} differs from that of {first}, which is used", server.name, by());
                self.finding(Severity::Warning, message, None);
            }
            return;
        }
        let capability = capability.map(str::to_owned);
        self.servers.push(ExpandedServer { server: server.clone(), tap: tap.clone(), capability });
    }

    fn dep(&mut self, name: &str, tap: &Arc<Tap>, capability: Option<&str>) {
        let known = self.deps.iter().position(|dep| dep.name == name && dep.tap.name == tap.name);
        let at = known.unwrap_or_else(|| {
            self.deps.push(Dep { name: name.to_owned(), tap: tap.clone(), wanted_by: Vec::new() });
            self.deps.len() - 1
        });
        if let Some(capability) = capability {
            add(&mut self.deps[at].wanted_by, capability);
        }
    }

    pub fn finding(&mut self, severity: Severity, message: String, hint: Option<&str>) {
        let problem = Problem::of_file(&self.agent.file.display().to_string(), message);
        self.findings.push(Finding {
            severity,
            part: Part { kind: PartKind::Agent, name: self.agent.tag.to_string() },
            tap: self.agent.tap.name.clone(),
            problem: match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            },
        });
    }

    pub fn finish(mut self) -> Merged {
        let lost: Vec<String> = self.mcp.server_refs.iter().filter(|name| self.find(name).is_none()).cloned().collect();
        for name in lost {
            let known = self.servers.iter().map(|expanded| expanded.server.name.as_str());
            let near = nearest_name(&name, known).map(|near| format!("did you mean `{near}`?"));
            let message = format!("there is no server `{name}`, which server_refs names; its tools are not there");
            self.finding(Severity::Error, message, near.as_deref());
        }
        self.findings.sort_by_key(|finding| finding.severity);
        Merged { mcp: self.mcp, servers: self.servers, deps: self.deps, findings: self.findings }
    }
}

fn add(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// The allowed tools of a part, each naming its server, so that they mean the same among those of
/// other parts: a bare pattern concerns the servers the part itself refers to, and a part that lists
/// none allows all that its servers offer.
fn qualified<'server>(mcp: &RoleMcp, find: impl Fn(&str) -> Option<&'server Server>) -> Vec<String> {
    let mut patterns = Vec::new();
    if mcp.allowed_tools.is_empty() {
        for reference in &mcp.server_refs {
            let tools = find(reference).map(|server| server.tools.as_slice()).unwrap_or_default();
            match tools {
                [] => add(&mut patterns, &format!("{reference}:*")),
                tools => tools.iter().for_each(|tool| add(&mut patterns, &format!("{reference}:{tool}"))),
            }
        }
    }
    for pattern in &mcp.allowed_tools {
        if pattern.contains(':') || mcp.server_refs.is_empty() {
            add(&mut patterns, pattern);
        } else {
            mcp.server_refs.iter().for_each(|reference| add(&mut patterns, &format!("{reference}:{pattern}")));
        }
    }
    patterns
}
