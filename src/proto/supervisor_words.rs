//! What records of the supervisor's are called, and their headlines.

use super::{
    AgentState, Authorized, Condensed, Detection, DetectionAction, Detector, GapState, GateOutcome, GateThen,
    GateVerdict, Level, Mechanic, PhaseState, PlanAction, PlanDecision, Recitation, Reported, Switched, SwitchedHow,
};

impl Condensed {
    /// Tokens that were kept out.
    pub fn saved(&self) -> u64 {
        self.results.iter().map(|result| result.before.saturating_sub(result.after)).sum()
    }

    pub fn headline(&self) -> (Level, &'static str, String) {
        if let Some(trouble) = &self.trouble {
            return (Level::Warning, "condense", format!("left as it is: {trouble}"));
        }
        let before: u64 = self.results.iter().map(|result| result.before).sum();
        let after: u64 = self.results.iter().map(|result| result.after).sum();
        let count = self.results.len();
        if after >= before {
            return (Level::Info, "condense", format!("{} kept whole", super::counted(count, "result")));
        }
        let of = if count == 1 { String::new() } else { format!("{count} results, ") };
        (Level::Info, "condense", format!("{of}{before} → {after} tok"))
    }
}

impl Mechanic {
    pub fn word(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Refute => "second look",
            Self::Plan => "planner",
            Self::Condense => "condense",
            Self::Authorizer => "authorizer",
        }
    }
}

impl Detector {
    pub fn word(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::NoProgress => "no progress",
            Self::Recovery => "recovery",
        }
    }
}

impl AgentState {
    pub fn word(self) -> &'static str {
        match self {
            Self::Exploring => "exploring",
            Self::Progressing => "progressing",
            Self::Blocked => "blocked",
            Self::NeedInput => "needs input",
            Self::Done => "done",
        }
    }
}

impl GateOutcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unknown => "passed (unknown)",
            Self::Gaps => "gaps",
            Self::Indeterminate => "indeterminate",
        }
    }
}

impl Reported {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let Some(report) = &self.report else {
            let why = self.trouble.as_deref().unwrap_or("none was given");
            return (Level::Info, "status", format!("no status: {why}"));
        };
        let focus = if report.focus.is_empty() { String::new() } else { format!(" · {}", report.focus) };
        let dropped = match self.dropped.len() {
            0 => String::new(),
            count => format!(" · {count} carried dropped"),
        };
        (Level::Info, "status", format!("{}{focus}{dropped}", report.state.word()))
    }
}

impl Detection {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let what = self.detector.word();
        let (level, then) = match &self.action {
            DetectionAction::Noted { .. } => (Level::Warning, "the model was told".to_owned()),
            DetectionAction::Suppressed { why } => (Level::Info, format!("not told: {why}")),
            DetectionAction::BackedOff { rounds } => {
                (Level::Info, format!("told before; again after {}", super::counted(*rounds, "round")))
            }
        };
        (level, "steer", format!("{what} ×{} · {then}", self.count))
    }
}

impl GateVerdict {
    /// How often the turn was sent back, and how often it may be.
    pub fn times_back(&self) -> String {
        format!("time {} of {}", self.attempt, self.of.saturating_sub(1))
    }

    /// Gaps that count.
    pub fn standing(&self) -> impl Iterator<Item = &super::Gap> {
        self.gaps.iter().filter(|gap| gap.state == GapState::Stands)
    }

    pub fn headline(&self) -> (Level, &'static str, String) {
        let then = match &self.then {
            GateThen::Accepted => String::new(),
            GateThen::RunAgain { .. } => format!(" · sent back, {}", self.times_back()),
            GateThen::Ended { why } => format!(" · {why}"),
        };
        let (level, what) = match self.outcome {
            GateOutcome::Verified => (Level::Info, "pass · verified".to_owned()),
            GateOutcome::Unknown => (Level::Info, "pass · unknown".to_owned()),
            GateOutcome::Gaps => (Level::Warning, super::counted(self.standing().count(), "gap")),
            GateOutcome::Indeterminate => (Level::Warning, "indeterminate".to_owned()),
        };
        (level, "gate", format!("{what}{then}"))
    }
}

impl PhaseState {
    /// Whether nothing of it is left to do.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Closed { .. })
    }
}

impl PlanDecision {
    pub fn headline(&self) -> (Level, &'static str, String) {
        if let Some(trouble) = &self.trouble {
            return (Level::Warning, "plan", format!("stays as it is: {trouble}"));
        }
        let what = match self.action {
            PlanAction::None => "none needed",
            PlanAction::Create => "made",
            PlanAction::Advance => "phase done",
            PlanAction::Hold => "held",
            PlanAction::Revise => "revised",
            PlanAction::Close => "closed",
            PlanAction::Archive => "put away",
        };
        let reason = super::clause(&self.reason);
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        (Level::Info, "plan", format!("{what}{reason}"))
    }
}

impl Authorized {
    pub fn headline(&self) -> (Level, &'static str, String) {
        if let Some(first) = self.blocked.first() {
            let more = match self.blocked.len() {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            return (Level::Warning, "authorizer", format!("{}{more} blocked: {}", first.tool, first.reason));
        }
        let allowed = super::counted(self.checked, "call");
        match (&self.unavailable, self.dropped.first()) {
            (Some(why), _) => (Level::Warning, "authorizer", format!("no usable answer, so {allowed} ran: {why}")),
            (None, Some(dropped)) => {
                (Level::Warning, "authorizer", format!("{allowed} ran; an objection was not counted: {dropped}"))
            }
            (None, None) => (Level::Info, "authorizer", format!("{allowed} allowed")),
        }
    }
}

impl Recitation {
    pub fn headline(&self) -> (Level, &'static str, String) {
        (Level::Info, "recite", format!("{} · {} tok", self.why, self.tokens))
    }
}

impl Switched {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let word = |on: bool| if on { "on" } else { "off" };
        match &self.what {
            SwitchedHow::Flipped => {
                (Level::Info, "switch", format!("{} {} → {} ({})", self.key, word(self.from), word(self.to), self.by))
            }
            SwitchedHow::Saved { file } => {
                (Level::Info, "switch", format!("{} = {} saved in {file}", self.key, self.to))
            }
            SwitchedHow::Refused { why } => (Level::Warning, "switch", format!("{} stays: {why}", self.key)),
        }
    }
}
