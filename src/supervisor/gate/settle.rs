//! From an answer to a verdict.

use super::answer::{Answer, Finding, Looked, SecondLook, Word};
use super::{Gate, Stage, Step, forbid, note, prompt};
use crate::proto::{Evidence, Gap, GapState, GateOutcome, GateThen, GateVerdict};
use crate::supervisor::quote::{occurs, short};

/// Characters of a finding, a reason or a quote that are kept.
const MOST_SAID: usize = 400;

/// References that are named to a verifier that gave none of them.
const MOST_NAMED: usize = 40;

impl Gate {
    /// What the verifier found, with everything left out that rests on nothing.
    pub(super) fn first(&mut self, answer: Answer) -> Step {
        let cited = answer.evidence.iter().map(|cited| Evidence {
            found: self.shown.get(&cited.reference).is_some_and(|shown| occurs(shown, &cited.quote)),
            reference: short(&cited.reference, 80),
            quote: short(&cited.quote, MOST_SAID),
        });
        self.verdict.evidence = cited.collect();
        self.verdict.gaps = answer.gaps.iter().map(|finding| self.weigh(finding)).collect();
        self.same = answer.gaps.iter().map(|finding| self.known(finding)).collect();
        self.passed = answer.verdict == Word::Pass;
        if self.standing().is_empty() {
            return Step::Verdict(Box::new(self.conclude()));
        }
        self.stage = Stage::Refutation;
        self.asked = prompt::refute(&self.case, &self.verdict.gaps);
        Step::Refute(self.asked.clone())
    }

    /// A blocking finding that rests on nothing is worth a question: the fault may be in the form alone.
    pub(super) fn refers(&self, answer: Answer) -> Result<Answer, String> {
        if self.retried {
            return Ok(answer);
        }
        match answer.gaps.iter().filter(|finding| finding.blocking).find_map(|finding| self.fault_of_form(finding)) {
            Some(fault) => Err(fault),
            None => Ok(answer),
        }
    }

