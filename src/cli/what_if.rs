//! `octomind what-if`: what a message would bring in, what would go for it, and what that would cost. Starts
//! nothing, changes nothing.

mod cost;
mod fresh;
mod show;

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use super::exit::Exit;
use super::recorded::Format;
use super::routing::{EncoderShown, Fault, Named, Phrase, Work, encode, said};
use crate::config::schema::Config;
use crate::config::{Env, Paths, Sources, load};
use crate::embed::{Beside, Index, Vector};
use crate::proto::{
    Activation, Deactivation, EncoderState, FixedCapability, Ineligible, IntentSource, Routing, SkillTrace, Stage,
    TurnId,
};
use crate::session;
use crate::session::encoder::in_question;
use crate::surface::{Attempt, Compared, Offer, RoleSurface, RouteInput, Surface, domain_of, intent, skip};
use crate::tap::catalogue::{Places, build};
use crate::tap::fill::Inputs;
use crate::tap::registry::{HOST_VARIABLE, Taps};
use crate::tap::resolve::{Target, expand, resolve};
use crate::tap::skill::judge::Scene;
use crate::tap::{Agent, Catalogue, manifest};
use crate::text::has_intent;
use cost::Cost;
use fresh::Fresh;

#[derive(Debug, PartialEq, Args)]
#[command(after_help = HELP)]
pub struct WhatIfArguments {
    /// The message, as it would be sent
    pub text: String,
    /// Agent or role it would be sent to; default as a start without one
    pub tag: Option<String>,
    /// Encoder to use: embedded, a hub repository, or a folder; default as configured
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Lines for reading, or one JSON object
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

const HELP: &str = "\
The message is compared as the first one of a new session, with the taps that are connected and the
variables that are set, OCTOMIND_CAPABILITIES and OCTOMIND_SKILLS among them. Nothing is started, sent or
written down; what the tools of a server cost is read from the sessions in which it ran.

Exit codes: 0 compared, whatever came of it; 1 the encoder cannot be used; 65 no such agent or role.

JSON: version, role, encoder {model, backend, hash} or null, routing (as in a session's journal),
would_activate (the same) or null, would_evict (the same) or null, skills [{skill, activated, reason,
lines}], tokens {now, after, tools, unknown}, notes.";

/// What `--format json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Outcome {
    version: u32,
    role: String,
    /// Nothing when the message was not compared.
    encoder: Option<EncoderShown>,
    routing: Routing,
    would_activate: Option<Activation>,
    would_evict: Option<Deactivation>,
    /// How the rules of every skill in reach are judged; empty when rules activate none.
    skills: Vec<SkillTrace>,
    tokens: Cost,
    notes: Vec<String>,
}

pub fn run(arguments: &WhatIfArguments, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let env = Env::from_process();
    let paths = Paths::from_env(&env);
    let workdir = super::workdir()?;
    let (env, _) = env.with_files(&paths, &workdir);
    let config = load(&Sources::read(&paths, &workdir, Vec::new())).config;
    let model = arguments.model.clone().unwrap_or_else(|| config.encoder.model.clone());
    let mut work = Work::new(model, &paths, &env, &workdir, out, err);
    let taps = Taps::open(&paths).hosted_at(env.get(HOST_VARIABLE));
    let taps = taps.effective().into_iter().map(Arc::new).collect();
    let catalogue = build(&Places { taps, workdir: workdir.clone(), ..Places::default() });
    let ended = super::runtime()?.block_on(run_in(arguments, Arc::new(catalogue), &config, &mut work));
    Ok(said(ended, work.err)?.into())
}

async fn run_in(
    arguments: &WhatIfArguments,
    catalogue: Arc<Catalogue>,
    config: &Config,
    work: &mut Work<'_>,
) -> Result<Exit, Fault> {
    let mut notes = Vec::new();
    let role = role(arguments.tag.as_deref(), &catalogue, config, &mut notes)?;
    let name = role.role.clone();
    let offers = session::offers(Arc::clone(&catalogue), config, &name);
    let (inputs, _) = Inputs::open(&work.paths.inputs_file);
    let ready = |key: &str| match key.strip_prefix(session::INPUT) {
        Some(input) => inputs.values().get(input).is_some_and(|value| !value.is_empty()),
        None => work.env.get(key).is_some(),
    };
    let ready: Vec<String> =
        offers.iter().flat_map(|offer| &offer.environment).filter(|key| ready(key)).cloned().collect();
    let ready = |key: &str| ready.iter().any(|known| known == key);
    let fresh = Fresh { catalogue: &catalogue, offers: &offers, ready: &ready, env: work.env };
    let (mut surface, active) = fresh.begin(role, &mut notes);
    let rules = config.skills.auto_activation;
    let asked = if rules { in_question(&catalogue, surface.domain(), &active) } else { Vec::new() };
    let (mut routing, compared) = compare(&arguments.text, &surface, &fresh, asked.clone(), config, work).await?;
    let (encoder, beside) = compared.unzip();
    let skills = match rules {
        true => {
            let (domain, workdir) = (surface.domain(), work.workdir);
            fresh.judge(
                &Scene { message: &arguments.text, domain, workdir, session: "", env: work.env },
                &active,
                beside,
            )
        }
        false => Vec::new(),
    };
    let before = surface.clone();
    // As in a turn: what rules bring is there before the message is compared.
    let brought = fresh.hold_for(&mut surface, &skills);
    if !brought.is_empty() {
        (routing, _) = compare(&arguments.text, &surface, &fresh, asked, config, work).await?;
        notes.push(format!("with its skills would come {}", brought.join(", ")));
    }
    routing.excerpt = intent::excerpt(&work.env.mask_secrets(&arguments.text));
    let (would_activate, would_evict) = fresh.enable(&mut surface, &routing);
    let tokens = Cost::of(&before, &surface, &work.paths.sessions);
    notes.extend(work.service.notes());
    let outcome =
        Outcome { version: 1, role: name, encoder, routing, would_activate, would_evict, skills, tokens, notes };
    match arguments.format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&outcome).map_err(std::io::Error::other)?;
            writeln!(work.out, "{}", crate::text::in_json(&json))?;
        }
        Format::Text => show::write(&outcome, work.look, work.out)?,
    }
    Ok(Exit::Done)
}

