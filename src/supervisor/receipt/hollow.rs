//! Commands that would end well whatever the state of the work: they tell of themselves, look at
//! nothing, compare a thing with itself, or sift what they were handed word for word.

use super::shell::{Link, Simple};

/// Programs that only say what they would do when they are told so.
const DRY: [(&str, char, &[&str]); 5] = [
    ("make", 'n', &["--just-print", "--recon", "--question"]),
    ("gmake", 'n', &["--just-print", "--recon", "--question"]),
    ("ninja", 'n', &[]),
    ("rsync", 'n', &[]),
    ("just", 'n', &[]),
];

/// Words of a command that make it tell of itself, or not do it.
const HARMLESS: [&str; 12] = [
    "--help",
    "-h",
    "--version",
    "-V",
    "--dry-run",
    "--collect-only",
    "--list",
    "--list-tests",
    "--show-config",
    "-vV",
    "-help",
    "-version",
];

/// First words that do the same.
const OF_ITSELF: [&str; 4] = ["help", "version", "--usage", "-?"];

/// Programs that say their version on a `-v`; to others it means to be wordy.
const VERSION_ON_V: [&str; 13] =
    ["node", "npm", "npx", "pnpm", "yarn", "bun", "tsc", "ruby", "php", "perl", "docker", "gcc", "clang"];

/// Programs of many jobs, and those of their jobs that show, fetch or prepare something.
const JOBS: [(&[&str], &[&str]); 9] = [
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[
            "ls", "list", "view", "info", "show", "outdated", "config", "root", "prefix", "bin", "whoami", "ping", "i",
            "install", "ci", "add", "init", "search", "get", "why", "explain", "fund", "cache", "pkg",
        ],
    ),
    (
        &["cargo"],
        &[
            "tree",
            "metadata",
            "search",
            "fetch",
            "update",
            "add",
            "remove",
            "login",
            "locate-project",
            "pkgid",
            "new",
            "init",
            "info",
            "clean",
            "install",
        ],
    ),
    (&["go"], &["env", "list", "get", "doc", "clean", "install"]),
    (
        &["pip", "pip3", "uv", "poetry", "conda"],
        &["list", "show", "freeze", "install", "config", "cache", "download", "search", "info", "env", "add", "sync"],
    ),
    (
        &["docker", "podman", "kubectl"],
        &["ps", "images", "info", "pull", "get", "describe", "logs", "inspect", "stats", "top", "config"],
    ),
    (&["apt", "apt-get", "brew", "dnf", "apk"], &["list", "show", "search", "info", "install", "update", "upgrade"]),
    (&["rustup", "nvm", "pyenv", "asdf"], &["show", "list", "which", "update", "install", "default", "current", "use"]),
    (&["systemctl", "service"], &["list-units", "show", "cat"]),
    (&["gh", "glab"], &["auth", "browse", "config"]),
];

/// Programs that sift what they are handed, and so say no more than that did.
const SIEVES: [&str; 13] =
    ["grep", "egrep", "fgrep", "rg", "ag", "jq", "yq", "awk", "gawk", "sed", "diff", "cmp", "comm"];

/// What hands on words that stand in the command itself.
const SAYS: [&str; 6] = ["echo", "printf", "yes", "true", "seq", "date"];

/// Programs that compare two things.
const COMPARES: [&str; 6] = ["diff", "cmp", "comm", "colordiff", "sdiff", "vimdiff"];

/// Tests of a file.
const LOOKS: [&str; 11] = ["-e", "-f", "-d", "-s", "-x", "-r", "-w", "-L", "-h", "-nt", "-ot"];

const INTERPRETERS: [&str; 6] = ["python", "node", "perl", "ruby", "php", "deno"];

/// What code has in it that looks at anything outside of itself.
const REACHES: [&str; 9] = ["import", "require", "assert", "open", "load", "read", "exec", "system", "spawn"];

/// What code has in it that only passes on what it is given.
const PASSED_ON: [&str; 6] =
    ["import sys;", "import sys\n", "sys.stdin.readlines", "sys.stdin.readline", "sys.stdin.read", "readline"];

