//! Scores of capabilities, as text: numbers that never lie about the gate, bars, and what came of it.

use super::{Row, Styled};
use crate::proto::{CapabilityScore, Followed, IntentSource, RouteOutcome, Routing};
use crate::text;
use crate::ui::theme::Role;

/// A number with as many decimals as it takes to stand on the right side of `bound`, at least two:
/// 0.6499 is never shown as 0.65 beside a gate of 0.65.
pub fn graded(value: f32, bound: f32) -> String {
    let side = |shown: &String| shown.parse::<f32>().is_ok_and(|shown| (shown >= bound) == (value >= bound));
    let written = |decimals: usize| format!("{value:.decimals$}");
    (2..7).map(written).find(side).unwrap_or_else(|| written(7))
}

/// A score beside others, so that the points stand under each other: a space stands where another
/// one has its minus.
pub fn aligned(score: f32, routing: &Routing) -> String {
    let negative = |score: f32| graded(score, routing.threshold).starts_with('-');
    let number = graded(score, routing.threshold);
    let space = !number.starts_with('-') && routing.scores.last().is_some_and(|last| negative(last.score));
    if space { format!(" {number}") } else { number }
}

/// `0.71 ≥ 0.65`
pub fn against(value: f32, bound: f32) -> String {
    let sign = if value >= bound { '≥' } else { '<' };
    format!("{} {sign} {bound:.2}", graded(value, bound))
}

/// A bar from 0 to 1 with the gate as a tick in it. It covers the tick's place when it passes.
pub fn bar(score: f32, gate: f32, columns: usize) -> Styled {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let role = if score >= gate { Role::ScorePass } else { Role::ScoreFail };
    let eighths = |share: f32| (f64::from(share.clamp(0.0, 1.0)) * columns as f64 * 8.0).round() as usize;
    let (filled, tick) = (eighths(score), eighths(gate) / 8);
    let mut bar = Styled::default();
    for column in 0..columns {
        match filled.saturating_sub(column * 8) {
            _ if column == tick => bar.push("│", Role::ScoreGate),
            8.. => bar.push("█", role),
            0 => bar.push(" ", Role::UiText),
            part => bar.push(PARTS[part], role),
        }
    }
    bar
}

/// What came of it, in one line: a mark that tells without colour, and words.
pub fn outcome(routing: &Routing) -> Styled {
    let best = routing.scores.first();
    let name = |score: Option<&CapabilityScore>| {
        score.map_or_else(String::new, |score| text::sanitize_line(&score.capability).into_owned())
    };
    let score = best.map_or(0.0, |best| best.score);
    let (gate, lead) = (against(score, routing.threshold), against(routing.margin, routing.needed_margin));
    let none = if routing.source == IntentSource::Question { "nobody would come: " } else { "nobody came: " };
    let nobody = |why: &str| Styled::new("· ", Role::UiDim).with(none, Role::UiText).with(why, Role::UiText);
    match &routing.outcome {
        RouteOutcome::Activated { capability } => Styled::new("✔ ", Role::ScorePass)
            .with(&text::sanitize_line(capability), Role::UiStrong)
            .with(&format!("  {gate} · Δ {lead}"), Role::UiText),
        RouteOutcome::BelowThreshold => nobody(&format!("{} {gate}", name(best))),
        RouteOutcome::NarrowMargin => {
            let second = name(routing.scores.get(1));
            nobody(&format!("{} leads {second} by only {lead}", name(best)))
        }
        RouteOutcome::Skipped(skip) => Styled::new("· ", Role::UiDim)
            .with("not compared: ", Role::UiText)
            .with(&text::sanitize_line(&skip.sentence()), Role::UiText),
    }
}

/// `database-postgres would fit best, but needs POSTGRES_URL, which is not set  0.71 ≥ 0.65`
pub fn near_miss(routing: &Routing) -> Option<Styled> {
    let (one, words) = routing.near_miss()?;
    let gate = against(one.score?, routing.threshold);
    let words = Styled::new(&text::sanitize_line(&words), Role::UiText);
    Some(words.with(&format!("  {gate}"), Role::UiDim))
}

/// `“explain why this query is slow”`, cut to the width, and whose intent it is if no person's.
pub fn excerpt(routing: &Routing, width: usize) -> String {
    let words = text::sanitize_line(&routing.excerpt);
    let by = if routing.source == IntentSource::Model { "the model asks " } else { "" };
    format!("{by}“{}”", text::truncate(&words, width.saturating_sub(2 + by.len())))
}

/// Name and backend of what made the vectors and how long it took; nothing when nothing did.
pub fn encoder(routing: &Routing) -> Option<String> {
    if routing.model.is_empty() {
        return None;
    }
    let backend = if routing.backend.is_empty() { String::new() } else { format!(" · {}", routing.backend) };
    let times = format!("{} + {}", duration(routing.encoding_us), duration(routing.deciding_us));
    Some(text::sanitize_line(&format!("{}{backend} · {times}", routing.model)).into_owned())
}

/// `85 µs`, `3.1 ms`, `1.2 s`.
fn duration(microseconds: u64) -> String {
    match microseconds {
        0..1000 => format!("{microseconds} µs"),
        1000..1_000_000 => format!("{:.1} ms", microseconds as f64 / 1e3),
        _ => format!("{:.1} s", microseconds as f64 / 1e6),
    }
}

