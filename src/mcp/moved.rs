//! Where content lies that runs from a copy.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What was read below one folder runs from another. Empty: everything runs where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved(Vec<(PathBuf, PathBuf)>);

impl Moved {
    /// Pairs of absolute folders: what lies below the first runs from the second.
    pub fn new(pairs: Vec<(PathBuf, PathBuf)>) -> Self {
        Self(pairs)
    }

    pub fn path(&self, path: &Path) -> PathBuf {
        let below = |(from, to): &(PathBuf, PathBuf)| {
            let rest = path.strip_prefix(from).ok()?;
            Some(if rest.as_os_str().is_empty() { to.clone() } else { to.join(rest) })
        };
        self.0.iter().find_map(below).unwrap_or_else(|| path.to_owned())
    }

    /// Every mention of a moved folder, alone or as the beginning of a path.
    pub fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut text = Cow::Borrowed(text);
        for (from, to) in &self.0 {
            if let (Some(from), Some(to)) = (from.to_str(), to.to_str())
                && text.contains(from)
            {
                text = Cow::Owned(replaced(&text, from, to));
            }
        }
        text
    }
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(from) {
        let end = at + from.len();
        let whole = text[end..].chars().next().is_none_or(|next| !is_of_name(next));
        // `-I/folder` names it, `/other/folder` does not.
        let before = text[..at].rsplit(|c: char| !is_of_name(c) && c != '/').next().unwrap_or_default();
        if at < done || !whole || before.contains('/') {
            continue;
        }
        out.push_str(&text[done..at]);
        out.push_str(to);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_wherever_it_is_named_and_nothing_else_is() {
        let moved = Moved::new(vec![("/p/.agents/plugins".into(), "/d/copy".into())]);
        for (text, wanted) in [
            ("/p/.agents/plugins", "/d/copy"),
            ("/p/.agents/plugins/x/serve", "/d/copy/x/serve"),
            ("--root=/p/.agents/plugins/x:/p/.agents/plugins/y", "--root=/d/copy/x:/d/copy/y"),
            ("-I/p/.agents/plugins/x", "-I/d/copy/x"),
            ("/p/.agents/plugins-old/x", "/p/.agents/plugins-old/x"),
            ("/other/p/.agents/plugins/x", "/other/p/.agents/plugins/x"),
            ("plain", "plain"),
        ] {
            assert_eq!(moved.text(text), wanted);
        }
        assert_eq!(moved.path(Path::new("/p/.agents/plugins/x")), Path::new("/d/copy/x"));
        assert_eq!(moved.path(Path::new("/p/.agents/plugins")), Path::new("/d/copy"));
        assert_eq!(moved.path(Path::new("/p/.agents/pluginsx")), Path::new("/p/.agents/pluginsx"));
    }
}
