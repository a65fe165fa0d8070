//! How a server ended, in the words of whoever knows best: itself, its process, or the connection.

use std::future::pending;
use std::time::Duration;

use tokio::time::timeout;

use super::super::hub::Server;
use super::super::link::Connection;
use super::super::process::Process;
use super::super::trouble::{self, Phase, Trouble, Verdict};
use super::super::{Transport, denied};
use super::{Runner, maybe};

/// For a process to end after its connection did, or the other way round.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Runner {
    /// Finds the reason behind the reason: a handshake that ended because the process did.
    pub(super) async fn explain(&mut self, trouble: Trouble) -> Trouble {
        if let Some(flood) = self.flood() {
            return flood;
        }
        // What it said itself is the reason; its end may be only our closing.
        let Some(process) = self.process.as_mut().filter(|_| trouble.wordless) else { return trouble };
        match process.ended_within(LAST_WORDS).await {
            Some(status) => {
                let tail = &self.server.tail;
                denied::behind(
                    trouble::exited(Some(status), Phase::Starting, tail.last().as_deref()),
                    Phase::Starting,
                    &tail.lines(),
                )
            }
            None => trouble,
        }
    }

    /// That it wrote too much, if so: whatever it looks like, this is why the connection is over.
    pub(super) fn flood(&self) -> Option<Trouble> {
        self.server.tail.flood().map(|flood| trouble::flooded(&flood))
    }

    /// A process may end before its last answer was looked at.
    pub(super) async fn last_words(&mut self, trouble: Trouble) -> Trouble {
        match timeout(LAST_WORDS, maybe(&mut self.connecting)).await {
            Ok(Err(said)) if !said.wordless => said,
            _ => trouble,
        }
    }
}

/// Waits until the process or the connection ends.
pub(super) async fn lost(
    process: &mut Option<Process>,
    connection: &mut Option<Connection>,
    server: &Server,
) -> Trouble {
    let connected = connection.is_some();
    let phase = if connected { Phase::Ready } else { Phase::Starting };
    let by_process = async {
        match process.as_mut() {
            Some(process) => drop(process.wait().await),
            None => pending().await,
        }
    };
    let by_connection = async {
        match connection.as_mut() {
            Some(connection) => connection.over().await,
            None => pending().await,
        }
    };
    tokio::select! {
        () = by_process => {}
        () = by_connection => {}
    }
    // What it wrote before its end may still stand in the pipe, an answer among it.
    if let Some(connection) = connection {
        let _ = timeout(LAST_WORDS, connection.over()).await;
    }
    match process {
        Some(_) if server.tail.flood().is_some() => trouble::exited(None, phase, None),
        Some(process) => {
            let status = process.ended_within(LAST_WORDS).await;
            denied::behind(trouble::exited(status, phase, server.tail.last().as_deref()), phase, &server.tail.lines())
        }
        None => match &server.spec.transport {
            Transport::Http { .. } => {
                Trouble::new(Verdict::Retry, "the connection was closed", "see whether the server still runs")
            }
            _ => trouble::exited(None, phase, None),
        },
    }
}
