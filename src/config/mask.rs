//! The one mask: values that nothing which is shown or kept may hold.
//!
//! Every clone is the same set, so a value that is learnt while a session runs is masked from then on
//! in the journal, on the screen, in errors, in `logs/octomind.log` and in `logs/mcp-*.log`. Masked
//! are values of variables, headers and arguments that are named like a secret, and what the person
//! gave for a placeholder ([`is_private`] says which are left alone), each also in base64, in
//! hexadecimal digits, in a URL and in JSON. Never by value: anything shorter than [`SHORTEST`] bytes, which would be found in
//! ordinary words.

mod forms;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde_json::Value;

use super::looks_secret;

/// A value of fewer bytes is not masked: it would blot out ordinary words.
pub const SHORTEST: usize = 6;

/// What stands in place of a value that has no name.
const MASKED: &str = "[masked]";

/// Letters of a word that no language's ordinary words exceed by much.
const LONGEST_WORD: usize = 24;

/// Last parts of a name that say where or what something is, or which kind.
pub(super) const POINTERS: &[&str] =
    &["PATH", "FILE", "DIR", "SOCK", "NAME", "HOST", "PORT", "ENV", "TYPE", "COUNT", "LIMIT"];

/// The same for what is surely no secret otherwise: `JAVA_HOME`, `PROJECT_ROOT`.
const PLACES: &[&str] = &["HOME", "ROOT", "FOLDER"];

/// Variables that every shell has and no secret is kept in.
const OF_EVERY_SHELL: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TERM",
    "PWD",
    "OLDPWD",
    "TZ",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "TMPDIR",
    "HOSTNAME",
    "DISPLAY",
    "COLORTERM",
];

/// Whether a value that a placeholder gave is masked wherever it turns up. Ordinary words are not,
/// unless the key says that they are a secret: a country or a name has to be speakable. Nor are
/// places and kinds by name (`…_DIR`, `…_HOST`, `HOME`): an agent could not name a file any more.
pub fn is_private(key: &str, value: &str) -> bool {
    let upper = key.to_ascii_uppercase();
    let last = upper.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let wordy = |letter: char| letter.is_alphabetic() || matches!(letter, ' ' | '-' | '\'' | ',' | '.');
    let word = value.chars().all(wordy) && value.split(' ').all(|word| word.chars().count() <= LONGEST_WORD);
    let place = upper.contains(['_', '-']) && (POINTERS.contains(&last) || PLACES.contains(&last));
    looks_secret(key) || !(word || place || OF_EVERY_SHELL.contains(&upper.as_str()))
}

/// Values that must not be shown. Clones share them.
#[derive(Clone, Default)]
pub struct Mask(Arc<RwLock<Arc<Known>>>);

#[derive(Default)]
struct Known {
    /// (name, value), in the order they came.
    secrets: Vec<(String, String)>,
    /// Made when something is masked for the first time.
    finder: OnceLock<Option<Finder>>,
}

struct Finder {
    /// The longest of those that begin first, so that one inside another does not leave the rest.
    plain: AhoCorasick,
    /// The same as they stand in JSON.
    in_json: AhoCorasick,
    /// What is looked for, and what stands in its place.
    patterns: Vec<(String, String)>,
}

impl Mask {
    /// Of values without names.
    pub fn of(values: impl IntoIterator<Item = String>) -> Self {
        let mask = Self::default();
        values.into_iter().for_each(|value| mask.add("", &value));
        mask
    }

    /// Masks this value from now on, wherever this mask is used.
    pub fn add(&self, name: &str, value: &str) {
        let value = value.trim();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if value.len() < SHORTEST || known.secrets.iter().any(|(_, old)| old == value) {
            return;
        }
        let mut secrets = known.secrets.clone();
        secrets.push((name.to_owned(), value.to_owned()));
        *known = Arc::new(Known { secrets, finder: OnceLock::new() });
    }

    /// Masks what a placeholder gave.
    pub fn add_given(&self, key: &str, value: &str) {
        if is_private(key, value) {
            self.add(key, value);
        }
    }

    /// Masks the values whose names say that they are secret. The scheme before a credential is none.
    pub fn add_named(&self, values: &BTreeMap<String, String>) {
        for (name, value) in values.iter().filter(|(name, _)| looks_secret(name)) {
            let bare = ["Bearer ", "Basic ", "Token "].iter().find_map(|scheme| value.strip_prefix(scheme));
            self.add(name, bare.unwrap_or(value));
        }
    }

