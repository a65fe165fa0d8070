use globset::GlobBuilder;

use super::nearest;
use crate::text::disarmed;

/// Skills on a page for a person, and for a model.
pub const PERSON_PAGE: usize = 15;
pub const MODEL_PAGE: usize = 20;

/// One skill as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// Empty when it has none.
    pub title: String,
    pub description: String,
    pub source: String,
    pub active: bool,
}

/// What the words after `/skill` mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// From 1.
    Page(usize),
    Matching(String),
    One(String, Wish),
}

/// What is to become of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    On,
    Off,
    /// On if it is off, and the other way round.
    Other,
}

impl Asked {
    /// A number is a page, a word with `*`, `?` or `[` a pattern, anything else a skill's name, after
    /// `on` or `off` if it is meant so.
    pub fn parse(words: &str) -> Self {
        let words = words.trim();
        match words.parse() {
            Ok(page) => Self::Page(page),
            Err(_) if words.is_empty() => Self::Page(1),
            Err(_) if words.contains(['*', '?', '[']) => Self::Matching(words.to_owned()),
            Err(_) => match words.split_once(char::is_whitespace) {
                Some(("on", name)) => Self::One(name.trim().to_owned(), Wish::On),
                Some(("off", name)) => Self::One(name.trim().to_owned(), Wish::Off),
                _ => Self::One(words.to_owned(), Wish::Other),
            },
        }
    }
}

/// Active ones first, then by name.
pub fn ordered(mut skills: Vec<Listed>) -> Vec<Listed> {
    skills.sort_by(|a, b| b.active.cmp(&a.active).then_with(|| a.name.cmp(&b.name)));
    skills
}

/// The skills of a page and how many pages there are; nothing when there is no such page.
pub fn page(skills: &[Listed], number: usize, size: usize) -> Option<(&[Listed], usize)> {
    let pages = skills.len().div_ceil(size).max(1);
    if number == 0 || number > pages {
        return None;
    }
    let from = (number - 1) * size;
    Some((&skills[from.min(skills.len())..(from + size).min(skills.len())], pages))
}

/// Those whose name matches, whatever the case.
///
/// # Errors
/// When the pattern is none.
pub fn matching(skills: Vec<Listed>, pattern: &str) -> Result<Vec<Listed>, String> {
    let glob = GlobBuilder::new(pattern).case_insensitive(true).build();
    let glob = glob.map_err(|error| format!("{pattern:?} is no pattern: {}", error.kind()))?.compile_matcher();
    Ok(skills.into_iter().filter(|skill| glob.is_match(&skill.name)).collect())
}

/// There is no skill of this name.
pub fn unknown(name: &str, skills: &[Listed]) -> String {
    match nearest(name, skills.iter().map(|skill| skill.name.as_str())) {
        Some(near) => format!("There is no skill {name}. Did you mean {near}?"),
        None => format!("There is no skill {name}."),
    }
}

/// What things of a list are called.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    pub one: &'static str,
    pub many: &'static str,
    /// Of one that is in use.
    pub active: &'static str,
}

/// A page of the list for a model.
///
/// # Errors
/// There is no such page, in a sentence.
pub fn told(all: &[Listed], number: usize, words: Words) -> Result<String, String> {
    let Some((shown, pages)) = page(all, number, MODEL_PAGE) else {
        let last = all.len().div_ceil(MODEL_PAGE).max(1);
        return Err(format!("There is no page {number}; the last is {last}."));
    };
    let line = |one: &Listed| {
        let mark = if one.active { format!(" ({})", words.active) } else { String::new() };
        format!("- {}{mark}: {}", one.name, disarmed(&one.description))
    };
    let lines: Vec<String> = shown.iter().map(line).collect();
    let count = if all.len() == 1 { format!("1 {}", words.one) } else { format!("{} {}", all.len(), words.many) };
    Ok(format!("{count}, page {number} of {pages}\n{}", lines.join("\n")).trim_end().to_owned())
}
