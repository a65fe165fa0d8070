//! From a specification to something that can be started: placeholders filled, addresses checked.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::mask;
use super::process::Launch;
use super::trouble::{self, Trouble, Verdict};
use super::{Expand, Options, ServerSpec, Transport};

/// Until a connection stands, DNS included.
const CONNECT: Duration = Duration::from_secs(10);

/// What to open.
#[derive(Debug)]
pub enum Target {
    Process(Launch),
    Http { url: String, headers: HashMap<HeaderName, HeaderValue> },
    Local(PathBuf),
}

/// Fills in a specification, and masks what of it must not be shown.
///
/// # Errors
/// Names the field that cannot be used.
pub fn target(spec: &ServerSpec, options: &Options) -> Result<Target, Trouble> {
    let fill = Fill { expand: &options.expand, origin: &spec.origin };
    match &spec.transport {
        Transport::Stdio { command, args, env, cwd } => {
            let env = fill.map("env", env)?;
            let filled: Result<Vec<String>, _> =
                args.iter().enumerate().map(|(index, arg)| fill.one(&format!("args[{index}]"), arg)).collect();
            let filled = filled?;
            options.mask.add_named(&env);
            mask::arguments(&options.mask, args, &filled);
            let cwd = cwd.as_ref().map(|cwd| fill.one("cwd", &cwd.to_string_lossy())).transpose()?;
            let launch = Launch {
                command: fill.one("command", command)?.into(),
                args: filled,
                env,
                // An absolute folder stays as it is.
                cwd: cwd.map_or_else(|| options.workdir.clone(), |cwd| options.workdir.join(cwd)),
                log: log(options, &spec.name),
            };
            Ok(Target::Process(launch))
        }
        Transport::Bundled { name } => {
            let launch = Launch {
                command: options.program.clone(),
                args: vec!["mcp".to_owned(), name.clone()],
                env: BTreeMap::new(),
                cwd: options.workdir.clone(),
                log: log(options, &spec.name),
            };
            Ok(Target::Process(launch))
        }
        Transport::Http { url, headers } => {
            let url = fill.one("url", url)?;
            let headers = fill.map("headers", headers)?;
            options.mask.add_named(&headers);
            let headers = header_map(&headers, &spec.origin)?;
            Ok(Target::Http { url: address(url, &spec.origin)?, headers })
        }
        Transport::Local { folder } => Ok(Target::Local(folder.clone())),
    }
}

struct Fill<'a> {
    expand: &'a Expand,
    origin: &'a str,
}

impl Fill<'_> {
    fn one(&self, field: &str, text: &str) -> Result<String, Trouble> {
        (self.expand)(text).map_err(|why| trouble::not_expanded(field, &why, self.origin))
    }

    fn map(&self, field: &str, values: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Trouble> {
        values.iter().map(|(name, value)| Ok((name.clone(), self.one(&format!("{field}.{name}"), value)?))).collect()
    }
}

fn log(options: &Options, server: &str) -> Option<PathBuf> {
    let name: String = server.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    options.logs.as_deref().map(|folder: &Path| folder.join(format!("mcp-{name}.log")))
}

fn address(url: String, origin: &str) -> Result<String, Trouble> {
    match reqwest::Url::parse(&url) {
        Ok(parsed) if matches!(parsed.scheme(), "http" | "https") && parsed.has_host() => Ok(url),
        _ => Err(Trouble::new(
            Verdict::Final,
            "`url` is not an http or https address",
            format!("correct it in {origin}, like https://example.org/mcp"),
        )),
    }
}

fn header_map(headers: &BTreeMap<String, String>, origin: &str) -> Result<HashMap<HeaderName, HeaderValue>, Trouble> {
    let mut map = HashMap::new();
    for (name, value) in headers {
        let (Ok(key), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
            return Err(Trouble::new(
                Verdict::Final,
                format!("`headers.{name}` cannot be sent as an HTTP header"),
                format!("correct its name or value in {origin}"),
            ));
        };
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

/// The transport for a streamable HTTP server.
///
/// A forgotten session is reported, never quietly renewed: renewing would send the call again.
///
/// # Errors
/// No TLS, in practice.
pub fn http(
    url: &str,
    headers: HashMap<HeaderName, HeaderValue>,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, Trouble> {
    // Fails only when someone installed one already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::custom(|attempt| {
            let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
            if same && attempt.previous().len() < 6 { attempt.follow() } else { attempt.stop() }
        }))
        // A body that was not read to its end would stall the next request on the connection.
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|error| Trouble::new(Verdict::Final, format!("HTTP cannot be used here: {error}"), "report this"))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.to_owned());
    config.custom_headers = headers;
    config.reinit_on_expired_session = false;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

#[cfg(test)]
mod tests;
