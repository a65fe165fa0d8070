//! Finding and ending processes by the mark in their environment.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

use super::VARIABLE;

/// From being asked to being killed.
const GRACE: Duration = Duration::from_millis(500);
/// For all of it.
const LONGEST: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);
/// A process between being made and becoming a program has no mark yet: seen at the second look.
const EMPTY_LOOKS: u32 = 3;

pub fn end_all(mark: &str) {
    let start = Instant::now();
    let mut asked = BTreeSet::new();
    let mut empty = 0;
    while empty < EMPTY_LOOKS && start.elapsed() < LONGEST {
        let found = marked(mark);
        empty = if found.is_empty() { empty + 1 } else { 0 };
        for pid in found {
            if start.elapsed() >= GRACE {
                send(pid, mark, Signal::KILL);
            } else if asked.insert(pid) {
                send(pid, mark, Signal::TERM);
            }
        }
        std::thread::sleep(PAUSE);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    pid: i32,
    parent: i32,
    session: i32,
    marked: bool,
}

fn marked(mark: &str) -> BTreeSet<i32> {
    let mut seen = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Some((parent, session)) = fs::read_to_string(format!("/proc/{pid}/stat")).ok().and_then(|stat| kin(&stat))
        else {
            continue;
        };
        seen.push(Seen { pid, parent, session, marked: bears(pid, mark) });
    }
    let mut all = descended(&seen);
    all.remove(&getpid().as_raw_nonzero().get());
    all
}

/// Parent and session; none for one that has ended already.
fn kin(stat: &str) -> Option<(i32, i32)> {
    // The name, in brackets, may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some((parent, session))
}

fn bears(pid: i32, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| carries(entry, mark))
}

fn carries(entry: &[u8], mark: &str) -> bool {
    let value = entry.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
    value.is_some_and(|value| value.split(|byte| *byte == b' ').any(|word| word == mark.as_bytes()))
}

/// The marked ones, what they started, and what is in a session that one of them leads.
fn descended(seen: &[Seen]) -> BTreeSet<i32> {
    let mut all: BTreeSet<i32> = seen.iter().filter(|one| one.marked).map(|one| one.pid).collect();
    loop {
        let more: Vec<i32> = seen
            .iter()
            .filter(|one| !all.contains(&one.pid) && (all.contains(&one.parent) || all.contains(&one.session)))
            .map(|one| one.pid)
            .collect();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

/// Through a handle, so that a number that was given to another in between is never hit.
fn send(pid: i32, mark: &str, signal: Signal) {
    let Some(pid) = Pid::from_raw(pid) else { return };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if marked(mark).contains(&pid.as_raw_nonzero().get()) {
        let _ = pidfd_send_signal(handle, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kin_is_read_past_any_name() {
        assert_eq!(kin("7 (a b) c) S 3 4 5 0"), Some((3, 5)));
        assert_eq!(kin("7 (a) Z 3 4 5 0"), None, "ended");
        assert_eq!(kin("nonsense"), None);
    }

    #[test]
    fn a_mark_is_a_whole_word() {
        for (entry, is) in [
            ("OCTOMIND_RUN=a", true),
            ("OCTOMIND_RUN=outer a", true),
            ("OCTOMIND_RUN=a inner", true),
            ("OCTOMIND_RUN=ab", false),
            ("OCTOMIND_RUNS=a", false),
            ("X=OCTOMIND_RUN=a", false),
        ] {
            assert_eq!(carries(entry.as_bytes(), "a"), is, "{entry}");
        }
    }

    #[test]
    fn kin_of_the_marked_go_with_them_and_nobody_else() {
        let seen = |pid, parent, session, marked| Seen { pid, parent, session, marked };
        let all = [seen(10, 1, 10, true), seen(11, 10, 99, false), seen(12, 11, 98, false), seen(13, 1, 10, false)];
        let others = [seen(1, 0, 1, false), seen(20, 1, 20, false)];
        let found = descended(&[&all[..], &others[..]].concat());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [10, 11, 12, 13]);
    }
}
