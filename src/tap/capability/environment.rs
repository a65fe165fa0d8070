//! Which environment variables a server needs.

use std::collections::BTreeSet;

use crate::config::is_name;
use crate::config::schema::Server;

/// Every `{{ENV:KEY}}` in `env`, `headers`, `args`, `url` and `command`, sorted, each once.
pub fn keys(servers: &[Server]) -> Vec<String> {
    let mut keys = BTreeSet::new();
    for server in servers {
        let maps = server.env.values().chain(server.headers.values());
        let texts = maps.chain(&server.args).chain(&server.url).chain(&server.command);
        for text in texts {
            of_text(text, &mut keys);
        }
    }
    keys.into_iter().collect()
}

/// A doubled placeholder stands for itself and needs nothing.
fn of_text(text: &str, keys: &mut BTreeSet<String>) {
    const OPEN: &str = "{{ENV:";
    let mut at = 0;
    while let Some(found) = text[at..].find(OPEN) {
        let start = at + found;
        let name_at = start + OPEN.len();
        at = name_at;
        let Some(length) = text[name_at..].find("}}") else { return };
        let name = text[name_at..name_at + length].trim();
        let doubled = text[..start].ends_with("{{") && text[name_at + length..].starts_with("}}}}");
        if is_name(name) && !doubled {
            keys.insert(name.to_owned());
        }
    }
}
