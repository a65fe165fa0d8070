//! `octomind routing eval`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::encode::{self, EncoderShown};
use super::source::{self, Candidates, Read};
use super::{EvalArguments, Fault, Skills, Work, show_eval};
use crate::cli::exit::Exit;
use crate::embed::Vector;
use crate::embed::eval::{
    BadRow, Floors, Missed, Report, Row, UnknownLabel, judge, message_of, parse, set_unknown_aside,
};
use crate::embed::gate::{Candidate, Rule};
use crate::embed::lint::Subject;
use crate::proto::counted;
use crate::text::sanitize_line;

/// Largest file that is read: a million rows.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// What `--json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub version: u32,
    pub file: String,
    pub encoder: EncoderShown,
    pub candidates: Candidates,
    pub bad_rows: Vec<BadRow>,
    pub unknown_labels: Vec<UnknownLabel>,
    /// Parts of the taps that could not be used.
    pub notes: Vec<String>,
    #[serde(skip)]
    pub floors: Option<Floors>,
    #[serde(rename = "floors_missed")]
    pub missed: Vec<Missed>,
    pub report: Report,
}

pub async fn run(arguments: &EvalArguments, work: &mut Work<'_>) -> Result<Exit, Fault> {
    let file = arguments.file.display().to_string();
    let mut rows = parse(&read(&work.workdir.join(&arguments.file), &file)?);
    let read = source::read(arguments.tap.as_deref(), work)?;
    let (named, candidates) = read.named(with_skills(arguments.common.skills, &rows.good, &read));
    let names: Vec<&str> = named.iter().map(|named| named.name.as_str()).collect();
    let unknown_labels = set_unknown_aside(&mut rows.good, &names);
    tell_left_out(&file, &rows.bad, &unknown_labels, &read, work)?;
    if rows.good.is_empty() {
        return Err(Fault::Input(format!("{file}: no row is left to measure")));
    }
    let encoder = encode::open(work).await?;
    let index = encode::phrases(&named, work).await?;
    let subjects = source::subjects(named, &index);
    let (messages, failed) = messages(&file, &rows.good, work).await?;
    rows.bad.extend(failed);
    let report = measure(&rows.good, &messages, &subjects);
    let missed = arguments.floor.map(|floors| floors.missed(&report.rates)).unwrap_or_default();
    let notes = read.notes.into_iter().chain(work.service.notes()).collect();
    let outcome = Outcome {
        version: 1,
        file,
        encoder,
        candidates,
        bad_rows: rows.bad,
        unknown_labels,
        notes,
        floors: arguments.floor,
        missed,
        report,
    };
    if arguments.common.json {
        let text = serde_json::to_string_pretty(&outcome).map_err(std::io::Error::other)?;
        writeln!(work.out, "{}", crate::text::in_json(&text))?;
    } else {
        show_eval::write(&outcome, work.look, work.out)?;
    }
    Ok(if outcome.missed.is_empty() { Exit::Done } else { Exit::Failed })
}

fn read(path: &Path, label: &str) -> Result<String, Fault> {
    let refused = |why: String| Fault::Input(format!("{label}: {why}"));
    let size = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?.len();
    if size > MAX_FILE {
        return Err(refused("this is too large for a file of rows".to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
    // A line with odd bytes in it costs itself only.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn with_skills(asked: Skills, rows: &[Row], read: &Read) -> bool {
    match asked {
        Skills::With => true,
        Skills::Without => false,
        Skills::Auto => rows.iter().filter_map(|row| row.label.as_deref()).any(|label| read.is_skill(label)),
    }
}

/// Most lines about one sort of thing; the count is said all the same.
const MOST_LINES: usize = 10;

fn tell_left_out(
    file: &str,
    bad: &[BadRow],
    unknown: &[UnknownLabel],
    read: &Read,
    work: &mut Work<'_>,
) -> Result<(), Fault> {
    for row in bad.iter().take(MOST_LINES) {
        writeln!(work.err, "{file}:{}: {}", row.line, sanitize_line(&row.why))?;
    }
    if !bad.is_empty() {
        writeln!(work.err, "{} skipped as no rows", counted(bad.len(), "line"))?;
    }
    for label in unknown.iter().take(MOST_LINES) {
        let hint = match &label.similar {
            Some(similar) => format!("; did you mean `{similar}`?"),
            None if read.is_skill(&label.label) => "; it is a skill: --skills".to_owned(),
            None => String::new(),
        };
        let name = sanitize_line(&label.label);
        writeln!(work.err, "{file}:{}: nothing is called `{name}`, rows: {}{hint}", label.line, label.rows)?;
    }
    if !unknown.is_empty() {
        let rows: usize = unknown.iter().map(|label| label.rows).sum();
        let labels = if unknown.len() == 1 { "label" } else { "labels" };
        writeln!(work.err, "{} skipped for {} unknown {labels}", counted(rows, "line"), unknown.len())?;
    }
    for note in read.notes.iter().take(MOST_LINES) {
        writeln!(work.err, "note: {}", sanitize_line(note))?;
    }
    Ok(())
}

/// Vectors by line. A message that the encoder chokes on is a bad row.
async fn messages(
    file: &str,
    rows: &[Row],
    work: &mut Work<'_>,
) -> Result<(BTreeMap<usize, Vector>, Vec<BadRow>), Fault> {
    let mut vectors = BTreeMap::new();
    let mut failed = Vec::new();
    for (done, row) in rows.iter().enumerate() {
        if done % 16 == 0 {
            work.progress.tell(&format!("messages {done}/{}", rows.len()), work.err);
        }
        let message = message_of(row);
        // Of a row that is nothing but pasted there is no message; it is too short whatever its vector.
        let text = if message.trim().is_empty() { row.intent.as_str() } else { &*message };
        match encode::message(text, &work.service).await {
            Ok(vector) => {
                vectors.insert(row.line, vector);
            }
            Err(why) => failed.push(BadRow { line: row.line, why }),
        }
    }
    work.progress.tell("", work.err);
    for row in &failed {
        writeln!(work.err, "{file}:{}: {}", row.line, sanitize_line(&row.why))?;
    }
    if vectors.is_empty() {
        return Err(Fault::Encoder("the encoder failed on every message".to_owned()));
    }
    Ok((vectors, failed))
}

/// The figures at the rule of the runtime.
fn measure(rows: &[Row], messages: &BTreeMap<usize, Vector>, subjects: &[Subject]) -> Report {
    let phrases: Vec<Vec<Vector>> = subjects
        .iter()
        .map(|subject| subject.triggers.iter().map(|trigger| trigger.vector.clone()).collect())
        .collect();
    let candidates: Vec<Candidate<'_>> =
        subjects.iter().zip(&phrases).map(|(subject, phrases)| Candidate { name: &subject.name, phrases }).collect();
    let judged: Vec<_> =
        rows.iter().filter_map(|row| Some(judge(row, messages.get(&row.line)?, &candidates, Rule::ACTIVATE))).collect();
    Report::new(&judged, Rule::ACTIVATE)
}
