use serde_json::Value;

use super::hollow;
use super::shell::{Link, Simple, simple};
use super::target::command_of;
use super::{Kind, Receipt};
use crate::proto::ToolOutcome;

/// What a call says about the state of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// A command that could have failed did not.
    Passed,
    Failed,
    /// A command ended well, but it would have in any case; why.
    Unusable(&'static str),
    /// No command, or one that changed something.
    None,
}

/// Commands that say, show or prepare something. That they succeed shows nothing about the work.
const SHOWS: [&str; 62] = [
    ":", "true", "false", "echo", "printf", "cd", "pushd", "popd", "pwd", "ls", "dir", "cat", "bat", "less", "more",
    "head", "tail", "wc", "tee", "sort", "uniq", "cut", "tr", "find", "fd", "tree", "stat", "file", "du", "df",
    "sleep", "wait", "date", "whoami", "id", "hostname", "uname", "env", "printenv", "export", "unset", "set", "alias",
    "source", ".", "which", "type", "command", "whereis", "history", "ps", "kill", "mkdir", "touch", "cp", "mv", "rm",
    "chmod", "ln", "exit", "column", "yes",
];

/// Commands that only show unless they are told to judge, and how they are told.
const JUDGES: [(&str, &[&str]); 3] = [("git", &["--exit-code", "--check", "fsck"]), ("sed", &[]), ("awk", &[])];

/// Words before a command that leave its exit status as it is.
const WRAPPERS: [&str; 9] = ["sudo", "time", "nice", "nohup", "exec", "stdbuf", "command", "env", "timeout"];

/// Words that begin more than a simple command.
const COMPOUND: [&str; 16] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "{", "}",
    "!",
];

/// Commands after which others need not be what they seem.
const REDEFINES: [&str; 4] = ["alias", "eval", "function", "trap"];

pub(super) fn of(receipt: &Receipt) -> Check {
    if receipt.kind != (Kind::Command { changed_tree: false }) {
        return Check::None;
    }
    let arguments: Value = serde_json::from_str(&receipt.target).unwrap_or_default();
    let meaning = command_of(&arguments).map_or(Err(UNKNOWN), |command| meaning(&command, 0));
    match (receipt.outcome, meaning) {
        (ToolOutcome::Ok, Ok(())) => Check::Passed,
        (ToolOutcome::Ok, Err(why)) => Check::Unusable(why),
        (ToolOutcome::Error | ToolOutcome::TimedOut, Ok(()) | Err(HIDDEN_PIPE | HIDDEN_OR | COMPOUNDED)) => {
            Check::Failed
        }
        _ => Check::None,
    }
}

const UNKNOWN: &str = "what it ran is not known";
const ONLY_SHOWS: &str = "it only shows something";
const HIDDEN_PIPE: &str = "the exit status is that of the last command of the pipe";
const HIDDEN_OR: &str = "what follows || hides a failure";
const HIDDEN_NEXT: &str = "the exit status is that of the last command, which only shows something";
const IN_BACKGROUND: &str = "it went on in the background";
const COMPOUNDED: &str = "its parts may have failed unseen";
const OF_ITSELF: &str = "it only tells of itself";

/// Whether success of the command means that a check succeeded; if not, why not.
fn meaning(command: &str, depth: u32) -> Result<(), &'static str> {
    let commands = simple(command);
    let strict = commands.iter().any(|one| sets(one, 'e'));
    let pipefail = commands.iter().any(|one| one.words.iter().any(|word| word == "pipefail"));
    if commands.iter().any(is_more_than_it_seems) {
        return Err(COMPOUNDED);
    }
    let mut why = ONLY_SHOWS;
    let mut lists = commands.split_inclusive(|one| matches!(one.link, Some(Link::Next | Link::Background) | None));
    let last = lists.next_back().unwrap_or_default();
    for list in strict.then_some(lists).into_iter().flatten().chain([last]) {
        match list_meaning(list, pipefail, depth) {
            Ok(()) => return Ok(()),
            Err(found) => why = found,
        }
    }
    let hidden = |one: &Simple| one.link == Some(Link::Next) && simple_meaning(one, depth).is_ok();
    match why == ONLY_SHOWS && commands.iter().any(hidden) {
        true => Err(HIDDEN_NEXT),
        false => Err(why),
    }
}

