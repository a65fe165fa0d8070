//! The linter's report for a reader.

use std::io::{self, Write};

use crate::cli::table::{Align, Look, Table, Tone};
use crate::embed::lint::{Finding, Gravity, Place, Report, Standing};
use crate::text::sanitize_line;

/// A capability that so few of its own triggers would activate is listed as weak.
const WEAK: f64 = 0.5;

pub fn write(report: &Report, look: Look, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.findings {
        one(finding, look, out)?;
    }
    let weak = weak(report);
    if !weak.is_empty() {
        let title = "Capabilities that less than half of their own triggers would activate, each judged without itself";
        writeln!(out, "{}", look.tint(Tone::Heading, &look.paragraph(0, title)))?;
        weak.write(look, out)?;
        writeln!(out)?;
    }
    writeln!(out, "{}", look.paragraph(0, &summary(report)))
}

fn one(finding: &Finding, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let tone = match finding.gravity {
        Gravity::Error => Tone::Bad,
        Gravity::Warning => Tone::Doubtful,
        Gravity::Note => Tone::Quiet,
    };
    let other = finding.other.as_ref().map_or(String::new(), |other| format!(" and {other}"));
    let head = format!("{}{other}", finding.capability);
    writeln!(
        out,
        "{}: {} [{}]",
        look.tint(tone, finding.gravity.word()),
        look.tint(Tone::Heading, &sanitize_line(&head)),
        finding.kind.word()
    )?;
    for place in [&finding.trigger, &finding.other_trigger].into_iter().flatten() {
        trigger(place, look, out)?;
    }
    let numbers: Vec<String> =
        finding.numbers.iter().take(4).map(|number| format!("{} {:.2}", number.what, number.value)).collect();
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    let message = format!("{}{numbers}", finding.message);
    writeln!(out, "  {}", look.paragraph(2, &sanitize_line(&message)))?;
    writeln!(out, "  fix: {}\n", look.paragraph(7, &sanitize_line(&finding.advice)))
}

fn trigger(place: &Place, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let text = sanitize_line(&place.text).into_owned();
    match place.place.as_str() {
        "" => writeln!(out, "  “{text}”"),
        at => writeln!(out, "  “{text}”  {}", look.tint(Tone::Quiet, &sanitize_line(at))),
    }
}

fn share(standing: &Standing) -> f64 {
    standing.activate as f64 / standing.triggers.max(1) as f64
}

fn weak(report: &Report) -> Table {
    let mut table = Table::new(&[
        ("CAPABILITY", Align::Left),
        ("ACTIVATE", Align::Right),
        ("SCORE", Align::Right),
        ("LEAD", Align::Right),
        ("NEAREST", Align::Left),
    ]);
    let shown = |number: Option<f64>| number.map_or("–".to_owned(), |number| format!("{number:.2}"));
    for standing in report.standings.iter().filter(|standing| standing.triggers > 1 && share(standing) < WEAK) {
        table.row([
            standing.capability.clone(),
            format!("{}/{}", standing.activate, standing.triggers),
            shown(standing.median_score),
            shown(standing.median_lead),
            standing.nearest.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn summary(report: &Report) -> String {
    let count = |gravity: Gravity| report.findings.iter().filter(|finding| finding.gravity == gravity).count();
    let plural = |count: usize, word: &str| if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") };
    let compared = format!("{} capabilities with {} triggers compared", report.standings.len(), report.triggers);
    if report.findings.is_empty() {
        return format!("{compared}: nothing to say against them.");
    }
    format!(
        "{compared}: {}, {}, {}.",
        plural(count(Gravity::Error), "error"),
        plural(count(Gravity::Warning), "warning"),
        plural(count(Gravity::Note), "note")
    )
}
