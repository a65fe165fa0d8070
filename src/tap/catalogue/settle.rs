//! Which of two parts of the same name is used, and what only shows when all parts are there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::build::{Outcome, ReadAgent, rank};
use crate::config::Problem;
use crate::tap::bounded::bounded;
use crate::tap::document::Report;
use crate::tap::resolve::{self, ASSISTANT, CHIEF};
use crate::tap::skill;
use crate::tap::{
    Agent, Capability, Catalogue, Finding, Part, PartKind, Plugin, Severity, Skill, SkillSource, Tag, Tap, Uses,
};

/// Puts the outcomes, which come in order of priority, together.
pub(super) fn settle(taps: Vec<Arc<Tap>>, outcomes: Vec<Outcome>, findings: Vec<Finding>) -> Catalogue {
    let mut pile = Pile { findings, ..Pile::default() };
    for outcome in outcomes {
        pile.add(outcome);
    }
    let skills = pile.skills();
    let mut catalogue = Catalogue {
        taps,
        capabilities: pile.capabilities(),
        skills: skills.winners.into_iter().map(Arc::new).collect(),
        shadowed_skills: skills.shadowed.into_iter().map(Arc::new).collect(),
        plugins: std::mem::take(&mut pile.plugins).into_iter().map(Arc::new).collect(),
        ..Catalogue::default()
    };
    let agents = std::mem::take(&mut pile.agents);
    // A capability that is broken is told from one that is not there.
    catalogue.findings.clone_from(&pile.findings);
    catalogue.agents = check_agents(agents, &catalogue, &mut pile.findings);
    catalogue.findings = bounded(pile.findings);
    sort_findings(&mut catalogue);
    catalogue
}

#[derive(Default)]
struct Pile {
    agents: BTreeMap<(String, String), ReadAgent>,
    capabilities: Vec<Capability>,
    skills: Vec<Skill>,
    plugins: Vec<Plugin>,
    findings: Vec<Finding>,
}

impl Pile {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Agent(agent, findings) => {
                self.findings.extend(findings);
                if let Some(agent) = agent {
                    self.agent(agent);
                }
            }
            Outcome::Capability(capability, findings) => {
                self.findings.extend(findings);
                self.capabilities.extend(capability);
            }
            Outcome::Skills(skills, findings) => {
                self.findings.extend(findings);
                self.skills.extend(skills);
            }
            Outcome::Plugins(plugins, skills, findings) => {
                self.findings.extend(findings);
                self.plugins(plugins, skills);
            }
            Outcome::Failed(finding) => self.findings.push(finding),
        }
    }

    fn agent(&mut self, read: ReadAgent) {
        let tag = &read.agent.tag;
        let key = (tag.domain.clone(), tag.spec.clone());
        match self.agents.get(&key) {
            Some(used) => {
                let (used, agent) = (&used.agent, &read.agent);
                let finding =
                    shadowed(PartKind::Agent, &agent.tag.to_string(), &agent.tap.name, &agent.file, &used.tap.name);
                self.findings.push(finding);
            }
            None => {
                self.agents.insert(key, read);
            }
        }
    }

    /// By name, then by priority; nothing is dropped, as pins still reach what is shadowed.
    fn capabilities(&mut self) -> Vec<Arc<Capability>> {
        let mut all = std::mem::take(&mut self.capabilities);
        all.sort_by(|one, other| one.name.cmp(&other.name));
        for same in all.chunk_by(|one, other| one.name == other.name) {
            for other in &same[1..] {
                let (kind, by) = (PartKind::Capability, &same[0].tap.name);
                self.findings.push(shadowed(kind, &other.name, &other.tap.name, &other.folder, by));
            }
        }
        all.into_iter().map(Arc::new).collect()
    }

    fn plugins(&mut self, plugins: Vec<Plugin>, mut skills: Vec<Skill>) {
        for plugin in plugins {
            match self.plugins.iter().find(|known| known.name == plugin.name) {
                Some(used) => {
                    skills.retain(|skill| skill.source != SkillSource::Plugin(plugin.name.clone()));
                    let by = used.folder.display().to_string();
                    self.findings.push(shadowed(PartKind::Plugin, &plugin.name, "", &plugin.folder, &by));
                }
                None => self.plugins.push(plugin),
            }
        }
        self.skills.extend(skills);
    }

    fn skills(&mut self) -> skill::Settled {
        let mut all = std::mem::take(&mut self.skills);
        // Stable: within one kind of source the order of priority is kept.
        all.sort_by_key(|skill| rank(&skill.source));
        let mut settled = skill::settle(all);
        self.findings.append(&mut settled.findings);
        settled
    }
}

fn shadowed(kind: PartKind, name: &str, tap: &str, file: &Path, by: &str) -> Finding {
    let message = format!("`{name}` is not used: {by} has it too and comes first");
    Finding {
        severity: Severity::Note,
        part: Part { kind, name: name.to_owned() },
        tap: tap.to_owned(),
        problem: Problem::of_file(&file.display().to_string(), message),
    }
}

