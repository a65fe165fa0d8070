use crate::proto::Fault;

/// The first back-off, milliseconds: most troubles are over after a moment.
const FIRST_MS: u64 = 1000;

/// A provider that asks to wait longer than this is not waited for, milliseconds.
const LONGEST_ASKED_MS: u64 = 15 * 60 * 1000;

/// Share of the wait that chance may add or take.
const JITTER: f64 = 0.2;

/// Where the request stands when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// Retries made before.
    pub retries: u32,
    pub max_retries: u32,
    /// The person has read part of the answer.
    pub text_shown: bool,
    /// There is a person to ask.
    pub person: bool,
}

/// What to do about a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Wait {
        ms: u64,
        asked_by_provider: bool,
    },
    /// Sending it again would say things twice: only if the person wants it.
    Ask,
    GiveUp,
}

/// The back-off begins small and doubles with every retry, up to `longest_ms`. `chance` is 0–1.
pub fn verdict(fault: &Fault, tried: Tried, longest_ms: u64, chance: f64) -> Verdict {
    if !fault.retryable() {
        return Verdict::GiveUp;
    }
    if tried.text_shown {
        return if tried.person { Verdict::Ask } else { Verdict::GiveUp };
    }
    if tried.retries >= tried.max_retries {
        return Verdict::GiveUp;
    }
    match fault.retry_after_ms {
        Some(asked) if asked > LONGEST_ASKED_MS => Verdict::GiveUp,
        Some(asked) => Verdict::Wait { ms: asked, asked_by_provider: true },
        None => {
            let doubled = FIRST_MS.saturating_mul(1 << tried.retries.min(20)).min(longest_ms);
            let factor = 1.0 - JITTER + 2.0 * JITTER * chance.clamp(0.0, 1.0);
            Verdict::Wait { ms: (doubled as f64 * factor) as u64, asked_by_provider: false }
        }
    }
}
