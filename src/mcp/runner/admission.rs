//! Whether a server may run as it is now.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::super::machine::Input;
use super::super::trouble::{Trouble, Verdict};
use super::super::{Transport, Unlisted};
use super::Runner;
use crate::proto::ServerState;

/// The first look at a project may have to be waited for.
const LONGEST: Duration = Duration::from_secs(60);

impl Runner {
    /// Others than local tools, which are looked at by what they offer.
    pub(super) fn may_be_shut(&self) -> bool {
        self.hub.options.admit.is_some() && !matches!(self.server.spec.transport, Transport::Local { .. })
    }

    /// # Errors
    /// Why it may not.
    pub(super) async fn admitted(&mut self) -> Result<(), Trouble> {
        self.shut = false;
        let Some(admit) = self.hub.options.admit.clone().filter(|_| self.may_be_shut()) else { return Ok(()) };
        let name = self.server.spec.name.clone();
        let asked = timeout(LONGEST, tokio::task::spawn_blocking(move || admit(&name)));
        let asked = tokio::select! {
            biased;
            () = self.server.stop.cancelled() => Err("it was stopped".to_owned()),
            asked = asked => match asked {
                Ok(Ok(allowed)) => Ok(allowed),
                Ok(Err(error)) => Err(format!("whether it may run could not be seen: {error}")),
                Err(_) => Err("whether it may run could not be seen in time".to_owned()),
            },
        };
        let answer = asked.unwrap_or_else(|why| Err(Unlisted::Failed(why)));
        self.shut = answer.is_err();
        self.moved = answer.map_err(not_allowed)?;
        Ok(())
    }

    /// Whether these are scripts that could not be listed before and can be now, or that are just
    /// being listed by rules that may have changed.
    pub(super) async fn startable_now(&mut self) -> bool {
        let Transport::Local { folder } = &self.server.spec.transport else { return false };
        match self.machine.state {
            ServerState::Starting { .. } => true,
            ServerState::Failed { .. } | ServerState::Waiting { .. } => {
                let options = &self.hub.options;
                let Some(open) = &options.open_local else { return false };
                let held = self.machine.state.is_held();
                match timeout(options.policy.connect, open(folder).list()).await {
                    Ok(Ok(_)) => true,
                    // The answer came, and was no: the state says why from now on.
                    Ok(Err(Unlisted::Failed(_))) => held,
                    Ok(Err(Unlisted::Waits(_))) | Err(_) => false,
                }
            }
            _ => false,
        }
    }

    /// What has to happen because the answer is another one now; `None` is nothing.
    pub(super) async fn look_again(&mut self, done: oneshot::Sender<()>) -> Option<Input> {
        let was_shut = self.shut;
        let answer = self.admitted().await;
        let input = match (&self.machine.state, answer) {
            (ServerState::Waiting { .. } | ServerState::Failed { .. }, Ok(())) if was_shut => Some(Input::Start),
            // The answer came, and was no: the state says why from now on.
            (ServerState::Waiting { .. }, Err(trouble)) if was_shut && trouble.verdict == Verdict::Final => {
                Some(Input::Start)
            }
            (ServerState::Ready { .. }, Err(trouble)) => Some(Input::Lost(trouble)),
            (ServerState::Starting { .. }, Err(trouble)) => Some(Input::NotConnected(trouble)),
            _ => None,
        };
        match input {
            Some(_) => self.looking.push(done),
            None => {
                self.shut |= was_shut;
                let _ = done.send(());
            }
        }
        input
    }
}

pub(super) fn not_allowed(why: Unlisted) -> Trouble {
    let verdict = match why {
        Unlisted::Waits(_) => Verdict::Held,
        Unlisted::Failed(_) => Verdict::Final,
    };
    Trouble::new(verdict, why.reason(), "settle that; it is looked at again with the next message")
}
