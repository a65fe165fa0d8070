//! `octomind sessions`: what can be taken up again.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;

use crate::cli::exit::Exit;
use crate::cli::table::columns;
use crate::proto::Timestamp;
use crate::session::shelf::{Shelf, TRASH_DAYS};
use crate::session::store::Summary;
use crate::text::{human, sanitize_line, truncate};

/// Columns of a title.
const TITLE: usize = 48;

/// What is done to a session as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum SessionsCommand {
    /// Give a session another title; its name stays
    Rename { name: String, title: String },
    /// Begin a new session with all that one holds
    Fork { name: String },
    /// Delete a session; it can be put back for 7 days
    Delete { name: String },
    /// Put a deleted session back
    Restore { name: String },
    /// List what was deleted and can be put back
    Deleted,
}

/// Does it, and says so.
pub fn change(
    shelf: &Shelf,
    command: SessionsCommand,
    now: Timestamp,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let clean = |text: &str| sanitize_line(text).into_owned();
    let done = match &command {
        SessionsCommand::Rename { name, title } => {
            shelf.rename(name, title, now).map(|title| format!("{} is called “{title}” now.", clean(name)))
        }
        SessionsCommand::Fork { name } => {
            shelf.fork(name, now).map(|row| format!("{0}\nresume with: octomind run --resume {0}", clean(&row.name)))
        }
        SessionsCommand::Delete { name } => shelf.delete(name, now).map(|()| {
            let name = clean(name);
            format!("{name} is deleted.\nput back within {TRASH_DAYS} days with: octomind sessions restore {name}")
        }),
        SessionsCommand::Restore { name } => shelf.restore(name).map(|row| format!("{} is back.", clean(&row.name))),
        SessionsCommand::Deleted => {
            let mut trashed = shelf.trashed();
            trashed.sort_by_key(|one| std::cmp::Reverse(one.at));
            let lines = trashed
                .iter()
                .map(|one| format!("{}  deleted {}", clean(&one.name), human::ago(now.saturating_sub(one.at))));
            let lines: Vec<String> = lines.collect();
            Ok(if lines.is_empty() { "Nothing was deleted.".to_owned() } else { lines.join("\n") })
        }
    };
    match done {
        Ok(words) => {
            writeln!(out, "{words}")?;
            Ok(Exit::Done.into())
        }
        Err(error) => {
            writeln!(err, "octomind: {}", clean(&error.to_string()))?;
            Ok(Exit::Failed.into())
        }
    }
}

/// Writes one row a session, columns aligned.
pub fn write(summaries: &[Summary], now: Timestamp, out: &mut dyn Write) -> io::Result<()> {
    if summaries.is_empty() {
        return writeln!(out, "No sessions yet. `octomind` starts one.");
    }
    let rows: Vec<[String; 6]> = summaries.iter().map(|summary| row(summary, now)).collect();
    columns(["NAME", "TITLE", "ROLE", "MODEL", "TURNS", "USED"], &rows, out)
}

fn row(summary: &Summary, now: Timestamp) -> [String; 6] {
    let used = match summary.updated {
        0 => "unreadable".to_owned(),
        updated => human::ago(now.saturating_sub(updated)),
    };
    let clean = |text: &str| sanitize_line(text).into_owned();
    [
        clean(&summary.name),
        truncate(&clean(&summary.title), TITLE).into_owned(),
        clean(&summary.role),
        clean(&summary.model),
        summary.turns.to_string(),
        used,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_no_name_can_break() {
        let summaries = [
            Summary {
                name: "260101-app-1200-ab12".to_owned(),
                title: "日本語 title".to_owned(),
                role: "developer".to_owned(),
                model: "script:tour".to_owned(),
                updated: 1_000_000,
                turns: 12,
                ..Summary::default()
            },
            Summary { name: "odd\u{1b}[2J".to_owned(), title: "x".repeat(90), ..Summary::default() },
        ];
        let mut out = Vec::new();
        write(&summaries, 1_200_000, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r##"
NAME                  TITLE                                             ROLE       MODEL        TURNS  USED
260101-app-1200-ab12  日本語 title                                      developer  script:tour  12     3 m ago
odd                   xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…                          0      unreadable
"##);
    }

    #[test]
    fn nothing_to_list() {
        let mut out = Vec::new();
        write(&[], 0, &mut out).unwrap();
        assert_eq!(out, b"No sessions yet. `octomind` starts one.\n");
    }
}
