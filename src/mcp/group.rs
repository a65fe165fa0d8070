//! Children apart from ours: in a session of their own, signalled as a whole group.

use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// Has the child lead a session and a group of its own. It has no terminal then: what it writes to
/// `/dev/tty` would reach the person's screen as it is, and what it reads there would be waited for.
///
/// # Errors
/// As the system says.
pub fn apart(command: &mut tokio::process::Command) -> std::io::Result<()> {
    crate::sandbox::mark(command);
    ProcessSession.pre_spawn(command, &CommandWrap::with_new("", |_| {}))
}

/// Sends the signal; a group that is gone already is no error.
pub fn signal(group: i32, signal: Signal) {
    if let Some(pid) = positive(group) {
        let _ = kill_process_group(pid, signal);
    }
}

/// Whether any process is left in the group.
pub fn alive(group: i32) -> bool {
    positive(group).is_some_and(|pid| test_kill_process_group(pid).is_ok())
}

/// Group 0 would be our own, and -1 everybody's.
fn positive(group: i32) -> Option<Pid> {
    Pid::from_raw(group).filter(|_| group > 1)
}

/// Kills what is left of the group when dropped.
#[derive(Debug)]
pub struct KillOnDrop(pub i32);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        signal(self.0, Signal::KILL);
    }
}
