//! The evaluation as tables.

use std::io::{self, Write};

use super::eval::Outcome;
use crate::cli::table::{Align, Look, Table, Tone};
use crate::embed::eval::{Confusion, Counts, Point, Rates, Report, Spread};
use crate::text::sanitize_line;

/// Confusions that are listed; `--json` has them all.
const WORST: usize = 10;

pub fn write(outcome: &Outcome, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let report = &outcome.report;
    writeln!(out, "{}", look.paragraph(0, &heading(outcome)))?;
    writeln!(out)?;
    figures(report).write(look, out)?;
    writeln!(out)?;
    spreads(report).write(look, out)?;
    titled("By kind", &kinds(report), look, out)?;
    titled("Worst confusions", &confusions(&report.confusions), look, out)?;
    if let Some(more) = report.confusions.len().checked_sub(WORST).filter(|more| *more > 0) {
        writeln!(out, "… {more} more; --json lists them all")?;
    }
    titled("Other rules, for information", &points(report), look, out)?;
    floors(outcome, look, out)
}

fn heading(outcome: &Outcome) -> String {
    let candidates = &outcome.candidates;
    let skills = match candidates.skills {
        0 => String::new(),
        1 => " and 1 skill".to_owned(),
        count => format!(" and {count} skills"),
    };
    let rule = &outcome.report.rule;
    format!(
        "{} rows against {} capabilities{skills}, {} triggers. Encoder: {} on {}. Rule: mean of the {} best at least {:.2}, lead at least {:.2}.",
        outcome.report.counts.rows,
        candidates.capabilities,
        candidates.triggers,
        outcome.encoder.model,
        outcome.encoder.backend,
        rule.top,
        rule.threshold,
        rule.margin
    )
}

fn titled(title: &str, table: &Table, look: Look, out: &mut dyn Write) -> io::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", look.tint(Tone::Heading, title))?;
    table.write(look, out)
}

fn figures(report: &Report) -> Table {
    let Counts { labelled, null, two, .. } = report.counts;
    let counts = &report.counts;
    let rates = &report.rates;
    let fired = counts.right + counts.wrong + counts.null_false + (two - counts.two_silent);
    let rows = [
        ("top-1", counts.top1, labelled, rates.top1),
        ("right at the gate", counts.right, labelled, rates.right),
        ("wrong activation", counts.wrong, labelled, rates.wrong),
        ("false activation on null", counts.null_false, null, rates.null_false),
        ("silent where two are needed", counts.two_silent, two, rates.two_silent),
        ("precision", counts.right, fired, rates.precision),
    ];
    let mut table = Table::new(&[("", Align::Left), ("", Align::Right), ("", Align::Right)]);
    for (name, part, whole, rate) in rows {
        let of = if whole == 0 { "no such row".to_owned() } else { format!("{part}/{whole}") };
        table.row([name.to_owned(), shown(rate), of]);
    }
    table
}

fn spreads(report: &Report) -> Table {
    let mut table =
        Table::new(&[("", Align::Left), ("P10", Align::Right), ("MEDIAN", Align::Right), ("P90", Align::Right)]);
    let rows = [
        ("lead of the expected one", report.margins),
        ("score of the expected one", report.gold_scores),
        ("best score on null", report.null_scores),
    ];
    for (name, spread) in rows {
        let Some(Spread { p10, median, p90 }) = spread else { continue };
        table.row([name.to_owned(), format!("{p10:.3}"), format!("{median:.3}"), format!("{p90:.3}")]);
    }
    table
}

fn kinds(report: &Report) -> Table {
    let right = |name| (name, Align::Right);
    let mut table = Table::new(&[
        ("KIND", Align::Left),
        right("ROWS"),
        right("TOP-1"),
        right("RIGHT"),
        right("WRONG"),
        right("NULL FALSE"),
        right("TWO SILENT"),
    ]);
    for kind in &report.kinds {
        let Rates { top1, right, wrong, null_false, two_silent, .. } = kind.rates;
        let rates = [top1, right, wrong, null_false, two_silent].map(shown);
        let name = sanitize_line(&kind.kind).into_owned();
        table.row([name, kind.counts.rows.to_string()].into_iter().chain(rates));
    }
    table
}

fn confusions(confusions: &[Confusion]) -> Table {
    let mut table = Table::new(&[
        ("EXPECTED", Align::Left),
        ("BEST INSTEAD", Align::Left),
        ("ROWS", Align::Right),
        ("FIRED", Align::Right),
        ("SCORES", Align::Left),
        ("LINE", Align::Right),
        ("EXAMPLE", Align::Rest),
    ]);
    for confusion in confusions.iter().take(WORST) {
        let example = &confusion.example;
        let gold = example.expected_score.map_or("–".to_owned(), |score| format!("{score:.2}"));
        table.row([
            confusion.expected.clone().unwrap_or_else(|| "nothing".to_owned()),
            confusion.taken.clone(),
            confusion.rows.to_string(),
            confusion.fired.to_string(),
            format!("{gold} < {:.2}", example.taken_score),
            example.line.to_string(),
            sanitize_line(&example.intent).into_owned(),
        ]);
    }
    table
}

fn points(report: &Report) -> Table {
    let right = |name| (name, Align::Right);
    let mut table = Table::new(&[
        right("THRESHOLD"),
        right("MARGIN"),
        right("RIGHT"),
        right("WRONG"),
        right("NULL FALSE"),
        right("TWO SILENT"),
        right("PRECISION"),
        ("", Align::Left),
    ]);
    let varied = report.margin_curve.iter().filter(|point| !point.fixed);
    for Point { threshold, margin, fixed, rates } in report.thresholds.iter().chain(varied) {
        let cells = [rates.right, rates.wrong, rates.null_false, rates.two_silent, rates.precision].map(shown);
        let mark = if *fixed { "← in force" } else { "" };
        let rule = [format!("{threshold:.2}"), format!("{margin:.2}")];
        table.row(rule.into_iter().chain(cells).chain([mark.to_owned()]));
    }
    table
}

fn floors(outcome: &Outcome, look: Look, out: &mut dyn Write) -> io::Result<()> {
    if outcome.floors.is_none() {
        return Ok(());
    }
    writeln!(out)?;
    if outcome.missed.is_empty() {
        return writeln!(out, "{}", look.tint(Tone::Good, "every floor holds"));
    }
    for missed in &outcome.missed {
        let is = missed.measured.map_or("has no row to be measured on".to_owned(), |is| format!("is {is:.4}"));
        let line = format!("floor {}={} does not hold: it {is}", missed.floor, missed.limit);
        writeln!(out, "{}", look.tint(Tone::Bad, &line))?;
    }
    Ok(())
}

fn shown(rate: Option<f64>) -> String {
    rate.map_or("–".to_owned(), |rate| format!("{rate:.3}"))
}
