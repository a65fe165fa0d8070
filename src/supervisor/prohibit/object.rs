//! What a sentence wants done or not done.

use std::collections::BTreeSet;

use super::words::{Word, among, sentences};

/// Which kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// Running tests, builds, linters.
    Checks,
    /// Running anything.
    Execution,
    /// Anything else.
    Action,
}

/// A verb and what it is about, in stems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    pub about: About,
    pub verb: String,
    /// Kinds of checks that are named: `test`, `build`.
    pub checks: BTreeSet<String>,
    /// Other words that tell which: `e2e`, `main`.
    pub details: BTreeSet<String>,
    /// It is said with `it`, `them`, `that`.
    pub pronoun: bool,
}

/// Names of checks, and the kind each is of.
const CHECKS: [(&str, &str); 30] = [
    ("test", "test"),
    ("suite", "test"),
    ("testsuite", "test"),
    ("unittest", "test"),
    ("spec", "test"),
    ("pytest", "test"),
    ("jest", "test"),
    ("vitest", "test"),
    ("nextest", "test"),
    ("tox", "test"),
    ("ctest", "test"),
    ("lint", "lint"),
    ("linter", "lint"),
    ("clippy", "lint"),
    ("eslint", "lint"),
    ("ruff", "lint"),
    ("build", "build"),
    ("compile", "build"),
    ("compiler", "build"),
    ("compilation", "build"),
    ("typecheck", "typecheck"),
    ("type-check", "typecheck"),
    ("mypy", "typecheck"),
    ("benchmark", "bench"),
    ("bench", "bench"),
    ("check", "any"),
    ("verification", "any"),
    ("verify", "any"),
    ("validation", "any"),
    ("validate", "any"),
];

/// Verbs that run what follows.
pub(super) const RUNS: [&str; 12] =
    ["run", "execute", "invoke", "launch", "start", "use", "call", "trigger", "perform", "do", "rerun", "re-run"];

/// Objects of those that mean everything.
const EVERYTHING: &str = "\
    anything command code script program shell terminal everything nothing binary";

const PRONOUNS: &str = "\
    it them that those this these so";

/// Words that tell nothing of what is meant.
const EMPTY: &str = "\
    the a an any all my our your this that these those it them of in on at to for with and or but now \
    again please yet just only here there is are be more some such so too either anymore today then also \
    cargo npm yarn pnpm make python go sh bash ok okay not needed necessary required i you we go-ahead";

impl Object {
    /// Of a verb and the words after it, up to the end of its part of the sentence.
    pub fn new(verb: &str, words: &[Word]) -> Self {
        let next = |at: usize| words.get(at + 1).map_or("", |word| word.text.as_str());
        let ends = |at: &usize| words[*at].begins || breaks(&words[*at].text, next(*at));
        let end = (0..words.len()).find(ends).unwrap_or(words.len());
        let words = &words[..end];
        let verb = stem(verb);
        let mut object = Self {
            about: About::Action,
            checks: BTreeSet::new(),
            details: BTreeSet::new(),
            pronoun: words.first().is_some_and(|word| among(PRONOUNS, &word.text)),
            verb,
        };
        let mut everything = false;
        for word in words {
            everything |= object.take(&word.text);
        }
        let runs = RUNS.contains(&object.verb.as_str());
        if let Some(kind) = check(&object.verb) {
            object.checks.insert(kind.to_owned());
            object.about = About::Checks;
        } else if runs && !object.checks.is_empty() {
            object.about = About::Checks;
        } else if runs && everything {
            object.about = About::Execution;
        }
        object
    }

    /// The verb with nothing that narrows it.
    pub fn about_anything(mut self) -> Self {
        if RUNS.contains(&self.verb.as_str()) {
            self.about = About::Execution;
        }
        self
    }

    /// Takes in a word of what it is about; whether it means everything.
    fn take(&mut self, word: &str) -> bool {
        let stem = stem(word);
        if let Some(kind) = check(&stem) {
            self.checks.insert(kind.to_owned());
        } else if among(EVERYTHING, &stem) {
            return true;
        } else if !among(EMPTY, &stem) && !among(EMPTY, word) {
            self.details.insert(stem);
        }
        false
    }

    /// Whether a permission of this kind says anything about such a prohibition.
    pub fn is_like(&self, forbidden: &Self) -> bool {
        let checks = || {
            self.checks.is_subset(&forbidden.checks)
                || forbidden.checks.is_subset(&self.checks)
                || any(self)
                || any(forbidden)
        };
        match (self.about, forbidden.about) {
            (About::Action, About::Action) => self.verb == forbidden.verb,
            (About::Checks, About::Checks) => checks(),
            (About::Execution, About::Checks | About::Execution) | (About::Checks, About::Execution) => true,
            // `run them` after `do not run the tests`.
            (About::Action, About::Checks | About::Execution) => self.pronoun && self.verb == forbidden.verb,
            (About::Checks | About::Execution, About::Action) => false,
        }
    }

    /// Whether such a permission takes in all that is forbidden.
    pub fn reaches(&self, forbidden: &Self) -> bool {
        if self.pronoun && self.details.is_empty() && self.checks.is_empty() {
            return true;
        }
        let whole = match (self.about, forbidden.about) {
            (About::Checks, About::Execution) => false,
            (About::Checks, About::Checks) => any(self) || forbidden.checks.is_subset(&self.checks) && !any(forbidden),
            _ => true,
        };
        let same = self.details == forbidden.details;
        whole && (same || forbidden.about == About::Action && self.details.is_empty())
    }

