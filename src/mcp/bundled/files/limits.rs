//! Every limit of the file and shell tools, one constant each.

use std::time::Duration;

/// Bytes of lines that one `view` returns; a longer selection keeps its head and its tail.
pub const VIEW_BYTES: usize = 32 * 1024;

/// Characters of one line that `view` and `search` show.
pub const LINE_CHARS: usize = 1_000;

/// Bytes of a text file that is read at all.
pub const TEXT_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// Bytes of an image that is returned: what providers take (5 MB) after base64.
pub const IMAGE_BYTES: u64 = 3_750_000;

/// Bytes of a diff that `edit` and `write` return.
pub const DIFF_BYTES: usize = 12 * 1024;

/// Unchanged lines around a change in a diff or a stale-id message.
pub const DIFF_CONTEXT: usize = 3;

/// Bytes that one `search` returns.
pub const SEARCH_BYTES: usize = 24 * 1024;

/// Matching lines of a `search` that names no `max`, and the most it may name.
pub const SEARCH_MATCHES: u64 = 100;
pub const SEARCH_MATCHES_MOST: u64 = 2_000;

/// Lines of context a `search` may ask for.
pub const SEARCH_CONTEXT_MOST: u64 = 20;

/// Lines that one `list` returns, and those of one folder.
pub const LIST_LINES: usize = 600;
pub const LIST_LINES_PER_FOLDER: usize = 100;

/// Folder levels of a `list` that names no `depth`.
pub const LIST_DEPTH: u64 = 2;

/// Bytes of output that `shell` returns; head and tail are kept when there was more.
pub const SHELL_BYTES: usize = 24 * 1024;

/// Bytes of output that `shell` keeps in a file when there was more than it returns.
pub const SHELL_SPILL_BYTES: u64 = 64 * 1024 * 1024;

/// Seconds a command may run when the call names no `timeout_seconds`, and the most it may name.
pub const SHELL_SECONDS: u64 = 120;
pub const SHELL_SECONDS_MOST: u64 = 3_600;

/// Between asking a process group to end and ending it.
pub const KILL_GRACE: Duration = Duration::from_millis(400);

/// After the shell has ended, how long output of processes it left behind is waited for.
pub const DRAIN: Duration = Duration::from_millis(150);

/// Between two progress notes of a command that prints, and of one that is silent.
pub const PROGRESS_EVERY: Duration = Duration::from_secs(1);
pub const PROGRESS_SILENT: Duration = Duration::from_secs(10);
