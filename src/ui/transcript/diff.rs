//! Diffs: recognising them in output, making them from the arguments of an edit.

use std::ops::Range;

use serde_json::Value;
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, capture_diff_slices};

use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plus,
    Minus,
    Hunk,
    Context,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: Kind,
    pub text: String,
    /// What of it differs from the line it took the place of, or that took its place.
    pub changed: Vec<Range<usize>>,
}

impl Line {
    fn new(kind: Kind, text: String) -> Self {
        Self { kind, text, changed: Vec::new() }
    }

    /// The line with its changed words set apart.
    pub fn styled(&self) -> Styled {
        let (plain, word) = match self.kind {
            Kind::Plus => (self.role(), Role::DiffPlusWord),
            Kind::Minus => (self.role(), Role::DiffMinusWord),
            Kind::Hunk | Kind::Context => (self.role(), self.role()),
        };
        let mut styled = Styled::default();
        let mut at = 0;
        for range in &self.changed {
            styled.push(&self.text[at..range.start], plain);
            styled.push(&self.text[range.clone()], word);
            at = range.end;
        }
        styled.push(&self.text[at..], plain);
        styled
    }

    pub fn role(&self) -> Role {
        match self.kind {
            Kind::Plus => Role::DiffPlus,
            Kind::Minus => Role::DiffMinus,
            Kind::Hunk => Role::DiffHunk,
            Kind::Context => Role::ToolOutput,
        }
    }
}

/// Whether a text is a unified diff.
pub fn is_unified(content: &str) -> bool {
    let mut lines = content.lines().take(8);
    if content.starts_with("diff --git ") || content.starts_with("@@ -") {
        return true;
    }
    let mut before = "";
    lines.any(|line| {
        let found = before.starts_with("--- ") && line.starts_with("+++ ");
        before = line;
        found
    })
}

/// What a line of a unified diff is.
pub fn classify(line: &str) -> Line {
    let kind = if line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ") {
        Kind::Hunk
    } else {
        match line.as_bytes().first() {
            Some(b'+') => Kind::Plus,
            Some(b'-') => Kind::Minus,
            Some(b'@') => Kind::Hunk,
            _ => Kind::Context,
        }
    };
    Line::new(kind, line.to_owned())
}

/// The lines of a unified diff, what would be invisible spelt out, changed words set apart.
pub fn of_unified(diff: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = text::reveal(diff).lines().map(classify_line).collect();
    mark_words(&mut lines);
    lines
}

/// A diff of one file has no head: a line of three signs is a line like any other.
fn classify_line(line: &str) -> Line {
    let kind = match line.as_bytes().first() {
        Some(b'+') => Kind::Plus,
        Some(b'-') => Kind::Minus,
        Some(b'@') => Kind::Hunk,
        _ => Kind::Context,
    };
    Line::new(kind, line.to_owned())
}

/// Names that tools give to the text before and after an edit.
const PAIRS: [(&str, &str); 6] = [
    ("old", "new"),
    ("old_text", "new_text"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
    ("oldText", "newText"),
    ("search", "replace"),
];

/// The diff of an edit, when the arguments hold both texts, or of a file that is written whole.
pub fn of_edit(tool: &str, arguments: &Value) -> Option<Vec<Line>> {
    let field = |name: &str| arguments.get(name).and_then(Value::as_str);
    let pair = PAIRS.iter().find_map(|(old, new)| Some((field(old)?, field(new)?)));
    if let Some((old, new)) = pair {
        return Some(between(old, new));
    }
    let changes = arguments.get("edits").and_then(Value::as_array);
    if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
        let each: Option<Vec<Vec<Line>>> = changes.iter().map(|change| of_edit(tool, change)).collect();
        return each.map(|each| each.concat());
    }
    let writes = tool.contains("write") || tool.contains("create");
    let content = field("content").or_else(|| field("file_text")).filter(|_| writes)?;
    Some(between("", content))
}

