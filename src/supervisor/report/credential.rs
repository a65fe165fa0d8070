//! Whether a text holds what nobody but its owner should have. Errs towards yes: a hint that is lost
//! costs little.

use crate::config::looks_secret;

/// How keys of well-known services begin, and letters that must follow.
const PREFIXES: [(&str, usize); 28] = [
    ("sk-", 16),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("pk_live_", 8),
    ("whsec_", 8),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 16),
    ("glpat-", 12),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("xoxa-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("AKIA", 12),
    ("ASIA", 12),
    ("AIza", 20),
    ("ya29.", 12),
    ("npm_", 20),
    ("pypi-", 16),
    ("hf_", 16),
    ("dop_v1_", 16),
    ("SG.", 16),
    ("AGE-SECRET-KEY-", 16),
];

/// Words after which a secret is said, in prose.
const SECRET_WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "api-key",
    "api_key",
    "credential",
    "credentials",
    "pin",
];

/// What stands for a value, or says where it is.
const STAND_INS: [&str; 15] = [
    "none", "null", "empty", "missing", "unset", "set", "required", "expired", "invalid", "valid", "redacted",
    "masked", "hidden", "unknown", "rotated",
];

/// Words after which a long hexadecimal number is the name of a thing.
const NAMES_OF_HASHES: [&str; 14] = [
    "commit", "sha", "sha1", "sha256", "hash", "digest", "blob", "tree", "rev", "revision", "checksum", "md5",
    "parent", "head",
];

/// Letters from which on a random-looking word is taken for a key.
const RANDOM_FROM: usize = 16;

/// Why it looks like a credential; never with any of it.
pub(super) fn looks_like(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN") {
        return Some("it looks like a private key or certificate");
    }
    if has_password_in_address(text) {
        return Some("it looks like an address with a password");
    }
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || "\"'`,;()<>[]{}|".contains(letter)).collect();
    if words.iter().any(|word| has_known_prefix(word)) {
        return Some("it looks like the key of a service");
    }
    if words.windows(2).any(|pair| is_scheme(pair[0]) && pair[1].len() >= 8) {
        return Some("it looks like an authorization header");
    }
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if assigns_secret(&words) {
        return Some("it looks like a value of something named like a secret");
    }
    let random = |at: usize| {
        let named = at > 0 && is_name_of_hash(words[at - 1]);
        words[at].split(|letter: char| "/:=@.?&#".contains(letter)).any(|part| is_random(part, named, words[at]))
    };
    let encoded = |word: &&str| is_encoded(word.as_bytes());
    ((0..words.len()).any(random) || words.iter().any(encoded)).then_some("it holds a long random-looking word")
}

/// Base64 in which slashes stand; a path has hardly any digits beside letters.
fn is_encoded(bytes: &[u8]) -> bool {
    bytes.len() >= 32
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        && bytes.iter().any(u8::is_ascii_uppercase)
        && bytes.iter().any(u8::is_ascii_lowercase)
        && runs_of_digits(bytes) >= 3
}

fn has_known_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, more)| {
        word.match_indices(prefix).any(|(at, _)| {
            let starts = !word[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric());
            let tail = &word[at + prefix.len()..];
            let letters = tail.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)).count();
            let digits = tail.bytes().take(letters).any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            starts && letters >= *more && digits
        })
    }) || is_web_token(word)
}

/// Three parts in base64, of which the first is JSON.
fn is_web_token(word: &str) -> bool {
    word.find("eyJ").is_some_and(|at| word[at..].len() >= 24 && word[at..].contains('.'))
}

fn is_scheme(word: &str) -> bool {
    let word = word.trim_end_matches(':').to_ascii_lowercase();
    word == "bearer" || word == "basic" && !word.is_empty()
}

fn has_password_in_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let authority = text[at + 3..].split(|letter: char| letter.is_whitespace() || "/?#\"'".contains(letter)).next();
        authority
            .and_then(|authority| authority.rsplit_once('@'))
            .and_then(|(person, _)| person.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty() && !is_stand_in(password))
    })
}

/// `NAME=value`, `name: value`, `the password is value`.
fn assigns_secret(words: &[&str]) -> bool {
    (0..words.len()).any(|at| {
        let (name, value) = match words[at].split_once(['=', ':']) {
            Some((name, value)) if !value.is_empty() => (name, value),
            Some((name, _)) => (name, words.get(at + 1).copied().unwrap_or_default()),
            None => match words.get(at + 1).copied() {
                Some("=" | ":" | "is" | "was" | "->") => (words[at], words.get(at + 2).copied().unwrap_or_default()),
                _ => return false,
            },
        };
        let name = name.trim_start_matches(['-', '$']);
        let secret = looks_secret(name) || SECRET_WORDS.contains(&name.to_ascii_lowercase().as_str());
        secret && is_value(value)
    })
}

/// Words of prose are no value: `the token is kept in …`.
fn is_value(value: &str) -> bool {
    let value = value.trim_matches(|letter: char| ".!?".contains(letter));
    let ordinary = value.len() < 4 || value.bytes().all(|byte| byte.is_ascii_lowercase()) && value.len() < 6;
    !is_stand_in(value) && (!ordinary || value.bytes().any(|byte| byte.is_ascii_digit()) && value.len() >= 4)
}

fn is_stand_in(value: &str) -> bool {
    let bare = value.trim_matches(|letter: char| "*.[]<>".contains(letter));
    bare.is_empty()
        || value.starts_with(['$', '<', '{', '[', '%', '/', '~', '.'])
        || value.contains("://")
        || STAND_INS.contains(&bare.to_ascii_lowercase().as_str())
        // A name of a variable.
        || value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        || value.chars().all(|letter| letter == 'x' || letter == 'X')
}

fn is_name_of_hash(word: &str) -> bool {
    let word = word.trim_end_matches([':', '=']).to_ascii_lowercase();
    NAMES_OF_HASHES.contains(&word.as_str())
}

fn is_random(part: &str, named: bool, word: &str) -> bool {
    let bytes = part.trim_end_matches('=').as_bytes();
    if bytes.len() < RANDOM_FROM || !bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_+".contains(byte)) {
        return false;
    }
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        let named = named || NAMES_OF_HASHES.iter().any(|name| word.starts_with(&format!("{name}:")));
        return bytes.len() >= 24 && !named && bytes.iter().any(u8::is_ascii_alphabetic);
    }
    !is_unique_id(bytes) && runs_of_digits(bytes) >= 3
}

/// As `8-4-4-4-12` hexadecimal digits, which names things.
fn is_unique_id(bytes: &[u8]) -> bool {
    let groups: Vec<&[u8]> = bytes.split(|byte| *byte == b'-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.iter().all(u8::is_ascii_hexdigit))
}

/// Runs of digits that stand right beside a letter: words and numbers with a sign between do not count.
fn runs_of_digits(bytes: &[u8]) -> usize {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let mut runs = 0;
    let mut at = 0;
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let begin = at;
        while digit(at) {
            at += 1;
        }
        runs += usize::from(letter(begin.checked_sub(1)) || letter(Some(at)));
    }
    runs
}