/// What the name brings by itself.
fn role(
    asked: Option<&str>,
    catalogue: &Catalogue,
    config: &Config,
    notes: &mut Vec<String>,
) -> Result<RoleSurface, Fault> {
    let names: Vec<&str> = config.roles.iter().map(|role| role.name.as_str()).collect();
    let asked = asked.or(Some(config.default.as_str()).filter(|name| !name.is_empty()));
    let resolved = resolve(asked, &names, catalogue).map_err(|error| Fault::Input(error.to_string()))?;
    match resolved.target {
        Target::Role(name) => {
            let found = crate::config::resolve_role(config, &name).map_err(|error| Fault::Input(error.to_string()))?;
            let servers = found.servers.into_iter().map(|choice| (choice.server.name, choice.filter));
            Ok(RoleSurface {
                domain: domain_of(&name).to_owned(),
                role: name,
                capabilities: Vec::new(),
                servers: servers.collect(),
            })
        }
        Target::Agent(agent) => of_agent(&agent, catalogue, config, notes),
    }
}

fn of_agent(
    agent: &Agent,
    catalogue: &Catalogue,
    config: &Config,
    notes: &mut Vec<String>,
) -> Result<RoleSurface, Fault> {
    let unusable = |why: String| Fault::Input(format!("{} cannot be used: {why}", agent.tag));
    let source = crate::config::Source::read(&agent.file).map_err(|problem| unusable(problem.headline()))?;
    let source = source.ok_or_else(|| unusable("its manifest is not there any more".to_owned()))?;
    let parsed = manifest::parse(&source, &agent.tag, &agent.tap.name);
    let why = parsed.findings.first().map(|finding| finding.problem.headline());
    let manifest = parsed.manifest.ok_or_else(|| unusable(why.unwrap_or_default()))?;
    let expanded = expand(agent, manifest, catalogue, config);
    notes.extend(expanded.findings.iter().map(|finding| finding.problem.headline()));
    let capabilities = expanded.capabilities.iter().map(|one| FixedCapability {
        name: one.name.clone(),
        tap: one.capability.tap.name.clone(),
        provider: one.provider.clone(),
        servers: one.servers.clone(),
    });
    let name = expanded.role.name.clone();
    let merged = expanded.configuration(config);
    let found = crate::config::resolve_role(&merged, &name).map_err(|error| unusable(error.to_string()))?;
    let servers = found.servers.into_iter().map(|choice| (choice.server.name, choice.filter)).collect();
    Ok(RoleSurface { domain: domain_of(&name).to_owned(), role: name, capabilities: capabilities.collect(), servers })
}

