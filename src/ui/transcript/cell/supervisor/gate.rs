//! Verdicts on a stop.

use super::super::Fold;
use super::{Sheet, clean, place, plain, quoted};
use crate::proto::{Evidence, Gap, GapState, GateOutcome, GateThen, GateVerdict};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;

/// The sign of an outcome; it tells without colour.
pub fn mark(outcome: GateOutcome) -> (&'static str, Role) {
    match outcome {
        GateOutcome::Verified => ("✔", Role::ScorePass),
        GateOutcome::Unknown => ("○", Role::ScoreFail),
        GateOutcome::Gaps => ("✘", Role::NoticeWarning),
        GateOutcome::Indeterminate => ("?", Role::NoticeWarning),
    }
}

/// `pass · verified`, `2 gaps · sent back, time 1 of 2`
pub fn words(verdict: &GateVerdict) -> Styled {
    let (_, role) = mark(verdict.outcome);
    let words = match verdict.outcome {
        GateOutcome::Verified => "pass · verified".to_owned(),
        GateOutcome::Unknown => "pass · unknown".to_owned(),
        GateOutcome::Gaps => match verdict.standing().count() {
            1 => "1 gap".to_owned(),
            count => format!("{count} gaps"),
        },
        GateOutcome::Indeterminate => "indeterminate".to_owned(),
    };
    let mut line = Styled::new(&words, if verdict.outcome == GateOutcome::Unknown { Role::UiText } else { role });
    match &verdict.then {
        GateThen::Accepted => {}
        GateThen::RunAgain { .. } => {
            line.push(&format!(" · sent back, {}", verdict.times_back()), Role::DecisionText);
        }
        GateThen::Ended { why } => line.push(&format!(" · not sent back: {}", clean(why)), Role::DecisionText),
    }
    line
}

/// What must not be missed though nobody opens the cell.
///
/// `head` takes the reason where it has room for it.
pub fn folded(verdict: &GateVerdict, head: &mut Styled, width: usize, sheet: &mut Sheet) {
    let why = clean(verdict.why.trim());
    let beside = head.width() + 2 + text::width(&why) <= width;
    match verdict.outcome {
        GateOutcome::Indeterminate => {
            sheet.prose(&plain(&format!("{} Nothing of it counts as verified.", sentence(&verdict.why))))
        }
        _ if !verdict.gaps.is_empty() || why.is_empty() => {}
        _ if beside => head.push(&format!("  {why}"), Role::DecisionText),
        _ => sheet.prose(&plain(&why)),
    }
    gaps(&verdict.gaps, Fold::Folded, sheet);
}

fn sentence(words: &str) -> String {
    let words = clean(words.trim());
    if words.is_empty() || words.ends_with(['.', '!', '?']) { words } else { format!("{words}.") }
}

/// Those that count first; the others dimmed, each with why it does not.
fn gaps(gaps: &[Gap], fold: Fold, sheet: &mut Sheet) {
    let rank = |gap: &&Gap| (gap.state != GapState::Stands, !gap.blocking);
    let mut sorted: Vec<&Gap> = gaps.iter().collect();
    sorted.sort_by_key(rank);
    for gap in sorted {
        let (sign, role, words) = match &gap.state {
            GapState::Stands if gap.blocking => {
                ("✘", Role::NoticeError, Styled::new(&clean(&gap.finding), Role::UiText))
            }
            GapState::Stands => {
                let words = plain(&gap.finding).with("  not blocking", Role::UiDim);
                ("!", Role::NoticeWarning, words)
            }
            GapState::Unsupported { why } => ("·", Role::UiDim, dropped(gap, "dropped", &clean(why))),
            GapState::Refuted { why } => ("·", Role::UiDim, dropped(gap, "refuted", &clean(why))),
            GapState::Forbidden { prohibition } => {
                ("·", Role::UiDim, dropped(gap, "you forbade it", &quoted(prohibition)))
            }
        };
        if fold == Fold::Folded && gap.state != GapState::Stands {
            sheet.short(sign, role, &words);
            continue;
        }
        sheet.item(sign, role, &words);
        if gap.state == GapState::Stands && !gap.quote.trim().is_empty() {
            sheet.under(&format!("{} {}", quoted(&gap.quote), place(&gap.reference)), Role::UiDim);
        }
    }
}

