//! Changes to what stands around the caret: letters and words that change places, the case of a word.

use super::edit::Edit;
use super::{Composer, Draft};

/// What becomes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Upper,
    Lower,
    /// The first letter large, the others small.
    Capital,
}

impl Composer {
    /// The character before the caret goes over the one under it; at the end of a line the last two change
    /// places.
    pub fn transpose_letters(&mut self) {
        let line = self.draft.line(self.draft.caret);
        let middle = if self.draft.caret == line.end { self.draft.before(line.end) } else { self.draft.caret };
        if middle <= line.start || middle >= line.end {
            return;
        }
        let (start, end) = (self.draft.before(middle), self.draft.after(middle));
        self.swap(start, middle, middle, end);
    }

    /// The word before the caret and the one at or after it change places; the caret goes behind both.
    pub fn transpose_words(&mut self) {
        let draft = &self.draft;
        let mut end = draft.word_after(draft.caret);
        while end < draft.text.len() && !self.is_word(draft.word_before(end)) {
            end = draft.word_after(end);
        }
        if !self.is_word(draft.word_before(end)) || end <= draft.caret {
            end = self.last_word_end(draft.caret);
        }
        let second = draft.word_before(end);
        let first_end = self.last_word_end(second);
        let first = draft.word_before(first_end);
        if first_end == 0 || first_end > second || !self.is_word(first) {
            return;
        }
        self.swap(first, first_end, second, end);
    }

    /// Changes the case from the caret to the end of its word, and goes there.
    pub fn change_case(&mut self, case: Case) {
        let (from, to) = (self.draft.caret, self.draft.word_after(self.draft.caret));
        if from == to {
            return;
        }
        let word = &self.draft.text[from..to];
        let changed = match case {
            Case::Upper => word.to_uppercase(),
            Case::Lower => word.to_lowercase(),
            Case::Capital => capital(word),
        };
        self.remember(Edit::Other, false);
        // The mark of a folded paste has no case and stands alone.
        let chips = self.draft.cut(from..to).chips;
        self.draft.insert(&Draft { caret: changed.len(), text: changed, chips });
        self.edited();
    }

    /// Whether a word and no sign begins there.
    fn is_word(&self, at: usize) -> bool {
        self.draft.text[at..].chars().next().is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    }

    /// Where the last word before a place ends; 0 when there is none.
    fn last_word_end(&self, at: usize) -> usize {
        let mut start = self.draft.word_before(at);
        while start > 0 && !self.is_word(start) {
            start = self.draft.word_before(start);
        }
        if self.is_word(start) { self.draft.word_after(start).min(at) } else { 0 }
    }

    /// Two ranges change places; what is between them stays.
    fn swap(&mut self, first: usize, first_end: usize, second: usize, end: usize) {
        self.remember(Edit::Other, false);
        let later = self.draft.cut(second..end);
        let between = self.draft.cut(first_end..second);
        let earlier = self.draft.cut(first..first_end);
        for piece in [later, between, earlier] {
            self.draft.insert(&piece);
        }
        self.edited();
    }
}

fn capital(word: &str) -> String {
    let mut done = false;
    let mut out = String::with_capacity(word.len());
    for letter in word.chars() {
        if done {
            out.extend(letter.to_lowercase());
        } else {
            out.extend(letter.to_uppercase());
            done = letter.is_alphabetic();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::composer::Motion;

    fn shown(composer: &Composer) -> String {
        let (before, after) = composer.text().split_at(composer.caret());
        format!("{before}|{after}")
    }

    #[test]
    fn letters_change_places() {
        for (from, to) in [
            ("teh|", "the|"),
            ("t|eh", "et|h"),
            ("|teh", "|teh"),
            ("a|", "a|"),
            ("x\nab|\ny", "x\nba|\ny"),
            ("x\n|ab", "x\n|ab"),
            ("ä🇩🇪|", "🇩🇪ä|"),
        ] {
            let mut composer = composer_at(from);
            composer.transpose_letters();
            assert_eq!(shown(&composer), to, "{from}");
        }
    }

    /// `|` is the caret.
    fn composer_at(text: &str) -> Composer {
        let mut made = Composer::default();
        let (before, after) = text.split_once('|').unwrap();
        made.insert(&format!("{before}{after}"));
        while made.caret() > before.len() {
            made.go(Motion::Left);
        }
        made
    }

    #[test]
    fn words_change_places_and_undo_brings_them_back() {
        for (from, to) in [
            ("one |two three", "two one| three"),
            ("one tw|o", "two one|"),
            ("one two|", "two one|"),
            ("one  two |", "two  one| "),
            ("(a, b|)", "(b, a|)"),
            ("one|", "one|"),
            ("|", "|"),
        ] {
            let mut composer = composer_at(from);
            composer.transpose_words();
            assert_eq!(shown(&composer), to, "{from}");
            if from != to {
                composer.undo();
                assert_eq!(composer.text(), from.replace('|', ""));
            }
        }
    }

    #[test]
    fn the_case_of_a_word_changes_and_a_folded_paste_is_left_alone() {
        let cases = [(Case::Upper, "x STRASSE|"), (Case::Lower, "x straße|"), (Case::Capital, "x Straße|")];
        for (case, wanted) in cases {
            let mut changed = composer_at("x| straße");
            changed.change_case(case);
            assert_eq!(shown(&changed), wanted, "{case:?}");
        }
        let mut composer = Composer::default();
        let long = "line\n".repeat(40);
        composer.paste(&long);
        composer.go(Motion::TextStart);
        composer.change_case(Case::Upper);
        assert_eq!(composer.content(), long);
    }
}
