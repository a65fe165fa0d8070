//! Signals to a whole process group, for children started with `process_group(0)`.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

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
