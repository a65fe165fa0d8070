//! Diffs: recognising them in output, making them from the arguments of an edit.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::text;
use crate::ui::theme::Role;

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
}

impl Line {
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
    Line { kind, text: line.to_owned() }
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
            lines.push(Line { kind: Kind::Hunk, text: "⋯".to_owned() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, kind) = match change.tag() {
                ChangeTag::Insert => ('+', Kind::Plus),
                ChangeTag::Delete => ('-', Kind::Minus),
                ChangeTag::Equal => (' ', Kind::Context),
            };
            lines.push(Line { kind, text: format!("{sign}{}", change.value().trim_end_matches('\n')) });
        }
    }
    lines
}
