//! Skills: judged for each message, switched by the person and the model, kept over resuming.

use std::sync::Arc;

use super::lost::{Lost, lost};
use super::{Actor, Report};
use crate::proto::{Body, CallId, Content, Decision, Level, Origin, SkillCause, SkillTrace, SkillView, TurnId};
use crate::session::encoder::{Patience, liken};
use crate::session::rules::skill_list::{self, Listed};
use crate::session::seams::Switch;
use crate::tap::skill::activation_text;
use crate::tap::{Catalogue, PartKind, Skill, SkillSource};
use crate::text::{disarmed, tokens};

/// A skill whose text was read, or why it could not be.
pub(super) type ReadSkill = Result<(Arc<Skill>, String), String>;

/// What reading skills was for.
pub(super) enum SkillReport {
    Judged(Box<Judged>),
    /// `OCTOMIND_SKILLS`, by name.
    Preloaded(Vec<(String, ReadSkill)>),
    /// The tool asked for it.
    Called(CallId, ReadSkill),
}

/// The rules were judged for a message of this turn.
#[derive(Default)]
pub(super) struct Judged {
    turn: TurnId,
    domain: String,
    message: String,
    traces: Vec<SkillTrace>,
    /// Those that held, by their line, read.
    held: Vec<(u32, ReadSkill)>,
    /// What [`lost`] found.
    lost: Vec<Lost>,
}

impl Actor {
    pub(super) fn active_skills(&self) -> Vec<String> {
        self.rec.hub.snapshot().skills.iter().map(|view| view.name.clone()).collect()
    }

    /// Of the session: before the colon of its role.
    fn domain(&self) -> String {
        crate::surface::domain_of(&self.role.name).to_owned()
    }

    /// Reads the skills that the environment asks for, beside the task.
    pub(super) fn preload_skills(&mut self) {
        let Some(offers) = self.setup.offers.clone() else { return };
        let active = self.active_skills();
        let wanted: Vec<String> = offers.preloaded().into_iter().filter(|name| !active.contains(name)).collect();
        if wanted.is_empty() {
            return;
        }
        self.preloading = true;
        let report = self.report.clone();
        tokio::task::spawn_blocking(move || {
            let catalogue = offers.catalogue();
            let read = |name: String| {
                let skill = match catalogue.skill(&name).cloned() {
                    Some(skill) => read(skill),
                    None => Err(match catalogue.broken(PartKind::Skill, &name) {
                        Some(broken) => format!("it{}", broken.to_string().trim_start_matches(&*name)),
                        None => "there is no such skill".to_owned(),
                    }),
                };
                (name, skill)
            };
            let all = wanted.into_iter().map(read).collect();
            let _ = report.send(Report::Skill(SkillReport::Preloaded(all)));
        });
    }

    /// Judges the rules for a message of the turn beside the task; the request waits for it.
    pub(super) fn judge_skills(&mut self, message: String) {
        let rules = self.setup.skill_rules == Switch::On && !message.trim().is_empty();
        let Some(offers) = self.setup.offers.clone().filter(|_| rules) else { return };
        let (domain, session, active) = (self.domain(), self.name.clone(), self.active_skills());
        let Some(turn) = &mut self.turn else { return };
        turn.judged = false;
        let (id, report) = (turn.id, self.report.clone());
        let (encoder, patience) = (self.setup.encoder.clone(), Patience::from(self.setup.person));
        tokio::spawn(async move {
            let place = domain.clone();
            let said = message.clone();
            let likened = liken(encoder.as_deref(), &offers, &message, (&domain, &active), patience).await;
            let work = tokio::task::spawn_blocking(move || {
                let traces = offers.judge(&message, &place, &session, &active, &likened);
                let catalogue = offers.catalogue();
                let held = traces.iter().filter(|trace| trace.activated).filter_map(|trace| {
                    let line = trace.lines.iter().position(|line| line.held).unwrap_or_default();
                    let skill = catalogue.skill(&trace.skill)?;
                    Some((u32::try_from(line).unwrap_or_default(), read(Arc::clone(skill))))
                });
                let held = held.collect();
                (traces, held, lost(&catalogue, &offers.problems()))
            });
            // Rules that went wrong activate nothing; the message goes out all the same.
            let (traces, held, lost) = work.await.unwrap_or_default();
            let judged = Judged { turn: id, domain, message: said, traces, held, lost };
            let _ = report.send(Report::Skill(SkillReport::Judged(Box::new(judged))));
        });
    }

