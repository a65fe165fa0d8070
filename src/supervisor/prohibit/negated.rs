//! `do not run …`, `never …`, `you must not …`, `… not to …`.

use super::Force;
use super::object::{About, Object};
use super::refuse::{Refusal, before, deed, is_addressed, is_supposed, part_begins, text, unbroken};
use super::words::{Sentence, Voice, Word, among};

/// Words between a negation and its verb.
const FILLERS: &str = "\
    ever please actually just yet even now again really also have need want bother try attempt go ahead \
    and to you me us be get any either under circumstances being";

/// Verbs after which a negation asks for something, or says nothing about what to do.
const FLIPS: &str = "\
    forget skip miss hesitate fail omit neglect stop avoid leave worry mind know think care see \
    understand remember like believe seem exist work expect feel hold wait assume panic give overthink \
    finish conclude guess gonna rush hurry ignore overlook forgo stall \
    get have need want is are was were the a it i they he she there what how";

/// Words after a negation that ask for more: `do not just guess`, `don't only fix the test`.
const ALONE: &str = "just only merely simply solely";

/// A negation.
struct Negation {
    /// The word after it.
    after: usize,
    force: Force,
    /// `must not`, `cannot`: it may be said of others too.
    modal: bool,
}

pub(super) fn verb(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let Negation { after, mut force, modal } = negation(words, at)?;
    if is_supposed(sentence, at) && text(words, at) != "not" || among(ALONE, text(words, after)) {
        return None;
    }
    let mut verb = after;
    let mut passive = false;
    while among(FILLERS, text(words, verb)) {
        passive |= text(words, verb) == "be";
        let needs = matches!(text(words, verb), "need" | "have" | "bother");
        force = if needs { Force::Waived } else { force };
        verb += 1;
    }
    let said = text(words, verb);
    let asks = sentence.question && matches!(text(words, at + 1), "you" | "we");
    if said.is_empty() || among(FLIPS, said) || asks {
        return waived_noun(words, verb, force);
    }
    let used = verb + 1 - at;
    // `don't be lazy` is about nobody's deeds.
    if passive && !modal && !deed(said) && !said.ends_with("ing") {
        return None;
    }
    if passive && modal {
        // `the tests must not be run`: what it is about stands before.
        let object = Object::new(said, &unbroken(&words[part_begins(words, at)..at]));
        return deed(said).then_some((force, object, used));
    }
    let to_reader = || matches!(before(words, at), "you" | "we" | "it" | "agent" | "nobody" | "i'd");
    if modal && !is_addressed(words, at) && !to_reader() {
        return None;
    }
    let object = Object::new(said, words.get(verb + 1..).unwrap_or_default());
    match (force, object.about) {
        _ if words[verb].voice == Voice::Quoted => None,
        // `no need to hurry` forbids nothing; a check that is not needed may be left out.
        (Force::Waived, About::Action) => waived_noun(words, verb, force),
        _ => Some((force, object, used)),
    }
}

fn negation(words: &[Word], at: usize) -> Option<Negation> {
    let told = |after, force| Some(Negation { after: at + after, force, modal: false });
    let modal = |after| Some(Negation { after: at + after, force: Force::Forbidden, modal: true });
    let addressed = || is_addressed(words, at) || wants(words, at);
    let [second, third] = [text(words, at + 1), text(words, at + 2)];
    let previous = before(words, at);
    match (text(words, at), second) {
        ("do", "not") if addressed() => told(2, Force::Forbidden),
        ("don't" | "dont", _) if addressed() => told(1, Force::Forbidden),
        ("never", _) if is_addressed(words, at) || matches!(previous, "should" | "must" | "to" | "do" | "may") => {
            told(1, Force::Forbidden)
        }
        ("must" | "should" | "may" | "can" | "shall", "not") => modal(2),
        ("mustn't" | "shouldn't" | "can't" | "cannot" | "mayn't" | "shan't", _) => modal(1),
        ("needn't", _) => told(1, Force::Waived),
        ("need", "not") => told(2, Force::Waived),
        ("not", "to") if !matches!(previous, "or" | "whether" | "why") => told(2, Force::Forbidden),
        ("no", "need" | "reason") if matches!(third, "to" | "for") => told(3, Force::Waived),
        ("rather", "you") if matches!(third, "didn't" | "don't") => told(3, Force::Forbidden),
        _ => None,
    }
}

/// `I do not want you to …`.
fn wants(words: &[Word], at: usize) -> bool {
    let verb = if text(words, at) == "do" { at + 2 } else { at + 1 };
    matches!(before(words, at), "i" | "we")
        && (matches!(text(words, verb), "want" | "need")
            || text(words, verb) == "like" && text(words, verb + 1) == "you")
}

/// `I do not need tests here`.
fn waived_noun(words: &[Word], at: usize, force: Force) -> Option<Refusal> {
    (force == Force::Waived)
        .then(|| Object::new("run", words.get(at..).unwrap_or_default()))
        .and_then(|object| (object.about == About::Checks).then_some((Force::Waived, object, 1)))
}
