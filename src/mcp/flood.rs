//! How much a server may write beside the protocol. Pure; time is passed in.

use std::time::{Duration, Instant};

/// Bytes of noise before the first message of the protocol. Banners and installers fit, whatever they say.
const BEFORE: usize = 1024 * 1024;

/// The same afterwards at once, and how many bytes a second in the long run.
const BURST: usize = 4 * 1024 * 1024;
const LASTING: usize = 256 * 1024;

/// What a line costs beside its bytes: it is looked at, masked and kept.
const LINE: usize = 100;

/// Bytes of one message before the first is whole. The answer to a handshake is short.
const FIRST: usize = 4 * 1024 * 1024;

/// Messages at once, and how many a second in the long run; more are read later.
const MESSAGES: usize = 5_000;
const MESSAGES_LASTING: usize = 1_000;

/// Cost of error output at once, and a second in the long run; more is read later.
const ERRORS: usize = 16 * 1024 * 1024;
const ERRORS_LASTING: usize = 1024 * 1024;

/// Something of which there is so much a second.
#[derive(Debug)]
pub struct Budget {
    most: f64,
    per_second: f64,
    left: f64,
    at: Instant,
}

impl Budget {
    pub fn new(most: usize, per_second: usize, now: Instant) -> Self {
        let most = most as f64;
        Self { most, per_second: per_second as f64, left: most, at: now }
    }

    pub fn of_messages(now: Instant) -> Self {
        Self::new(MESSAGES, MESSAGES_LASTING, now)
    }

    pub fn of_errors(now: Instant) -> Self {
        Self::new(ERRORS, ERRORS_LASTING, now)
    }

    /// Takes so much; what is to be waited before more may be taken.
    pub fn spend(&mut self, cost: usize, now: Instant) -> Duration {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + since * self.per_second).min(self.most) - cost as f64;
        self.at = now;
        match self.left < 0.0 && self.per_second > 0.0 {
            true => Duration::from_secs_f64(-self.left / self.per_second),
            false => Duration::ZERO,
        }
    }

    fn is_full(&self) -> bool {
        self.left >= self.most
    }

    fn is_overdrawn(&self) -> bool {
        self.left < 0.0
    }
}

/// What bytes and lines cost.
pub fn cost(bytes: usize, lines: usize) -> usize {
    bytes.saturating_add(lines.saturating_mul(LINE))
}

/// What a server writes on its standard output that is not the protocol.
#[derive(Debug)]
pub struct Noise {
    /// Since when, and how much; forgotten when it was quiet for long enough.
    since: Instant,
    bytes: u64,
    budget: Budget,
    spoken: bool,
}

/// Too much, as `1.0 MB in 0.2 s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flood(pub String);

impl Noise {
    pub fn new(now: Instant) -> Self {
        Self { since: now, bytes: 0, budget: Budget::new(BEFORE, 0, now), spoken: false }
    }

    /// A message came: it is a server that works.
    pub fn spoke(&mut self, now: Instant) {
        if !std::mem::replace(&mut self.spoken, true) {
            self.budget = Budget::new(BURST, LASTING, now);
        }
    }

    /// # Errors
    /// It is too much.
    pub fn add(&mut self, bytes: usize, lines: usize, now: Instant) -> Result<(), Flood> {
        self.budget.spend(0, now);
        if self.spoken && self.budget.is_full() {
            (self.since, self.bytes) = (now, 0);
        }
        self.bytes += bytes as u64;
        self.budget.spend(cost(bytes, lines), now);
        if self.budget.is_overdrawn() { Err(self.flood(self.bytes, now)) } else { Ok(()) }
    }

    /// So many bytes of one line were read and it has no end yet.
    ///
    /// # Errors
    /// No message is that long.
    pub fn grown(&self, line: u64, most: usize, now: Instant) -> Result<(), Flood> {
        let most = if self.spoken { most } else { FIRST };
        if line > most as u64 { Err(self.flood(line, now)) } else { Ok(()) }
    }

    fn flood(&self, bytes: u64, now: Instant) -> Flood {
        let seconds = now.saturating_duration_since(self.since).as_secs_f32();
        Flood(format!("{:.1} MB in {seconds:.1} s", bytes as f64 / 1024.0 / 1024.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_budget_gives_what_it_has_and_then_so_much_a_second() {
        let begun = Instant::now();
        let mut budget = Budget::new(100, 10, begun);
        assert_eq!(budget.spend(100, begun), Duration::ZERO);
        assert_eq!(budget.spend(5, begun), 500 * MS);
        assert_eq!(budget.spend(0, begun + 500 * MS), Duration::ZERO);
        assert_eq!(budget.spend(100, begun + Duration::from_secs(3600)), Duration::ZERO, "never more than it holds");
        assert_eq!(budget.spend(10, begun + Duration::from_secs(3600)), Duration::from_secs(1));
    }

    /// Both edges of what may be written before the first message, in bytes and in lines.
    #[test]
    fn what_comes_before_the_first_message_is_bounded() {
        for (bytes, lines, floods) in
            [(BEFORE, 0, false), (BEFORE + 1, 0, true), (0, BEFORE / LINE, false), (0, BEFORE / LINE + 1, true)]
        {
            let begun = Instant::now();
            let mut noise = Noise::new(begun);
            let later = begun + Duration::from_secs(50);
            assert_eq!(noise.add(bytes, lines, later).is_err(), floods, "{bytes} bytes, {lines} lines, however slow");
        }
        let begun = Instant::now();
        let mut noise = Noise::new(begun);
        assert_eq!(noise.add(2 * BEFORE, 1, begun + 500 * MS), Err(Flood("2.0 MB in 0.5 s".to_owned())));
    }

    #[test]
    fn a_server_that_works_may_chatter_and_not_flood() {
        let begun = Instant::now();
        let mut noise = Noise::new(begun);
        noise.spoke(begun);
        let second = |number: u64| begun + Duration::from_secs(number);
        for number in 0..3600 {
            assert_eq!(noise.add(LASTING - 10 * LINE, 10, second(number)), Ok(()), "for an hour");
        }
        assert!((3600..3700).any(|number| noise.add(2 * LASTING, 0, second(number)).is_err()), "twice as much is not");
        // Quiet for long enough, what was is forgotten.
        assert_eq!(noise.add(BURST, 0, second(9000)), Ok(()));
        let Err(Flood(words)) = noise.add(1024 * 1024, 0, second(9000)) else { panic!("it floods") };
        assert_eq!(words, "5.0 MB in 0.0 s");
    }

    #[test]
    fn a_line_without_an_end_is_one_too() {
        let begun = Instant::now();
        let mut noise = Noise::new(begun);
        assert_eq!(noise.grown(FIRST as u64, usize::MAX, begun), Ok(()));
        assert!(noise.grown(FIRST as u64 + 1, usize::MAX, begun).is_err());
        noise.spoke(begun);
        assert_eq!(noise.grown(FIRST as u64 + 1, 2 * FIRST, begun), Ok(()));
        assert!(noise.grown(2 * FIRST as u64 + 1, 2 * FIRST, begun).is_err());
    }
}