/// Through the stages and the gate, with the message beside what else is asked for. No encoder is loaded
/// when nothing is compared with the message.
async fn compare(
    text: &str,
    surface: &Surface,
    fresh: &Fresh<'_>,
    asked: Vec<String>,
    config: &Config,
    work: &mut Work<'_>,
) -> Result<(Routing, Option<(EncoderShown, Beside)>), Fault> {
    let intent = intent::clean(text);
    let attempt = if config.auto_capabilities { Attempt::Wanted } else { Attempt::Off };
    let (eligible, ineligible) = surface.eligible(fresh.offers, fresh.ready, &|_| true);
    let mut input = RouteInput {
        turn: TurnId(1),
        source: IntentSource::Question,
        attempt,
        intent: &intent,
        excerpt: String::new(),
        eligible: &[],
        ineligible,
        near: &|_| &[],
        vector: Err(EncoderState::Idle),
        model: "",
        backend: "",
        encoding_us: 0,
    };
    let skipped = skip(attempt, &intent, eligible.len()).is_some();
    let without_vectors: Vec<Compared<'_>> = eligible.iter().map(|offer| Compared { offer, phrases: &[] }).collect();
    if skipped && (asked.is_empty() || !has_intent(&intent)) {
        input.eligible = &without_vectors;
        return Ok((surface.route(input), None));
    }
    let encoder = encode::open(work).await?;
    let near = if skipped { Vec::new() } else { measured(fresh.offers, &input.ineligible) };
    let mut wanted = if skipped { Vec::new() } else { named(&eligible) };
    wanted.extend(named(&near));
    let phrases = asked.into_iter().map(|text| Phrase { text, place: String::new() }).collect();
    wanted.push(Named { name: "skills".to_owned(), phrases });
    let index = encode::phrases(&wanted, work).await?;
    let vectors: Vec<Vec<Vector>> = eligible.iter().map(|offer| of(offer, &index)).collect();
    let begun = Instant::now();
    let message = encode::message(&intent, &work.service).await.map_err(Fault::Encoder)?;
    let encoding = begun.elapsed();
    let compared: Vec<Compared<'_>> =
        eligible.iter().zip(&vectors).map(|(offer, phrases)| Compared { offer, phrases }).collect();
    let near: BTreeMap<&str, Vec<Vector>> = near.iter().map(|offer| (offer.name(), of(offer, &index))).collect();
    let near = |name: &str| near.get(name).map_or(&[][..], Vec::as_slice);
    input.near = &near;
    (input.model, input.backend) = (&encoder.model, &encoder.backend);
    (input.eligible, input.vector) = (&compared, Ok(&message));
    input.encoding_us = u64::try_from(encoding.as_micros()).unwrap_or(u64::MAX);
    let begun = Instant::now();
    let mut routing = surface.route(input);
    routing.deciding_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    Ok((routing, Some((encoder, Beside { message, index }))))
}

/// Those that stopped before the comparison and may come one day.
fn measured<'o>(offers: &'o [Offer], ineligible: &[Ineligible]) -> Vec<&'o Offer> {
    let may_come = |one: &&Ineligible| matches!(one.stage, Stage::Active | Stage::EnvironmentUnready { .. });
    let names: HashSet<&str> = ineligible.iter().filter(may_come).map(|one| one.capability.as_str()).collect();
    offers.iter().filter(|offer| names.contains(offer.name())).collect()
}

fn of(offer: &Offer, index: &Index) -> Vec<Vector> {
    index.all(offer.capability.triggers.iter().map(String::as_str))
}

fn named(eligible: &[&Offer]) -> Vec<Named> {
    let phrase = |trigger: &String| Phrase { text: trigger.clone(), place: String::new() };
    let named = |offer: &&Offer| Named {
        name: offer.name().to_owned(),
        phrases: offer.capability.triggers.iter().map(phrase).collect(),
    };
    eligible.iter().map(named).collect()
}

#[cfg(test)]
mod tests;
