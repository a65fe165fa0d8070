//! Other ways to forbid than by a negated verb.

use super::Force;
use super::object::{About, Object, stem};
use super::refuse::{Refusal, before, deed, is_addressed, is_supposed, part_begins, text, unbroken};
use super::words::{Sentence, Word, among};

/// Nouns of things that can be done without, beside checks.
const DEEDS: &str = "\
    commit push change edit deletion network internet install dependency rewrite refactor deploy release";

/// Verbs after which `without …` describes what happens.
const HAPPENS: &str = "\
    fail work crash happen hang break succeed pass exit return stop end die complete appear occur is was";

pub(super) fn any(sentence: &Sentence, at: usize) -> Option<Refusal> {
    without(sentence, at)
        .or_else(|| nothing(sentence, at))
        .or_else(|| left_out(sentence, at))
        .or_else(|| no_thing(sentence, at))
        .or_else(|| untouched(sentence, at))
        .or_else(|| not_allowed(sentence, at))
}

/// Verbs of a sentence that tells what is so.
const TELLS: &str = "\
    is are was were be will won't would wouldn't can't cannot isn't aren't doesn't means has";

/// `never commit without …` and `not without …` ask for it, `without tests this is …` tells what is so.
fn is_asked_for(words: &[Word], at: usize) -> bool {
    let begin = part_begins(words, at + 1);
    let end = (at + 1..words.len()).find(|place| words[*place].begins).unwrap_or(words.len());
    let negates = |place: usize| {
        let word = text(words, place);
        matches!(word, "not" | "never" | "cannot" | "nothing" | "no" | "nobody" | "without")
            || word.ends_with("n't")
            || word == "dont"
    };
    (begin..at).any(negates)
        || begin == at && (at + 1..words.len()).any(|place| among(TELLS, text(words, place)))
        || words.get(end).is_some_and(|_| begin == at && among(TELLS, text(words, end + 1)))
}

/// `without running …`, `without tests`.
fn without(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let happens = |place: usize| among(HAPPENS, &stem(text(words, place)));
    let told = || is_supposed(sentence, at) || (at.saturating_sub(2)..at).any(happens);
    if text(words, at) != "without" || told() || is_asked_for(words, at) {
        return None;
    }
    let next = text(words, at + 1);
    let rest = words.get(at + 2..).unwrap_or_default();
    let object = match next.ends_with("ing") {
        true => Object::new(next, rest),
        false => Object::new("run", words.get(at + 1..).unwrap_or_default()),
    };
    let told = next.ends_with("ing") && (object.about != About::Action || deed(next));
    (told || object.about == About::Checks).then_some((Force::Forbidden, object, 2))
}

/// `change nothing`, `run nothing`, `read-only, please`.
fn nothing(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    if !is_addressed(words, at) || is_supposed(sentence, at) {
        return None;
    }
    let anything = |verb: &str| Object::new(verb, &[]).about_anything();
    match (text(words, at), text(words, at + 1)) {
        (verb, "nothing")
            if deed(verb) && matches!(text(words, at + 2), "" | "please" | "here" | "yet" | "and" | "at") =>
        {
            Some((Force::Forbidden, anything(verb), 2))
        }
        ("read-only" | "readonly", "" | "please" | "here" | "now") => Some((Force::Forbidden, anything("change"), 1)),
        ("read", "only") if matches!(text(words, at + 2), "" | "please" | "here" | "now") => {
            Some((Force::Forbidden, anything("change"), 2))
        }
        _ => None,
    }
}

/// `skip the tests`, `avoid running …`, `stop building`.
fn left_out(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let (next, force) = match (text(words, at), text(words, at + 1)) {
        ("skip" | "omit" | "forgo", _) => (at + 1, Force::Waived),
        ("avoid" | "stop" | "quit", _) => (at + 1, Force::Forbidden),
        ("refrain", "from") | ("stay" | "keep", "away" | "out") => (at + 2, Force::Forbidden),
        ("hold", "off") => (at + 2 + usize::from(text(words, at + 2) == "on"), Force::Forbidden),
        ("leave", "out") => (at + 2, Force::Waived),
        _ => return None,
    };
    let asked = is_addressed(words, at)
        || matches!(before(words, at), "can" | "could" | "should" | "must" | "to" | "may" | "can't");
    let negated = (at.saturating_sub(3)..at).any(|place| {
        matches!(
            text(words, place),
            "not" | "don't" | "dont" | "never" | "can't" | "cannot" | "mustn't" | "shouldn't" | "without"
        )
    });
    if !asked || negated || is_supposed(sentence, at) {
        return None;
    }
    let said = text(words, next);
    let object = match said.ends_with("ing") {
        true => Object::new(said, words.get(next + 1..).unwrap_or_default()),
        false => Object::new("run", words.get(next..).unwrap_or_default()),
    };
    let told = object.about != About::Action || said.ends_with("ing") && deed(said);
    told.then_some((force, object, next + 1 - at))
}

