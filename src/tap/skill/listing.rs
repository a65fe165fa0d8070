//! A list of skills for a model, within a budget.

use crate::tap::Skill;

/// Names with descriptions, none left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// `- name: description`, one for each skill, in the order given.
    pub lines: Vec<String>,
    /// How many descriptions were shortened.
    pub clipped: usize,
}

impl Listing {
    /// What to say about it, if anything.
    pub fn notice(&self) -> Option<String> {
        let total = self.lines.len();
        (self.clipped > 0)
            .then(|| format!("the descriptions of {} of {total} skills were shortened to fit", self.clipped))
    }
}

/// Lists skills in at most `budget` characters of description, the longest shortened first and all
/// to the same length.
pub fn listing(skills: &[&Skill], budget: usize) -> Listing {
    let descriptions: Vec<String> =
        skills.iter().map(|skill| skill.description.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let lengths: Vec<usize> = descriptions.iter().map(|text| text.chars().count()).collect();
    let most = fair_share(&lengths, budget);
    let lines = skills.iter().zip(&descriptions).map(|(skill, text)| {
        let text = clip(text, most);
        if text.is_empty() { format!("- {}", skill.name) } else { format!("- {}: {text}", skill.name) }
    });
    Listing { lines: lines.collect(), clipped: lengths.iter().filter(|length| **length > most).count() }
}

/// The length that every text may have so that all together have at most `budget`.
fn fair_share(lengths: &[usize], budget: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (index, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    match most.checked_sub(1) {
        Some(kept) => text.chars().take(kept).chain(['…']).collect(),
        None => String::new(),
    }
}
