//! `octomind tap init`: a small tap that passes the check, to begin with.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use super::progress::Style;
use super::{connected, told, working};
use crate::cli::exit::Exit;
use crate::tap::Severity;
use crate::tap::catalogue::Places;
use crate::tap::check::{Parts, Which, check};
use crate::tap::git;
use crate::tap::registry::{Name, RegistryFault, Taps};
use crate::text::sanitize_line;

#[derive(Debug, PartialEq, clap::Args)]
pub struct InitArguments {
    /// Name of the tap, as in user/repo
    #[arg(value_name = "USER/REPO")]
    pub name: String,
    /// Tag of its first agent
    #[arg(long, value_name = "DOMAIN:SPEC", value_parser = tag)]
    pub agent: (String, String),
    /// Folder to make it in; it must be empty or not there
    #[arg(long, value_name = "PATH")]
    pub dir: PathBuf,
}

/// Domain and spec, as file names.
fn tag(word: &str) -> Result<(String, String), String> {
    let plain = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_lowercase())
            && part.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
    };
    match word.split_once(':') {
        Some((domain, spec)) if plain(domain) && plain(spec) => Ok((domain.to_owned(), spec.to_owned())),
        _ => Err("write it as domain:spec, in small letters, digits and `-`".to_owned()),
    }
}

/// Paths and templates: `NAME`, `DOMAIN`, `SPEC`, `TITLE` in braces are filled in.
const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("scaffold/README.md")),
    ("agents/{DOMAIN}/{SPEC}.toml", include_str!("scaffold/agent.toml")),
    ("capabilities/example-notes/config.toml", include_str!("scaffold/config.toml")),
    ("capabilities/example-notes/default.toml", include_str!("scaffold/default.toml")),
    ("skills/{DOMAIN}-{SPEC}-style/SKILL.md", include_str!("scaffold/SKILL.md")),
    ("deps/example/git.sh", include_str!("scaffold/git.sh")),
];

pub(super) fn run(
    arguments: &InitArguments,
    taps: &Taps,
    style: Style,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let name = match Name::parse(&arguments.name) {
        Ok(name) => name,
        Err(fault) => return Ok(told(Err::<(), _>(fault), err, |(), _| Ok(Exit::Done))?.into()),
    };
    if name.is_built_in() || name.is_starter() {
        let fault = RegistryFault::BuiltIn { name: name.to_string() };
        return Ok(told(Err::<(), _>(fault), err, |(), _| Ok(Exit::Done))?.into());
    }
    if let Some(standing) =
        taps.listing(SystemTime::now()).taps.iter().find(|one| one.tap.name.eq_ignore_ascii_case(&name.to_string()))
    {
        let from = standing.tap.root.display().to_string();
        let fault = RegistryFault::Known { name: name.to_string(), from };
        return Ok(told(Err::<(), _>(fault), err, |(), _| Ok(Exit::Done))?.into());
    }
    if !is_free(&arguments.dir) {
        writeln!(err, "octomind: {} is not empty; name another folder with --dir", arguments.dir.display())?;
        return Ok(Exit::Usage.into());
    }
    if let Err(error) = scaffold(&arguments.dir, &name, &arguments.agent) {
        writeln!(err, "octomind: {} cannot be written: {error}", arguments.dir.display())?;
        return Ok(Exit::Failed.into());
    }
    writeln!(out, "{} was made in {}", name, arguments.dir.display())?;
    if let Err(fault) = git::start(&arguments.dir) {
        writeln!(err, "octomind: it is no git repository yet: {}", sanitize_line(&fault.to_string()))?;
    }
    let place = arguments.dir.display().to_string();
    let done = working(style, err, |work| taps.connect(&arguments.name, Some(&place), work))?;
    let (domain, spec) = &arguments.agent;
    let exit = told(done, err, |done, err| {
        connected(&done, out)?;
        let exit = checked(taps, &done.name, out, err)?;
        writeln!(out, "try it: octomind run {domain}:{spec}")?;
        Ok(exit)
    })?;
    Ok(exit.into())
}

/// What `octomind taps check` says of it.
fn checked(taps: &Taps, name: &str, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<Exit> {
    let all = taps.effective().into_iter().map(Arc::new).collect();
    let checked = check(&Places { taps: all, ..Places::default() }, &Which::Only(name.to_owned()));
    for finding in &checked.findings {
        writeln!(err, "{}", finding.problem.headline())?;
    }
    let Parts { agents, capabilities, skills } = checked.parts;
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    writeln!(
        out,
        "checked: {}, {}, {}, {}",
        count(agents, "agent", "agents"),
        count(capabilities, "capability", "capabilities"),
        count(skills, "skill", "skills"),
        count(checked.findings.len(), "finding", "findings"),
    )?;
    Ok(if checked.count(Severity::Error) > 0 { Exit::Failed } else { Exit::Done })
}

fn is_free(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Writes every file. What was written stays when a later one fails, for the person to look at.
fn scaffold(folder: &Path, name: &Name, (domain, spec): &(String, String)) -> io::Result<()> {
    let fill = |template: &str| {
        let mut text = template.to_owned();
        let (name, title) = (name.to_string(), title(domain, spec));
        for (key, value) in [("{NAME}", &name), ("{DOMAIN}", domain), ("{SPEC}", spec), ("{TITLE}", &title)] {
            text = text.replace(key, value);
        }
        text
    };
    for (path, template) in FILES {
        let path = folder.join(fill(path));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mode = if path.extension().is_some_and(|ending| ending == "sh") { 0o755 } else { 0o644 };
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        file.write_all(fill(template).as_bytes())?;
    }
    Ok(())
}

/// `team:code-review` is "Team code review".
fn title(domain: &str, spec: &str) -> String {
    let words = format!("{domain} {spec}").replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags() {
        assert_eq!(tag("team:code-review"), Ok(("team".to_owned(), "code-review".to_owned())));
        for bad in ["team", ":x", "x:", "../x:y", "a:b/c", "A:b", "a:b:c", "a:.b"] {
            assert!(tag(bad).is_err(), "{bad}");
        }
        assert_eq!(title("team", "code-review"), "Team code review");
    }
}
