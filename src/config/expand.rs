//! `${VAR}`, `${VAR:-default}`, `$$` and `{{ENV:KEY}}` in a server's fields.
//!
//! Nothing is ever left standing or made empty in silence: a variable that is not set is an error
//! that names it.

use super::dotenv::is_name;
use super::env::Env;
use super::schema::Server;

/// Why a text could not be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    #[error("the environment variable {0} is not set; export it or put it in a .env file")]
    Unset(String),
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

/// The text with its variables filled in. A variable that is set but empty counts as not set.
///
/// # Errors
/// The first variable that is not set, or a form that is not understood.
pub fn expand(text: &str, env: &Env) -> Result<String, ExpandError> {
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
        } else if let Some(literal) = escaped(rest) {
            filled.push_str(&literal[2..literal.len() - 2]);
            literal.len()
        } else if let Some(body) = rest.strip_prefix("{{ENV:") {
            let end = body.find("}}").ok_or_else(|| ExpandError::Malformed(rest.to_owned()))?;
            let name = body[..end].trim();
            if !is_name(name) {
                return Err(ExpandError::Malformed(format!("{{{{ENV:{name}}}}}")));
            }
            filled.push_str(env.get(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?);
            "{{ENV:".len() + end + 2
        } else {
            filled.push_str(&rest[..1]);
            1
        };
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    Ok(filled)
}

/// `{{{{ENV:KEY}}}}` at the start of the text, which stands for `{{ENV:KEY}}` itself.
fn escaped(text: &str) -> Option<&str> {
    let body = text.strip_prefix("{{{{ENV:")?;
    let end = body.find("}}}}")?;
    is_name(&body[..end]).then(|| &text[.."{{{{ENV:".len() + end + "}}}}".len()])
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
