//! Provider files that stand for another: links, and files that hold only the name of one.

use std::collections::BTreeMap;
use std::path::Path;

use super::provider;
use crate::config::{Problem, Source};
use crate::tap::Provider;
use crate::tap::confine::{Entry, is_file_name};
use crate::tap::document::Report;

pub(super) const DEFAULT: &str = "default";

/// A link may lead to a link; so many in a row are a circle or a joke.
const LONGEST_CHAIN: usize = 4;

enum File {
    Real(Box<Provider>),
    /// File name of the one it stands for.
    Link(String),
}

/// The providers of a folder, by name, links filled in from where they lead.
pub(super) fn read(folder: &Path, files: &[&Entry], report: &mut Report) -> Vec<Provider> {
    let mut read: BTreeMap<&str, File> = BTreeMap::new();
    for entry in files {
        if let Some(file) = one(folder, entry, report) {
            read.insert(&entry.name, file);
        }
    }
    let mut providers = Vec::new();
    for (name, file) in &read {
        match file {
            File::Real(provider) => providers.push(Provider::clone(provider)),
            File::Link(target) => {
                let path = folder.join(name);
                match follow(&read, target) {
                    Ok((target, provider)) => providers.push(Provider {
                        name: stem(name).to_owned(),
                        links_to: Some(stem(target).to_owned()),
                        file: path,
                        ..Provider::clone(provider)
                    }),
                    Err(why) => report.error(
                        Problem::of_file(&path.display().to_string(), why)
                            .hint("a link names a provider file beside it"),
                    ),
                }
            }
        }
    }
    providers
}

/// Which file a link ends at.
fn follow<'read>(
    read: &'read BTreeMap<&str, File>,
    first: &'read str,
) -> Result<(&'read str, &'read Provider), String> {
    let mut name = first;
    for _ in 0..LONGEST_CHAIN {
        match read.get(name) {
            Some(File::Real(provider)) => return Ok((name, provider)),
            Some(File::Link(next)) => name = next,
            None => return Err(format!("this is a link to {name}, which is not there or cannot be used")),
        }
    }
    Err(format!("this is a link to {first}, which leads on and on"))
}

fn one(folder: &Path, entry: &Entry, report: &mut Report) -> Option<File> {
    if let Some(target) = &entry.link
        && let Some(name) = sibling(folder, target)
    {
        return Some(File::Link(name));
    }
    let source = match Source::read(&entry.path) {
        Ok(source) => source?,
        Err(problem) => {
            report.error(problem);
            return None;
        }
    };
    if let Some(name) = written_link(&source.text) {
        if !is_file_name(name) {
            let problem =
                Problem::at(&source, 0..name.len(), format!("this names `{name}`, which is not a file beside it"));
            report.error(problem.hint("a link names a provider file of the same folder"));
            return None;
        }
        return Some(File::Link(name.to_owned()));
    }
    provider::read(&source, stem(&entry.name), &entry.path, report).map(|provider| File::Real(Box::new(provider)))
}

/// The file name that a link leads to, if that is beside it.
fn sibling(folder: &Path, target: &Path) -> Option<String> {
    let folder = std::fs::canonicalize(folder).ok()?;
    (target.parent() == Some(folder.as_path())).then(|| target.file_name()?.to_str().map(str::to_owned))?
}

/// What a file holds that is a link as it is checked out where there are none: one path and nothing
/// else.
fn written_link(text: &str) -> Option<&str> {
    let text = text.trim();
    let one_word =
        !text.is_empty() && !text.contains(|letter: char| letter.is_whitespace() || "=\"'#[]{}".contains(letter));
    (one_word && text.ends_with(".toml")).then_some(text)
}

fn stem(name: &str) -> &str {
    name.strip_suffix(".toml").unwrap_or(name)
}