/// Lines of both texts with what changed, three lines of context around each change.
fn between(old: &str, new: &str) -> Vec<Line> {
    let (old, new) = (text::sanitize(old), text::sanitize(new));
    let diff = TextDiff::configure().timeout(std::time::Duration::from_millis(20)).diff_lines(&*old, &*new);
    let mut lines = Vec::new();
    for (index, group) in diff.grouped_ops(3).iter().enumerate() {
        if index > 0 {
            lines.push(Line::new(Kind::Hunk, "⋯".to_owned()));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, kind) = match change.tag() {
                ChangeTag::Insert => ('+', Kind::Plus),
                ChangeTag::Delete => ('-', Kind::Minus),
                ChangeTag::Equal => (' ', Kind::Context),
            };
            lines.push(Line::new(kind, format!("{sign}{}", change.value().trim_end_matches('\n'))));
        }
    }
    mark_words(&mut lines);
    lines
}

/// Longer lines are not compared word by word.
const MAX_LINE: usize = 2_000;

/// Lines that differ in more than this part of their words have taken no other's place, in hundredths.
const MAX_CHANGED: usize = 60;

/// Sets apart what changed in lines of which as many came as went.
pub fn mark_words(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, kind: Kind| lines[from..].iter().take_while(|line| line.kind == kind).count();
        let gone = run(at, Kind::Minus);
        let came = run(at + gone, Kind::Plus);
        if gone > 0 && gone == came {
            for (old, new) in (at..at + gone).zip(at + gone..at + gone + came) {
                let (one, two) = changed(&lines[old].text, &lines[new].text);
                lines[old].changed = one;
                lines[new].changed = two;
            }
        }
        at += (gone + came).max(1);
    }
}

/// What differs in both lines, in bytes; nothing when they have little in common.
fn changed(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let nothing = (Vec::new(), Vec::new());
    if old.len().max(new.len()) > MAX_LINE {
        return nothing;
    }
    let (one, two) = (words(old), words(new));
    let texts = |line: &'_ str, words: &[Range<usize>]| -> Vec<String> {
        words.iter().map(|word| line[word.clone()].to_owned()).collect()
    };
    let ops = capture_diff_slices(Algorithm::Myers, &texts(old, &one), &texts(new, &two));
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        gone.extend(span(&one, op.old_range()));
        came.extend(span(&two, op.new_range()));
    }
    let part =
        |ranges: &[Range<usize>], line: &str| ranges.iter().map(Range::len).sum::<usize>() * 100 / line.len().max(1);
    let apart = part(&gone, old).min(part(&came, new)) > MAX_CHANGED;
    if apart { nothing } else { (gone, came) }
}

fn span(words: &[Range<usize>], of: Range<usize>) -> Option<Range<usize>> {
    let part = words.get(of)?;
    Some(part.first()?.start..part.last()?.end)
}

/// Words, and each other sign by itself, behind the sign of the line.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut inside = false;
    for (at, letter) in line.char_indices().skip(1) {
        let end = at + letter.len_utf8();
        match words.last_mut() {
            Some(last) if inside && is_word(letter) => last.end = end,
            _ => words.push(at..end),
        }
        inside = is_word(letter);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> Vec<String> {
        let lines = between(old, new);
        let show = |line: &Line| {
            let mut text = line.text.clone();
            for range in line.changed.iter().rev() {
                text.insert(range.end, ']');
                text.insert(range.start, '[');
            }
            text
        };
        lines.iter().map(show).collect()
    }

    #[test]
    fn what_changed_in_a_line_is_set_apart() {
        let lines = marked("let a = one(x);\nsame\n", "let b = one(x, ä);\nsame\n");
        assert_eq!(lines, ["-let [a] = one(x);", "+let [b] = one(x[, ä]);", " same"]);
    }

    #[test]
    fn lines_that_have_little_in_common_are_left_whole() {
        assert_eq!(marked("fn main() {}\n", "# Read me first\n"), ["-fn main() {}", "+# Read me first"]);
        assert_eq!(marked("one two\n", "one 2\nand more\n"), ["-one two", "+one 2", "+and more"]);
    }
}
