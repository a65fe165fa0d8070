//! `octomind vars`: what the placeholders of prompts stand for here and now.

use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use crate::config::Env;
use crate::config::prompt::{self, Placeholder, PromptContext};
use crate::text::{human, sanitize, sanitize_line, truncate};

/// Columns of the one line.
const LINE: usize = 72;

/// How much of each value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One line with name and beginning.
    Line,
    /// Three lines.
    Preview,
    Whole,
}

impl Length {
    pub fn of(preview: bool, expand: bool) -> Self {
        match (preview, expand) {
            (_, true) => Self::Whole,
            (true, false) => Self::Preview,
            (false, false) => Self::Line,
        }
    }
}

/// Fetches every value.
pub async fn gather(workdir: &Path, env: &Env, now: SystemTime) -> PromptContext {
    let all: String = Placeholder::ALL.iter().map(|placeholder| braced(*placeholder)).collect();
    prompt::gather(&[&all], "", workdir, env, now).await
}

fn braced(placeholder: Placeholder) -> String {
    format!("{{{{{}}}}}", placeholder.name())
}

pub fn write(context: &PromptContext, length: Length, out: &mut dyn Write) -> io::Result<()> {
    for placeholder in Placeholder::ALL {
        let value = prompt::fill(&braced(placeholder), context);
        let name = placeholder.name();
        let size = human::bytes(value.len() as u64);
        match length {
            Length::Line => {
                let first = sanitize_line(value.lines().next().unwrap_or_default()).into_owned();
                writeln!(out, "{name:<12}{size:>8}  {}", truncate(&first, LINE))?;
            }
            Length::Preview | Length::Whole => {
                let most = if length == Length::Preview { 3 } else { usize::MAX };
                writeln!(out, "{} ({size})", braced(placeholder))?;
                for line in sanitize(&value).lines().take(most) {
                    writeln!(out, "  {line}")?;
                }
                let more = value.lines().count().saturating_sub(most);
                if more > 0 {
                    writeln!(out, "  … {more} more lines")?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(length: Length) -> String {
        let context = PromptContext {
            cwd: "/p".to_owned(),
            date: "2026-01-02".to_owned(),
            readme: "# One\ntwo\nthree\nfour\nfive \u{1b}[2J".to_owned(),
            ..PromptContext::default()
        };
        let mut out = Vec::new();
        write(&context, length, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_length() {
        assert!(shown(Length::Line).contains("README          30 B  # One\n"), "{}", shown(Length::Line));
        assert!(shown(Length::Preview).contains("{{README}} (30 B)\n  # One\n  two\n  three\n  … 2 more lines\n"));
        assert!(shown(Length::Whole).contains("  four\n  five \n"));
        assert_eq!(shown(Length::Line).lines().count(), Placeholder::ALL.len());
    }
}
