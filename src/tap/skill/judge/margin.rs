//! Which skills become active, given what their lines came to.

use super::{JudgedLine, LineLikeness, SEMANTIC_MARGIN};
use crate::proto::SkillTrace;

pub struct Judged {
    pub skill: String,
    pub lines: Vec<JudgedLine>,
}

/// What a skill rests on.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// A line without `semantic()` holds: likeness is not asked.
    Certain,
    /// Every line that holds has a `semantic()`: the best of their cosines.
    Likely(f32),
    /// No line holds; the best cosine of the lines where nothing but likeness is missing.
    Near(f32),
    Out,
}

impl Standing {
    fn of(judged: &Judged) -> Self {
        let held = |line: &&JudgedLine| line.trace.held;
        if judged.lines.iter().filter(held).any(|line| line.likeness == LineLikeness::None) {
            return Self::Certain;
        }
        let best = |held: bool| {
            let lines = judged.lines.iter().filter(|line| line.trace.held == held);
            lines
                .filter_map(|line| match line.likeness {
                    LineLikeness::Cosine(cosine) => Some(cosine),
                    LineLikeness::None | LineLikeness::OutOfQuestion => None,
                })
                .max_by(f32::total_cmp)
        };
        match (best(true), best(false)) {
            (Some(cosine), _) => Self::Likely(cosine),
            (None, Some(cosine)) => Self::Near(cosine),
            (None, None) => Self::Out,
        }
    }

    /// What the others must be ahead of.
    fn rival(self) -> Option<f32> {
        match self {
            Self::Likely(cosine) | Self::Near(cosine) => Some(cosine),
            // What is certain is no guess that could go either way.
            Self::Certain | Self::Out => None,
        }
    }
}

/// Activates what is certain, and of what is likely the one that is clearly ahead of everything else
/// that only likeness speaks for.
pub fn settle(judged: Vec<Judged>) -> Vec<SkillTrace> {
    let standings: Vec<Standing> = judged.iter().map(Standing::of).collect();
    let names: Vec<String> = judged.iter().map(|judged| judged.skill.clone()).collect();
    let next = |own: usize| {
        let rivals = standings.iter().enumerate().filter(|(index, _)| *index != own);
        rivals.filter_map(|(index, standing)| Some((index, standing.rival()?))).max_by(|left, right| {
            // Of equals the first by name, so that runs repeat.
            left.1.total_cmp(&right.1).then_with(|| names[right.0].cmp(&names[left.0]))
        })
    };
    let reasons: Vec<Option<String>> = standings
        .iter()
        .enumerate()
        .map(|(index, standing)| match standing {
            Standing::Certain => None,
            Standing::Likely(cosine) => match next(index) {
                Some((rival, other)) if cosine - other < SEMANTIC_MARGIN => {
                    Some(too_close(*cosine, other, &names[rival]))
                }
                _ => None,
            },
            Standing::Near(cosine) => Some(format!("no line holds; the nearest by meaning is at {cosine:.3}")),
            Standing::Out if judged[index].lines.is_empty() => Some("it has no rules".to_owned()),
            Standing::Out => Some("no line holds".to_owned()),
        })
        .collect();
    let traces = judged.into_iter().zip(reasons).map(|(judged, reason)| SkillTrace {
        skill: judged.skill,
        activated: reason.is_none(),
        reason,
        lines: judged.lines.into_iter().map(|line| line.trace).collect(),
    });
    traces.collect()
}

fn too_close(cosine: f32, other: f32, rival: &str) -> String {
    format!(
        "only meaning speaks for it: {cosine:.3}, and {other:.3} for `{rival}`; it would have to be {SEMANTIC_MARGIN:.2} ahead"
    )
}