fn dropped(gap: &Gap, word: &str, why: &str) -> Styled {
    Styled::new(&format!("{} · {word}: {why}", clean(&gap.finding)), Role::UiDim)
}

/// Everything a verdict rests on.
pub fn record(verdict: &GateVerdict, sheet: &mut Sheet) {
    let meaning = match verdict.outcome {
        GateOutcome::Verified => "The turn changed something, and a check that ran afterwards bears it out.",
        GateOutcome::Unknown => "Accepted, but nothing that ran bears it out.",
        GateOutcome::Gaps => "Something that was asked for is not there.",
        GateOutcome::Indeterminate => "There was no usable answer, so nothing counts as verified.",
    };
    sheet.told("means", meaning, Role::UiText);
    sheet.told("why", &verdict.why, Role::DecisionText);
    let claim = verdict.claim.map_or("it gave no status", |claim| claim.word());
    sheet.told("agent says", claim, Role::DecisionText);
    let then = match &verdict.then {
        GateThen::Accepted if verdict.outcome == GateOutcome::Indeterminate => {
            "the stop stands, not verified".to_owned()
        }
        GateThen::Accepted => "the stop is accepted".to_owned(),
        GateThen::RunAgain { .. } => "the agent goes on, with the note below".to_owned(),
        GateThen::Ended { why } => format!("the turn ends, not verified: {why}"),
    };
    sheet.told("then", &then, Role::DecisionText);
    let took = format!("look {} of {} · {}", verdict.attempt, verdict.of, human::duration_ms(verdict.elapsed_ms));
    sheet.told("took", &took, Role::DecisionText);
    let calls: Vec<String> = verdict.requests.iter().map(|request| format!("#{}", request.0)).collect();
    let calls = if calls.is_empty() { String::new() } else { format!(" · call {}", calls.join(", ")) };
    sheet.told("asked", &format!("{}{calls}", verdict.model), Role::DecisionText);
    if !verdict.gaps.is_empty() {
        sheet.part("Gaps");
        gaps(&verdict.gaps, Fold::Open, sheet);
    }
    list(sheet, "Changed", &verdict.mutations, "nothing");
    list(sheet, "Checked after the last change", &verdict.checks, "nothing");
    if !verdict.prohibitions.is_empty() {
        sheet.part("You said");
        for words in &verdict.prohibitions {
            sheet.item("·", Role::UiDim, &plain(&quoted(words)));
        }
    }
    if !verdict.evidence.is_empty() {
        sheet.part("Rests on");
        verdict.evidence.iter().for_each(|one| evidence(one, sheet));
    }
    if let GateThen::RunAgain { note } = &verdict.then {
        sheet.part("The agent was told");
        sheet.block(note, Role::DecisionText);
    }
}

fn list(sheet: &mut Sheet, title: &str, lines: &[String], none: &str) {
    sheet.part(title);
    if lines.is_empty() {
        sheet.item("·", Role::UiDim, &Styled::new(none, Role::UiDim));
    }
    for line in lines {
        sheet.item("·", Role::UiDim, &Styled::new(&clean(line), Role::CodeText));
    }
}

fn evidence(one: &Evidence, sheet: &mut Sheet) {
    let (sign, role) = if one.found { ("✔", Role::ScorePass) } else { ("✘", Role::UiDim) };
    let mut words = Styled::new(&place(&one.reference), Role::UiDim).with("  ", Role::UiText);
    words.push(&quoted(&one.quote), if one.found { Role::DecisionText } else { Role::UiDim });
    if !one.found {
        words.push("  does not stand there", Role::UiDim);
    }
    sheet.item(sign, role, &words);
}
