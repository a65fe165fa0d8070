//! What of a server's configuration may be shown. Pure.

use std::collections::BTreeMap;

use super::Transport;
use crate::config::looks_secret;

const MASK: &str = "•••";

/// The command or address of a server for people: placeholders unexpanded, literal secrets masked.
pub fn shown(transport: &Transport) -> String {
    match transport {
        Transport::Stdio { command, args, .. } => {
            let mut parts = vec![quoted(command)];
            let mut hide_next = false;
            for arg in args {
                let placeholder = arg.contains("{{") || arg.contains("${");
                parts.push(match arg.split_once('=') {
                    Some((name, value)) if looks_secret(name) && !value.contains("{{") && !value.contains("${") => {
                        format!("{name}={MASK}")
                    }
                    _ if hide_next && !arg.starts_with('-') && !placeholder => MASK.to_owned(),
                    _ => quoted(arg),
                });
                hide_next = arg.starts_with('-') && !arg.contains('=') && looks_secret(arg);
            }
            super::visible::line(&parts.join(" "), 500)
        }
        Transport::Http { url, .. } => super::visible::line(&address(url), 500),
        Transport::Bundled { name } => format!("octomind mcp {name}"),
        Transport::Local { folder } => folder.display().to_string(),
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) { format!("{word:?}") } else { word.to_owned() }
}

fn address(url: &str) -> String {
    let (head, query) = url.split_once('?').unwrap_or((url, ""));
    let head = match head.split_once("://").map(|(scheme, rest)| (scheme, rest.split_once('@'))) {
        Some((scheme, Some((user, host)))) if !user.contains('/') => format!("{scheme}://{MASK}@{host}"),
        _ => head.to_owned(),
    };
    if query.is_empty() {
        return head;
    }
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if looks_secret(name) && !value.contains("{{") && !value.contains("${") => {
                format!("{name}={MASK}")
            }
            _ => pair.to_owned(),
        })
        .collect();
    format!("{head}?{}", pairs.join("&"))
}

/// Values that must not appear in what a server writes on its error output.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// From variables or headers, expanded.
    pub fn of(values: &BTreeMap<String, String>) -> Self {
        let mut secrets: Vec<String> = values
            .iter()
            .filter(|(name, value)| looks_secret(name) && value.len() >= 6)
            .map(|(_, value)| value.clone())
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    /// Adds arguments that a secret variable was filled into, or that follow a flag for a secret.
    #[must_use]
    pub fn and_arguments(mut self, raw: &[String], filled: &[String]) -> Self {
        let mut after_flag = false;
        for (raw, filled) in raw.iter().zip(filled) {
            let placeholder = raw != filled && looks_secret(raw);
            let value = match filled.split_once('=') {
                Some((name, value)) if name.starts_with('-') => value,
                _ => filled,
            };
            let flag = filled.len() > value.len() && looks_secret(filled);
            if (placeholder || flag || (after_flag && !filled.starts_with('-'))) && value.len() >= 6 {
                self.0.push(value.to_owned());
            }
            after_flag = filled.starts_with('-') && !filled.contains('=') && looks_secret(filled);
        }
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        self
    }

    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdio(args: &[&str]) -> Transport {
        Transport::Stdio {
            command: "npx".into(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: BTreeMap::new(),
            cwd: None,
        }
    }

    #[test]
    fn literal_secrets_are_masked_and_placeholders_stay() {
        assert_eq!(
            shown(&stdio(&["-y", "server", "--api-key", "sk-1", "--token=abc", "--key", "{{ENV:K}}", "a b"])),
            "npx -y server --api-key ••• --token=••• --key {{ENV:K}} \"a b\""
        );
        let url = "https://me:pw@host/mcp?api_key=1&q=2".to_owned();
        assert_eq!(shown(&Transport::Http { url, headers: BTreeMap::new() }), "https://•••@host/mcp?api_key=•••&q=2");
    }

    #[test]
    fn secrets_do_not_come_back_on_the_error_output() {
        let values = BTreeMap::from([("API_KEY".into(), "abcdef123".into()), ("HOME".into(), "/home/me".into())]);
        assert_eq!(Secrets::of(&values).hide("bad key abcdef123 in /home/me"), "bad key ••• in /home/me");
        let raw =
            ["--token", "literal-1", "--url=x-marks-it", "--key={{ENV:K}}", "{{ENV:MY_TOKEN}}"].map(str::to_owned);
        let filled = ["--token", "literal-1", "--url=x-marks-it", "--key=filled-1", "filled-2"].map(str::to_owned);
        let secrets = Secrets::default().and_arguments(&raw, &filled);
        assert_eq!(secrets.hide("literal-1 x-marks-it filled-1 filled-2"), "••• x-marks-it ••• •••");
    }
}
