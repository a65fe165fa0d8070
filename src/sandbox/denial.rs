//! A denial in words: the path, the rule, the way out. Pure but for following links.

use std::path::Path;

use super::EXTRA_VARIABLE;
use super::rules::Roots;

/// How programs put it that they may not write.
const DENIED: [&str; 4] = ["permission denied", "read-only file system", "operation not permitted", "eacces"];

/// Bytes at the end of an output that are looked through.
const LOOKED_AT: usize = 64 * 1024;

/// The first place outside of the roots that a line about a denial names.
pub fn explain(output: &str, roots: &Roots) -> Option<String> {
    let start = output.len().saturating_sub(LOOKED_AT);
    let start = (start..output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(output.len());
    let denied = output[start..].lines().filter(|line| {
        let line = line.to_lowercase();
        DENIED.iter().any(|words| line.contains(words))
    });
    denied.flat_map(places).find(|place| !roots.hold(place)).map(|place| sentence(place, roots))
}

/// Absolute paths in a line of an error.
fn places(line: &str) -> impl Iterator<Item = &Path> {
    let apart = |letter: char| letter.is_whitespace() || "'\"`‘’“”:;,()[]<>=".contains(letter);
    line.split(apart).filter(|word| word.len() > 1 && word.starts_with('/')).map(Path::new)
}

pub fn sentence(place: &Path, roots: &Roots) -> String {
    let folder = roots.trees.first().map_or_else(String::new, |root| format!(" ({})", root.display()));
    let parent = place.parent().unwrap_or(place);
    format!(
        "the sandbox keeps {} from being written: only the launch folder{folder} and $TMPDIR are open. \
         To allow it, start octomind with {EXTRA_VARIABLE}={}, or without the sandbox by -c sandbox=false",
        place.display(),
        parent.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_denial_outside_is_explained() {
        let roots = Roots { trees: vec!["/nowhere/work".into()], ..Roots::default() };
        for (output, place) in [
            ("touch: cannot touch '/nowhere/x': Permission denied", Some("/nowhere/x")),
            ("sh: 1: cannot create /nowhere/é: Permission denied\n", Some("/nowhere/é")),
            ("npm ERR! Error: EACCES: permission denied, mkdir '/nowhere/lib'", Some("/nowhere/lib")),
            ("error: cannot lock ref: Unable to create '/nowhere/.git/a.lock': Read-only file system", Some("/a.lock")),
            ("/nowhere/work/x: Permission denied", None),
            ("cat: /nowhere/x: No such file or directory", None),
            ("a/b: Permission denied", None),
            ("", None),
        ] {
            let told = explain(output, &roots);
            match place {
                Some(place) => {
                    let told = told.unwrap_or_else(|| panic!("{output}"));
                    assert!(told.contains(place) && told.contains("sandbox=false") && told.contains(EXTRA_VARIABLE));
                }
                None => assert_eq!(told, None, "{output}"),
            }
        }
    }
}