    /// Whether a check that is asked for is one of those forbidden.
    pub fn covers(&self, demanded: &Self) -> bool {
        let kind =
            self.about == About::Execution || any(self) || any(demanded) || !self.checks.is_disjoint(&demanded.checks);
        kind && (self.details.is_empty() || any(demanded) || self.shares_with(demanded) || demanded.details.is_empty())
    }

    fn shares_with(&self, other: &Self) -> bool {
        !self.details.is_disjoint(&other.details)
    }
}

fn any(object: &Object) -> bool {
    object.checks.contains("any")
}

/// Words that end what a verb is about.
fn breaks(word: &str, next: &str) -> bool {
    let again = matches!(word, "don't" | "dont" | "never") || word == "do" && next == "not";
    again
        || matches!(
            word,
            "because"
                | "since"
                | "unless"
                | "until"
                | "till"
                | "if"
                | "when"
                | "before"
                | "after"
                | "while"
                | "but"
                | "as"
        )
}

fn check(stem: &str) -> Option<&'static str> {
    CHECKS.iter().find(|(name, _)| *name == stem).map(|(_, kind)| *kind)
}

/// The check that a finding misses, if it asks for one.
pub(super) fn demanded(finding: &str) -> Option<Object> {
    let object = mentioned(finding);
    let lower = finding.to_lowercase().replace('’', "'");
    let missing = MISSING.iter().any(|phrase| lower.contains(phrase));
    (missing && (!object.checks.is_empty() || UNCHECKED.iter().any(|word| lower.contains(word)))).then(|| {
        let mut object = object;
        if object.checks.is_empty() {
            object.checks.insert("any".to_owned());
        }
        object
    })
}

/// Whether a text speaks of checks at all.
pub(super) fn is_of_checks(text: &str) -> bool {
    let lower = text.to_lowercase();
    !mentioned(text).checks.is_empty() || UNCHECKED.iter().any(|word| lower.contains(word))
}

/// Everything that a text is about.
fn mentioned(text: &str) -> Object {
    let mut object = Object::new("check", &[]);
    object.checks.clear();
    for word in sentences(text).iter().flat_map(|sentence| &sentence.words) {
        let _ = object.take(&word.text);
    }
    object
}

/// How a finding says that a check was not made.
const MISSING: &[&str] = &[
    "not run",
    "never run",
    "n't run",
    "never ran",
    "not been run",
    "not executed",
    "never executed",
    "n't executed",
    "not been executed",
    "not rerun",
    "not re-run",
    "no tests were run",
    "no test was run",
    "no tests ran",
    "no test run",
    "no check",
    "no build was",
    "no lint",
    "no verification",
    "no evidence",
    "without running",
    "without testing",
    "without verif",
    "should run",
    "should be run",
    "must be run",
    "must run",
    "need to run",
    "needs to run",
    "run the",
    "untested",
    "unverified",
    "not verified",
    "not tested",
    "not checked",
    "not validated",
    "not been verified",
    "not been tested",
    "not been checked",
    "never verified",
    "never tested",
    "never checked",
    "n't verified",
    "n't tested",
    "n't checked",
];

/// How it says so of checks in general.
const UNCHECKED: [&str; 9] =
    ["untested", "unverified", "verified", "tested", "checked", "validated", "verification", "executed", "run"];

/// The word without its ending: `tests`, `testing` and `tested` are one.
pub(super) fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    const IRREGULAR: [(&str, &str); 16] = [
        ("ran", "run"),
        ("running", "run"),
        ("committing", "commit"),
        ("committed", "commit"),
        ("written", "write"),
        ("wrote", "write"),
        ("writing", "write"),
        ("executing", "execute"),
        ("executed", "execute"),
        ("using", "use"),
        ("verifying", "verify"),
        ("verified", "verify"),
        ("does", "do"),
        ("doing", "do"),
        ("tests", "test"),
        ("pushes", "push"),
    ];
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*base).to_owned();
    }
    if word.ends_with("thing") {
        return word.to_owned();
    }
    let long = |ending: &str| word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 3);
    let base = long("ing").or_else(|| long("ed")).map(|base| {
        // `touching` and `changing`.
        let silent = [
            "chang", "delet", "remov", "updat", "merg", "creat", "renam", "mov", "compil", "validat", "replac",
            "releas", "us",
        ];
        if silent.contains(&base) { format!("{base}e") } else { single_end(base) }
    });
    let base = base.or_else(|| long("ies").map(|base| format!("{base}y")));
    let plural = || long("s").filter(|rest| !rest.ends_with(['s', 'u', 'i'])).map(str::to_owned);
    base.or_else(plural).unwrap_or_else(|| word.to_owned())
}

/// `skipp` is `skip`.
fn single_end(base: &str) -> String {
    let mut letters = base.chars().rev();
    match (letters.next(), letters.next()) {
        (Some(last), Some(before)) if last == before && !"lsfz".contains(last) => {
            base[..base.len() - last.len_utf8()].to_owned()
        }
        _ => base.to_owned(),
    }
}
