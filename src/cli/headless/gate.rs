use crate::proto::{GateOutcome, GateThen, GateVerdict, clause};

/// What a look at a stop came to: one line, and one for each gap that counts.
pub fn told(verdict: &GateVerdict) -> String {
    let (_, _, mut told) = verdict.headline();
    // Why it ended says more than why it was found wanting.
    let ended = matches!(verdict.then, GateThen::Ended { .. });
    if verdict.outcome != GateOutcome::Gaps && !ended && !verdict.why.is_empty() {
        told.push_str(&format!(" · {}", clause(&verdict.why)));
    }
    for gap in verdict.standing() {
        let mark = if gap.blocking { "-" } else { "- (minor)" };
        told.push_str(&format!("\n{mark} {}", gap.finding.replace(['\n', '\r'], " ")));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{Gap, GapState};

    fn verdict(outcome: GateOutcome, then: GateThen) -> GateVerdict {
        let gap = |finding: &str, blocking, state| Gap {
            finding: finding.to_owned(),
            blocking,
            reference: String::new(),
            quote: String::new(),
            state,
        };
        let forbidden = GapState::Forbidden { prohibition: "do not run it".to_owned() };
        let gaps = match outcome {
            GateOutcome::Gaps => vec![
                gap("The test\nwas not run.", true, GapState::Stands),
                gap("It was not run.", true, forbidden),
                gap("A typo.", false, GapState::Stands),
            ],
            _ => Vec::new(),
        };
        GateVerdict {
            attempt: 1,
            of: 3,
            claim: None,
            outcome,
            why: "A check ran after the last change.".to_owned(),
            mutations: Vec::new(),
            checks: Vec::new(),
            prohibitions: Vec::new(),
            evidence: Vec::new(),
            gaps,
            then,
            requests: Vec::new(),
            model: String::new(),
            elapsed_ms: 0,
        }
    }

    #[test]
    fn one_line_and_the_gaps_that_count() {
        let told = |outcome, then| told(&verdict(outcome, then));
        let again = GateThen::RunAgain { note: String::new() };
        let over = GateThen::Ended { why: "no runs are left".to_owned() };
        let cases = [
            (told(GateOutcome::Verified, GateThen::Accepted), "pass · verified · A check ran after the last change"),
            (
                told(GateOutcome::Gaps, again),
                "2 gaps · sent back, time 1 of 2\n- The test was not run.\n- (minor) A typo.",
            ),
            (told(GateOutcome::Gaps, over), "2 gaps · no runs are left\n- The test was not run.\n- (minor) A typo."),
        ];
        for (told, wanted) in cases {
            assert_eq!(told, wanted);
        }
    }
}
