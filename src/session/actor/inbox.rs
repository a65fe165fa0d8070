//! Commands, those first that came while nobody could act on them.

use std::collections::VecDeque;

use tokio::sync::mpsc::Receiver;

use crate::proto::{Answer, AskId, Command};

pub(super) struct Inbox {
    early: VecDeque<Command>,
    port: Receiver<Command>,
}

impl Inbox {
    pub fn new(port: Receiver<Command>) -> Self {
        Self { early: VecDeque::new(), port }
    }

    /// The next one; `None` when nobody is left to send any. May be given up at any time.
    pub async fn recv(&mut self) -> Option<Command> {
        match self.early.pop_front() {
            Some(command) => Some(command),
            None => self.port.recv().await,
        }
    }

    /// Returns when the session is not wanted any more; what comes before that is kept. May be given up
    /// at any time.
    pub async fn unwanted(&mut self) {
        loop {
            match self.port.recv().await {
                None | Some(Command::Quit) => return,
                Some(command) => self.early.push_back(command),
            }
        }
    }

    /// The answer to a question; what comes before it is kept. `None` when nobody wants the session any more.
    pub async fn answer(&mut self, to: AskId) -> Option<Answer> {
        loop {
            match self.port.recv().await? {
                Command::Quit => return None,
                Command::Answer { ask, answer } if ask == to => return Some(answer),
                command => self.early.push_back(command),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_comes_before_the_end_is_kept_in_order() {
        let (sender, port) = tokio::sync::mpsc::channel(8);
        let mut inbox = Inbox::new(port);
        for command in [Command::Interrupt, Command::RetryNow, Command::Quit, Command::Interrupt] {
            sender.send(command).await.unwrap();
        }
        inbox.unwanted().await;
        drop(sender);
        let mut kept = Vec::new();
        while let Some(command) = inbox.recv().await {
            kept.push(command);
        }
        assert_eq!(kept, [Command::Interrupt, Command::RetryNow, Command::Interrupt]);
        inbox.unwanted().await;
    }
}
