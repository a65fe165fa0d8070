//! The words that tell two capabilities apart.

use std::collections::{BTreeMap, BTreeSet};

use super::Subject;

/// Words that say nothing about what a message is for.
const EMPTY: [&str; 59] = [
    "the", "and", "for", "with", "from", "into", "onto", "that", "this", "these", "those", "what", "which", "who",
    "how", "why", "when", "where", "can", "could", "you", "your", "our", "its", "are", "was", "will", "would",
    "should", "have", "has", "had", "not", "but", "any", "all", "some", "out", "off", "use", "using", "get", "let",
    "new", "one", "want", "need", "please", "about", "over", "via", "per", "them", "they", "just", "then", "there",
    "here", "look",
];

/// A word that one capability has and another has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separating {
    pub word: String,
    /// Triggers of the capability that have it.
    pub triggers: usize,
}

/// Lower-case words of at least three letters, without the empty ones.
pub fn words(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() >= 3 && !EMPTY.contains(&word.as_str()))
        .collect()
}

/// Case and spaces aside.
pub fn same_words(left: &str, right: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    plain(left) == plain(right)
}

/// The words that none of `others` has, the best first: a part of the capability's name, then by how
/// many of its triggers have it.
pub fn separating(own: &Subject, others: &[&Subject]) -> Vec<Separating> {
    let mut taken: BTreeSet<String> = others.iter().flat_map(|other| words(&other.name)).collect();
    let triggers = others.iter().flat_map(|other| &other.triggers);
    taken.extend(triggers.flat_map(|trigger| words(&trigger.text)));
    let name = words(&own.name);
    let mut counts: BTreeMap<String, usize> = name.iter().map(|word| (word.clone(), 0)).collect();
    for word in own.triggers.iter().flat_map(|trigger| words(&trigger.text)) {
        *counts.entry(word).or_default() += 1;
    }
    let mut found: Vec<Separating> = counts
        .into_iter()
        .filter(|(word, _)| !taken.iter().any(|other| alike(word, other)))
        .map(|(word, triggers)| Separating { word, triggers })
        .collect();
    // Stable, so that equal ones stay in the order of the alphabet.
    found.sort_by_key(|found| (!name.contains(&found.word), usize::MAX - found.triggers));
    found
}

/// The same word but for its ending, as `query` and `queries`.
fn alike(left: &str, right: &str) -> bool {
    let common = left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count();
    let longer = left.chars().count().max(right.chars().count());
    left == right || (common >= 4 && longer - common <= 3)
}

pub fn has_word(text: &str, word: &str) -> bool {
    words(text).iter().any(|held| alike(held, word))
}
