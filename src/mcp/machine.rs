//! What a server's connection does next. Values in, values out: no clock, no process.

use std::time::Duration;

use super::trouble::{Trouble, Verdict};
use crate::proto::{ServerState, Timestamp};

/// Failures in a row after which a server is left alone.
pub const MAX_TRIES: u32 = 3;

/// How long a connection must hold for earlier failures to be forgotten.
pub const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// Something that happened to one server.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Asked to run: at start, or by the person.
    Start,
    /// The handshake and the first listing are done.
    Connected,
    /// The attempt to connect came to nothing.
    NotConnected(Trouble),
    /// A working connection ended.
    Lost(Trouble),
    /// The time to try again has come.
    RetryDue,
    Disable {
        by: String,
    },
    Shutdown,
}

/// What the runner must do about it.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Connect,
    /// End the connection or the attempt, and its processes.
    Disconnect,
    /// The state changed; say so.
    Publish,
    /// Tell the person once, now.
    Report {
        trouble: Trouble,
        next: Next,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Retry { after_ms: u64 },
    GivenUp,
}

/// One server's connection.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub state: ServerState,
    failures: u32,
    /// Waiting times after the first, second … failure.
    delays: Vec<Duration>,
}

impl Machine {
    pub fn new(delays: Vec<Duration>) -> Self {
        Self { state: ServerState::Stopped, failures: 0, delays }
    }

    /// When to send [`Input::RetryDue`].
    pub fn retry_at(&self) -> Option<Timestamp> {
        match self.state {
            ServerState::Waiting { retry_at, .. } if retry_at > 0 => Some(retry_at),
            _ => None,
        }
    }

    /// Takes one input; an input that does not fit the state changes nothing.
    pub fn step(&mut self, input: Input, now: Timestamp) -> Vec<Effect> {
        use ServerState::{Disabled, Ready, Starting, Stopped, Waiting};
        match (&self.state, input) {
            (Stopped, Input::Shutdown) => Vec::new(),
            (_, Input::Shutdown) => {
                self.state = Stopped;
                vec![Effect::Disconnect, Effect::Publish]
            }
            (_, Input::Start) => {
                self.failures = 0;
                self.begin(now, vec![Effect::Disconnect])
            }
            (_, Input::Disable { by }) => {
                self.state = Disabled { by };
                vec![Effect::Disconnect, Effect::Publish]
            }
            (Starting { .. }, Input::Connected) => {
                self.state = Ready { since: now };
                vec![Effect::Publish]
            }
            (Starting { .. }, Input::NotConnected(trouble)) => self.fail(trouble, now),
            (Ready { since }, Input::Lost(trouble)) => {
                if now.saturating_sub(*since) >= FORGIVEN_AFTER.as_millis() as u64 {
                    self.failures = 0;
                }
                self.fail(trouble, now)
            }
            (Waiting { .. }, Input::RetryDue) => self.begin(now, Vec::new()),
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, now: Timestamp, mut effects: Vec<Effect>) -> Vec<Effect> {
        self.state = ServerState::Starting { since: now, attempt: self.failures + 1 };
        effects.extend([Effect::Publish, Effect::Connect]);
        effects
    }

    fn fail(&mut self, trouble: Trouble, now: Timestamp) -> Vec<Effect> {
        if trouble.verdict == Verdict::Held {
            self.state = ServerState::Waiting { reason: trouble.reason, retry_at: 0, attempt: 1 };
            return vec![Effect::Publish, Effect::Disconnect];
        }
        // Said first: ending what is left of a connection may take its time.
        let mut effects = vec![Effect::Publish];
        let was_ready = matches!(self.state, ServerState::Ready { .. });
        self.failures += 1;
        match trouble.verdict {
            Verdict::SignIn => self.state = ServerState::NeedsSignIn { reason: trouble.reason.clone() },
            Verdict::Retry if self.failures < MAX_TRIES => {
                let delay = self.delay();
                self.state = ServerState::Waiting {
                    reason: trouble.reason.clone(),
                    retry_at: now + delay,
                    attempt: self.failures + 1,
                };
                // A server that never worked is reported when it is given up, not at every try.
                if was_ready {
                    effects.push(Effect::Report { trouble, next: Next::Retry { after_ms: delay } });
                }
                effects.push(Effect::Disconnect);
                return effects;
            }
            Verdict::Retry | Verdict::Final | Verdict::Held => {
                self.state = ServerState::Failed { reason: trouble.reason.clone(), advice: trouble.advice.clone() };
            }
        }
        effects.extend([Effect::Report { trouble, next: Next::GivenUp }, Effect::Disconnect]);
        effects
    }

    fn delay(&self) -> u64 {
        let index = (self.failures as usize).saturating_sub(1);
        let delay = self.delays.get(index).or(self.delays.last()).copied().unwrap_or(Duration::ZERO);
        delay.as_millis() as u64
    }
}

#[cfg(test)]
mod tests;
