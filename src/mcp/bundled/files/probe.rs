//! Waiting for processes, for tests.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Waits for a file with a number in it.
pub async fn number_in(path: &Path) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(number) = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()) {
            return number;
        }
        assert!(Instant::now() < deadline, "no number in {}", path.display());
        sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until there is no such process; one that only waits to be reaped counts as gone.
pub async fn until_gone(pid: i32) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while running(pid) {
        assert!(Instant::now() < deadline, "process {pid} is still there");
        sleep(Duration::from_millis(5)).await;
    }
}

/// Whether the process is there and not just waiting to be reaped.
pub fn running(pid: i32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'),
        Err(_) if cfg!(target_os = "linux") => false,
        Err(_) => {
            rustix::process::Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        }
    }
}

pub async fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "still not so after 10 s");
        sleep(Duration::from_millis(5)).await;
    }
}
