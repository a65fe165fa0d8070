//! Looking for a capability by what it should do: by meaning, or by words when there are no vectors.

use super::gate::{self, Candidate};
use super::vector::Vector;

/// Hits must be nearer than this (decisions: Tool surface).
pub const DISCOVER_FLOOR: f32 = 0.2;
/// Hits that are shown (decisions: Tool surface).
pub const DISCOVER_RESULTS: usize = 5;

/// BM25 as it is usually set: how fast a repeated word stops counting, and how much length does.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;

/// Something that can be found.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    pub name: &'a str,
    pub title: &'a str,
    pub description: &'a str,
    pub triggers: &'a [String],
    /// Of the triggers; those there are.
    pub phrases: &'a [Vector],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Scores are cosines, as the gate's.
    Meaning,
    /// Scores are BM25 over triggers, title and description.
    Words,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<'a> {
    pub name: &'a str,
    pub score: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found<'a> {
    pub method: Method,
    /// Best first, ties by name.
    pub hits: Vec<Hit<'a>>,
}

/// `intent` is the query's vector, where the encoder is ready. Without it, and where no entry has a
/// vector, words are compared.
pub fn discover<'a>(query: &str, intent: Option<&Vector>, entries: &[Entry<'a>]) -> Found<'a> {
    let candidates: Vec<Candidate<'a>> =
        entries.iter().map(|entry| Candidate { name: entry.name, phrases: entry.phrases }).collect();
    let (method, mut hits) = match intent.filter(|_| candidates.iter().any(|known| !known.phrases.is_empty())) {
        Some(intent) => {
            let scores = gate::scores(intent, &candidates).into_iter();
            let near = scores.filter(|score| score.score > DISCOVER_FLOOR);
            (Method::Meaning, near.map(|score| Hit { name: score.name, score: score.score }).collect())
        }
        None => (Method::Words, by_words(query, entries)),
    };
    hits.truncate(DISCOVER_RESULTS);
    Found { method, hits }
}

fn by_words<'a>(query: &str, entries: &[Entry<'a>]) -> Vec<Hit<'a>> {
    let documents: Vec<Vec<String>> = entries.iter().map(words_of).collect();
    let total: usize = documents.iter().map(Vec::len).sum();
    let usual = (total as f32 / documents.len().max(1) as f32).max(1.0);
    let mut asked: Vec<String> = words(query).collect();
    asked.sort_unstable();
    asked.dedup();
    let mut hits: Vec<Hit<'a>> = entries.iter().map(|entry| Hit { name: entry.name, score: 0.0 }).collect();
    for word in &asked {
        let having = documents.iter().filter(|document| document.contains(word)).count() as f32;
        let rare = (1.0 + (documents.len() as f32 - having + 0.5) / (having + 0.5)).ln();
        for (hit, document) in hits.iter_mut().zip(&documents) {
            let times = document.iter().filter(|other| *other == word).count() as f32;
            let long = 1.0 - LENGTH + LENGTH * document.len() as f32 / usual;
            hit.score += rare * times * (SATURATION + 1.0) / (times + SATURATION * long);
        }
    }
    hits.retain(|hit| hit.score > 0.0);
    hits.sort_by(|left, right| right.score.total_cmp(&left.score).then_with(|| left.name.cmp(right.name)));
    hits
}

fn words_of(entry: &Entry<'_>) -> Vec<String> {
    let texts = [entry.name, entry.title, entry.description].into_iter();
    texts.chain(entry.triggers.iter().map(String::as_str)).flat_map(words).collect()
}

/// Lower case, without the ending of a plural; words that every sentence has are left out.
fn words(text: &str) -> impl Iterator<Item = String> {
    const EVERYWHERE: [&str; 24] = [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "i", "in", "is", "it", "me", "my", "of",
        "on", "or", "the", "to", "with", "you",
    ];
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !EVERYWHERE.contains(&word.as_str()))
        .map(singular)
}

fn singular(word: String) -> String {
    if let Some(start) = word.strip_suffix("ies").filter(|start| start.len() > 1) {
        return format!("{start}y");
    }
    match word.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => word,
    }
}
