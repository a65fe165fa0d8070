//! A snapshot of the environment, filled from `.env` files, and the masking of its secrets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::dotenv;
use super::mask::{Mask, POINTERS, SHORTEST};
use super::paths::Paths;
use super::problem::Problem;
use super::source::Source;

/// Where a variable's value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvOrigin {
    /// Exported by whoever started the process.
    Process,
    /// A `.env` file and the line in it.
    File { file: String, line: usize },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    value: String,
    origin: EnvOrigin,
}

/// Environment variables as they were at the start. An exported variable always wins over a file,
/// even when it is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Env {
    variables: BTreeMap<String, Variable>,
    /// What must not be shown; shared by all clones.
    mask: Mask,
    /// The `.env` that came with the project.
    project_file: Option<String>,
}

/// Parts of a variable's name that say its value is a secret.
const SECRET_PARTS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "DSN",
    "PAT",
    "BEARER",
    "PASS",
    "PWD",
    "PASSCODE",
    "COOKIE",
    "COOKIES",
    "SK",
    "JWT",
    "CREDS",
];

/// Endings of such a part where words are written without a mark between them.
const SECRET_ENDINGS: &[&str] = &[
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PRIVATEKEY",
    "SECRETKEY",
    "ACCESSKEY",
    "AUTHKEY",
    "DBPASS",
    "COOKIE",
    "CREDENTIALS",
];

/// Variables that say where programs, homes and hosts are.
const PERSONS_OWN: &[&str] = &[
    "PATH",
    "HOME",
    "SHELL",
    "BASH_ENV",
    "ENV",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "OLLAMA_HOST",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "ORT_DYLIB_PATH",
    "HF_ENDPOINT",
];

/// Whether a variable or header of this name holds a secret.
pub fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let parts: Vec<&str> = upper.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    if matches!(upper.as_str(), "PWD" | "OLDPWD") {
        return false;
    }
    matches!(upper.as_str(), "AUTHORIZATION" | "PROXY-AUTHORIZATION")
        || (parts.iter().any(|part| {
            SECRET_PARTS.contains(part) || SECRET_ENDINGS.iter().any(|ending| part.ends_with(ending)) || *part == "AUTH"
        }) && !parts.last().is_some_and(|last| POINTERS.contains(last)))
}

/// The password in `scheme://name:password@host`, and the same with its name, which is long enough to
/// be masked when the password alone would be found in ordinary words.
fn password_in_address(value: &str) -> Option<(&str, &str)> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (person, _) = authority.rsplit_once('@')?;
    person.split_once(':').map(|(_, password)| (password, person)).filter(|(password, _)| !password.is_empty())
}

impl Env {
    /// From pairs, as tests and child runs need it.
    pub fn from_pairs<Name: Into<String>, Value: Into<String>>(pairs: impl IntoIterator<Item = (Name, Value)>) -> Self {
        let mut env = Self::default();
        for (name, value) in pairs {
            env.set(name.into(), value.into(), EnvOrigin::Process);
        }
        env
    }

