//! The outcome in lines for reading.

use std::cmp::Ordering;
use std::io::Write;

use super::Outcome;
use super::cost::Cost;
use crate::cli::table::{Align, Look, Table, Tone};
use crate::proto::counted;
use crate::proto::{Ineligible, Routing, ServerAction, SkillTrace, by_score};
use crate::surface::MAX_DYNAMIC_CAPABILITIES;
use crate::text::{human, sanitize_line};

/// Capabilities that are shown by score; the others are counted.
const MOST_SCORES: usize = 10;
/// The same for those that were not compared.
const MOST_INELIGIBLE: usize = 20;
/// Columns of a bar for a score of 1.
const BAR: f32 = 20.0;

pub(super) fn write(outcome: &Outcome, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
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
    if let Some((one, words)) = routing.near_miss() {
        let score = one.score.unwrap_or_default();
        let words = format!("{}: {score:.3} ≥ {:.2}", clean(&words), routing.threshold);
        writeln!(out, "{}", look.tint(Tone::Doubtful, &words))?;
    }
    write_change(outcome, out)?;
    write_skills(outcome, look, out)?;
    write_cost(outcome, out)?;
    if !routing.ineligible.is_empty() {
        writeln!(out, "\nnot compared")?;
        let mut table = Table::new(&[("", Align::Left), ("", Align::Left), ("", Align::Rest)]);
        // What comes near first, the rest in the order of the catalogue.
        let mut left_out: Vec<&Ineligible> = routing.ineligible.iter().collect();
        left_out.sort_by(|left, right| by_score(left, right));
        for known in left_out.into_iter().take(MOST_INELIGIBLE) {
            let score = known.score.map(|score| format!("{score:.2}")).unwrap_or_default();
            table.row([format!("  {}", clean(&known.capability)), score, clean(&known.stage.sentence())]);
        }
        table.write(look, out)?;
        more(routing.ineligible.len(), MOST_INELIGIBLE, out)?;
    }
    for note in &outcome.notes {
        writeln!(out, "note: {}", clean(note))?;
    }
    Ok(())
}

fn write_change(outcome: &Outcome, out: &mut dyn Write) -> std::io::Result<()> {
    let clean = |text: &str| sanitize_line(text).into_owned();
    if let Some(activation) = &outcome.would_activate {
        for step in &activation.servers {
            let tools = if step.tools.is_empty() { "all tools".to_owned() } else { step.tools.join(", ") };
            writeln!(out, "  server {}: {}", clean(&step.server), clean(&tools))?;
        }
        if !activation.deps.is_empty() {
            writeln!(out, "  scripts: {}", clean(&activation.deps.join(", ")))?;
        }
    }
    let Some(gone) = &outcome.would_evict else { return Ok(()) };
    let name = clean(&gone.capability);
    writeln!(out, "{name} would go: it is the least recently used of {MAX_DYNAMIC_CAPABILITIES}")?;
    for step in &gone.servers {
        let done = match &step.action {
            ServerAction::Stopped => "stopped".to_owned(),
            ServerAction::NeverRan => "never ran".to_owned(),
            ServerAction::Kept { by } => format!("kept for {}", by.join(", ")),
            _ => "kept: the role owns it".to_owned(),
        };
        writeln!(out, "  server {}: {}", clean(&step.server), clean(&done))?;
    }
    Ok(())
}

fn write_skills(outcome: &Outcome, look: Look, out: &mut dyn Write) -> std::io::Result<()> {
    let fires: Vec<&SkillTrace> = outcome.skills.iter().filter(|trace| trace.activated).collect();
    for trace in &fires {
        let line = trace.lines.iter().position(|line| line.held).unwrap_or_default() + 1;
        let name = sanitize_line(&trace.skill).into_owned();
        writeln!(out, "{}", look.tint(Tone::Good, &format!("skill {name}: line {line} of its rules holds")))?;
    }
    if fires.is_empty() {
        let told = match outcome.skills.len() {
            0 => "no skill: no rules are in reach".to_owned(),
            1 => "no skill: no rule of the 1 in reach holds".to_owned(),
            many => format!("no skill: no rule of the {many} in reach holds"),
        };
        writeln!(out, "{}", look.tint(Tone::Quiet, &told))?;
    }
    Ok(())
}

fn write_cost(outcome: &Outcome, out: &mut dyn Write) -> std::io::Result<()> {
    let Cost { now, after, tools, unknown } = &outcome.tokens;
    if *tools == 0 && !unknown.is_empty() {
        let names = sanitize_line(&unknown.join(", ")).into_owned();
        return writeln!(out, "surface after: not known, no session has a record of the tools of {names}");
    }
    let change = match after.cmp(now) {
        Ordering::Equal => "as before".to_owned(),
        _ => format!("{} before", human::tokens(*now)),
    };
    let tools = counted(*tools, "tool");
    writeln!(out, "surface after: {tools}, {} tok per turn, {change}", human::tokens(*after))?;
    if !unknown.is_empty() {
        let names = sanitize_line(&unknown.join(", ")).into_owned();
        writeln!(out, "  without {names}: no session has a record of its tools")?;
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
