//! The list of taps, for people and for programs.

use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::table::columns;
use crate::tap::TapKind;
use crate::tap::registry::{Listing, Standing, Taps};
use crate::text::{human, sanitize_line};

pub(super) fn write(
    taps: &Taps,
    json: bool,
    now: SystemTime,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Exit> {
    let listing = taps.listing(now);
    for problem in &listing.problems {
        writeln!(err, "{problem}\n")?;
    }
    match json {
        true => writeln!(out, "{}", crate::text::in_json(&format!("{:#}", as_json(&listing, now))))?,
        false => table(&listing, now, out)?,
    }
    Ok(if listing.problems.is_empty() { Exit::Done } else { Exit::Config })
}

fn table(listing: &Listing, now: SystemTime, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 5]> = listing.taps.iter().map(|standing| row(standing, now)).collect();
    columns(["NAME", "KIND", "STATE", "CHECKED", "WHERE"], &rows, out)?;
    for standing in &listing.taps {
        if let Some(reason) = why(standing, now) {
            writeln!(out, "\n{}: {}", standing.tap.name, sanitize_line(&reason))?;
        }
    }
    Ok(())
}

fn why(standing: &Standing, now: SystemTime) -> Option<String> {
    standing.tap.unavailable.clone().or_else(|| standing.stale(now))
}

fn row(standing: &Standing, now: SystemTime) -> [String; 5] {
    let checked = standing
        .age(now)
        .map_or_else(String::new, |age| human::ago(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)));
    let root = sanitize_line(&standing.tap.root.display().to_string()).into_owned();
    [standing.tap.name.clone(), kind(&standing.tap.kind).to_owned(), state(standing, now).to_owned(), checked, root]
}

fn kind(kind: &TapKind) -> &'static str {
    match kind {
        TapKind::Clone { .. } => "clone",
        TapKind::Linked => "linked",
        TapKind::BuiltIn { .. } => "built-in",
        TapKind::Starter => "starter",
    }
}

fn state(standing: &Standing, now: SystemTime) -> &'static str {
    match (&standing.tap.unavailable, standing.stale(now)) {
        (Some(_), _) => "unavailable",
        (None, Some(_)) => "stale",
        (None, None) => "ready",
    }
}

fn as_json(listing: &Listing, now: SystemTime) -> Value {
    let taps = listing.taps.iter().map(|standing| {
        let url = match &standing.tap.kind {
            TapKind::Clone { url } | TapKind::BuiltIn { url } => Some(url),
            TapKind::Linked | TapKind::Starter => None,
        };
        let checked = standing.record.checked.and_then(|then| then.duration_since(UNIX_EPOCH).ok());
        json!({
            "name": standing.tap.name,
            "kind": kind(&standing.tap.kind),
            "state": state(standing, now),
            "reason": why(standing, now),
            "path": standing.tap.root,
            "url": url,
            "commit": standing.record.commit,
            "checked": checked.map(|since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)),
        })
    });
    let problems = listing
        .problems
        .iter()
        .map(|problem| json!({ "location": problem.location(), "message": problem.message, "hint": problem.hint }));
    json!({ "taps": taps.collect::<Vec<_>>(), "problems": problems.collect::<Vec<_>>() })
}
