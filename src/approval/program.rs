//! What programs do: which ones only read, and which can do anything.

use super::shell::{Part, Word};

/// They only read, whatever their arguments.
const READERS: &[&str] = &[
    ":",
    "[",
    "arch",
    "basename",
    "cal",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "expr",
    "false",
    "fgrep",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "id",
    "jq",
    "locale",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "popd",
    "printenv",
    "ps",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "true",
    "tty",
    "type",
    "uname",
    "uptime",
    "wc",
    "which",
    "whoami",
];

/// They only read without these: short flags by their letter, long ones by name.
const READERS_WITHOUT: &[(&str, &str, &[&str])] = &[
    ("date", "s", &["--set"]),
    ("file", "C", &["--compile"]),
    ("printf", "v", &[]),
    ("rg", "z", &["--pre", "--pre-glob", "--hostname-bin", "--search-zip"]),
    ("sort", "oT", &["--output", "--compress-program", "--temporary-directory"]),
    ("tree", "o", &["--output"]),
];

/// Words of `find` that run or change something.
const FIND_ACTS: &[&str] =
    &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"];

/// Subcommands of git that only read.
const GIT_READS: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];

/// Long flags of git that write, or run another program.
const GIT_ACTS: &[&str] = &["--output", "--ext-diff", "--textconv", "--exec", "--upload-pack", "--open-files-in-pager"];

/// What runs whatever it is given, and what changes or removes: allowing it by its name would allow anything.
const ANYTHING: &[&str] = &[
    ".",
    "alias",
    "at",
    "awk",
    "batch",
    "builtin",
    "bunx",
    "chgrp",
    "chmod",
    "chown",
    "chroot",
    "command",
    "cp",
    "crontab",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "dnf",
    "doas",
    "ed",
    "env",
    "eval",
    "ex",
    "exec",
    "export",
    "fish",
    "find",
    "fg",
    "gawk",
    "gdb",
    "install",
    "ionice",
    "irb",
    "julia",
    "kill",
    "killall",
    "ksh",
    "launchctl",
    "ln",
    "lua",
    "mawk",
    "mkdir",
    "mkfs",
    "mongo",
    "mongosh",
    "mount",
    "mv",
    "mysql",
    "nc",
    "ncat",
    "nice",
    "node",
    "nohup",
    "npx",
    "open",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "pkill",
    "pnpx",
    "psql",
    "read",
    "redis-cli",
    "rm",
    "rmdir",
    "rscript",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "set",
    "setsid",
    "sftp",
    "sh",
    "shred",
    "socat",
    "source",
    "sqlite3",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemctl",
    "tar",
    "tee",
    "telnet",
    "tcsh",
    "time",
    "timeout",
    "touch",
    "trap",
    "truncate",
    "umount",
    "unset",
    "unshare",
    "unzip",
    "uvx",
    "vi",
    "vim",
    "watch",
    "wget",
    "xargs",
    "xdg-open",
    "zip",
    "zsh",
    "bash",
];

/// Programs whose arguments only say what to build or to check.
const BUILDERS: &[&str] = &[
    "black", "ctest", "eslint", "gofmt", "jest", "make", "mypy", "ninja", "prettier", "pytest", "ruff", "rustfmt",
    "tsc", "vitest",
];

