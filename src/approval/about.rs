//! What an answer for the session is about, and which calls it covers.

use super::program;
use super::shell::Part;
use crate::proto::{ApprovalAbout, ApprovalRule, ApprovalSays};

/// A part with the tool that would run it and where.
pub struct Placed<'a> {
    pub tool: &'a str,
    pub part: &'a Part,
    /// Of the whole command; with the part's own folder it makes the place.
    pub place: Option<&'a str>,
}

impl Placed<'_> {
    fn place(&self) -> Option<String> {
        let folder = self.part.folder.as_ref().map(|folder| format!("after cd {folder}"));
        match (self.place, folder) {
            (Some(place), Some(folder)) => Some(format!("{place}, {folder}")),
            (place, folder) => folder.or_else(|| place.map(str::to_owned)),
        }
    }

    /// What allowing or refusing this part is about.
    pub fn about(&self) -> ApprovalAbout {
        let (tool, place) = (self.tool.to_owned(), self.place());
        match program::stem(self.part) {
            Ok(words) => ApprovalAbout::Program { tool, words, place },
            Err(_) => ApprovalAbout::Command { tool, text: self.part.text.clone(), place },
        }
    }

    /// The rule that settles this part; a refusal before any permission.
    pub fn rule<'rule>(&self, rules: &'rule [ApprovalRule]) -> Option<&'rule ApprovalRule> {
        let refused = rules.iter().find(|rule| rule.says == ApprovalSays::Refuse && self.is_refused_by(&rule.about));
        let own = self.about();
        let allows = |rule: &&ApprovalRule| rule.says == ApprovalSays::Allow && covers(&rule.about, &own);
        refused.or_else(|| rules.iter().find(allows))
    }

    /// A refusal holds wherever and however the command is written.
    fn is_refused_by(&self, about: &ApprovalAbout) -> bool {
        match about {
            ApprovalAbout::Program { tool, words, .. } => {
                let own = self.part.words.iter().map(|word| word.text.as_str());
                tool == self.tool
                    && self.part.words.len() >= words.len()
                    && own.zip(words).all(|(own, word)| own == word)
            }
            ApprovalAbout::Command { tool, text, .. } => tool == self.tool && *text == self.part.text,
            ApprovalAbout::File { .. } | ApprovalAbout::Tool { .. } => false,
        }
    }
}

/// Whether a permission covers what another one would be about. Words that follow are free, everything else
/// has to be the same.
fn covers(rule: &ApprovalAbout, own: &ApprovalAbout) -> bool {
    match (rule, own) {
        (
            ApprovalAbout::Program { tool, words, place },
            ApprovalAbout::Program { tool: own_tool, words: own_words, place: own_place },
        ) => tool == own_tool && place == own_place && own_words == words,
        _ => rule == own,
    }
}

/// The rule about a call that is no command.
pub fn rule_of_call<'rule>(rules: &'rule [ApprovalRule], own: &ApprovalAbout) -> Option<&'rule ApprovalRule> {
    let refused = |rule: &&ApprovalRule| {
        rule.says == ApprovalSays::Refuse
            && match (&rule.about, own) {
                // What the tool says of itself frees it of nothing.
                (ApprovalAbout::Tool { tool, .. }, ApprovalAbout::Tool { tool: own, .. }) => tool == own,
                (ApprovalAbout::Command { tool, text, .. }, ApprovalAbout::Command { tool: own, text: same, .. }) => {
                    tool == own && text == same
                }
                (rule, own) => rule == own,
            }
    };
    let allows = |rule: &&ApprovalRule| rule.says == ApprovalSays::Allow && rule.about == *own;
    rules.iter().find(refused).or_else(|| rules.iter().find(allows))
}
