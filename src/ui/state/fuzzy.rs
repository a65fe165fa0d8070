use nucleo_matcher::pattern::{Atom, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// The rows that match, best first; in their own order when nothing is asked for.
pub(in crate::ui) fn filtered<T>(rows: Vec<T>, filter: &str, text: impl Fn(&T) -> String) -> Vec<T> {
    if filter.trim().is_empty() {
        return rows;
    }
    let pattern = Pattern::parse(filter, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut scored: Vec<((bool, u32), T)> = Vec::new();
    for row in rows {
        let text = text(&row);
        if let Some(score) = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher) {
            scored.push(((is_named(&text, filter), score), row));
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, row)| row).collect()
}

/// Whether a row's name, its first word, is what was typed.
fn is_named(text: &str, typed: &str) -> bool {
    text.split_whitespace().next().is_some_and(|name| name.to_lowercase() == typed.trim().to_lowercase())
}

/// What a row is found by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::ui) struct Words {
    /// Letters of it may be left out.
    pub name: String,
    /// Letters may be left out inside of each of its words.
    pub title: String,
    /// Found by any part that is typed as it stands there.
    pub whole: String,
    /// Long words, found by how one of them begins.
    pub told: String,
}

/// The rows whose name matches, best first, then those whose words hold all that is asked for. Only in
/// names and titles may letters be scattered: a few letters are found in every long description.
pub(in crate::ui) fn named_or_told<T>(rows: Vec<T>, filter: &str, words: impl Fn(&T) -> Words) -> Vec<T> {
    if filter.trim().is_empty() {
        return rows;
    }
    let pattern = Pattern::parse(filter, CaseMatching::Smart, Normalization::Smart);
    let wanted: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut scored: Vec<((bool, Option<u32>), T)> = Vec::new();
    for row in rows {
        let words = words(&row);
        let scores = pattern.atoms.iter().map(|atom| named(atom, &words, &mut matcher));
        let score = scores.sum::<Option<u32>>();
        if score.is_some() || told(&wanted, &words) {
            scored.push(((is_named(&words.name, filter), score), row));
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, row)| row).collect()
}

/// How well a word that is asked for fits the name or a word of the title.
fn named(atom: &Atom, words: &Words, matcher: &mut Matcher) -> Option<u32> {
    let mut buffer = Vec::new();
    let places = std::iter::once(words.name.as_str()).chain(words.title.split_whitespace());
    let scores: Vec<Option<u16>> = places.map(|place| atom.score(Utf32Str::new(place, &mut buffer), matcher)).collect();
    // What must not be there must be nowhere.
    if atom.negative && scores.iter().any(Option::is_none) {
        return None;
    }
    scores.into_iter().flatten().max().map(u32::from)
}

fn told(wanted: &[String], words: &Words) -> bool {
    let (whole, told) = (words.whole.to_lowercase(), words.told.to_lowercase());
    let name = format!("{} {}", words.name, words.title).to_lowercase();
    let begins = |word: &str| told.split(|letter: char| !letter.is_alphanumeric()).any(|one| one.starts_with(word));
    let in_words = |word: &String| {
        // Words with signs in them, as paths have, are found as they stand there.
        let signs = word.chars().any(|letter| !letter.is_alphanumeric());
        whole.contains(word) || name.contains(word) || if signs { told.contains(word) } else { begins(word) }
    };
    wanted.iter().all(in_words)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Part = (&'static str, &'static str, &'static str);

    fn found(rows: &[Part], filter: &str) -> Vec<&'static str> {
        let words = |row: &Part| Words {
            name: row.0.to_owned(),
            title: row.1.to_owned(),
            whole: "muvon/tap".to_owned(),
            told: row.2.to_owned(),
        };
        named_or_told(rows.to_vec(), filter, words).into_iter().map(|row| row.0).collect()
    }

    #[test]
    fn names_come_before_words_and_words_are_found_by_their_beginning() {
        let rows = [("alpha", "", "speaks of postgres"), ("postgres", "", ""), ("beta", "", "post and great things")];
        assert_eq!(found(&rows, "postgres"), ["postgres", "alpha"]);
        assert_eq!(found(&rows, "pgs"), ["postgres"]);
        assert_eq!(found(&rows, "things post"), ["beta"]);
        assert_eq!(found(&rows, "ostgres"), ["postgres"], "inside of a word it is not told");
        assert_eq!(found(&rows, "muvon").len(), 3);
        assert_eq!(found(&rows, "muvon alpha"), ["alpha"]);
        assert_eq!(found(&rows, " "), ["alpha", "postgres", "beta"]);
    }

    #[test]
    fn what_is_called_as_typed_comes_first() {
        let rows = ["submarine miner miner", "miner-miner miner", "Miner skill", "mine"];
        assert_eq!(filtered(rows.to_vec(), "miner ", |row| (*row).to_owned())[0], "Miner skill");
        let rows = [("submarine", "miner", ""), ("big-miner", "miner", ""), ("miner", "", "")];
        assert_eq!(found(&rows, "miner")[0], "miner");
    }

    #[test]
    fn scattered_letters_count_inside_of_a_tag_or_one_word_of_a_title() {
        let rows = [
            ("coach:resume", "Résumé and interview coach", "Reads your résumé, then trusts nothing"),
            ("devops:cluster", "Kubernetes Cluster Operator", "Runs clusters under stress"),
            ("lawyer:au", "Australian Law Specialist", "Answers as an expert would"),
            ("developer:general", "General developer", ""),
            ("developer:test", "Generates tests, largely", ""),
            ("developer:rust", "Rust developer", "Writes Rust"),
        ];
        assert_eq!(found(&rows, "rust"), ["developer:rust"]);
        assert_eq!(found(&rows, "gnrl"), ["developer:general"]);
        assert_eq!(found(&rows, "dgen")[0], "developer:general");
        assert_eq!(found(&rows, "dev !test !rust !cluster"), ["developer:general"]);
    }
}
