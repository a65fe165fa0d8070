//! What a sentence forbids.

use super::object::{About, Object, RUNS, stem};
use super::words::{Sentence, Voice, Word, among};
use super::{Force, negated, phrases};

/// What is forbidden, and how many words say so.
pub(super) type Refusal = (Force, Object, usize);

/// Words that may stand before `do not` when it is said to the reader.
const ADDRESSES: &str = "\
    please but and or so then also just you we kindly ok okay now yet though however plz pls again still \
    absolutely really instead therefore btw let's";

/// Who says something that the person only passes on.
const REPORTS: &str = "\
    says say said told claims reads states mentions writes wrote prints reports";

/// What is forbidden, and the word that begins to say so.
pub(super) type Placed = (Force, Object, usize);

pub(super) fn refused(sentence: &Sentence) -> Vec<Placed> {
    let words = &sentence.words;
    let mut found: Vec<Placed> = Vec::new();
    let mut from = 0;
    while from < words.len() {
        let one = (words[from].voice == Voice::Own).then(|| at(sentence, from)).flatten();
        match one {
            Some((force, object, used)) => {
                if !found.iter().any(|(_, other, _)| *other == object) {
                    found.push((force, object, from));
                }
                from += used.max(1);
            }
            None => from += 1,
        }
    }
    found
}

/// What is forbidden by the words from `at` on.
fn at(sentence: &Sentence, at: usize) -> Option<Refusal> {
    if is_reported(sentence, at) {
        return None;
    }
    negated::verb(sentence, at).or_else(|| phrases::any(sentence, at))
}

pub(super) fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

pub(super) fn before(words: &[Word], at: usize) -> &str {
    at.checked_sub(1).map_or("", |at| text(words, at))
}

/// Whether it begins a part of the sentence, or follows a word that speaks to the reader.
pub(super) fn is_addressed(words: &[Word], at: usize) -> bool {
    words[at].begins || among(ADDRESSES, before(words, at))
}

/// `the README says …`, but not `I said …`.
fn is_reported(sentence: &Sentence, at: usize) -> bool {
    let words = &sentence.words;
    (0..at).any(|place| {
        among(REPORTS, text(words, place)) && !matches!(before(words, place), "i" | "we" | "have" | "already" | "as")
    })
}

/// `if you do not …`, `why do you not …`: nothing is forbidden.
pub(super) fn is_supposed(sentence: &Sentence, at: usize) -> bool {
    let words = &sentence.words;
    let begin = part_begins(words, at + 1);
    (begin..at).any(|place| {
        matches!(
            text(words, place),
            "if" | "when" | "why" | "because" | "since" | "whether" | "unless" | "in-case" | "that" | "which"
        )
    })
}

/// Where the part of the sentence begins that this word is in.
pub(super) fn part_begins(words: &[Word], at: usize) -> usize {
    (0..at).rev().find(|place| words[*place].begins).unwrap_or(0)
}

/// The words as one part of a sentence.
pub(super) fn unbroken(words: &[Word]) -> Vec<Word> {
    words.iter().map(|word| Word { begins: false, ..word.clone() }).collect()
}

/// Whether an agent could do it: `without changing` is about it, `without warning` is not.
pub(super) fn deed(verb: &str) -> bool {
    const DEED_VERBS: &str = "\
    touch change edit modify alter update rewrite refactor rename move delete remove drop overwrite \
    replace create add write commit push merge rebase reset revert amend tag release publish deploy \
    install uninstall upgrade download upload send post open restart read access connect contact ask \
    format reformat migrate";
    let stem = stem(verb);
    among(DEED_VERBS, &stem) || RUNS.contains(&stem.as_str()) || Object::new(verb, &[]).about == About::Checks
}
