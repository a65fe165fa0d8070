//! What the person forbade, and what they permitted again later.
//!
//! Owns: finding both in the person's messages, word for word; whether a finding asks for a check that
//! they rule out.
//!
//! Does not own: which messages are the person's. Only those may be passed in.
//!
//! Invariant: what stands in quotes, code or a block quote is not said by the person. A prohibition
//! holds until the person takes it back; in doubt it still holds.

mod clause;
mod negated;
mod object;
mod permit;
mod phrases;
mod refuse;
mod words;

use object::{About, Object};
use words::{Sentence, sentences};

use crate::proto::TurnId;

/// Bytes of a sentence that are kept.
const SENTENCE_MOST: usize = 400;

/// A message of the person's. A judge names it `user:N`, N from 0 over the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserLine {
    pub turn: TurnId,
    pub text: String,
}

/// A sentence, or the clause of it that counts, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub turn: TurnId,
    pub text: String,
}

/// Something that must not be done, or need not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prohibition {
    pub said: Said,
    pub force: Force,
    pub later: Later,
    object: Object,
    /// What of it was permitted.
    granted: Vec<Object>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    Forbidden,
    /// It is not needed: leaving it out is as asked.
    Waived,
}

/// What the person said about it afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    Nothing,
    /// Part of it is permitted.
    Narrowed(Said),
    /// It does not hold any more.
    Lifted(Said),
}

impl Prohibition {
    pub fn holds(&self) -> bool {
        !matches!(self.later, Later::Lifted(_))
    }

    /// Whether it is about checks: running tests, builds, linters, or anything at all.
    pub fn is_about_checks(&self) -> bool {
        self.object.about != About::Action
    }

    /// The sentence, and what of it was permitted later; both word for word. [`rules_out`] reads it.
    pub fn words(&self) -> String {
        match &self.later {
            Later::Nothing => self.said.text.clone(),
            Later::Narrowed(later) | Later::Lifted(later) => {
                format!("{}. {}", self.said.text.trim_end_matches(['.', '!']), later.text)
            }
        }
    }

    /// For records: when it was said, the sentence, and what came later.
    pub fn line(&self) -> String {
        self.told(|text| format!("{text:?}"))
    }

    /// The same for a prompt: what the person said stands there as JSON data.
    pub fn data(&self) -> String {
        self.told(super::quoted::json)
    }

    fn told(&self, quoted: impl Fn(&str) -> String) -> String {
        let of = |said: &Said| format!("turn {}: {}", said.turn.0, quoted(&said.text));
        let said = of(&self.said);
        match &self.later {
            Later::Nothing => said,
            Later::Narrowed(later) => format!("{said}; partly permitted in {}", of(later)),
            Later::Lifted(later) => format!("{said}; permitted in {}", of(later)),
        }
    }
}

/// All prohibitions in the person's messages, oldest first, those that were lifted too.
#[must_use]
pub fn find(messages: &[UserLine]) -> Vec<Prohibition> {
    let mut found: Vec<Prohibition> = Vec::new();
    messages.iter().for_each(|message| hear(&mut found, message));
    found
}

/// What one more message says of those found so far, and the new ones in it.
pub fn hear(found: &mut Vec<Prohibition>, message: &UserLine) {
    for sentence in sentences(&message.text) {
        let said = || Said { turn: message.turn, text: verbatim(&message.text, &sentence).to_owned() };
        // What the sentence itself forbids is not permitted by it.
        for granted in permit::granted(&sentence) {
            found.iter_mut().for_each(|prohibition| apply(prohibition, &granted, &said));
        }
        let refused = refuse::refused(&sentence);
        let clauses = clause::clauses(&message.text, &sentence, &refused);
        for ((force, object, _), text) in refused.into_iter().zip(clauses) {
            let repeated = |old: &Prohibition| old.holds() && old.said.text == text && old.object == object;
            if !found.iter().any(repeated) {
                let said = Said { turn: message.turn, text };
                found.push(Prohibition { said, force, later: Later::Nothing, object, granted: Vec::new() });
            }
        }
    }
}

/// Whether these words of the person's rule out what a finding asks for: a check. A finding about
/// something else, such as a test that fails to compile, is not ruled out.
#[must_use]
pub fn rules_out(words: &str, finding: &str) -> bool {
    let Some(demanded) = object::demanded(finding) else { return false };
    let said = UserLine { turn: TurnId::default(), text: words.to_owned() };
    find(&[said]).iter().any(|one| {
        let granted = one.granted.iter().any(|granted| granted.covers(&demanded));
        one.holds() && one.is_about_checks() && one.object.covers(&demanded) && !granted
    })
}

/// Whether these words of the person's could rule a finding out at all, as somebody says that they do:
/// what forbids checks only says nothing of a finding that is about none.
#[must_use]
pub fn may_rule_out(words: &str, finding: &str) -> bool {
    let said = UserLine { turn: TurnId::default(), text: words.to_owned() };
    let found = find(&[said]);
    found.is_empty() || !found.iter().all(Prohibition::is_about_checks) || object::is_of_checks(finding)
}

fn apply(prohibition: &mut Prohibition, granted: &Object, said: &impl Fn() -> Said) {
    if !prohibition.holds() || !granted.is_like(&prohibition.object) {
        return;
    }
    if granted.reaches(&prohibition.object) {
        prohibition.later = Later::Lifted(said());
    } else if prohibition.object.details.is_empty() {
        prohibition.later = Later::Narrowed(said());
        prohibition.granted.push(granted.clone());
    }
}

/// The sentence as it stands in the message, cut at the end of a letter if it is very long.
fn verbatim<'text>(text: &'text str, sentence: &Sentence) -> &'text str {
    let whole = &text[sentence.range.clone()];
    whole[..whole.floor_char_boundary(SENTENCE_MOST)].trim_end()
}

#[cfg(test)]
mod tests;
