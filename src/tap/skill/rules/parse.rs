//! From a line of text to checks.

use std::ops::Range;

use super::super::front_matter::Piece;
use super::super::remark::Remark;
use super::balance::{self, Inside};
use super::{Check, CheckKind, Pattern, RuleGroup};

/// Every check there is, as hints name them.
const KNOWN: [&str; 9] = ["file", "content", "match", "grep", "env", "bin", "workdir", "session", "semantic"];

/// One line of rules. Nothing on it: no checks.
pub fn parse(piece: &Piece, line: u32, remarks: &mut Vec<Remark>) -> RuleGroup {
    let mut parser = Parser { piece, at: 0, remarks, checks: Vec::new() };
    parser.run();
    RuleGroup { line, checks: parser.checks }
}

struct Parser<'a> {
    piece: &'a Piece,
    at: usize,
    remarks: &'a mut Vec<Remark>,
    checks: Vec<Check>,
}

impl<'a> Parser<'a> {
    fn text(&self) -> &'a str {
        &self.piece.text
    }

    fn run(&mut self) {
        loop {
            let rest = &self.text()[self.at..];
            let gap =
                rest.len() - rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ',').len();
            self.at += gap;
            let rest = &self.text()[self.at..];
            if rest.is_empty() || rest.starts_with('#') {
                return;
            }
            self.one(rest);
        }
    }

    fn one(&mut self, rest: &'a str) {
        let start = self.at;
        let name = &rest[..rest.find(|letter: char| !is_name(letter)).unwrap_or(rest.len())];
        let after = rest[name.len()..].trim_start();
        let open = rest.len() - after.len();
        if name.is_empty() || !after.starts_with('(') {
            let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
            self.at += word.len();
            let hint = format!("write content({})", word.trim_matches(['(', ')']));
            self.refuse(start, format!("`{word}` is not a check, so this line never holds"), Some(hint));
            return;
        }
        let inside = if matches!(name, "match" | "grep") { Inside::Pattern } else { Inside::Words };
        let Some(close) = balance::closing(rest, open, inside).or_else(|| rest.rfind(')').filter(|at| *at > open))
        else {
            self.at = self.text().len();
            let message = format!("the parenthesis of `{name}(` is never closed, so this line never holds");
            self.refuse(start, message, Some("close it with `)`".to_owned()));
            return;
        };
        self.at = start + close + 1;
        let raw = &rest[open + 1..close];
        let argument = raw.trim();
        let argument_at = start + open + 1 + raw.len() - raw.trim_start().len();
        let argument = Argument { text: argument, at: argument_at };
        let kind = self.kind(name, argument, start);
        self.push(start, kind);
    }

    fn push(&mut self, start: usize, kind: CheckKind) {
        let text = self.text()[start..self.at].to_owned();
        self.checks.push(Check { kind, text, span: self.piece.place(start..self.at) });
    }

    /// A check that cannot hold, said once.
    fn refuse(&mut self, start: usize, why: String, hint: Option<String>) {
        let span = self.piece.place(start..self.at);
        let kind = self.broken(span, why, hint);
        self.push(start, kind);
    }

    fn broken(&mut self, span: Range<usize>, why: String, hint: Option<String>) -> CheckKind {
        let mut remark = Remark::error(span, why.clone());
        remark.hint = hint;
        self.remarks.push(remark);
        CheckKind::Broken { why }
    }

    fn kind(&mut self, name: &str, argument: Argument<'_>, start: usize) -> CheckKind {
        if !KNOWN.contains(&name) {
            let message = format!("there is no check `{name}`; it never holds, and so this line never does");
            let hint = format!("{}the checks are {}", nearest(name), KNOWN.join(", "));
            self.remarks.push(Remark::warning(self.piece.place(start..start + name.len()), message).hint(hint));
            return CheckKind::Unknown { name: name.to_owned() };
        }
        let words = unquoted(argument.text);
        if words.is_empty() {
            let span = self.piece.place(start..self.at);
            return self.broken(span, format!("`{name}()` has nothing between its parentheses"), None);
        }
        match name {
            "content" => CheckKind::Content { words },
            "bin" => CheckKind::Bin { name: words },
            "workdir" => CheckKind::Workdir { part: words },
            "session" => CheckKind::Session { part: words },
            "file" => match path_problem(&words) {
                None => CheckKind::File { glob: words },
                Some((why, hint)) => self.broken(self.argument_span(argument), why, Some(hint)),
            },
            "match" => self.pattern(argument).unwrap_or_else(|pattern| CheckKind::Match { pattern }),
            "grep" => self.grep(argument),
            "env" => self.env(&words, argument),
            _ => self.semantic(argument),
        }
    }

    fn argument_span(&self, argument: Argument<'_>) -> Range<usize> {
        self.piece.place(argument.at..argument.at + argument.text.len())
    }

    /// A pattern that is one, as the error; else the broken check.
    fn pattern(&mut self, argument: Argument<'_>) -> Result<CheckKind, Pattern> {
        let pattern = Pattern::new(argument.text);
        match pattern.problem() {
            None => Err(pattern),
            Some(problem) => {
                let part = problem.part.start.min(argument.text.len())..problem.part.end.min(argument.text.len());
                let span = self.piece.place(argument.at + part.start..argument.at + part.end);
                let why = format!("this is no regular expression: {}", problem.why);
                Ok(self.broken(
                    span,
                    why,
                    Some("the flavour is that of Rust: no look-around, no back-references".to_owned()),
                ))
            }
        }
    }

    fn grep(&mut self, argument: Argument<'_>) -> CheckKind {
        let split = balance::last_comma(argument.text, Inside::Pattern).map(|at| {
            let tail = &argument.text[at + 1..];
            (argument.text[..at].trim_end(), tail.trim(), at + 1 + tail.len() - tail.trim_start().len())
        });
        let (pattern, glob) = match split {
            Some((pattern, glob, at))
                if !pattern.is_empty() && !glob.is_empty() && !glob.contains(char::is_whitespace) =>
            {
                let place = Argument { text: glob, at: argument.at + at };
                if let Some((why, hint)) = path_problem(glob) {
                    return self.broken(self.argument_span(place), why, Some(hint));
                }
                (Argument { text: pattern, at: argument.at }, Some(glob.to_owned()))
            }
            _ => (argument, None),
        };
        match self.pattern(pattern) {
            Ok(broken) => broken,
            Err(pattern) => CheckKind::Grep { pattern: pattern.as_str().to_owned(), glob },
        }
    }

    fn env(&mut self, words: &str, argument: Argument<'_>) -> CheckKind {
        let (name, value) = match words.split_once('=') {
            Some((name, value)) => (name.trim(), Some(unquoted(value.trim()))),
            None => (words, None),
        };
        let named = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if named {
            return CheckKind::Env { name: name.to_owned(), value };
        }
        let why = format!("`{name}` is no name of an environment variable");
        self.broken(self.argument_span(argument), why, Some("write env(NAME) or env(NAME=value)".to_owned()))
    }

    fn semantic(&mut self, argument: Argument<'_>) -> CheckKind {
        let whole = CheckKind::Semantic { phrase: unquoted(argument.text), threshold: None };
        let Some(at) = balance::last_comma(argument.text, Inside::Words) else { return whole };
        let (phrase, tail) = (argument.text[..at].trim(), argument.text[at + 1..].trim());
        let number = tail.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let threshold = tail.parse::<f32>().ok().filter(|_| number && !phrase.is_empty());
        match threshold {
            Some(threshold) if (0.0..=1.0).contains(&threshold) => {
                CheckKind::Semantic { phrase: unquoted(phrase), threshold: Some(threshold) }
            }
            Some(_) => {
                let end = argument.at + argument.text.len();
                let message = format!("{tail} is no threshold, so it was read as part of the phrase");
                let remark = Remark::warning(self.piece.place(end - tail.len()..end), message);
                self.remarks.push(remark.hint("a threshold is between 0 and 1, like 0.65"));
                whole
            }
            None => whole,
        }
    }
}

#[derive(Clone, Copy)]
struct Argument<'a> {
    text: &'a str,
    /// Byte of the piece.
    at: usize,
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

fn unquoted(text: &str) -> String {
    let inner = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.map_or(text, str::trim).to_owned()
}

fn nearest(name: &str) -> String {
    let lower = name.to_lowercase();
    let near = KNOWN.iter().map(|known| (strsim::damerau_levenshtein(&lower, known), known)).min();
    match near {
        Some((distance, known)) if distance <= 2 => format!("is `{known}` meant? "),
        _ => String::new(),
    }
}

/// Why a path or glob cannot be looked for, and what to write.
fn path_problem(glob: &str) -> Option<(String, String)> {
    if glob.starts_with(['/', '~']) || glob.split('/').any(|part| part == "..") {
        let why = format!("`{glob}` leads out of the working directory");
        return Some((why, "write a path below it, like src/*.rs".to_owned()));
    }
    let error = globset::Glob::new(glob).err()?;
    Some((format!("`{glob}` is no glob: {}", error.kind()), "use *, **, ? and [a-z]".to_owned()))
}
