//! Names for the wire: valid everywhere, different from each other, the same after a restart.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

/// Longest tool name that every provider takes.
pub const MAX_NAME: usize = 64;

/// Hexadecimal digits of the shortest suffix.
const SUFFIX: usize = 6;

/// Who gives way when two servers offer the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Equal among equals: all that clash are renamed.
    Regular,
    /// Leaves a name to a regular tool (scripts of the project).
    Yields,
    /// Leaves a name to every tool that is there from the start, so that those keep theirs.
    Late,
}

/// A tool to be named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<'a> {
    pub standing: Standing,
    pub server: &'a str,
    pub tool: &'a str,
}

/// A wire name for each key, in the order of the keys; the keys must differ from each other.
///
/// `reserved` names are given to none that is late. A function of the set: neither order nor history counts. A name that is valid and not claimed
/// twice stays as it is; otherwise a suffix from a hash of server and tool is added.
pub fn assign(keys: &[Key<'_>], reserved: &[String]) -> Vec<String> {
    let mut sorted: Vec<usize> = (0..keys.len()).collect();
    sorted.sort_by(|a, b| keys[*a].cmp(&keys[*b]));

    let mut taken = BTreeSet::new();
    let mut names = vec![String::new(); keys.len()];
    let mut rest = Vec::new();
    for standing in [Standing::Regular, Standing::Yields, Standing::Late] {
        if standing == Standing::Late {
            // Whatever comes late, the others are called as they were.
            give_suffixes(&mut rest, keys, &mut taken, &mut names);
            taken.extend(reserved.iter().cloned());
        }
        let mut claims: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for &index in sorted.iter().filter(|index| keys[**index].standing == standing) {
            claims.entry(base(keys[index].tool)).or_default().push(index);
        }
        for (name, claimants) in claims {
            let winner = if taken.contains(&name) { None } else { sole(&name, &claimants, keys) };
            if let Some(winner) = winner {
                names[winner].clone_from(&name);
            }
            rest.extend(claimants.into_iter().filter(|index| Some(*index) != winner));
            if winner.is_some() {
                taken.insert(name);
            }
        }
    }
    give_suffixes(&mut rest, keys, &mut taken, &mut names);
    names
}

fn give_suffixes(rest: &mut Vec<usize>, keys: &[Key<'_>], taken: &mut BTreeSet<String>, names: &mut [String]) {
    rest.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
    for index in rest.drain(..) {
        names[index] = suffixed(&keys[index], taken);
        taken.insert(names[index].clone());
    }
}

/// The one that may keep the plain name: the only claimant, or the only one whose own name it is.
fn sole(name: &str, claimants: &[usize], keys: &[Key<'_>]) -> Option<usize> {
    if let [only] = claimants {
        return Some(*only);
    }
    let mut exact = claimants.iter().filter(|index| keys[**index].tool == name);
    let first = exact.next().copied()?;
    // Another server's tool of a name that only became equal gives way as well.
    exact.next().is_none().then_some(first)
}

/// The name with every unfit character replaced, cut to length.
///
/// Begins with a letter or `_`, which Gemini asks for.
pub fn base(tool: &str) -> String {
    let fit = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut name: String = tool.trim().chars().map(|c| if fit(c) { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    if name.len() > MAX_NAME {
        // Cut names are told apart by their hash even when they do not clash today.
        let digest = hash("", tool);
        name.truncate(MAX_NAME - SUFFIX - 1);
        name.push('_');
        name.push_str(&digest[..SUFFIX]);
    }
    name
}

fn suffixed(key: &Key<'_>, taken: &BTreeSet<String>) -> String {
    let base = base(key.tool);
    let digest = hash(key.server, key.tool);
    for length in (SUFFIX..=digest.len().min(MAX_NAME - 2)).step_by(2) {
        let head = &base[..base.len().min(MAX_NAME - 1 - length)];
        let name = format!("{head}_{}", &digest[..length]);
        if !taken.contains(&name) {
            return name;
        }
    }
    // Only reached when someone named dozens of tools after our own hashes.
    (0u64..)
        .map(|count| format!("_{}", &hash(&format!("{count}\0{}", key.server), key.tool)[..40]))
        .find(|name| !taken.contains(name))
        .unwrap_or(base)
}

fn hash(server: &str, tool: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(server.as_bytes());
    digest.update([0]);
    digest.update(tool.as_bytes());
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why a tool is not called by its own name on the wire; `None` when it is.
pub fn reason(tool: &str, wire_name: &str) -> Option<String> {
    if tool == wire_name {
        return None;
    }
    let base = base(tool);
    Some(if tool.chars().count() > MAX_NAME {
        format!("providers take names of at most {MAX_NAME} characters")
    } else if base == wire_name {
        "providers take only letters, digits, _ and - in a name".to_owned()
    } else if base == tool {
        "another server offers a tool of the same name".to_owned()
    } else {
        "another tool would have the same name on the wire".to_owned()
    })
}

/// Whether a filter pattern (a name, `prefix_*` or `*`) fits a tool's own name.
pub fn matches(pattern: &str, tool: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => tool.starts_with(prefix),
        None => pattern == tool,
    }
}

/// Up to three known names near to a wrong one, nearest first.
pub fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase();
    let mut ranked: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = strsim::damerau_levenshtein(&wrong, &lower);
            let near = distance <= wrong.len().max(lower.len()) / 3;
            let part = wrong.len() >= 3 && lower.len() >= 3 && (lower.contains(&wrong) || wrong.contains(&lower));
            (near || part).then_some((distance, name))
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    ranked.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests;
