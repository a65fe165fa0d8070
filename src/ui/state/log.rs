use super::fuzzy::filtered;
use super::{Layer, State, Table, Tabled};
use crate::proto::Timestamp;
use crate::ui::log::{LogLevel, LogLine};

/// How often the log is read while it is looked at, milliseconds.
pub const LOG_EVERY_MS: u64 = 1_000;

/// What this process logged, as it was read last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogState {
    lines: Vec<LogLine>,
    pub read_at: Timestamp,
}

/// The least that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogFloor(pub LogLevel);

impl LogFloor {
    /// From everything to ever less, and back.
    pub fn turned(self, by: isize) -> Self {
        const ORDER: [LogLevel; 4] = [LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error];
        let here = ORDER.iter().position(|level| *level == self.0).unwrap_or(0);
        let to = (here as isize + by).rem_euclid(ORDER.len() as isize);
        Self(ORDER[to as usize])
    }
}

impl LogState {
    pub fn take(&mut self, lines: Vec<LogLine>) {
        self.lines = lines;
    }
}

impl State {
    /// The level and the filter of the open log.
    fn log_asked(&self) -> Option<(LogFloor, &str, usize)> {
        self.layers.iter().find_map(|layer| match layer {
            Layer::Table(Table { of: Tabled::Log(floor), filter, selected, .. }) => {
                Some((*floor, filter.as_str(), *selected))
            }
            _ => None,
        })
    }

    /// The lines as they are listed: problems first, each part with the newest first.
    pub fn log_rows(&self) -> Vec<&LogLine> {
        let Some((floor, filter, _)) = self.log_asked() else { return Vec::new() };
        let mut rows: Vec<&LogLine> = self.log.lines.iter().rev().filter(|line| line.level <= floor.0).collect();
        rows.sort_by_key(|line| !line.level.is_problem());
        filtered(rows, filter, |line| format!("{} {} {}", line.level.word(), line.target, line.text))
    }

    pub fn marked_log(&self) -> Option<&LogLine> {
        let (_, _, selected) = self.log_asked()?;
        let rows = self.log_rows();
        rows.get(selected.min(rows.len().saturating_sub(1))).copied()
    }

    /// Whether the log is looked at.
    pub fn reads_log(&self) -> bool {
        self.log_asked().is_some()
    }
}
