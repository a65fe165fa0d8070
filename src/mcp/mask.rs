//! What of a server's configuration may be shown. Pure.

use super::Transport;
use crate::config::{Mask, looks_secret};

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

/// Masks arguments that a secret variable was filled into, or that follow a flag for a secret.
pub fn arguments(mask: &Mask, raw: &[String], filled: &[String]) {
    let mut flag_before = None;
    for (raw, filled) in raw.iter().zip(filled) {
        let (name, value) = match filled.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (Some(name), value),
            _ => (None, filled.as_str()),
        };
        let flag = name.filter(|name| looks_secret(name));
        let after = flag_before.filter(|_| !filled.starts_with('-'));
        if let Some(flag) = flag.or(after) {
            mask.add(flag.trim_start_matches('-'), value);
        } else if raw != filled && looks_secret(raw) {
            mask.add("", value);
        }
        flag_before = Some(filled.as_str()).filter(|flag| flag.starts_with('-') && !flag.contains('='));
        flag_before = flag_before.filter(|flag| looks_secret(flag));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
    fn secrets_among_arguments_are_masked() {
        let raw =
            ["--token", "literal-1", "--url=x-marks-it", "--key={{ENV:K}}", "{{ENV:MY_TOKEN}}"].map(str::to_owned);
        let filled = ["--token", "literal-1", "--url=x-marks-it", "--key=filled-1", "filled-2"].map(str::to_owned);
        let mask = Mask::default();
        arguments(&mask, &raw, &filled);
        let shown = mask.text("literal-1 x-marks-it filled-1 filled-2").into_owned();
        assert_eq!(shown, "[token masked] x-marks-it [key masked] [masked]");
    }
}
