//! An agent with its capabilities laid into it.

use std::path::PathBuf;
use std::sync::Arc;

use super::choose::{CapabilityError, Choice, choose};
use super::merge::Merge;
use super::sentence;
use crate::config::schema::{Config, Role, Server};
use crate::proto::Decision;
use crate::tap::manifest::Manifest;
use crate::tap::{Agent, Capability, Catalogue, Finding, Severity, Tag, Tap, Uses};

/// An agent as a role, with everything that has to be there before it starts.
///
/// `{{SPECIALISTS}}` and `{{USES}}` are replaced. Every other placeholder still stands as written, in
/// the role and in the servers: `{{INPUT:KEY}}` and `{{ENV:KEY}}` are filled in after this, those of
/// prompts when the session starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Expanded {
    pub tag: Tag,
    pub title: String,
    pub description: String,
    /// Whom it may hand work to besides its own domain; only what is there.
    pub uses: Vec<Uses>,
    pub tap: Arc<Tap>,
    /// The manifest.
    pub file: PathBuf,
    /// Named by its tag. References and allowed tools are those of the manifest and of all its
    /// capabilities; each allowed tool names its server.
    pub role: Role,
    /// Servers that the manifest itself refers to.
    pub own_servers: Vec<String>,
    /// Servers to add to the configuration's, in order. None has a name that is there already: what
    /// the configuration has wins.
    pub servers: Vec<ExpandedServer>,
    /// To be run in this order before any server starts; each once.
    pub deps: Vec<Dep>,
    /// In the order of the manifest; what could not be used is in `findings` only.
    pub capabilities: Vec<ExpandedCapability>,
    /// What was left out or is doubtful, the gravest first.
    pub findings: Vec<Finding>,
}

/// A server and who brought it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpandedServer {
    pub server: Server,
    pub tap: Arc<Tap>,
    /// The capability; `None` = the manifest itself.
    pub capability: Option<String>,
}

/// A script of a tap: `deps/<org>/<tool>.sh`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dep {
    /// `org/tool`.
    pub name: String,
    /// Whose script it is.
    pub tap: Arc<Tap>,
    /// Capabilities that want it; empty = the manifest itself.
    pub wanted_by: Vec<String>,
}

/// A capability that a manifest names, and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpandedCapability {
    /// Without its pin.
    pub name: String,
    /// As written in the manifest.
    pub reference: String,
    pub capability: Arc<Capability>,
    /// Links followed: `octofs`, not `default`.
    pub provider: String,
    /// Why this tap and this provider.
    pub why: String,
    /// Servers it refers to. Empty with deps: a toolchain capability, running its deps is all it does.
    pub servers: Vec<String>,
    /// What of them it allows, as `server:tool`.
    pub allowed_tools: Vec<String>,
    /// `org/tool`, in order.
    pub deps: Vec<String>,
}

impl ExpandedCapability {
    /// Whether all it does is to have its tools installed.
    pub fn is_toolchain(&self) -> bool {
        self.servers.is_empty() && !self.deps.is_empty()
    }
}

impl Expanded {
    /// The configuration with the role and its servers added: what `config::resolve_role` is asked with
    /// the tag as the name.
    pub fn configuration(&self, base: &Config) -> Config {
        let mut config = base.clone();
        config.mcp.servers.extend(self.servers.iter().map(|expanded| expanded.server.clone()));
        config.roles.retain(|role| role.name != self.role.name);
        config.roles.push(self.role.clone());
        config
    }

    /// One record for each capability.
    pub fn decisions(&self) -> Vec<Decision> {
        let record = |one: &ExpandedCapability| Decision::CapabilityExpanded {
            capability: one.name.clone(),
            tap: one.capability.tap.name.clone(),
            provider: one.provider.clone(),
            why: one.why.clone(),
            servers: one.servers.clone(),
        };
        self.capabilities.iter().map(record).collect()
    }
}

/// Lays the capabilities of an agent into its manifest. Total: what cannot be used is a finding.
pub fn expand(agent: &Agent, manifest: Manifest, catalogue: &Catalogue, config: &Config) -> Expanded {
    let mut merge = Merge::new(config, agent);
    merge.manifest(&manifest);
    let mut capabilities: Vec<ExpandedCapability> = Vec::new();
    for reference in &manifest.capabilities {
        match choose(reference, Some(&agent.tap), catalogue, &config.capabilities) {
            Ok(choice) if capabilities.iter().any(|known| known.name == choice.capability.name) => {
                let message = format!("the capability `{}` is named more than once; the first is used", reference);
                merge.finding(Severity::Warning, message, None);
            }
            Ok(choice) => {
                if let Some(ignored) = &choice.ignored {
                    merge.finding(Severity::Warning, ignored.clone(), None);
                }
                let (servers, allowed_tools) = merge.capability(&choice);
                capabilities.push(expanded(choice, servers, allowed_tools));
            }
            Err(error @ CapabilityError::Broken(_)) => {
                merge.finding(Severity::Error, error.to_string(), Some("its tools are not there until that is mended"));
            }
            Err(error) => {
                let hint = "its tools are not there; mend the manifest or connect the tap that has it";
                merge.finding(Severity::Error, error.to_string(), Some(hint));
            }
        }
    }
    let merged = merge.finish();
    let mut role = manifest.role;
    let own_servers = role.mcp.server_refs.clone();
    role.name = agent.tag.to_string();
    role.system = sentence::fill(&role.system);
    role.mcp = merged.mcp;
    Expanded {
        tag: agent.tag.clone(),
        title: manifest.title,
        description: manifest.description,
        uses: agent.uses.clone(),
        tap: agent.tap.clone(),
        file: agent.file.clone(),
        role,
        own_servers,
        servers: merged.servers,
        deps: merged.deps,
        capabilities,
        findings: merged.findings,
    }
}

fn expanded(choice: Choice, servers: Vec<String>, allowed_tools: Vec<String>) -> ExpandedCapability {
    ExpandedCapability {
        name: choice.capability.name.clone(),
        provider: choice.provider_name().to_owned(),
        deps: choice.provider().deps.clone(),
        reference: choice.reference,
        capability: choice.capability,
        why: choice.why,
        servers,
        allowed_tools,
    }
}