/// Holds `# Uses:` and `capabilities` against what there is.
fn check_agents(
    mut agents: BTreeMap<(String, String), ReadAgent>,
    catalogue: &Catalogue,
    findings: &mut Vec<Finding>,
) -> Vec<Arc<Agent>> {
    let tags: Vec<Tag> = agents.values().map(|read| read.agent.tag.clone()).collect();
    for read in agents.values_mut() {
        let mut report = Report::new(PartKind::Agent, read.agent.tag.to_string(), &read.agent.tap.name);
        check_uses(read, &tags, &mut report);
        check_capabilities(read, catalogue, &mut report);
        findings.append(&mut report.findings);
    }
    agents.into_values().map(|read| Arc::new(read.agent)).collect()
}

fn check_uses(read: &mut ReadAgent, tags: &[Tag], report: &mut Report) {
    let ReadAgent { agent, source, uses_spans, .. } = read;
    let own = agent.tag.clone();
    if !agent.uses.is_empty() && !own.is_chief() {
        let span = uses_spans.first().map_or(0..0, Clone::clone);
        report.note(Problem::at(source, span, "`# Uses:` is meant for a domain's chief; this agent is none"));
    }
    let mut spans = uses_spans.drain(..);
    agent.uses.retain(|entry| {
        let span = spans.next().unwrap_or(0..0);
        match check_use(entry, &own, tags) {
            Ok(()) => true,
            Err((message, hint)) => {
                report.error(Problem::at(source, span, message).hint(hint));
                false
            }
        }
    });
}

/// Whether an entry of `# Uses:` leads somewhere.
fn check_use(entry: &Uses, own: &Tag, tags: &[Tag]) -> Result<(), (String, String)> {
    let domain_from = |domain: &str| tags.partition_point(|tag| tag.domain.as_str() < domain);
    let of_domain = |domain: &str| {
        let from = domain_from(domain);
        let domain = domain.to_owned();
        tags[from..].iter().take_while(move |tag| tag.domain == domain)
    };
    match entry {
        Uses::EveryChief if own.domain == ASSISTANT && own.is_chief() => Ok(()),
        Uses::EveryChief => {
            let hint = "name the domains".to_owned();
            Err((format!("`*` is for {ASSISTANT}:{CHIEF} only, so it has no effect"), hint))
        }
        Uses::Domain(domain) => {
            let agents: Vec<String> = of_domain(domain).map(Tag::to_string).collect();
            if agents.is_empty() {
                let near = crate::config::nearest_name(domain, tags.iter().map(|tag| tag.domain.as_str()));
                let hint = near
                    .map_or_else(|| "connect the tap that has it".to_owned(), |near| format!("did you mean `{near}`?"));
                Err((format!("no tap has the domain `{domain}`, so it has no effect"), hint))
            } else if !of_domain(domain).any(Tag::is_chief) {
                let hint = format!("name its agents: {}", agents.join(", "));
                Err((format!("the domain `{domain}` has no chief, so it has no effect"), hint))
            } else {
                Ok(())
            }
        }
        Uses::Agent(tag) if tag.domain == own.domain && tag.spec == own.spec => {
            Err(("this is the agent itself, so it has no effect".to_owned(), "leave it out".to_owned()))
        }
        Uses::Agent(tag) if of_domain(&tag.domain).any(|known| known.spec == tag.spec) => Ok(()),
        Uses::Agent(tag) => {
            let near: Vec<String> = of_domain(&tag.domain).map(Tag::to_string).collect();
            let hint = match near.is_empty() {
                true => "connect the tap that has it".to_owned(),
                false => format!("there are: {}", near.join(", ")),
            };
            Err((format!("no tap has the agent {tag}, so it has no effect"), hint))
        }
    }
}

fn check_capabilities(read: &ReadAgent, catalogue: &Catalogue, report: &mut Report) {
    let none = BTreeMap::new();
    for (reference, span) in read.agent.capabilities.iter().zip(&read.capability_spans) {
        match resolve::choose(reference, Some(&read.agent.tap), catalogue, &none) {
            Ok(_) => {}
            // [capabilities] can still name one.
            Err(error @ resolve::CapabilityError::NoProvider { .. }) => {
                report.warning(Problem::at(&read.source, span.clone(), error.to_string()));
            }
            Err(error @ resolve::CapabilityError::Broken(_)) => {
                let hint = "the agent starts without it until that is mended";
                report.error(Problem::at(&read.source, span.clone(), error.to_string()).hint(hint));
            }
            Err(error) => {
                let hint = "the agent starts without it; mend the name or connect the tap that has it";
                report.error(Problem::at(&read.source, span.clone(), error.to_string()).hint(hint));
            }
        }
    }
}

/// The gravest first, then by tap, part and place.
fn sort_findings(catalogue: &mut Catalogue) {
    let rank: BTreeMap<&str, usize> =
        catalogue.taps.iter().enumerate().map(|(rank, tap)| (tap.name.as_str(), rank)).collect();
    catalogue.findings.sort_by_cached_key(|finding| {
        let place = finding.problem.place.as_ref().map(|place| (place.line, place.column));
        let tap = rank.get(finding.tap.as_str()).copied().unwrap_or(usize::MAX);
        (finding.severity, tap, finding.part.clone(), finding.problem.file.clone(), place)
    });
}
