//! What a running process costs, as the system tells it.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// Processor time of the threads of a process so far.
#[derive(Debug, Clone, Default)]
pub struct Spent(BTreeMap<String, Duration>);

impl Spent {
    /// Exact for every thread that lives; what a thread spent is forgotten when it ends.
    pub fn by_now(process: u32) -> Self {
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Self::default() };
        let each = threads.flatten().filter_map(|thread| {
            let told = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            let nanoseconds = told.split(' ').next()?.parse().ok()?;
            Some((thread.file_name().to_string_lossy().into_owned(), Duration::from_nanos(nanoseconds)))
        });
        Self(each.collect())
    }

    /// What was spent since `before` by the threads that are here now.
    pub fn since(&self, before: &Self) -> Duration {
        let one = |(thread, time): (&String, &Duration)| {
            time.saturating_sub(before.0.get(thread).copied().unwrap_or_default())
        };
        self.0.iter().map(one).sum()
    }

    pub fn threads(&self) -> usize {
        self.0.len()
    }
}

/// User and system time of the whole process, threads that ended too, in steps of 10 ms.
pub fn user_and_system(process: u32) -> Duration {
    let told = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = told.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Resident memory in bytes.
pub fn resident(process: u32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The processes it started that still run.
pub fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// How many processes want a processor, over the last minute.
pub fn load() -> String {
    let told = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    told.split(' ').next().unwrap_or("unknown").to_owned()
}