    /// The process environment alone. A variable that is not UTF-8 is kept with its odd bytes replaced.
    pub fn from_process() -> Self {
        Self::from_pairs(
            std::env::vars_os()
                .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())),
        )
    }

    /// Adds what `./.env` and then `<data>/config/.env` say and the environment does not. The
    /// problems stop nothing: each names a line that was left out.
    pub fn with_files(mut self, paths: &Paths, workdir: &Path) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut read = |file: &Path| match Source::read(file) {
            Ok(source) => source.map(|source| {
                let parsed = dotenv::parse(&source);
                (source, parsed)
            }),
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
        let person = read(&paths.env_file);
        let project_file = workdir.join(".env");
        let project = if project_file == paths.env_file { None } else { read(&project_file) };
        let own: Vec<&str> = person.iter().flat_map(|(_, parsed)| &parsed.entries).map(|e| e.name.as_str()).collect();
        self.project_file = (project_file != paths.env_file).then(|| project_file.display().to_string());
        if let Some((source, parsed)) = &project {
            problems.extend(self.fill(source, parsed, |env, name, of_project| env.redirects(name, &own, of_project)));
        }
        if let Some((source, parsed)) = &person {
            problems.extend(self.fill(source, parsed, |_, _, _| false));
        }
        (self, problems)
    }

    /// The same process environment with what the files say now. What was secret before stays masked.
    pub fn read_again(&self, paths: &Paths, workdir: &Path) -> (Self, Vec<Problem>) {
        let process = self.variables.iter().filter(|(_, variable)| variable.origin == EnvOrigin::Process);
        let fresh = Self::from_pairs(process.map(|(name, variable)| (name.clone(), variable.value.clone())));
        let (mut fresh, problems) = fresh.with_files(paths, workdir);
        for (name, value) in fresh.mask.secrets() {
            self.mask.add(&name, &value);
        }
        fresh.mask = self.mask.clone();
        (fresh, problems)
    }

    /// Adds what this file says and is not set yet. A name given twice in one file keeps the last.
    fn fill(
        &mut self,
        source: &Source,
        parsed: &dotenv::Parsed,
        refuse: impl Fn(&Self, &str, &[dotenv::Entry]) -> bool,
    ) -> Vec<Problem> {
        let mut problems = parsed.problems.clone();
        for entry in &parsed.entries {
            if self.variables.get(&entry.name).is_some_and(|known| !known.is_of(&source.label)) {
                continue;
            }
            if refuse(self, &entry.name, &parsed.entries) {
                problems.push(dotenv::refused(source, entry));
                continue;
            }
            let origin = EnvOrigin::File { file: source.label.clone(), line: entry.line };
            self.set(entry.name.clone(), entry.value.clone(), origin);
        }
        problems
    }

    /// A project's file may not send the person's keys or traffic elsewhere, nor change how programs
    /// are found. An endpoint is its own affair as long as the person has no key for it.
    fn redirects(&self, name: &str, own: &[&str], of_project: &[dotenv::Entry]) -> bool {
        let endings = ["_API_URL", "_BASE_URL", "_API_BASE"];
        if let Some(prefix) = endings.iter().find_map(|ending| name.strip_suffix(ending)) {
            let key = format!("{prefix}_API_KEY");
            let brings_key = of_project.iter().any(|entry| entry.name == key);
            let exported = self.variables.get(&key).is_some_and(|known| known.origin == EnvOrigin::Process);
            return exported || (own.contains(&key.as_str()) && !brings_key);
        }
        let upper = name.to_ascii_uppercase();
        upper.ends_with("_PROXY")
            || ["LD_", "DYLD_", "GIT_", "OCTOMIND_"].iter().any(|start| upper.starts_with(start))
            || PERSONS_OWN.contains(&upper.as_str())
    }

    fn set(&mut self, name: String, value: String, origin: EnvOrigin) {
        if looks_secret(&name) {
            self.mask.add(&name, &value);
        } else if let Some((password, with_name)) = password_in_address(&value) {
            self.mask.add(&name, if password.len() < SHORTEST { with_name } else { password });
        }
        self.variables.insert(name, Variable { value, origin });
    }

    /// Adds a value that was just written to a file, and masks it if it is `secret` or has such a
    /// name. An exported variable that is not empty stays.
    pub fn add_from_file(&mut self, name: &str, value: &str, file: &Path, line: usize, secret: bool) {
        if self.get(name).is_some() && self.origin(name) == Some(&EnvOrigin::Process) {
            return;
        }
        let origin = EnvOrigin::File { file: file.display().to_string(), line };
        self.set(name.to_owned(), value.to_owned(), origin);
        if secret {
            self.mask.add(name, value);
        }
    }

    /// Whether a project's `.env` may set this variable here.
    pub fn takes_from_project(&self, name: &str) -> bool {
        !self.redirects(name, &[], &[])
    }

    /// What must not be shown of this environment and of all that was learnt since.
    pub fn mask(&self) -> &Mask {
        &self.mask
    }

    /// The value; set-but-empty counts as unset.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|variable| variable.value.as_str()).filter(|value| !value.is_empty())
    }

    pub fn origin(&self, name: &str) -> Option<&EnvOrigin> {
        self.variables.get(name).map(|variable| &variable.origin)
    }

    /// Names and values that are set and not empty, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables
            .iter()
            .map(|(name, variable)| (name.as_str(), variable.value.as_str()))
            .filter(|(_, value)| !value.is_empty())
    }

    /// What the person's own file added to the process environment: what a child process has to be
    /// given besides. Nothing of a project's file: any variable may be one that some program takes as an
    /// order to run something. What a server or a prompt names, as in `{{ENV:NAME}}`, it gets anyway.
    pub fn from_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().filter_map(|(name, variable)| {
            let EnvOrigin::File { file, .. } = &variable.origin else { return None };
            (self.project_file.as_ref() != Some(file)).then_some((name.as_str(), variable.value.as_str()))
        })
    }

    /// The text with the values of secret-looking variables replaced by `[NAME masked]`.
    pub fn mask_secrets<'text>(&self, text: &'text str) -> Cow<'text, str> {
        self.mask.text(text)
    }
}

impl Variable {
    fn is_of(&self, label: &str) -> bool {
        matches!(&self.origin, EnvOrigin::File { file, .. } if file == label)
    }
}

#[cfg(test)]
mod tests;
