//! Fetching what placeholders ask for: a few look-ups, and git with its repository's own programs
//! switched off.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::process::Command;
use tokio::time::timeout;

use super::{Placeholder, PromptContext, placeholders};
use crate::config::Env;
use crate::text::{sanitize, sanitize_line};

/// All of git together may take so long; what is not there by then stays empty.
const GIT_TIME: Duration = Duration::from_millis(1500);
/// Bytes of a README that a prompt takes.
const README_BYTES: u64 = 8 * 1024;
/// Lines of git's status and of its file list that a prompt takes.
const STATUS_LINES: usize = 60;
const TREE_LINES: usize = 200;

/// Programs worth knowing about.
const PROGRAMS: &[&str] = &[
    "awk",
    "bun",
    "cargo",
    "clang",
    "cmake",
    "composer",
    "curl",
    "deno",
    "docker",
    "dotnet",
    "fd",
    "ffmpeg",
    "gcc",
    "gh",
    "git",
    "go",
    "gradle",
    "java",
    "jq",
    "kubectl",
    "make",
    "mvn",
    "node",
    "npm",
    "php",
    "pip",
    "pnpm",
    "podman",
    "psql",
    "python3",
    "rg",
    "ruby",
    "rustc",
    "sed",
    "sqlite3",
    "tar",
    "terraform",
    "uv",
    "wget",
    "yarn",
    "zig",
];

/// Fetches what these texts ask for, and nothing else.
pub async fn gather(texts: &[&str], role: &str, workdir: &Path, env: &Env, now: SystemTime) -> PromptContext {
    let mut wanted: BTreeSet<Placeholder> = texts.iter().flat_map(|text| placeholders(text)).collect();
    if wanted.contains(&Placeholder::System) {
        wanted.extend([Placeholder::Shell, Placeholder::Os, Placeholder::Binaries, Placeholder::Cwd]);
    }
    if wanted.contains(&Placeholder::Context) {
        wanted.extend([Placeholder::Readme, Placeholder::GitStatus, Placeholder::GitTree]);
    }
    let wants = |placeholder| wanted.contains(&placeholder);
    let mut context = PromptContext {
        cwd: sanitize_line(&workdir.display().to_string()).into_owned(),
        role: role.to_owned(),
        date: date(now),
        shell: shell(env),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ..PromptContext::default()
    };
    if wants(Placeholder::Binaries) {
        context.binaries = programs(env);
    }
    if wants(Placeholder::Readme) {
        context.readme = readme(workdir);
    }
    if wants(Placeholder::GitStatus) || wants(Placeholder::GitTree) {
        let git = git_parts(workdir, wants(Placeholder::GitStatus), wants(Placeholder::GitTree));
        (context.git_status, context.git_tree) = timeout(GIT_TIME, git).await.unwrap_or_default();
    }
    context
}

/// `YYYY-MM-DD` in UTC.
pub fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    // Days to civil date, counted in eras of 400 years from March (Howard Hinnant's algorithm).
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn shell(env: &Env) -> String {
    let path = env.get("SHELL").unwrap_or(if cfg!(windows) { "cmd" } else { "sh" });
    let name = Path::new(path).file_name().map_or_else(|| path.into(), |name| name.to_string_lossy());
    sanitize_line(&name).into_owned()
}

fn programs(env: &Env) -> String {
    let path = env.get("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let there = |name: &&&str| folders.iter().any(|folder| folder.join(name).is_file());
    PROGRAMS.iter().filter(there).copied().collect::<Vec<_>>().join(", ")
}

fn readme(workdir: &Path) -> String {
    let names = ["README.md", "README", "readme.md", "Readme.md", "README.rst", "README.txt"];
    let path = names.iter().map(|name| workdir.join(name)).find(|path| path.is_file());
    let Some(file) = path.and_then(|path| std::fs::File::open(path).ok()) else { return String::new() };
    let mut bytes = Vec::new();
    if file.take(README_BYTES + 1).read_to_end(&mut bytes).is_err() {
        return String::new();
    }
    let cut = bytes.len() as u64 > README_BYTES;
    bytes.truncate(README_BYTES as usize);
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER).trim();
    if cut { format!("{text}\n[the README goes on]") } else { text.to_owned() }
}

async fn git_parts(workdir: &Path, status: bool, tree: bool) -> (String, String) {
    // A repository brings configuration of its own: without this git would run its filters.
    let Some(configured) =
        git(workdir, &[], &["config", "--show-scope", "--name-only", "--get-regexp", "^filter\\."]).await
    else {
        return (String::new(), String::new());
    };
    let disarmed = disarm(&configured);
    let status = match status {
        true => {
            git(
                workdir,
                &disarmed,
                &["status", "--short", "--branch", "--untracked-files=normal", "--ignore-submodules=all"],
            )
            .await
        }
        false => None,
    };
    let tree = match tree {
        true => git(workdir, &disarmed, &["ls-files"]).await,
        false => None,
    };
    (head(&status.unwrap_or_default(), STATUS_LINES), head(&tree.unwrap_or_default(), TREE_LINES))
}

/// `-c` arguments that empty every filter the repository itself defines.
fn disarm(configured: &str) -> Vec<String> {
    let own = |line: &str| {
        let (scope, name) = line.split_once('\t')?;
        matches!(scope, "local" | "worktree").then(|| name.rsplit_once('.').map(|(filter, _)| filter.to_owned()))?
    };
    let filters: BTreeSet<String> = configured.lines().filter_map(own).collect();
    filters
        .iter()
        .flat_map(|filter| ["clean=", "smudge=", "process=", "required=false"].map(|end| format!("{filter}.{end}")))
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect()
}

/// Git's output; `None` when there is no git or it fails. `config` finding nothing is no failure.
async fn git(workdir: &Path, settings: &[String], arguments: &[&str]) -> Option<String> {
    let quiet: [OsString; 7] = [
        "--no-pager".into(),
        "--no-optional-locks".into(),
        "-c".into(),
        "core.fsmonitor=false".into(),
        "-c".into(),
        "core.hooksPath=/dev/null".into(),
        "--literal-pathspecs".into(),
    ];
    let mut command = Command::new("git");
    command
        .args(quiet)
        .args(["-c", "submodule.recurse=false", "-c", "diff.external=", "-c", "core.quotePath=false"])
        .args(settings)
        .args(arguments)
        .current_dir(workdir)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_ASKPASS", "true")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let output = command.output().await.ok()?;
    let nothing_found = arguments.first() == Some(&"config") && output.status.code() == Some(1);
    (output.status.success() || nothing_found).then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn head(text: &str, most: usize) -> String {
    let text = sanitize(text);
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[..lines.len().min(most)].join("\n");
    match lines.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown}\n[{more} more lines]"),
    }
}