/// `cargo --version`, `npm -v`, `make help`, `make -n`, `pip list`: none of the work is run.
pub(super) fn tells_of_itself(program: &str, rest: &[&str]) -> bool {
    let first = rest.first().copied().unwrap_or_default();
    let job = rest.iter().find(|word| !word.starts_with(['-', '+'])).copied().unwrap_or_default();
    let shows = JOBS.iter().any(|(programs, jobs)| programs.contains(&program) && jobs.contains(&job));
    rest.iter().any(|word| HARMLESS.contains(word))
        || OF_ITSELF.contains(&first)
        || (rest == ["-v"] && VERSION_ON_V.contains(&program))
        || (shows && rest.first().is_none_or(|word| *word != "-m"))
        || is_dry(program, rest)
}

/// `make -n`, `make -kn check`.
fn is_dry(program: &str, rest: &[&str]) -> bool {
    let Some((_, letter, words)) = DRY.iter().find(|(name, ..)| *name == program) else { return false };
    let short =
        |word: &str| word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.contains(*letter));
    rest.iter().any(|word| short(word) || words.contains(word))
}

/// A test, a comparison or a line of code that looks at nothing: `[ 1 = 1 ]`, `diff a a`, `python -c 'print("ok")'`.
pub(super) fn looks_at_nothing(program: &str, rest: &[&str]) -> bool {
    let looks = |words: &[&str]| words.iter().any(|word| word.contains(['$', '`', '/', '.']) || LOOKS.contains(word));
    match program {
        "test" | "[" | "[[" => !looks(rest) || is_equal_to_itself(rest),
        _ if COMPARES.contains(&program) => is_equal_to_itself(rest),
        _ if SIEVES.contains(&program) && is_handed_words(rest) => true,
        _ if INTERPRETERS.iter().any(|name| program.starts_with(name)) => {
            let code = rest.iter().position(|word| matches!(*word, "-c" | "-e" | "-p" | "--eval")).map(|at| at + 1);
            let own = |code: &&str| PASSED_ON.iter().fold((*code).to_owned(), |code, word| code.replace(word, ""));
            let code = code.and_then(|at| rest.get(at)).map(own);
            code.is_some_and(|code| !REACHES.iter().any(|word| code.contains(word)))
        }
        _ => false,
    }
}

/// `grep ok <<< ok`.
fn is_handed_words(rest: &[&str]) -> bool {
    let Some(at) = rest.iter().position(|word| word.starts_with("<<<")) else { return false };
    !rest[at..].iter().any(|word| word.contains(['$', '`']))
}

/// Two operands that are one and the same, spelled `a` and `./a` or alike.
fn is_equal_to_itself(rest: &[&str]) -> bool {
    let end = rest.iter().position(|word| is_redirect(word)).unwrap_or(rest.len());
    let operand = |word: &&&str| !word.starts_with('-') && !matches!(**word, "=" | "==" | "]" | "]]");
    let operands: Vec<&str> = rest[..end].iter().filter(operand).map(|word| word.trim_start_matches("./")).collect();
    matches!(operands.as_slice(), [one, other] if one == other)
}

fn is_redirect(word: &str) -> bool {
    word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '&').starts_with(['>', '<'])
}

/// Whether the command at `at` of a list sifts words that an earlier one of its pipe only said.
pub(super) fn sifts_what_was_said(list: &[Simple], at: usize) -> bool {
    let program = |one: &Simple| one.words.first().map_or(String::new(), |word| base(word).to_owned());
    if at == 0 || !SIEVES.contains(&program(&list[at]).as_str()) {
        return false;
    }
    let piped = list[..at].iter().rev().take_while(|one| one.link == Some(Link::Pipe));
    let Some(source) = piped.last() else { return false };
    let reads = source.words.iter().any(|word| word.contains(['$', '`', '<']));
    SAYS.contains(&program(source).as_str()) && !reads
}

/// The name of a program without its folder.
pub(super) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
