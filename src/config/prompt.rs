//! Placeholders of system prompts, welcomes and instructions: `{{CWD}}`, `{{GIT_STATUS}}`, …
//!
//! Filling in is pure over a [`PromptContext`]; [`gather`] fetches only what a text asks for.

use std::collections::BTreeSet;

mod gather;

pub use gather::{date, gather};

/// What can be filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    Cwd,
    Role,
    Date,
    Shell,
    Os,
    Binaries,
    GitStatus,
    GitTree,
    Readme,
    /// Shell, system, programs and folder together.
    System,
    /// README, git status and tree together.
    Context,
}

/// The values, each ready to be shown to a model. What is not available is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptContext {
    pub cwd: String,
    /// `unknown` when there is none.
    pub role: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    pub shell: String,
    pub os: String,
    pub binaries: String,
    pub git_status: String,
    pub git_tree: String,
    pub readme: String,
}

impl Placeholder {
    pub const ALL: [Self; 11] = [
        Self::Cwd,
        Self::Role,
        Self::Date,
        Self::Shell,
        Self::Os,
        Self::Binaries,
        Self::GitStatus,
        Self::GitTree,
        Self::Readme,
        Self::System,
        Self::Context,
    ];

    /// The word between the braces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cwd => "CWD",
            Self::Role => "ROLE",
            Self::Date => "DATE",
            Self::Shell => "SHELL",
            Self::Os => "OS",
            Self::Binaries => "BINARIES",
            Self::GitStatus => "GIT_STATUS",
            Self::GitTree => "GIT_TREE",
            Self::Readme => "README",
            Self::System => "SYSTEM",
            Self::Context => "CONTEXT",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|placeholder| placeholder.name() == name)
    }

    fn value(self, context: &PromptContext) -> String {
        match self {
            Self::Cwd => context.cwd.clone(),
            Self::Role if context.role.is_empty() => "unknown".to_owned(),
            Self::Role => context.role.clone(),
            Self::Date => context.date.clone(),
            Self::Shell => context.shell.clone(),
            Self::Os => context.os.clone(),
            Self::Binaries => context.binaries.clone(),
            Self::GitStatus => context.git_status.clone(),
            Self::GitTree => context.git_tree.clone(),
            Self::Readme => context.readme.clone(),
            Self::System => titled(&[
                ("Shell", &context.shell),
                ("System", &context.os),
                ("Programs", &context.binaries),
                ("Folder", &context.cwd),
            ]),
            Self::Context => titled(&[
                ("README", &context.readme),
                ("Git status", &context.git_status),
                ("Files", &context.git_tree),
            ]),
        }
    }
}

fn titled(parts: &[(&str, &String)]) -> String {
    let present = parts.iter().filter(|(_, text)| !text.is_empty());
    let line = |(title, text): &(&str, &String)| match text.contains('\n') {
        true => format!("{title}:\n{text}"),
        false => format!("{title}: {text}"),
    };
    present.map(line).collect::<Vec<_>>().join("\n")
}

enum Piece<'text> {
    Plain(&'text str),
    Fill(Placeholder),
}

/// Cuts a text at its placeholders. Doubled braces around one stand for the placeholder itself; what
/// is in braces and is none of ours stays as it is.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text[at..].find("{{") {
        let start = at + found;
        let (doubled, open) = if text[start..].starts_with("{{{{") { (true, 4) } else { (false, 2) };
        let name_at = start + open;
        let close = if doubled { "}}}}" } else { "}}" };
        let placeholder = text[name_at..]
            .find(close)
            .and_then(|length| Some((length, Placeholder::named(&text[name_at..name_at + length])?)));
        let Some((length, placeholder)) = placeholder else {
            at = start + 1;
            continue;
        };
        let end = name_at + length + close.len();
        pieces.push(Piece::Plain(&text[plain..start]));
        pieces.push(if doubled { Piece::Plain(&text[start + 2..end - 2]) } else { Piece::Fill(placeholder) });
        (plain, at) = (end, end);
    }
    pieces.push(Piece::Plain(&text[plain..]));
    pieces
}

/// The placeholders that occur in a text.
pub fn placeholders(text: &str) -> BTreeSet<Placeholder> {
    pieces(text)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Fill(placeholder) => Some(placeholder),
            Piece::Plain(_) => None,
        })
        .collect()
}

/// The text with its placeholders filled in. What was filled in is not looked at again.
pub fn fill(text: &str, context: &PromptContext) -> String {
    pieces(text)
        .into_iter()
        .map(|piece| match piece {
            Piece::Plain(plain) => plain.to_owned(),
            Piece::Fill(placeholder) => placeholder.value(context),
        })
        .collect()
}

#[cfg(test)]
mod tests;
