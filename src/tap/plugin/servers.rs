//! `mcp.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::json;
use super::manifest::schema;
use crate::config::Source;
use crate::config::schema::{Server, ServerType};
use crate::tap::Plugin;
use crate::tap::skill::{Remark, Roots};

/// What `$schema` must say. Source: Agent Plugins 1.0.0, §7.2.1.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

const ROOT: &str = "PLUGIN_ROOT";
const DATA: &str = "PLUGIN_DATA";

/// Seconds without progress, as for any server that names no other.
const TIMEOUT: u64 = 30;

/// Where a plugin may keep files over updates, below the data root.
pub fn data_folder(data: &Path, plugin: &str) -> PathBuf {
    data.join("plugins").join(plugin)
}

/// The servers of a plugin as they can be started: `${PLUGIN_DATA}` filled in and both variables set
/// in the environment of programs. The caller makes the folder first.
pub fn servers(plugin: &Plugin, data_folder: &Path) -> Vec<Server> {
    let root = plugin.folder.canonicalize().unwrap_or_else(|_| plugin.folder.clone());
    let data = escaped(data_folder);
    let fill = |text: &String| text.replace("${PLUGIN_DATA}", &data);
    let mut servers = plugin.servers.clone();
    for server in servers.iter_mut().filter(|server| server.kind == ServerType::Stdio) {
        server.args = server.args.iter().map(fill).collect();
        server.env.values_mut().for_each(|value| *value = fill(value));
        server.cwd = server.cwd.as_ref().map(fill);
        server.env.insert(ROOT.to_owned(), escaped(&root));
        server.env.insert(DATA.to_owned(), data.clone());
    }
    servers
}

/// As a value in which `$` starts a variable.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace('$', "$$")
}

/// The servers that can be used, in order; what is wrong with the others is among the remarks.
/// `${PLUGIN_ROOT}` is filled in, everything else is left for when a server starts.
pub fn read(source: &Source, root: &Path, remarks: &mut Vec<Remark>) -> Vec<Server> {
    let object = match json::object(source) {
        Ok(object) => object,
        Err(remark) => {
            remarks.push(remark);
            return Vec::new();
        }
    };
    if let Err((message, hint)) = schema(&object, SCHEMA) {
        let message = format!("{message}, so none of the plugin's servers were read");
        remarks.push(Remark::error(json::key(&source.text, &["$schema"]), message).hint(hint));
        return Vec::new();
    }
    let Some(Value::Object(entries)) = object.get("mcpServers") else {
        let span = json::key(&source.text, &["mcpServers"]);
        remarks.push(Remark::error(span, "it has no object `mcpServers`, so there are no servers"));
        return Vec::new();
    };
    for key in object.keys().filter(|key| !matches!(key.as_str(), "$schema" | "mcpServers")) {
        let span = json::key(&source.text, &[key]);
        remarks.push(Remark::warning(span, format!("there is no field `{key}` in an mcp.json; it was ignored")));
    }
    let mut servers = Vec::new();
    for (name, entry) in entries {
        let mut reading = Reading { root, name, warnings: Vec::new() };
        match reading.server(entry) {
            Ok(server) => servers.push(server),
            Err(wrong) => {
                let span = json::key(&source.text, &["mcpServers", name, wrong.field]);
                let message = format!("the server `{name}` was left out: {}", wrong.why);
                remarks.push(Remark { hint: wrong.hint, ..Remark::error(span, message) });
            }
        }
        let span = json::key(&source.text, &["mcpServers", name]);
        remarks
            .extend(reading.warnings.into_iter().map(|why| Remark::warning(span.clone(), format!("`{name}`: {why}"))));
    }
    servers
}

struct Wrong {
    field: &'static str,
    why: String,
    hint: Option<String>,
}

fn wrong(field: &'static str, why: impl Into<String>) -> Wrong {
    Wrong { field, why: why.into(), hint: None }
}

struct Reading<'a> {
    root: &'a Path,
    name: &'a str,
    warnings: Vec<String>,
}

