//! What a front end lists.

use std::collections::BTreeMap;
use std::path::Path;

use super::parts::tap_of;
use crate::proto::{CatalogueItem, CatalogueProblem, CatalogueView, WITH_PROGRAM, counted};
use crate::tap::capability::is_without_triggers;
use crate::tap::{Agent, Capability, Catalogue, Finding, PartKind, Plugin, Severity, Skill, SkillSource, Tap, TapKind};

/// Findings by the part they are about; what is not taken belongs to no item.
struct Problems(BTreeMap<(PartKind, String, String), Vec<CatalogueProblem>>);

impl Problems {
    fn of(findings: &[Finding]) -> Self {
        let mut problems: BTreeMap<_, Vec<CatalogueProblem>> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| !is_without_triggers(finding)) {
            let key = (finding.part.kind, finding.part.name.clone(), finding.tap.clone());
            problems.entry(key).or_default().push(CatalogueProblem {
                error: finding.severity == Severity::Error,
                note: finding.severity == Severity::Note,
                place: finding.problem.location(),
                message: finding.problem.message.clone(),
                hint: finding.problem.hint.clone(),
            });
        }
        Self(problems)
    }

    fn take(&mut self, kind: PartKind, name: &str, tap: &str) -> Vec<CatalogueProblem> {
        self.0.remove(&(kind, name.to_owned(), tap.to_owned())).unwrap_or_default()
    }
}

/// The catalogue as a front end shows it. `stale` says why the last change on disk could not be read,
/// if so.
pub fn view(catalogue: &Catalogue, stale: Option<&str>) -> CatalogueView {
    let mut problems = Problems::of(&catalogue.findings);
    let mut of = |kind, name: &str, tap: &str| problems.take(kind, name, tap);
    let taps = catalogue.taps.iter().map(|tap| {
        let mut problems = of(PartKind::Tap, &tap.name, &tap.name);
        problems.extend(without_triggers(catalogue, tap));
        tap_item(tap, problems)
    });
    let taps = taps.collect();
    let agents = catalogue.agents.iter();
    let agents = agents.map(|agent| agent_item(agent, of(PartKind::Agent, &agent.tag.to_string(), &agent.tap.name)));
    let agents = agents.collect();
    let capabilities = catalogue.capabilities.iter();
    let capabilities = capabilities.map(|one| capability_item(one, of(PartKind::Capability, &one.name, &one.tap.name)));
    let capabilities = capabilities.collect();
    let skills = catalogue.skills.iter();
    let skills = skills.map(|skill| skill_item(skill, of(PartKind::Skill, &skill.name, &tap_of(&skill.source))));
    let skills = skills.collect();
    let plugins = catalogue.plugins.iter();
    let plugins = plugins.map(|plugin| {
        let tap = plugin_tap(catalogue, plugin);
        plugin_item(plugin, of(PartKind::Plugin, &plugin.name, tap))
    });
    let plugins = plugins.collect();
    let stale = stale.map(|why| CatalogueProblem {
        error: true,
        note: false,
        place: String::new(),
        message: format!("the last change could not be read, so this is what was there before: {why}"),
        hint: None,
    });
    let mut rest: Vec<CatalogueProblem> = stale.into_iter().chain(problems.0.into_values().flatten()).collect();
    rest.sort_by_key(|problem| (!problem.error, problem.note));
    CatalogueView { taps, agents, capabilities, skills, plugins, problems: rest }
}

/// One note for all capabilities of a tap that only a manifest can name.
fn without_triggers(catalogue: &Catalogue, tap: &Tap) -> Option<CatalogueProblem> {
    let of_tap = |finding: &&Finding| finding.tap == tap.name && is_without_triggers(finding);
    let (number, works) = match catalogue.findings.iter().filter(of_tap).count() {
        0 => return None,
        1 => (1, "it works only where a manifest names it"),
        many => (many, "they work only where a manifest names them"),
    };
    let capabilities = if number == 1 { "1 capability".to_owned() } else { format!("{number} capabilities") };
    Some(CatalogueProblem {
        error: false,
        note: true,
        place: shown(&tap.root.join("capabilities")),
        message: format!("{capabilities} without triggers: {works}"),
        hint: Some(format!("`octomind taps check {}` names each", shown(&tap.root))),
    })
}

