//! `${VAR}`, `${VAR:-default}`, `$$`, `{{ENV:KEY}}` and `{{INPUT:KEY}}` in a server's fields.
//!
//! Nothing is ever left standing or made empty in silence: a variable that is not set is an error
//! that names it. What a placeholder in braces gave is masked from then on ([`super::Mask`]).

use std::collections::BTreeMap;

use super::dotenv::is_name;
use super::env::Env;
use super::schema::Server;

/// Why a text could not be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    #[error("the environment variable {0} is not set; export it or put it in a .env file")]
    Unset(String),
    #[error("the input {0} has no value; it is asked for when a role that needs it starts in a terminal")]
    NoInput(String),
    #[error("`{0}` is not understood; write ${{NAME}} or ${{NAME:-default}}, and $$ for a $")]
    Malformed(String),
}

/// The same, with the place in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("server `{server}`, {field}: {reason}")]
pub struct FieldError {
    pub server: String,
    /// `command`, `args[1]`, `env.TOKEN`, `headers.Authorization`, `url`, `cwd`.
    pub field: String,
    pub reason: ExpandError,
}

/// A placeholder that is filled from outside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker<'text> {
    /// `{{ENV:KEY}}`.
    Env(&'text str),
    /// `{{INPUT:KEY}}`.
    Input(&'text str),
    /// Braces doubled: the text stands for this placeholder itself.
    Literal(&'text str),
    /// Begins like a placeholder and is none.
    Malformed(&'text str),
}

/// What the text begins with, and its length in bytes.
pub fn marker(text: &str) -> Option<(Marker<'_>, usize)> {
    if let Some(body) = text.strip_prefix("{{{{") {
        let (_, after) = kind(body)?;
        let end = after.find("}}}}").filter(|end| is_key(&after[..*end]))?;
        let length = text.len() - after.len() + end + 4;
        return Some((Marker::Literal(&text[2..length - 2]), length));
    }
    let (make, after) = kind(text.strip_prefix("{{")?)?;
    let line = after.find('\n').unwrap_or(after.len());
    let Some(end) = after[..line].find("}}") else { return Some((Marker::Malformed(text), text.len())) };
    let length = text.len() - after.len() + end + 2;
    let key = after[..end].trim();
    let marker = if is_key(key) { make(key) } else { Marker::Malformed(&text[..length]) };
    // A variable's name is narrower than a key.
    let marker = match marker {
        Marker::Env(name) if !is_name(name) => Marker::Malformed(&text[..length]),
        other => other,
    };
    Some((marker, length))
}

type Make<'text> = fn(&'text str) -> Marker<'text>;

fn kind(body: &str) -> Option<(Make<'_>, &str)> {
    let env = body.strip_prefix("ENV:").map(|rest| (Marker::Env as Make<'_>, rest));
    env.or_else(|| body.strip_prefix("INPUT:").map(|rest| (Marker::Input as Make<'_>, rest)))
}

/// Longest key of an input, in bytes.
const KEY_BYTES: usize = 128;

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= KEY_BYTES
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

/// The text with its variables filled in. A variable that is set but empty counts as not set.
///
/// # Errors
/// The first variable that is not set, or a form that is not understood.
pub fn expand(text: &str, env: &Env) -> Result<String, ExpandError> {
    expand_with(text, env, &BTreeMap::new())
}

/// The same with what was answered to `{{INPUT:KEY}}`.
///
/// # Errors
/// The first value that is not there, or a form that is not understood.
pub fn expand_with(text: &str, env: &Env, inputs: &BTreeMap<String, String>) -> Result<String, ExpandError> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '{']) {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if let Some(after) = rest.strip_prefix("$$") {
            filled.push('$');
            rest.len() - after.len()
        } else if let Some(body) = rest.strip_prefix("${") {
            let end = body.find('}').ok_or_else(|| ExpandError::Malformed(rest.to_owned()))?;
            filled.push_str(&variable(&body[..end], env)?);
            end + 3
        } else if let Some((marker, length)) = marker(rest) {
            filled.push_str(value(marker, env, inputs)?);
            length
        } else {
            filled.push_str(&rest[..1]);
            1
        };
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    Ok(filled)
}

fn value<'a>(marker: Marker<'a>, env: &'a Env, inputs: &'a BTreeMap<String, String>) -> Result<&'a str, ExpandError> {
    match marker {
        Marker::Literal(text) => Ok(text),
        Marker::Env(name) => {
            let value = env.get(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?;
            env.mask().add_given(name, value);
            Ok(value)
        }
        Marker::Input(key) => {
            let value = inputs.get(key).map(String::as_str).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| ExpandError::NoInput(key.to_owned()))?;
            env.mask().add_given(key, value);
            Ok(value)
        }
        Marker::Malformed(text) => Err(ExpandError::Malformed(text.trim().to_owned())),
    }
}

fn variable(body: &str, env: &Env) -> Result<String, ExpandError> {
    let (name, default) = match body.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (body, None),
    };
    if !is_name(name) {
        return Err(ExpandError::Malformed(format!("${{{body}}}")));
    }
    env.get(name).or(default).map(str::to_owned).ok_or_else(|| ExpandError::Unset(name.to_owned()))
}

/// The server with every field filled in.
///
/// # Errors
/// All fields that could not be, so that they can be mended at once.
pub fn expand_server(server: &Server, env: &Env) -> Result<Server, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut fill = |field: String, text: &str| match expand(text, env) {
        Ok(filled) => filled,
        Err(reason) => {
            errors.push(FieldError { server: server.name.clone(), field, reason });
            String::new()
        }
    };
    let filled = Server {
        url: server.url.as_ref().map(|url| fill("url".to_owned(), url)),
        headers: server
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), fill(format!("headers.{name}"), value)))
            .collect(),
        command: server.command.as_ref().map(|command| fill("command".to_owned(), command)),
        args: server.args.iter().enumerate().map(|(index, value)| fill(format!("args[{index}]"), value)).collect(),
        env: server.env.iter().map(|(name, value)| (name.clone(), fill(format!("env.{name}"), value))).collect(),
        cwd: server.cwd.as_ref().map(|cwd| fill("cwd".to_owned(), cwd)),
        ..server.clone()
    };
    if errors.is_empty() { Ok(filled) } else { Err(errors) }
}

#[cfg(test)]
mod tests;
