//! The thread that does a transfer, and the one that waits for it, but not for ever.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::bounds::{Phase, Progress};
use super::fault::GitFault;
use super::operation::Operation;
use super::transfer::{self, Job};
use super::{Address, Fetched};

/// How often the bounds are looked at.
const BEAT: Duration = Duration::from_millis(50);

/// A transfer ends by itself when its time is over or it is stopped. After this it is not waited for.
const GRACE: Duration = Duration::from_secs(1);

enum Told {
    Progress(Progress),
    Over(Result<Fetched, GitFault>),
}

/// Runs the job on a thread of its own: the transport runs its requests on a runtime, and none may be
/// around it. A thread that is blocked, as by a pipe where the library expects a file, is left behind;
/// should it ever wake, it finds itself stopped.
pub(super) fn run(job: Job, operation: &Operation, tell: &dyn Fn(Progress)) -> Result<Fetched, GitFault> {
    let from_file = matches!(job.address, Address::File(_));
    let (sender, told) = channel();
    let (own, progress) = (operation.clone(), sender.clone());
    std::thread::Builder::new()
        .name("git".to_owned())
        .spawn(move || {
            // Nobody may be waiting any more.
            let outcome = transfer::run(&job, &own, &|one| drop(progress.send(Told::Progress(one))));
            let _ = sender.send(Told::Over(outcome));
        })
        .map_err(|error| GitFault::Git(format!("no thread could be started: {error}")))?;
    let mut heard = Instant::now();
    let mut phase = Phase::Connecting;
    let mut over_since = None;
    loop {
        match told.recv_timeout(BEAT) {
            Ok(Told::Progress(progress)) => {
                (heard, phase) = (Instant::now(), progress.phase);
                tell(progress);
            }
            Ok(Told::Over(outcome)) => return outcome,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(GitFault::Git("the transfer ended unexpectedly".to_owned()));
            }
        }
        // Over the network the transport itself knows when a byte came.
        let silent = from_file && phase == Phase::Connecting && heard.elapsed() > operation.bounds().silence;
        let may = if silent { Err(operation.silent()) } else { operation.check() };
        if let Err(fault) = may
            && over_since.get_or_insert_with(Instant::now).elapsed() > GRACE
        {
            operation.abandon();
            return Err(fault);
        }
    }
}
