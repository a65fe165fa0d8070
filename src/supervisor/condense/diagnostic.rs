//! Lines that report an error: they are kept whatever the model says.

use std::sync::LazyLock;

use regex::Regex;

static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let kinds = [
        r"(?i:\berrors?\s*(?:\[[^\]]*\])?\s*:(?:[^:]|$))",
        r"(?i:^\s*(?:error|fatal|failures?)\b)",
        r"\b\w+(?:Error|Exception)\b\s*:",
        r"\b(?:ERROR|FATAL|FAIL|FAILED|FAILURE)\b",
        r"(?i:\bfailed\b|\bfatal:|\btraceback\b|\bpanicked at\b|\bsegmentation fault\b)",
        r"(?i:\bpermission denied\b|\bcommand not found\b|\bno such file\b|\bcannot find\b)",
        r"^\[(?:exit [1-9]|ended by signal|timed out|cancelled|lost)",
    ];
    Regex::new(&kinds.join("|")).ok()
});

/// Their numbers, from 1.
pub fn lines(text: &str) -> Vec<u32> {
    let Some(error) = ERROR.as_ref() else { return Vec::new() };
    let reports = text.lines().enumerate().filter(|(_, line)| error.is_match(line));
    reports.map(|(at, _)| at as u32 + 1).collect()
}
