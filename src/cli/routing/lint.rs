//! `octomind routing lint`.

use serde::Serialize;

use super::encode::{self, EncoderShown};
use super::source;
use super::{Fault, LintArguments, Skills, Work, show_lint};
use crate::cli::exit::Exit;
use crate::embed::Vector;
use crate::embed::lint::{Gravity, Report, SILENCE, lint};
use crate::text::sanitize_line;

/// What `--json` writes. Fields are only ever added.
#[derive(Debug, Serialize)]
struct Outcome {
    version: u32,
    encoder: EncoderShown,
    /// Parts of the taps that could not be used.
    notes: Vec<String>,
    #[serde(flatten)]
    report: Report,
}

pub async fn run(arguments: &LintArguments, work: &mut Work<'_>) -> Result<Exit, Fault> {
    let read = source::read(arguments.dir.as_deref(), work)?;
    let (named, _) = read.named(arguments.common.skills == Skills::With);
    let encoder = encode::open(work).await?;
    let index = encode::phrases(&named, work).await?;
    let subjects = source::subjects(named, &index);
    let silence = silence(work).await?;
    let report = lint(&subjects, &silence);
    let notes: Vec<String> = read.notes.into_iter().chain(work.service.notes()).collect();
    let worst = report.findings.iter().map(|finding| finding.gravity).max();
    if arguments.common.json {
        let outcome = Outcome { version: 1, encoder, notes, report };
        let text = serde_json::to_string_pretty(&outcome).map_err(std::io::Error::other)?;
        writeln!(work.out, "{}", crate::text::in_json(&text))?;
    } else {
        for note in &notes {
            writeln!(work.err, "note: {}", sanitize_line(note))?;
        }
        show_lint::write(&report, work.look, work.out)?;
    }
    let limit = if arguments.strict { Gravity::Warning } else { Gravity::Error };
    Ok(if worst.is_some_and(|worst| worst >= limit) { Exit::Failed } else { Exit::Done })
}

async fn silence(work: &mut Work<'_>) -> Result<Vec<(&'static str, Vector)>, Fault> {
    let mut vectors = Vec::with_capacity(SILENCE.len());
    for text in SILENCE {
        let vector = encode::message(text, &work.service).await;
        vectors.push((text, vector.map_err(|why| Fault::Encoder(format!("the encoder failed: {why}")))?));
    }
    Ok(vectors)
}
