use strsim::levenshtein as distance;

use crate::proto::slash;

/// The slash command that a line probably meant, when it is none itself.
pub fn near_command(line: &str) -> Option<&'static str> {
    let name = line.trim_end().strip_prefix('/')?;
    if name.is_empty() || name.contains(|letter: char| letter.is_whitespace() || letter == '/') {
        return None;
    }
    let names = slash::COMMANDS.iter().flat_map(|command| std::iter::once(&command.name).chain(command.aliases));
    names
        .map(|known| (distance(name, known), *known))
        .filter(|(distance, known)| *distance > 0 && *distance <= if known.len() <= 3 { 1 } else { 2 })
        .min()
        .map(|(_, known)| known)
}

/// The name nearest to a wrong one, if any is near enough to be what was meant.
pub fn nearest<'name>(wrong: &str, names: impl IntoIterator<Item = &'name str>) -> Option<&'name str> {
    let lower = wrong.to_lowercase();
    names
        .into_iter()
        .map(|name| {
            let known = name.to_lowercase();
            let part = lower.len() >= 3 && (known.contains(&lower) || lower.contains(&known));
            (if part { 1 } else { distance(&lower, &known) }, name)
        })
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .min()
        .map(|(_, name)| name)
}