/// What is to be said at the end of a score's row: what became of who passed, and the lead of the first over the next.
pub fn verdict(routing: &Routing, followed: Followed<'_>, at: usize) -> Styled {
    let lead = against(routing.margin, routing.needed_margin);
    let passes = routing.margin >= routing.needed_margin;
    match (at, &routing.outcome) {
        (0, RouteOutcome::Activated { .. }) if routing.source == IntentSource::Question => {
            Styled::new("✔ passes", Role::ScorePass)
        }
        (0, RouteOutcome::Activated { .. }) => match followed {
            Followed::Came => Styled::new("✔ came", Role::ScorePass),
            Followed::StaysOff(_) => Styled::new("✘ stays off", Role::ScoreFail),
            Followed::Failed(_) => Styled::new("✘ failed", Role::ScoreFail),
            Followed::Nothing => Styled::new("✔ passes", Role::ScorePass),
        },
        (0, RouteOutcome::BelowThreshold) => Styled::new(&format!("< {:.2}", routing.threshold), Role::ScoreFail),
        (1, RouteOutcome::Activated { .. } | RouteOutcome::NarrowMargin) => {
            let role = if passes { Role::UiDim } else { Role::ScoreGate };
            Styled::new(&format!("Δ {lead}"), role)
        }
        _ => Styled::default(),
    }
}

/// Columns that every name of a list of scores fits in, and every number.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    pub names: usize,
    pub numbers: usize,
    pub verdicts: usize,
}

impl Columns {
    /// For rows of this width; names give way to bars.
    pub fn of(routing: &Routing, followed: Followed<'_>, width: usize) -> Self {
        let longest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let names = longest(&mut routing.scores.iter().map(|one| text::width(&text::sanitize_line(&one.capability))));
        let numbers = longest(&mut routing.scores.iter().map(|one| aligned(one.score, routing).len()));
        let verdicts = longest(&mut (0..2).map(|at| verdict(routing, followed, at).width()));
        Self { names: names.min((width / 3).max(12)), numbers: numbers.max(4), verdicts }
    }
}

/// Columns below which a row has no room for a bar.
const WITH_BAR: usize = 30;

/// Columns of a row from which the verdict stands beside a bar.
const WITH_VERDICT: usize = 46;

/// One row: name, number, bar, verdict.
pub fn score_row(routing: &Routing, followed: Followed<'_>, at: usize, columns: Columns, width: usize) -> Row {
    let Some(one) = routing.scores.get(at) else { return Row::blank() };
    let passes = one.score >= routing.threshold;
    let number = aligned(one.score, routing);
    let mut name = Styled::new(&text::sanitize_line(&one.capability), Role::ToolName);
    let names = if width < WITH_BAR { width.saturating_sub(columns.numbers + 3) } else { columns.names };
    name.cut(names);
    name.pad_to(names + 1, Role::UiText);
    name.push(
        &format!("{number:<numbers$}", numbers = columns.numbers),
        if passes { Role::ScorePass } else { Role::ScoreFail },
    );
    let end = verdict(routing, followed, at);
    if width < WITH_BAR {
        let passed =
            matches!(&routing.outcome, RouteOutcome::Activated { capability } if one.capability == *capability);
        let (mark, role) = match followed {
            Followed::StaysOff(_) | Followed::Failed(_) if passed => (" ✘", Role::ScoreFail),
            _ if passed => (" ✔", Role::ScorePass),
            _ => ("", Role::ScorePass),
        };
        return name.with(mark, role).into_row(width);
    }
    name.push(" ", Role::UiText);
    let ends = if width < WITH_VERDICT || columns.verdicts == 0 { 0 } else { columns.verdicts + 1 };
    let room = width.saturating_sub(name.width() + ends);
    name.append(&bar(one.score, routing.threshold, room));
    if ends > 0 {
        name.push(" ", Role::UiText);
        name.append(&end);
    }
    name.into_row(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_on_its_side_of_the_gate() {
        let cases = [
            (0.71, "0.71 ≥ 0.65"),
            (0.65, "0.65 ≥ 0.65"),
            (0.6499, "0.6499 < 0.65"),
            (0.649_999, "0.649999 < 0.65"),
            (0.6451, "0.645 < 0.65"),
            (0.644, "0.64 < 0.65"),
            (-0.04, "-0.04 < 0.65"),
            (1.0, "1.00 ≥ 0.65"),
        ];
        for (score, words) in cases {
            assert_eq!(against(score, 0.65), words);
        }
        assert_eq!(against(0.0599, 0.06), "0.0599 < 0.06");
        assert_eq!(against(0.06, 0.06), "0.06 ≥ 0.06");
    }

    #[test]
    fn a_bar_reaches_the_tick_only_when_it_passes() {
        let shown = |score: f32| bar(score, 0.65, 20).text;
        assert_eq!(shown(0.0), "             │      ");
        assert_eq!(shown(0.31), "██████▎      │      ");
        assert_eq!(shown(0.71), "█████████████│▎     ");
        assert_eq!(shown(1.4), "█████████████│██████");
        assert_eq!(shown(-0.2), shown(0.0));
        assert_eq!(bar(0.7, 0.65, 0).text, "");
        for columns in 0..40 {
            assert_eq!(bar(0.5, 0.65, columns).width(), columns);
        }
    }

    #[test]
    fn times_are_told_in_their_own_unit() {
        assert_eq!([duration(85), duration(3_120), duration(1_200_000)], ["85 µs", "3.1 ms", "1.2 s"]);
    }
}