impl Reading<'_> {
    fn server(&mut self, entry: &Value) -> Result<Server, Wrong> {
        let Value::Object(entry) = entry else { return Err(wrong("", "it is not an object")) };
        if self.name.trim().is_empty() {
            return Err(wrong("", "it has no name"));
        }
        let kind = self.kind(entry)?;
        let fields: &[&str] = match kind {
            ServerType::Http => &["type", "url", "headers"],
            _ => &["type", "command", "args", "env", "cwd"],
        };
        if let Some(stray) = entry.keys().find(|key| !fields.contains(&key.as_str())) {
            let why = format!("`{stray}` is no field of such a server; there are {}", fields.join(", "));
            return Err(wrong("", why));
        }
        let mut server = Server {
            name: self.name.to_owned(),
            kind,
            timeout_seconds: TIMEOUT,
            tools: Vec::new(),
            auto_bind: Vec::new(),
            url: None,
            headers: BTreeMap::new(),
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
        };
        match kind {
            ServerType::Http => self.http(entry, &mut server)?,
            _ => self.stdio(entry, &mut server)?,
        }
        Ok(server)
    }

    fn kind(&mut self, entry: &Map<String, Value>) -> Result<ServerType, Wrong> {
        match entry.get("type").map(Value::as_str) {
            Some(Some("stdio")) => Ok(ServerType::Stdio),
            Some(Some("streamable-http")) => Ok(ServerType::Http),
            Some(Some("sse")) => Err(wrong("type", "the old transport `sse` is not supported here")),
            None if entry.contains_key("command") => {
                self.warnings.push("`type` is missing; it was taken as \"stdio\"".to_owned());
                Ok(ServerType::Stdio)
            }
            None if entry.contains_key("url") => {
                self.warnings.push("`type` is missing; it was taken as \"streamable-http\"".to_owned());
                Ok(ServerType::Http)
            }
            Some(Some("http")) => {
                self.warnings.push("`type` \"http\" was taken as \"streamable-http\"".to_owned());
                Ok(ServerType::Http)
            }
            _ => {
                let hint = Some("write \"stdio\" with a `command`, or \"streamable-http\" with a `url`".to_owned());
                Err(Wrong { hint, ..wrong("type", "its `type` is none that is known") })
            }
        }
    }

    fn stdio(&self, entry: &Map<String, Value>, server: &mut Server) -> Result<(), Wrong> {
        let command = text(entry, "command")?.filter(|command| !command.trim().is_empty());
        let command = command.ok_or_else(|| wrong("command", "it has no `command`"))?;
        // A `$` in it is a letter, not a variable.
        server.command = Some(match command.strip_prefix("./") {
            Some(inside) => escaped(&self.inside("command", Path::new(inside))?),
            None if command.contains(['/', '\\']) => {
                let hint = Some("write a bare name, or a path that begins with ./".to_owned());
                return Err(Wrong { hint, ..wrong("command", "its `command` is a path out of the plugin") });
            }
            None => command.replace('$', "$$"),
        });
        let args = match entry.get("args") {
            None => Vec::new(),
            Some(Value::Array(args)) => args
                .iter()
                .map(|arg| {
                    arg.as_str().map(|arg| self.fill(arg)).ok_or_else(|| wrong("args", "`args` is not a list of texts"))
                })
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(wrong("args", "`args` is not a list of texts")),
        };
        server.args = args;
        server.env = texts(entry, "env")?.into_iter().map(|(key, value)| (key, self.fill(&value))).collect();
        if server.env.keys().any(|key| key == ROOT || key == DATA) {
            return Err(wrong("env", "`env` sets PLUGIN_ROOT or PLUGIN_DATA, which are set for it"));
        }
        server.cwd = Some(self.cwd(text(entry, "cwd")?)?);
        Ok(())
    }

    fn http(&self, entry: &Map<String, Value>, server: &mut Server) -> Result<(), Wrong> {
        let url = text(entry, "url")?.ok_or_else(|| wrong("url", "it has no `url`"))?;
        if let Some(why) = bad_url(url) {
            return Err(wrong("url", why));
        }
        server.url = Some(url.to_owned());
        server.headers = texts(entry, "headers")?;
        let mut names: Vec<String> = server.headers.keys().map(|name| name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        if names.len() < server.headers.len() {
            return Err(wrong("headers", "`headers` has one name twice"));
        }
        Ok(())
    }

    /// The plugin's folder if it names none.
    fn cwd(&self, cwd: Option<&str>) -> Result<String, Wrong> {
        let Some(cwd) = cwd else { return Ok(escaped(self.root)) };
        if let Some(below) = cwd.strip_prefix("${PLUGIN_DATA}") {
            let stays = below.is_empty() || (below.starts_with('/') && !leads_up(Path::new(below)));
            return if stays {
                Ok(cwd.to_owned())
            } else {
                Err(wrong("cwd", "its `cwd` leads out of the data folder"))
            };
        }
        let inside =
            cwd.strip_prefix("${PLUGIN_ROOT}").map(|below| (below, below.is_empty() || below.starts_with('/')));
        let inside = inside.or_else(|| cwd.strip_prefix("./").map(|below| (below, true)));
        match inside {
            Some((below, true)) => Ok(escaped(&self.inside("cwd", Path::new(below.trim_start_matches('/')))?)),
            _ => {
                let hint = Some("begin it with ./, ${PLUGIN_ROOT} or ${PLUGIN_DATA}".to_owned());
                Err(Wrong { hint, ..wrong("cwd", "its `cwd` is no path of the plugin") })
            }
        }
    }

    /// A path in the plugin's folder; links may not lead out.
    fn inside(&self, field: &'static str, path: &Path) -> Result<PathBuf, Wrong> {
        let full = self.root.join(path);
        let outside = || wrong(field, format!("its `{field}` leads out of the plugin"));
        if leads_up(path) {
            return Err(outside());
        }
        // Something that is not there yet cannot be a link.
        if full.symlink_metadata().is_ok() && Roots::new(self.root).resolve(&full).is_err() {
            return Err(outside());
        }
        Ok(full)
    }

    fn fill(&self, text: &str) -> String {
        text.replace("${PLUGIN_ROOT}", &escaped(self.root))
    }
}

fn leads_up(path: &Path) -> bool {
    path.components().any(|part| matches!(part, std::path::Component::ParentDir))
}

fn text<'a>(entry: &'a Map<String, Value>, key: &'static str) -> Result<Option<&'a str>, Wrong> {
    match entry.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(key, format!("`{key}` is not a text"))),
    }
}

fn texts(entry: &Map<String, Value>, key: &'static str) -> Result<BTreeMap<String, String>, Wrong> {
    let not_texts = || wrong(key, format!("`{key}` is not an object of texts"));
    match entry.get(key) {
        None => Ok(BTreeMap::new()),
        Some(Value::Object(object)) => object
            .iter()
            .map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(not_texts)?.to_owned())))
            .collect(),
        Some(_) => Err(not_texts()),
    }
}

/// An address with a variable in it is looked at when it is filled in.
fn bad_url(url: &str) -> Option<&'static str> {
    if url.contains("${") {
        return None;
    }
    let Ok(url) = reqwest::Url::parse(url) else { return Some("its `url` is no address") };
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Some("its `url` is no http or https address");
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Some("its `url` has a user or a fragment in it");
    }
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    let here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    (url.scheme() == "http" && !here).then_some("its `url` is http, which only this machine may be; use https")
}