    /// Names and values, in the order they came.
    pub fn secrets(&self) -> Vec<(String, String)> {
        self.known().secrets.clone()
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let known = self.known();
        if known.secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        // Nothing is shown rather than something that must not be.
        let Some(finder) = known.finder() else { return Cow::Borrowed(MASKED) };
        let (masked, _) = finder.replaced(text, text.len());
        masked.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    pub fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(same) if same == text => text,
            other => other.into_owned(),
        }
    }

    /// Every string in it masked, keys too.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text).into_owned()),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(key, field)| (self.text(key).into_owned(), self.value(field))).collect(),
            ),
            other => other.clone(),
        }
    }

    /// Whether a text in JSON may hold anything that is masked.
    pub fn is_in_json(&self, json: &str) -> bool {
        let known = self.known();
        !known.secrets.is_empty() && known.finder().is_none_or(|finder| finder.in_json.is_match(json))
    }

    /// Takes from a growing text what can be shown: masked, and without an end that may turn out to
    /// be the beginning of a secret.
    pub fn drain(&self, growing: &mut String) -> String {
        let known = self.known();
        if known.secrets.is_empty() {
            return std::mem::take(growing);
        }
        let Some(finder) = known.finder() else {
            growing.clear();
            return MASKED.to_owned();
        };
        let held = finder.patterns.iter().map(|(pattern, _)| overlap(growing, pattern)).max().unwrap_or(0);
        let (masked, end) = finder.replaced(growing, growing.len() - held);
        let rest = growing.split_off(end);
        let whole = std::mem::replace(growing, rest);
        masked.unwrap_or(whole)
    }
}

impl Known {
    fn finder(&self) -> Option<&Finder> {
        self.finder.get_or_init(|| Finder::new(&self.secrets)).as_ref()
    }
}

impl Finder {
    fn new(secrets: &[(String, String)]) -> Option<Self> {
        let mut patterns: Vec<(String, String)> = Vec::new();
        for (name, value) in secrets {
            let shown = if name.is_empty() { MASKED.to_owned() } else { format!("[{name} masked]") };
            patterns.extend(forms::of(value).into_iter().map(|form| (form, shown.clone())));
        }
        let find = |patterns: &[String]| {
            let kind = Some(AhoCorasickKind::ContiguousNFA);
            AhoCorasick::builder().kind(kind).match_kind(MatchKind::LeftmostLongest).build(patterns)
        };
        let plain: Vec<String> = patterns.iter().map(|(form, _)| form.clone()).collect();
        let in_json: Vec<String> = plain.iter().map(|form| forms::in_json(form)).collect();
        Some(Self { plain: find(&plain).ok()?, in_json: find(&in_json).ok()?, patterns })
    }

    /// The text up to `most`, or a little further when what begins before ends after it, and where it
    /// ends; `None` when nothing of it is masked.
    fn replaced(&self, text: &str, most: usize) -> (Option<String>, usize) {
        let mut masked = String::new();
        let mut done = 0;
        let mut last = None;
        for found in self.plain.find_iter(text).take_while(|found| found.start() < most) {
            masked.push_str(&text[done..found.start()]);
            let shown = self.patterns.get(found.pattern().as_usize()).map_or(MASKED, |(_, shown)| shown);
            // The pieces of one value that is broken into lines are one.
            if found.start() != done || last != Some(shown) {
                masked.push_str(shown);
            }
            (done, last) = (found.end(), Some(shown));
        }
        if done == 0 {
            return (None, most);
        }
        let end = most.max(done);
        masked.push_str(&text[done..end]);
        (Some(masked), end)
    }
}

/// Length of the longest end of `text` that is a beginning of `pattern`, but not all of it.
fn overlap(text: &str, pattern: &str) -> usize {
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let Some(last) = text.last() else { return 0 };
    let most = text.len().min(pattern.len() - 1);
    (1..=most).rev().find(|len| pattern[len - 1] == *last && text.ends_with(&pattern[..*len])).unwrap_or(0)
}

/// Never the values.
impl fmt::Debug for Mask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Mask({} values)", self.known().secrets.len())
    }
}

impl PartialEq for Mask {
    fn eq(&self, other: &Self) -> bool {
        self.secrets() == other.secrets()
    }
}

impl Eq for Mask {}

#[cfg(test)]
mod tests;