/// Subcommands that run whatever follows them.
const RUNS: &[(&str, &str)] = &[
    ("bun", "x"),
    ("docker", "exec"),
    ("docker", "run"),
    ("kubectl", "exec"),
    ("kubectl", "run"),
    ("npm", "exec"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("podman", "exec"),
    ("podman", "run"),
    ("poetry", "run"),
    ("uv", "run"),
    ("uv", "tool"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
    ("nix", "run"),
    ("nix", "shell"),
    ("bundle", "exec"),
];

/// The name, when it is that of the system's own program.
fn name(program: &str) -> Option<&str> {
    let name = program.strip_prefix("/usr/bin/").or_else(|| program.strip_prefix("/bin/")).unwrap_or(program);
    (!name.contains('/')).then_some(name)
}

/// Whether the part changes nothing, for sure.
pub fn reads(part: &Part) -> bool {
    if part.assigns || !part.writes.is_empty() {
        return false;
    }
    let Some(program) = part.program().and_then(name) else { return false };
    let arguments = part.arguments();
    let plain = || arguments.iter().all(|word| word.plain);
    if READERS.contains(&program) {
        return true;
    }
    if let Some((_, letters, names)) = READERS_WITHOUT.iter().find(|(known, ..)| *known == program) {
        return plain() && !arguments.iter().any(|word| flagged(word, letters, names));
    }
    match program {
        "find" => plain() && !arguments.iter().any(|word| FIND_ACTS.contains(&word.text.as_str())),
        "hostname" => arguments.is_empty(),
        "uniq" => plain() && arguments.iter().filter(|word| !word.text.starts_with('-')).count() <= 1,
        "sed" => plain() && prints_lines(arguments),
        "command" => arguments.first().is_some_and(|word| word.plain && word.text == "-v"),
        "git" => plain() && git_reads(arguments),
        _ => false,
    }
}

/// Whether the word is one of these flags, alone, among others, or shortened.
fn flagged(word: &Word, letters: &str, names: &[&str]) -> bool {
    if let Some(long) = word.text.strip_prefix("--") {
        let long = long.split('=').next().unwrap_or_default();
        return !long.is_empty() && names.iter().any(|name| name[2..].starts_with(long));
    }
    word.text.strip_prefix('-').is_some_and(|short| short.contains(|letter| letters.contains(letter)))
}

/// `sed -n 3,9p file` and no more.
fn prints_lines(arguments: &[Word]) -> bool {
    let [quiet, script, files @ ..] = arguments else { return false };
    let Some(lines) = script.text.strip_suffix('p') else { return false };
    let number = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit() || letter == '$');
    quiet.text == "-n"
        && lines.split(',').count() <= 2
        && lines.split(',').all(number)
        && files.iter().all(|word| !word.text.starts_with('-'))
}

fn git_reads(arguments: &[Word]) -> bool {
    let arguments = match arguments {
        [first, rest @ ..] if first.text == "--no-pager" => rest,
        all => all,
    };
    let [command, rest @ ..] = arguments else { return false };
    if rest.iter().any(|word| flagged(word, "O", GIT_ACTS)) {
        return false;
    }
    let only = |known: &[&str]| rest.iter().all(|word| known.contains(&word.text.as_str()));
    match command.text.as_str() {
        "branch" => only(&["-a", "-r", "-v", "-vv", "--all", "--list", "--show-current", "--remotes", "--verbose"]),
        "remote" => only(&["-v", "--verbose"]),
        "tag" => only(&["-l", "--list"]),
        "stash" => matches!(rest, [list] if list.text == "list"),
        "worktree" => matches!(rest, [list] if list.text == "list"),
        known => GIT_READS.contains(&known),
    }
}

/// The words by which the part may be remembered: its program and what of it is asked for. `None` when only
/// all of it will do, and why.
pub fn stem(part: &Part) -> Result<Vec<String>, &'static str> {
    if part.assigns {
        return Err("it sets variables");
    }
    if !part.writes.is_empty() {
        return Err("it writes a file");
    }
    let Some(program) = part.program() else { return Err("its program is not certain") };
    let Some(name) = name(program) else { return Err("its program is a file of its own") };
    let lower = name.to_lowercase();
    let versioned = lower.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if READERS.contains(&name) {
        return Ok(vec![program.to_owned()]);
    }
    if ANYTHING.contains(&lower.as_str()) || ANYTHING.contains(&versioned) || versioned == "python" {
        return Err("its program can do anything");
    }
    let Some(first) = part.arguments().first() else {
        return if BUILDERS.contains(&name) {
            Ok(vec![program.to_owned()])
        } else {
            Err("nothing follows its program")
        };
    };
    if first.plain && is_subcommand(&first.text) {
        if RUNS.contains(&(name, first.text.as_str())) {
            return Err("it runs whatever follows");
        }
        let mut words = vec![program.to_owned(), first.text.clone()];
        if let ("npm" | "pnpm" | "yarn" | "bun" | "deno", "run") = (name, first.text.as_str()) {
            match part.arguments().get(1) {
                Some(script) if script.plain && is_subcommand(&script.text) => words.push(script.text.clone()),
                _ => return Err("the script it runs is not certain"),
            }
        }
        return Ok(words);
    }
    if BUILDERS.contains(&name) {
        return Ok(vec![program.to_owned()]);
    }
    Err("no subcommand follows its program")
}

/// A word like `commit` or `test:unit`.
fn is_subcommand(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_:".contains(letter))
}