    fn fault_of_form(&self, finding: &Finding) -> Option<String> {
        if forbid::forbidden(finding, false, &self.verdict.prohibitions).is_some() {
            return None;
        }
        let reference = short(&finding.reference, 80);
        let Some(shown) = self.shown.get(&finding.reference) else {
            let mut valid: Vec<&str> = self.shown.keys().map(String::as_str).collect();
            valid.sort_unstable();
            let more = valid.len().saturating_sub(MOST_NAMED);
            valid.truncate(MOST_NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            return Some(format!("no ref is called {reference:?}; there are {}{more}", valid.join(", ")));
        };
        let lost = !finding.quote.trim().is_empty() && !occurs(shown, &finding.quote);
        lost.then(|| {
            format!("the quote {:?} does not stand in {reference}; copy it word for word", short(&finding.quote, 80))
        })
    }

    /// Takes in what the second look says. One that leaves findings out is asked once more.
    pub(super) fn heard(&mut self, look: SecondLook) -> Result<(), String> {
        // What is said last counts.
        self.looked.splice(0..0, look.findings);
        let open = self.verdict.gaps.iter().enumerate().filter(|(_, gap)| stands(gap));
        let ids = open.map(|(at, _)| prompt::finding_id(at));
        let silent: Vec<String> = ids.filter(|id| looked(&self.looked, id).is_none()).collect();
        match silent.is_empty() || self.retried {
            true => Ok(()),
            false => Err(format!("it does not speak of {}", silent.join(", "))),
        }
    }

    /// Only a finding that the second look confirms counts.
    pub(super) fn second(&mut self) -> Step {
        for (at, gap) in self.verdict.gaps.iter_mut().enumerate().filter(|(_, gap)| stands(gap)) {
            match looked(&self.looked, &prompt::finding_id(at)) {
                Some(looked) if looked.stands => {}
                Some(looked) => gap.state = GapState::Refuted { why: short(&looked.why, MOST_SAID) },
                None => {
                    gap.state = GapState::Unsupported { why: "the second look did not speak of it".to_owned() };
                }
            }
        }
        Step::Verdict(Box::new(self.conclude()))
    }

    pub(super) fn indeterminate(&mut self, why: &str) -> GateVerdict {
        let why = short(why, MOST_SAID);
        GateVerdict {
            outcome: GateOutcome::Indeterminate,
            then: GateThen::Ended { why: format!("nothing is taken as verified: {why}") },
            why,
            ..self.verdict.clone()
        }
    }

    fn weigh(&self, finding: &Finding) -> Gap {
        Gap {
            finding: short(&finding.finding, MOST_SAID),
            blocking: finding.blocking,
            reference: short(&finding.reference, 80),
            quote: short(&finding.quote, MOST_SAID),
            state: self.state_of(finding),
        }
    }

    fn state_of(&self, finding: &Finding) -> GapState {
        let unsupported = |why: String| GapState::Unsupported { why };
        let Some(shown) = self.shown.get(&finding.reference) else {
            return match forbid::forbidden(finding, false, &self.verdict.prohibitions) {
                Some(prohibition) => GapState::Forbidden { prohibition },
                None => unsupported("what it refers to is not in the record".to_owned()),
            };
        };
        let quoted = !finding.quote.trim().is_empty();
        let found = quoted && occurs(shown, &finding.quote);
        let shows = found && finding.reference.starts_with("call:");
        if let Some(prohibition) = forbid::forbidden(finding, shows, &self.verdict.prohibitions) {
            return GapState::Forbidden { prohibition };
        }
        if quoted && !found {
            return unsupported("its quote does not stand in what it refers to".to_owned());
        }
        match self.not_found.get(&finding.reference) {
            Some(line) => unsupported(format!("cannot verify: the command does not exist here ({line})")),
            None => GapState::Stands,
        }
    }

    /// Whether the look before found the same.
    fn known(&self, finding: &Finding) -> bool {
        let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        self.earlier.iter().enumerate().any(|(at, earlier)| {
            finding.same_as == prompt::earlier_id(at)
                || said(&earlier.finding) == said(&short(&finding.finding, MOST_SAID))
        })
    }

    fn standing(&self) -> Vec<&Gap> {
        self.verdict.gaps.iter().filter(|gap| stands(gap)).collect()
    }

    fn conclude(&mut self) -> GateVerdict {
        let standing = self.standing();
        let (outcome, why, then) = match standing.first() {
            // That there are gaps is all that was said; which, nothing shows.
            None if !self.passed && self.verdict.gaps.iter().any(|gap| self.is_open(gap)) => {
                return self.indeterminate("the verifier says that there are gaps and supports none of them");
            }
            None => {
                let (outcome, why) = self.passed();
                (outcome, why, GateThen::Accepted)
            }
            Some(first) => {
                let count = standing.len();
                let more = if count == 1 { String::new() } else { format!(" (and {} more)", count - 1) };
                (GateOutcome::Gaps, format!("{}{more}", first.finding), self.after_gaps())
            }
        };
        GateVerdict { outcome, why, then, ..self.verdict.clone() }
    }

    fn passed(&self) -> (GateOutcome, String) {
        let verdict = &self.verdict;
        let check = verdict.evidence.iter().find(|cited| cited.found && self.checks.contains(&cited.reference));
        let because = match check {
            Some(check) if self.changed && (self.passed || !verdict.gaps.iter().any(unsettled)) => {
                let line = self.shown.get(&check.reference).and_then(|shown| shown.lines().next()).unwrap_or_default();
                return (GateOutcome::Verified, format!("checked after the last change: {}", short(line, 160)));
            }
            _ if !self.changed => "no change was seen in this turn".to_owned(),
            None if self.checks.is_empty() => match self.not_found.values().next() {
                Some(line) => format!("cannot verify: a command does not exist here ({})", short(line, 160)),
                None => "no check succeeded after the last change".to_owned(),
            },
            _ => "the verifier rests on none of the checks".to_owned(),
        };
        (GateOutcome::Unknown, because)
    }

    /// Unsettled, and not for want of a command that does not exist here.
    fn is_open(&self, gap: &Gap) -> bool {
        unsettled(gap) && !self.not_found.contains_key(&gap.reference)
    }

    fn after_gaps(&self) -> GateThen {
        let verdict = &self.verdict;
        let standing = || verdict.gaps.iter().zip(&self.same).filter(|(gap, _)| stands(gap));
        let same =
            !self.earlier.is_empty() && standing().all(|(_, known)| *known) && standing().count() >= self.earlier.len();
        if verdict.attempt >= verdict.of {
            GateThen::Ended { why: format!("{} looks found gaps, and no more runs are left", verdict.attempt) }
        } else if same && self.new_evidence {
            GateThen::Ended { why: "new evidence left the same gaps".to_owned() }
        } else {
            GateThen::RunAgain { note: note::gaps(verdict, &self.standing()) }
        }
    }
}

fn looked<'a>(said: &'a [Looked], id: &str) -> Option<&'a Looked> {
    said.iter().find(|looked| looked.id == id)
}

/// Whether it sends the agent back.
pub fn stands(gap: &Gap) -> bool {
    gap.blocking && gap.state == GapState::Stands
}

/// Whether it would send the agent back, and nothing showed whether it is so.
pub fn unsettled(gap: &Gap) -> bool {
    gap.blocking && matches!(gap.state, GapState::Unsupported { .. })
}

/// What sent the agent back.
pub fn blocking(verdict: &GateVerdict) -> Vec<Gap> {
    verdict.gaps.iter().filter(|gap| stands(gap)).cloned().collect()
}
