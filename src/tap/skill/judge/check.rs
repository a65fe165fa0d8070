//! One check, one line.

use super::super::rules::{Check, CheckKind, Pattern, RuleGroup};
use super::{JudgedLine, Likeness, LineLikeness, SEMANTIC_THRESHOLD, Scene, Seen, Surroundings, words};
use crate::proto::{CheckTrace, RuleTrace};
use crate::text;

/// Columns of a match that a record shows.
const SHOWN: usize = 40;

pub struct Judge<'a> {
    message: &'a str,
    /// As `content()` compares it.
    plain: String,
    workdir: String,
    session: String,
    scene: &'a Scene<'a>,
    surroundings: &'a dyn Surroundings,
    likeness: &'a dyn Likeness,
}

/// What judging a check gave.
struct Verdict {
    seen: Seen,
    cosine: Option<f32>,
}

impl From<Seen> for Verdict {
    fn from(seen: Seen) -> Self {
        Self { seen, cosine: None }
    }
}

impl<'a> Judge<'a> {
    pub fn new(
        message: &'a str,
        scene: &'a Scene<'a>,
        surroundings: &'a dyn Surroundings,
        likeness: &'a dyn Likeness,
    ) -> Self {
        Self {
            message,
            plain: words::plain(message),
            workdir: scene.workdir.to_string_lossy().to_lowercase(),
            session: scene.session.to_lowercase(),
            scene,
            surroundings,
            likeness,
        }
    }

    /// Judges a line. The machine is only looked at when everything but likeness holds so far.
    pub fn line(&self, group: &RuleGroup) -> JudgedLine {
        let mut verdicts: Vec<Option<Verdict>> = group.checks.iter().map(|check| self.at_once(&check.kind)).collect();
        let likeness = |check: &Check| matches!(check.kind, CheckKind::Semantic { .. });
        let settled = group.checks.iter().zip(&verdicts).any(|(check, verdict)| {
            verdict.as_ref().is_some_and(|verdict| !verdict.seen.held && (!likeness(check) || verdict.cosine.is_none()))
        });
        let mut failed = settled;
        for (check, verdict) in group.checks.iter().zip(&mut verdicts) {
            if verdict.is_none() {
                let seen = if failed {
                    Seen::no("not looked for: another check of the line does not hold")
                } else {
                    self.look(&check.kind)
                };
                failed |= !seen.held;
                *verdict = Some(seen.into());
            }
        }
        let verdicts: Vec<Verdict> = verdicts.into_iter().flatten().collect();
        let held = verdicts.iter().all(|verdict| verdict.seen.held);
        let likeness = match group.checks.iter().any(likeness) {
            false => LineLikeness::None,
            true if failed => LineLikeness::OutOfQuestion,
            true => {
                LineLikeness::Cosine(verdicts.iter().filter_map(|verdict| verdict.cosine).fold(f32::INFINITY, f32::min))
            }
        };
        let checks = group.checks.iter().zip(verdicts).map(|(check, verdict)| trace(check, verdict)).collect();
        JudgedLine { trace: RuleTrace { held, checks }, likeness }
    }

    /// A check that needs nothing from the machine.
    fn at_once(&self, kind: &CheckKind) -> Option<Verdict> {
        let seen = match kind {
            CheckKind::File { .. } | CheckKind::Grep { .. } | CheckKind::Bin { .. } => return None,
            CheckKind::Content { words } => self.content(words),
            CheckKind::Match { pattern } => self.matched(pattern),
            CheckKind::Env { name, value } => self.env(name, value.as_deref()),
            CheckKind::Workdir { part } => {
                contains(&self.workdir, part, &format!("the working directory is {}", self.scene.workdir.display()))
            }
            CheckKind::Session { part } => {
                contains(&self.session, part, &format!("the session is named {}", self.scene.session))
            }
            CheckKind::Semantic { phrase, threshold } => return Some(self.semantic(phrase, *threshold)),
            CheckKind::Unknown { name } => Seen::no(format!("there is no check `{name}`")),
            CheckKind::Broken { why } => Seen::no(why.clone()),
        };
        Some(seen.into())
    }

    fn look(&self, kind: &CheckKind) -> Seen {
        match kind {
            CheckKind::File { glob } => self.surroundings.file(glob),
            CheckKind::Grep { pattern, glob } => self.surroundings.grep(pattern, glob.as_deref()),
            CheckKind::Bin { name } => self.surroundings.bin(name),
            _ => Seen::no("it was judged before"),
        }
    }

    fn content(&self, phrase: &str) -> Seen {
        if words::has(&self.plain, &words::plain(phrase)) {
            Seen::yes("in the message")
        } else {
            Seen::no("not in the message")
        }
    }

    fn matched(&self, pattern: &Pattern) -> Seen {
        match pattern.regex() {
            Err(why) => Seen::no(format!("it cannot be used: {why}")),
            Ok(regex) => match regex.find(self.message) {
                Some(found) => {
                    let shown = text::sanitize_line(found.as_str());
                    Seen::yes(format!("matches `{}`", text::truncate(&shown, SHOWN)))
                }
                None => Seen::no("no match in the message"),
            },
        }
    }

    /// Says nothing of the value: it may be a secret.
    fn env(&self, name: &str, value: Option<&str>) -> Seen {
        match (self.scene.env.get(name), value) {
            (Some(_), None) => Seen::yes(format!("{name} is set")),
            (None, None) => Seen::no(format!("{name} is not set, or empty")),
            (found, Some(value)) if found.unwrap_or_default() == value => Seen::yes(format!("{name} has that value")),
            (Some(_), Some(_)) => Seen::no(format!("{name} has another value")),
            (None, Some(_)) => Seen::no(format!("{name} is not set, or empty")),
        }
    }

    fn semantic(&self, phrase: &str, threshold: Option<f32>) -> Verdict {
        let threshold = threshold.unwrap_or(SEMANTIC_THRESHOLD);
        match self.likeness.cosine(phrase) {
            Ok(cosine) if cosine.is_finite() => {
                let evidence = format!("{cosine:.3} against {threshold:.2}");
                Verdict { seen: Seen { held: cosine >= threshold, evidence }, cosine: Some(cosine) }
            }
            Ok(_) => Seen::no("the model gave no number").into(),
            Err(why) => Seen::no(why).into(),
        }
    }
}

fn contains(whole: &str, part: &str, evidence: &str) -> Seen {
    Seen { held: whole.contains(&part.to_lowercase()), evidence: evidence.to_owned() }
}

fn trace(check: &Check, verdict: Verdict) -> CheckTrace {
    CheckTrace {
        check: check.text.clone(),
        held: verdict.seen.held,
        evidence: verdict.seen.evidence,
        cosine: verdict.cosine,
    }
}
