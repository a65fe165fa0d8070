//! The two `---` lines around a header.

use std::ops::Range;

use super::super::remark::Remark;
use super::lines::lines;

/// Where header and body are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fences {
    /// Whole lines between the fences.
    pub header: Range<usize>,
    /// All after the second fence, without the blank lines at its start.
    pub body: Range<usize>,
}

/// # Errors
/// There is no header, or it does not end.
pub fn fences(text: &str) -> Result<Fences, Remark> {
    let mut all = lines(text, 0..text.len()).into_iter().skip_while(|line| line.is_blank());
    let hint = "start it with `---`, `name:`, `description:` and `---`, each on a line of its own";
    let Some(first) = all.next() else {
        return Err(Remark::error(0..0, "the file is empty").hint(hint));
    };
    if !is_fence(first.text) {
        return Err(Remark::error(first.span(), "there is no front matter: the first line is not `---`").hint(hint));
    }
    match all.find(|line| is_fence(line.text) || line.text.trim_end() == "...") {
        Some(last) => {
            let rest = text.get(last.next..).unwrap_or_default();
            let blank: usize = rest.split_inclusive('\n').take_while(|line| line.trim().is_empty()).map(str::len).sum();
            Ok(Fences { header: first.next..last.start, body: last.next + blank..text.len() })
        }
        None => Err(Remark::error(first.span(), "the front matter that starts here never ends")
            .hint("put a line `---` after its last key")),
    }
}

/// `---`, with white space or a comment after it.
fn is_fence(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("---") else { return false };
    let rest_trimmed = rest.trim();
    rest_trimmed.is_empty() || (rest.starts_with([' ', '\t']) && rest_trimmed.starts_with('#'))
}
