//! The part of a sentence that forbids.

use super::object::Object;
use super::refuse::{Placed, before, refused, text};
use super::words::{Sentence, among, sentences};
use super::{Force, verbatim};

/// Words that join what is wanted and what is not.
const JOINS: &str = "but and yet then so or however though";

/// Words that belong to the clause though the refusal begins after them.
const LEADS: &str = "please just also kindly ok okay really you we i";

/// Words that say when or where something holds, before it is said.
const SCOPES: &str = "\
    if when whenever unless until till while before after once where because since for in inside under on at with \
    within during except";

/// For each refusal its own words. Where it is not certain that the rest says nothing of it, that is the
/// whole sentence.
pub(super) fn clauses(message: &str, sentence: &Sentence, refused: &[Placed]) -> Vec<String> {
    let starts: Vec<usize> = refused.iter().map(|(.., at)| start(message, sentence, *at)).collect();
    let whole = verbatim(message, sentence);
    let mut found = Vec::new();
    for (at, (force, object, _)) in refused.iter().enumerate() {
        let next = starts[at + 1..].iter().copied().find(|next| *next > starts[at]);
        let ends = [next, None];
        let clause = ends.iter().find_map(|end| {
            let clause = cut(whole, sentence, starts[at], *end);
            says(clause, *force, object).then_some(clause)
        });
        found.push(clause.unwrap_or(whole).to_owned());
    }
    found
}

/// The word that the clause begins with.
fn start(message: &str, sentence: &Sentence, at: usize) -> usize {
    let words = &sentence.words;
    let mut start = at;
    while start > 0 && !words[start].begins && among(LEADS, before(words, start)) {
        start -= 1;
    }
    let scoped = words[..start].iter().enumerate().any(|(place, word)| {
        let begins = place == 0 || word.begins;
        among(SCOPES, &word.text) && (begins || matches!(word.text.as_str(), "if" | "when" | "unless" | "until"))
    });
    let named = || {
        let lead = &message[sentence.range.start..sentence.range.start + words[start].at];
        lead.trim_end().ends_with(':')
    };
    let joined = start > 0 && (among(JOINS, before(words, start)) || words[start].begins && !named());
    if scoped || !joined { 0 } else { start }
}

/// From one word to another, without what joins them to others.
fn cut<'a>(whole: &'a str, sentence: &Sentence, start: usize, end: Option<usize>) -> &'a str {
    let place = |word: usize| sentence.words.get(word).map_or(whole.len(), |word| word.at.min(whole.len()));
    let from = if start == 0 { 0 } else { place(start) };
    let Some(end) = end else { return whole.get(from..).unwrap_or(whole) };
    let mut end = end;
    while end > start + 1 && among(JOINS, text(&sentence.words, end - 1)) {
        end -= 1;
    }
    let clause = whole.get(from..place(end)).unwrap_or(whole);
    clause.trim_end_matches(|letter: char| letter.is_whitespace() || ",;:–—-".contains(letter))
}

/// Whether the words alone forbid the same; what is only pointed at is not named by them.
fn says(clause: &str, force: Force, object: &Object) -> bool {
    let alone: Vec<Placed> = sentences(clause).iter().flat_map(refused).collect();
    !object.pronoun && alone.iter().any(|(other, same, _)| *other == force && same == object)
}