fn agent_item(agent: &Agent, problems: Vec<CatalogueProblem>) -> CatalogueItem {
    CatalogueItem {
        name: agent.tag.to_string(),
        title: agent.title.clone(),
        description: agent.description.clone(),
        domains: vec![agent.tag.domain.clone()],
        tap: agent.tap.name.clone(),
        file: shown(&agent.file),
        detail: list_or("no capabilities", &agent.capabilities),
        problems,
    }
}

fn tap_item(tap: &Tap, problems: Vec<CatalogueProblem>) -> CatalogueItem {
    let (title, from) = match &tap.kind {
        TapKind::Clone { url } => ("clone", url.as_str()),
        TapKind::Linked => ("linked folder", ""),
        TapKind::BuiltIn { url } => ("built-in tap", url.as_str()),
        TapKind::Starter => (WITH_PROGRAM, ""),
    };
    let state = tap.unavailable.as_ref().map(|why| format!("cannot be read: {why}"));
    CatalogueItem {
        name: tap.name.clone(),
        title: title.to_owned(),
        description: from.to_owned(),
        domains: Vec::new(),
        tap: tap.name.clone(),
        file: shown(&tap.root),
        detail: state.unwrap_or_else(|| "available".to_owned()),
        problems,
    }
}

fn capability_item(capability: &Capability, problems: Vec<CatalogueProblem>) -> CatalogueItem {
    let provider = capability.providers.iter().find(|provider| provider.name == "default");
    let provider = provider.or_else(|| capability.providers.first());
    let name = |provider: &crate::tap::Provider| match &provider.links_to {
        Some(target) => format!("{} → {target}", provider.name),
        None => provider.name.clone(),
    };
    let providers: Vec<String> = capability.providers.iter().map(name).collect();
    let triggers = match capability.triggers.as_slice() {
        [] => "no triggers".to_owned(),
        triggers => format!("{}: {}", counted(triggers.len(), "trigger"), triggers.join(" · ")),
    };
    CatalogueItem {
        name: capability.name.clone(),
        title: provider.map(|provider| provider.title.clone()).unwrap_or_default(),
        description: provider.map(|provider| provider.description.clone()).unwrap_or_default(),
        domains: capability.domains.clone(),
        tap: capability.tap.name.clone(),
        file: shown(&capability.folder),
        detail: format!("{}; {triggers}", providers.join(", ")),
        problems,
    }
}

fn skill_item(skill: &Skill, problems: Vec<CatalogueProblem>) -> CatalogueItem {
    let lines: Vec<String> = skill
        .rules
        .iter()
        .map(|group| group.checks.iter().map(|check| check.text.as_str()).collect::<Vec<_>>().join(" "))
        .collect();
    let everywhere = skill.domains.iter().any(|domain| domain == "*");
    CatalogueItem {
        name: skill.name.clone(),
        title: skill.title.clone(),
        description: skill.description.clone(),
        domains: if everywhere { Vec::new() } else { skill.domains.clone() },
        tap: source_name(&skill.source),
        file: shown(&skill.file),
        detail: list_or("no rules", &lines),
        problems,
    }
}

fn source_name(source: &SkillSource) -> String {
    match source {
        SkillSource::Tap(tap) => tap.name.clone(),
        SkillSource::Workdir => ".agents/skills".to_owned(),
        SkillSource::User => "~/.config/agents/skills".to_owned(),
        SkillSource::Plugin(name) => format!("plugin {name}"),
        SkillSource::Generated => "generated".to_owned(),
    }
}

/// The tap whose folder a plugin is in; "" for none.
fn plugin_tap<'catalogue>(catalogue: &'catalogue Catalogue, plugin: &Plugin) -> &'catalogue str {
    let tap = catalogue.taps.iter().find(|tap| plugin.folder.starts_with(&tap.root));
    tap.map_or("", |tap| tap.name.as_str())
}

fn plugin_item(plugin: &Plugin, problems: Vec<CatalogueProblem>) -> CatalogueItem {
    let names: Vec<&str> = plugin.servers.iter().map(|server| server.name.as_str()).collect();
    let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let servers = counted(plugin.servers.len(), "server");
    let detail = format!("{servers}{named}, {}", counted(plugin.skills.len(), "skill"));
    CatalogueItem {
        name: plugin.name.clone(),
        title: plugin.version.clone(),
        description: plugin.description.clone(),
        domains: Vec::new(),
        tap: plugin.folder.parent().map(shown).unwrap_or_default(),
        file: shown(&plugin.folder),
        detail,
        problems,
    }
}

fn list_or(none: &str, list: &[String]) -> String {
    if list.is_empty() { none.to_owned() } else { list.join(", ") }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