/// What defines names, sets where programs are found, or brings its own lines with it.
fn is_more_than_it_seems(one: &Simple) -> bool {
    let [first, second] = [0, 1].map(|at| one.words.get(at).map_or("", String::as_str));
    let brings_lines = |word: &String| word.contains("<<") && !word.contains("<<<");
    REDEFINES.contains(&first)
        || second == "{"
        || one.words.iter().any(|word| word.starts_with("PATH="))
        || one.words.iter().any(brings_lines)
}

/// Commands joined by `&&`, `||` and `|`.
fn list_meaning(list: &[Simple], pipefail: bool, depth: u32) -> Result<(), &'static str> {
    if list.iter().any(|one| one.link == Some(Link::Background)) {
        return Err(IN_BACKGROUND);
    }
    let mut why = ONLY_SHOWS;
    for (at, one) in list.iter().enumerate() {
        let found = simple_meaning(one, depth);
        let found = match (found, one.link) {
            (Ok(()), _) if hollow::sifts_what_was_said(list, at) => Err(ONLY_SHOWS),
            (Ok(()), Some(Link::Pipe)) if !pipefail => Err(HIDDEN_PIPE),
            (Ok(()), _) if hidden_by_or(&list[at..]) => Err(HIDDEN_OR),
            (found, _) => found,
        };
        match found {
            Ok(()) => return Ok(()),
            Err(ONLY_SHOWS) => {}
            Err(found) => why = found,
        }
    }
    Err(why)
}

/// Whether a failure of the first command here is made up for after a `||`.
fn hidden_by_or(list: &[Simple]) -> bool {
    let Some(at) = list.iter().position(|one| one.link == Some(Link::Or)) else { return false };
    let other: Vec<&str> = list.get(at + 1).into_iter().flat_map(|one| &one.words).map(String::as_str).collect();
    match other.as_slice() {
        ["exit" | "return", code, ..] => *code == "0",
        ["exit" | "return" | "false", ..] => false,
        _ => true,
    }
}

fn simple_meaning(one: &Simple, depth: u32) -> Result<(), &'static str> {
    let mut words: Vec<&str> = one.words.iter().map(String::as_str).collect();
    loop {
        match words.first() {
            Some(word) if is_assignment(word) => drop(words.remove(0)),
            Some(word) if WRAPPERS.contains(word) && words.len() > 1 => {
                let limits = *word == "timeout";
                words.remove(0);
                while words.first().is_some_and(|word| word.starts_with('-')) {
                    words.remove(0);
                }
                if limits && words.len() > 1 {
                    words.remove(0);
                }
            }
            _ => break,
        }
    }
    let Some((program, rest)) = words.split_first() else { return Err(ONLY_SHOWS) };
    let program = hollow::base(program);
    if COMPOUND.contains(&program) {
        return Err(COMPOUNDED);
    }
    if matches!(program, "bash" | "sh" | "zsh" | "dash")
        && rest.first().is_some_and(|flag| flag.ends_with('c') && flag.starts_with('-'))
    {
        return match rest.get(1) {
            Some(inner) if depth < 3 => meaning(inner, depth + 1),
            _ => Err(COMPOUNDED),
        };
    }
    if hollow::tells_of_itself(program, rest) {
        return Err(OF_ITSELF);
    }
    if hollow::looks_at_nothing(program, rest) {
        return Err(ONLY_SHOWS);
    }
    let judges = JUDGES.iter().find(|(name, _)| *name == program).map(|(_, flags)| flags);
    let shows = match judges {
        Some(flags) => !rest.iter().any(|word| flags.contains(word)),
        None => SHOWS.contains(&program),
    };
    if shows { Err(ONLY_SHOWS) } else { Ok(()) }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// `set -e`, `set -euo pipefail`.
fn sets(one: &Simple, flag: char) -> bool {
    let mut words = one.words.iter();
    words.next().is_some_and(|word| word == "set")
        && words.any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(flag))
}