/// `no tests, please`.
fn no_thing(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let more = usize::from(text(words, at + 1) == "more");
    if text(words, at) != "no" || !is_addressed(words, at) && before(words, at) != "with" {
        return None;
    }
    // Up to two words that tell which.
    let noun = (at + 1 + more..at + 4 + more).find(|place| {
        let stem = stem(text(words, *place));
        let object = Object::new("run", words.get(*place..=*place).unwrap_or_default());
        object.about != About::Action || among(DEEDS, &stem)
    })?;
    let next = words.get(noun + 1);
    let run = next.is_some_and(|word| matches!(word.text.as_str(), "run" | "runs"));
    let after = noun + 1 + usize::from(run);
    let (waived, ends) = match words.get(after) {
        None => (false, true),
        Some(word) if word.begins => (false, true),
        Some(word) => match word.text.as_str() {
            "needed" | "necessary" | "required" => (true, true),
            "please" | "now" | "today" | "here" | "this" | "at" | "for" | "until" | "unless" | "whatsoever" | "and"
            | "or" | "before" => (false, true),
            _ => (false, false),
        },
    };
    let object = Object::new("run", &words[at + 1 + more..=noun]);
    let is_check = object.about != About::Action;
    let force = if waived { Force::Waived } else { Force::Forbidden };
    (ends && (is_check || !waived)).then_some((force, object, after - at))
}

/// `leave … alone`, `keep … unchanged`, `hands off …`, `… is off limits`.
fn untouched(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let end = (at + 1..words.len()).find(|place| words[*place].begins).unwrap_or(words.len());
    let tail = &words[at + 1..end];
    let ending = |endings: &[&str]| tail.iter().position(|word| endings.contains(&word.text.as_str()));
    let stays = match (text(words, at), text(words, at + 1)) {
        ("leave" | "keep", _) if is_addressed(words, at) => {
            let as_is = || {
                tail.windows(2)
                    .position(|pair| pair[0].text == "as" && matches!(pair[1].text.as_str(), "is" | "it" | "they"))
            };
            ending(&["alone", "unchanged", "untouched", "intact", "as-is"]).or_else(as_is)
        }
        ("hands", "off") if is_addressed(words, at) => Some(tail.len()),
        ("off", "limits") | ("off-limits", _)
            if matches!(before(words, at), "is" | "are" | "be" | "stays" | "remains") =>
        {
            let begin = part_begins(words, at);
            return Some((Force::Forbidden, Object::new("touch", &unbroken(&words[begin..at])), 2));
        }
        _ => None,
    }?;
    let object = Object::new("touch", &tail[..stays.min(tail.len())]);
    Some((Force::Forbidden, object, stays + 2))
}

/// `running the tests is not allowed`, `you are not allowed to …` (by its `not to`-less form).
fn not_allowed(sentence: &Sentence, at: usize) -> Option<Refusal> {
    let words = &sentence.words;
    let used = match (text(words, at), text(words, at + 1)) {
        ("forbidden" | "prohibited" | "banned", _) => 1,
        ("not", "allowed" | "permitted" | "supposed") => 2,
        _ => return None,
    };
    if !matches!(before(words, at), "is" | "are" | "be" | "strictly" | "still" | "you're" | "we're")
        || is_supposed(sentence, at)
    {
        return None;
    }
    if text(words, at + used) == "to" {
        let verb = text(words, at + used + 1);
        let object = Object::new(verb, words.get(at + used + 2..).unwrap_or_default());
        let asked =
            matches!(before(words, at), "you're" | "we're") || at > 1 && matches!(text(words, at - 2), "you" | "we");
        return (asked && !verb.is_empty()).then_some((Force::Forbidden, object, used + 2));
    }
    let begin = part_begins(words, at);
    let subject = unbroken(&words[begin..at - 1]);
    let doing = subject.iter().position(|word| word.text.ends_with("ing") && word.text.len() > 5);
    let object = match doing {
        Some(doing) => Object::new(&subject[doing].text, &subject[doing + 1..]),
        None => Object::new("run", &subject),
    };
    (doing.is_some() || object.about == About::Checks).then_some((Force::Forbidden, object, used))
}
