//! The last lines of what this process logs, for whoever looks at them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::proto::Timestamp;

/// Lines that are kept.
pub const LINES: usize = 1000;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Error,
    Warning,
    Info,
    Debug,
}

impl LogLevel {
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }

    /// Whether somebody should know of it.
    pub fn is_problem(self) -> bool {
        matches!(self, Self::Error | Self::Warning)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub at: Timestamp,
    pub level: LogLevel,
    /// The part of the program that speaks.
    pub target: String,
    /// Secrets masked.
    pub text: String,
}

/// Written by whoever logs, read by the workbench. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LogTail(Arc<Mutex<VecDeque<LogLine>>>);

impl LogTail {
    pub fn push(&self, line: LogLine) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The newest last.
    pub fn lines(&self) -> Vec<LogLine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