    pub(super) fn skill_reported(&mut self, report: SkillReport) {
        match report {
            SkillReport::Judged(judged) => self.rules_over(*judged),
            SkillReport::Preloaded(all) => {
                self.preloading = false;
                for (name, read) in all {
                    if let Err(why) = self.activate(read, SkillCause::Environment) {
                        let text = format!("OCTOMIND_SKILLS names {name}, which is not active: {why}.");
                        self.rec.notice(Level::Warning, "skill", text, Some("/skill lists the skills.".to_owned()));
                    }
                }
                self.go_on_if_ready();
            }
            SkillReport::Called(call, read) => {
                let answer = match self.activate(read, SkillCause::Model) {
                    Ok(said) => {
                        crate::mcp::CallResult { outcome: crate::proto::ToolOutcome::Ok, content: Content::Text(said) }
                    }
                    Err(why) => crate::mcp::CallResult {
                        outcome: crate::proto::ToolOutcome::Error,
                        content: Content::Text(why),
                    },
                };
                self.call_ended(&call, answer);
            }
        }
    }

    fn rules_over(&mut self, judged: Judged) {
        let Judged { turn, domain, message, traces, held, lost } = judged;
        self.tell_lost(lost);
        let running = self.turn.as_ref().is_some_and(|running| running.id == turn);
        if running {
            self.rules_judged(message, &traces);
        }
        self.record_rules(domain, traces);
        for (line, read) in held {
            if let Err(why) = self.activate(read, SkillCause::Rule { line }) {
                self.rec.notice(Level::Warning, "skill", why, None);
            }
        }
        if let Some(turn) = self.turn.as_mut().filter(|_| running) {
            turn.judged = true;
        }
        self.go_on_without_waiting();
    }

    /// Said in the notes, and only when a line held or the verdicts are others than before.
    fn record_rules(&mut self, domain: String, traces: Vec<SkillTrace>) {
        let verdicts: Vec<(String, bool, Option<String>)> =
            traces.iter().map(|trace| (trace.skill.clone(), trace.activated, trace.reason.clone())).collect();
        let held = traces.iter().any(|trace| trace.activated || trace.lines.iter().any(|line| line.held));
        let first = self.verdicts.is_none();
        let changed = self.verdicts.as_ref().is_some_and(|before| *before != verdicts);
        self.verdicts = Some(verdicts);
        if held || changed || (first && !traces.is_empty()) {
            self.rec.emit(Body::Decided(Decision::SkillRules { domain, skills: traces }));
        }
    }

    /// What was said about it, or why it is not active.
    pub(super) fn activate(&mut self, read: ReadSkill, cause: SkillCause) -> Result<String, String> {
        let (skill, body) = read?;
        if self.active_skills().contains(&skill.name) {
            return Ok(format!("The skill {} is active already.", skill.name));
        }
        if let Some(encoder) = &self.setup.encoder {
            encoder.used(&skill.name);
        }
        let text = format!("<skill name=\"{}\">\n{}\n</skill>", skill.name, disarmed(body.trim()));
        let view = SkillView {
            name: skill.name.clone(),
            description: skill.description.clone(),
            cause,
            source: source(&skill),
            file: skill.file.display().to_string(),
            tokens: u32::try_from(tokens::estimate(&text)).unwrap_or(u32::MAX),
        };
        self.rec.cell(Body::SkillActivated { skill: view, text: Content::Text(text) });
        self.measure();
        let mut said = format!("The skill {} is active: its text is in the conversation.", skill.name);
        for sentence in self.hold_for(&skill.name) {
            said = format!("{said} {sentence}");
        }
        Ok(said)
    }

    pub(super) fn forget_skill(&mut self, name: &str) -> String {
        self.rec.cell(Body::SkillForgotten { name: name.to_owned() });
        self.release_for(name);
        let text = format!("The skill {name} was switched off: what its text says no longer applies.");
        let origin = Origin::System { kind: "skill".to_owned(), label: name.to_owned() };
        self.say(Content::Text(text), Vec::new(), origin);
        self.measure();
        format!("the skill {name} is off; its text stays in the conversation until that is condensed")
    }
}

/// Reads a skill's text as it is now.
pub(super) fn read(skill: Arc<Skill>) -> ReadSkill {
    activation_text(&skill).map(|text| (skill, text))
}

/// Why there is nothing to activate by this name.
pub(super) fn missing(catalogue: &Catalogue, name: &str, listed: &[Listed]) -> String {
    match catalogue.broken(PartKind::Skill, name) {
        Some(broken) => format!("The skill {broken}."),
        None => skill_list::unknown(name, listed),
    }
}

/// The tap or folder that a skill comes from.
pub(in crate::session) fn source(skill: &Skill) -> String {
    match &skill.source {
        SkillSource::Tap(tap) => tap.name.clone(),
        SkillSource::Workdir => ".agents/skills".to_owned(),
        SkillSource::User => "~/.config/agents/skills".to_owned(),
        SkillSource::Plugin(name) => format!("plugin {name}"),
        SkillSource::Generated => "learned".to_owned(),
    }
}
