//! `octomind what-if`: which capability a message would bring in. Starts nothing, changes nothing.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use super::exit::Exit;
use super::explain::Format;
use super::routing::{EncoderShown, Fault, Named, Phrase, Work, encode, said};
use super::table::{Align, Look, Table, Tone};
use crate::config::schema::Config;
use crate::config::{Env, Paths, Sources, load};
use crate::embed::Vector;
use crate::proto::{
    Activation, Cause, Decision, EncoderState, FixedCapability, IntentSource, RouteOutcome, Routing, TurnId,
};
use crate::session;
use crate::surface::{Attempt, Compared, Offer, RoleSurface, RouteInput, Surface, intent, skip};
use crate::tap::catalogue::{Places, build};
use crate::tap::fill::Inputs;
use crate::tap::registry::{HOST_VARIABLE, Taps};
use crate::tap::resolve::{Target, expand, resolve};
use crate::tap::{Agent, Catalogue, manifest};
use crate::text::{human, sanitize_line};

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
variables that are set. Nothing is started, sent or written down.

Exit codes: 0 compared, whatever came of it; 1 the encoder cannot be used; 65 no such agent or role.

JSON: version, role, encoder {model, backend, hash} or null, routing (as in a session's journal),
would_activate (the same) or null, notes.";

/// What `--format json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Outcome {
    version: u32,
    role: String,
    /// Nothing when the message was not compared.
    encoder: Option<EncoderShown>,
    routing: Routing,
    would_activate: Option<Activation>,
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
    let offers = session::offers(catalogue, config, &name);
    let surface = Surface::new(role);
    let (inputs, _) = Inputs::open(&work.paths.inputs_file);
    let ready = |key: &str| match key.strip_prefix(session::INPUT) {
        Some(input) => inputs.values().get(input).is_some_and(|value| !value.is_empty()),
        None => work.env.get(key).is_some(),
    };
    let ready: Vec<String> =
        offers.iter().flat_map(|offer| &offer.environment).filter(|key| ready(key)).cloned().collect();
    let ready = |key: &str| ready.iter().any(|known| known == key);
    let (mut routing, encoder) = compare(&arguments.text, &surface, &offers, &ready, config, work).await?;
    routing.excerpt = intent::excerpt(&work.env.mask_secrets(&arguments.text));
    let would_activate = activation(surface, &offers, &routing, &ready);
    notes.extend(work.service.notes());
    let outcome = Outcome { version: 1, role: name, encoder, routing, would_activate, notes };
    match arguments.format {
        Format::Json => {
            writeln!(work.out, "{}", serde_json::to_string_pretty(&outcome).map_err(std::io::Error::other)?)?;
        }
        Format::Text => write(&outcome, work.look, work.out)?,
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
            Ok(RoleSurface { domain: domain(&name), role: name, capabilities: Vec::new(), servers: servers.collect() })
        }
        Target::Agent(agent) => of_agent(&agent, catalogue, config, notes),
    }
}

/// The part before the colon.
fn domain(role: &str) -> String {
    role.split_once(':').map_or("", |(domain, _)| domain).to_owned()
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
    Ok(RoleSurface { domain: domain(&name), role: name, capabilities: capabilities.collect(), servers })
}

/// Through the stages and the gate. No encoder is loaded for a message that is not compared.
async fn compare(
    text: &str,
    surface: &Surface,
    offers: &[Offer],
    ready: &dyn Fn(&str) -> bool,
    config: &Config,
    work: &mut Work<'_>,
) -> Result<(Routing, Option<EncoderShown>), Fault> {
    let intent = intent::clean(text);
    let attempt = if config.auto_capabilities { Attempt::Wanted } else { Attempt::Off };
    let (eligible, ineligible) = surface.eligible(offers, ready, &|_| true);
    let mut input = RouteInput {
        turn: TurnId(1),
        source: IntentSource::Question,
        attempt,
        intent: &intent,
        excerpt: String::new(),
        eligible: &[],
        ineligible,
        vector: Err(EncoderState::Idle),
        model: "",
        backend: "",
        encoding_us: 0,
    };
    let without_vectors: Vec<Compared<'_>> = eligible.iter().map(|offer| Compared { offer, phrases: &[] }).collect();
    if skip(attempt, &intent, eligible.len()).is_some() {
        input.eligible = &without_vectors;
        return Ok((surface.route(input), None));
    }
    let encoder = encode::open(work).await?;
    let index = encode::phrases(&named(&eligible), work).await?;
    let vectors: Vec<Vec<Vector>> =
        eligible.iter().map(|offer| index.all(offer.capability.triggers.iter().map(String::as_str))).collect();
    let begun = Instant::now();
    let message = encode::message(&intent, &work.service).await.map_err(Fault::Encoder)?;
    let encoding = begun.elapsed();
    let compared: Vec<Compared<'_>> =
        eligible.iter().zip(&vectors).map(|(offer, phrases)| Compared { offer, phrases }).collect();
    (input.model, input.backend) = (&encoder.model, &encoder.backend);
    (input.eligible, input.vector) = (&compared, Ok(&message));
    input.encoding_us = u64::try_from(encoding.as_micros()).unwrap_or(u64::MAX);
    let begun = Instant::now();
    let mut routing = surface.route(input);
    routing.deciding_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    Ok((routing, Some(encoder)))
}

