//! What single words of a command mean for those around it.

use super::Part;

/// Whether the word sets a variable.
pub(super) fn assigns(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let first = name.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_');
    first && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The script of `sh -c '…'`, when it stands there as it is.
pub(super) fn script(part: &Part) -> Option<(&'static str, String)> {
    let program = part.program()?;
    let name = program.strip_prefix("/bin/").or_else(|| program.strip_prefix("/usr/bin/")).unwrap_or(program);
    if !matches!(name, "sh" | "bash" | "dash") {
        return None;
    }
    let [flags, script, ..] = part.arguments() else { return None };
    let letters = flags.text.strip_prefix('-').filter(|_| flags.plain)?;
    let known = letters.ends_with('c') && letters.chars().all(|letter| "celux".contains(letter));
    (known && script.plain).then(|| ("sh -c", script.text.clone()))
}

/// Where a `cd` leads, as far as that can be told.
pub(super) fn moved(before: Option<&str>, part: &Part) -> String {
    let to = match part.arguments() {
        [to] if part.program() == Some("cd") && to.text != "-" => to.text.as_str(),
        _ => part.text.as_str(),
    };
    before.map_or_else(|| to.to_owned(), |before| joined(before, to))
}

pub(super) fn joined(before: &str, to: &str) -> String {
    if to.starts_with('/') { to.to_owned() } else { format!("{}/{to}", before.trim_end_matches('/')) }
}
