//! What a sentence permits or asks for.

use super::object::{About, Object};
use super::refuse::is_addressed;
use super::words::{Sentence, Voice, Word, among};

/// Words after which a verb is asked for or allowed.
const GRANTS: &str = "\
    can may could should must shall please now then also just again ok okay yes and to let's you do";

/// Words in a part of a sentence that take the permission away again.
const DENIES: &str = "\
    not don't dont never no without can't cannot mustn't shouldn't needn't won't skip avoid if why \
    didn't doesn't stop forbidden";

pub(super) fn granted(sentence: &Sentence) -> Vec<Object> {
    let words = &sentence.words;
    let mut found = Vec::new();
    let mut begin = 0;
    while begin < words.len() {
        let end = (begin + 1..words.len()).find(|at| words[*at].begins).unwrap_or(words.len());
        found.extend(of_part(words, begin, end));
        begin = end;
    }
    found
}

/// One part of the sentence, between commas. Words that are no verbs make objects that nobody forbade.
fn of_part(words: &[Word], begin: usize, end: usize) -> Vec<Object> {
    let part = &words[begin..end];
    let denied = |word: &Word| word.voice == Voice::Own && among(DENIES, &word.text);
    if part.iter().any(denied) {
        return taken_back(part).into_iter().collect();
    }
    let asked = |at: &usize| {
        let granted = || *at > begin && among(GRANTS, &words[at - 1].text);
        words[*at].voice == Voice::Own
            && (is_addressed(words, *at) || granted())
            && is_to_reader(&words[begin..*at])
            && !is_noun(words, *at)
    };
    (begin..end).filter(asked).map(|at| Object::new(&words[at].text, &words[at + 1..end])).collect()
}

/// `forget what I said about the tests`: a negation of a negation.
fn taken_back(part: &[Word]) -> Option<Object> {
    let text = |at: usize| part.get(at).map_or("", |word| word.text.as_str());
    let negated = (0..part.len()).find(|at| matches!(text(*at), "not" | "don't" | "dont" | "never"))?;
    let verb = negated + 1;
    // `do not forget to run the tests`, `do not skip the tests`.
    match text(verb) {
        "forget" | "hesitate" | "fail" if text(verb + 1) == "to" => {
            Some(Object::new(text(verb + 2), part.get(verb + 3..).unwrap_or_default()))
        }
        "skip" | "omit" | "miss" => Some(Object::new("run", part.get(verb + 1..).unwrap_or_default())),
        _ => None,
    }
    .filter(|object| object.about != About::Action || !object.verb.is_empty())
}

/// Nobody else is said to do it.
fn is_to_reader(words: &[Word]) -> bool {
    const OTHERS: &str = "\
    i they he she it who which that when ci users i'll i've i'd someone before";

    let wants =
        words.iter().any(|word| matches!(word.text.as_str(), "want" | "like" | "fine" | "allow" | "permit" | "need"));
    wants || !words.iter().any(|word| among(OTHERS, &word.text))
}

/// `the test`, `a run`: no verb.
fn is_noun(words: &[Word], at: usize) -> bool {
    let article = at > 0
        && !words[at].begins
        && matches!(
            words[at - 1].text.as_str(),
            "the"
                | "a"
                | "an"
                | "this"
                | "that"
                | "my"
                | "your"
                | "our"
                | "each"
                | "every"
                | "unit"
                | "of"
                | "in"
                | "for"
        );
    // `tests`: what runs has no ending when it is asked for.
    article
        || words[at].text.ends_with('s') && words[at].text.len() > 3 && !words[at].text.ends_with("ss")
        || words[at].text.ends_with("ed")
}