fn named(eligible: &[&Offer]) -> Vec<Named> {
    let phrase = |trigger: &String| Phrase { text: trigger.clone(), place: String::new() };
    let named = |offer: &&Offer| Named {
        name: offer.name().to_owned(),
        phrases: offer.capability.triggers.iter().map(phrase).collect(),
    };
    eligible.iter().map(named).collect()
}

fn activation(
    mut surface: Surface,
    offers: &[Offer],
    routing: &Routing,
    ready: &dyn Fn(&str) -> bool,
) -> Option<Activation> {
    let RouteOutcome::Activated { capability } = &routing.outcome else { return None };
    let offer = offers.iter().find(|offer| offer.name() == capability)?;
    let change = surface.enable(offer, Cause::Auto, Some(routing), ready, 0);
    change.decisions.into_iter().find_map(|decision| match decision {
        Decision::CapabilityActivated(activation) => Some(*activation),
        _ => None,
    })
}

/// Capabilities that are shown by score; the others are counted.
const MOST_SCORES: usize = 10;
/// The same for those that were not compared.
const MOST_INELIGIBLE: usize = 20;
/// Columns of a bar for a score of 1.
const BAR: f32 = 20.0;

fn write(outcome: &Outcome, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let routing = &outcome.routing;
    let clean = |text: &str| sanitize_line(text).into_owned();
    writeln!(out, "{}", look.tint(Tone::Heading, &format!("\"{}\"", clean(&routing.excerpt))))?;
    let by = match &outcome.encoder {
        Some(encoder) => {
            let took = human::duration_ms(routing.encoding_us.div_ceil(1000));
            format!(" · {} on {}, {took}", encoder.model, encoder.backend)
        }
        None => String::new(),
    };
    writeln!(out, "{}\n", look.tint(Tone::Quiet, &format!("{}{by}", clean(&outcome.role))))?;
    write_scores(routing, look, out)?;
    let (_, _, headline) = routing.headline();
    let tone = if outcome.would_activate.is_some() { Tone::Good } else { Tone::Doubtful };
    writeln!(out, "{}", look.tint(tone, &clean(&headline)))?;
    if let Some(activation) = &outcome.would_activate {
        for step in &activation.servers {
            let tools = if step.tools.is_empty() { "all tools".to_owned() } else { step.tools.join(", ") };
            writeln!(out, "  server {}: {}", clean(&step.server), clean(&tools))?;
        }
        if !activation.deps.is_empty() {
            writeln!(out, "  scripts: {}", clean(&activation.deps.join(", ")))?;
        }
    }
    if !routing.ineligible.is_empty() {
        writeln!(out, "\nnot compared")?;
        let mut table = Table::new(&[("", Align::Left), ("", Align::Rest)]);
        for known in routing.ineligible.iter().take(MOST_INELIGIBLE) {
            table.row([format!("  {}", clean(&known.capability)), clean(&known.stage.sentence())]);
        }
        table.write(look, out)?;
        more(routing.ineligible.len(), MOST_INELIGIBLE, out)?;
    }
    for note in &outcome.notes {
        writeln!(out, "note: {}", clean(note))?;
    }
    Ok(())
}

fn write_scores(routing: &Routing, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    if routing.scores.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[("", Align::Left), ("", Align::Right), ("", Align::Left), ("", Align::Rest)]);
    for score in routing.scores.iter().take(MOST_SCORES) {
        let passes = if score.score >= routing.threshold { "≥" } else { "<" };
        let nearest = score.top.first().map(|top| format!("{:.2} {}", top.cosine, top.trigger)).unwrap_or_default();
        table.row([
            sanitize_line(&score.capability).into_owned(),
            format!("{:.4} {passes} {:.2}", score.score, routing.threshold),
            bar(score.score),
            sanitize_line(&nearest).into_owned(),
        ]);
    }
    table.write(look, out)?;
    more(routing.scores.len(), MOST_SCORES, out)?;
    writeln!(out)
}

fn bar(score: f32) -> String {
    "█".repeat((score.clamp(0.0, 1.0) * BAR).round() as usize)
}

fn more(all: usize, most: usize, out: &mut dyn Write) -> std::io::Result<()> {
    if all > most { writeln!(out, "  … and {} more", all - most) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
