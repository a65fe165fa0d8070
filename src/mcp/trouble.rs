//! Why a server does not work, in words that fit the cause, and whether trying again can help.

use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
};

use super::flood::Flood;
use super::visible;

/// Whether another try may go better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Retry,
    /// Nothing changes until a person changes something.
    Final,
    SignIn,
    /// A person is being asked; it goes on with the answer.
    Held,
}

/// Why a server does not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub verdict: Verdict,
    /// One sentence.
    pub reason: String,
    /// What a person can do, one sentence.
    pub advice: String,
    /// Equal for servers that fail for one cause; they are reported together.
    pub cause: String,
    /// The connection ended without a word; how the process ended may say why.
    pub wordless: bool,
}

impl Trouble {
    pub fn new(verdict: Verdict, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { verdict, cause: reason.clone(), reason, advice: advice.into(), wordless: false }
    }

    fn caused_by(mut self, cause: &str) -> Self {
        cause.clone_into(&mut self.cause);
        self
    }
}

/// The program could not be started.
pub fn not_started(command: &str, cwd: Option<&Path>, error: &io::Error) -> Trouble {
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
        return Trouble::new(
            Verdict::Final,
            format!("its folder {} does not exist", cwd.display()),
            "create the folder or correct `cwd`",
        );
    }
    let os = error.raw_os_error().map(|code| format!(" (OS error {code})")).unwrap_or_default();
    match error.kind() {
        io::ErrorKind::NotFound => {
            let mut words = command.split_whitespace();
            let first = words.next().unwrap_or_default();
            let rest: Vec<_> = words.map(|word| format!("{:?}", word.trim_matches(['\'', '"']))).collect();
            let advice = if rest.is_empty() {
                format!("install {first}, or give its full path in `command`")
            } else {
                format!("put arguments in `args`: command = {first:?}, args = [{}]", rest.join(", "))
            };
            Trouble::new(Verdict::Final, format!("there is no program called `{command}`{os}"), advice)
        }
        io::ErrorKind::PermissionDenied => Trouble::new(
            Verdict::Final,
            format!("`{command}` may not be run{os}"),
            "make it executable, or name another program in `command`",
        ),
        _ => Trouble::new(
            Verdict::Retry,
            format!("`{command}` could not be started: {error}"),
            "see whether the system is out of processes, files or memory",
        ),
    }
}

/// When a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Starting,
    Ready,
}

/// The process ended by itself.
pub fn exited(status: Option<ExitStatus>, phase: Phase, last_words: Option<&str>) -> Trouble {
    let how = match status {
        None => "closed its output".to_owned(),
        Some(status) => how_it_ended(status),
    };
    let when = match phase {
        Phase::Starting => " before it was ready",
        Phase::Ready => "",
    };
    let said = last_words.map(|words| format!("; it said: {}", visible::line(words, 200))).unwrap_or_default();
    let advice = match (phase, last_words) {
        (Phase::Starting, Some(_)) => "its error output says why; correct that and restart the server",
        (Phase::Starting, None) => "run its command in a terminal to see what it misses",
        (Phase::Ready, _) => "restart the server; the call that was running may have taken effect",
    };
    let wordless = status.is_none();
    Trouble { wordless, ..Trouble::new(Verdict::Retry, format!("it {how}{when}{said}"), advice) }
}

/// `exited with code 3`, `was ended by signal 9`.
pub fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended".to_owned(),
    }
}

/// It wrote far more than the protocol.
pub fn flooded(flood: &Flood) -> Trouble {
    Trouble::new(
        Verdict::Final,
        format!("it floods its standard output with text that is not the protocol ({})", flood.0),
        "only the protocol belongs there: let it write to its error output or a file, then restart the server",
    )
    .caused_by("flood")
}

/// Nothing came for the whole waiting time.
pub fn silent(waited: Duration) -> Trouble {
    Trouble::new(
        Verdict::Retry,
        format!("it did not answer within {} s", waited.as_secs_f32()),
        "see its error output; a first start that downloads packages may need another try",
    )
    .caused_by("silent")
}

/// A placeholder of the configuration could not be filled.
pub fn not_expanded(field: &str, why: &str, origin: &str) -> Trouble {
    Trouble::new(
        Verdict::Final,
        format!("`{field}` cannot be filled in: {why}"),
        format!("set the variable, or change {origin}, and restart the server"),
    )
}

/// The handshake failed.
pub fn handshake(error: &ClientInitializeError) -> Trouble {
    match error {
        ClientInitializeError::TransportError { error, .. } => transport(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => handshake(fallback),
        ClientInitializeError::JsonRpcError(error) => Trouble::new(
            Verdict::Retry,
            format!("it refused the handshake: {}", visible::line(&error.message, 200)),
            "see its documentation for what it needs to start",
        ),
        ClientInitializeError::ConnectionClosed(_) => exited(None, Phase::Starting, None),
        other => Trouble::new(
            Verdict::Retry,
            format!("the handshake failed: {}", visible::line(&other.to_string(), 200)),
            "the server may speak another protocol; check that it is an MCP server",
        ),
    }
}

/// An HTTP transport failed.
pub fn transport(error: &(dyn Error + 'static)) -> Trouble {
    for error in chain(error) {
        if error.is::<AuthRequiredError>() || error.is::<InsufficientScopeError>() {
            return sign_in();
        }
        if let Some(status) = error.downcast_ref::<HttpStatusError>() {
            return http_status(status.status);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            let reason = format!("it takes no more input ({error})");
            return Trouble { wordless: true, ..Trouble::new(Verdict::Retry, reason, "restart the server") };
        }
        if let Some(error) = error.downcast_ref::<reqwest::Error>() {
            return reqwest(error);
        }
        // It does not name its cause as its source.
        if let Some(StreamableHttpError::Client(error)) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return reqwest(error);
        }
    }
    let words = error.to_string();
    if let Some(status) = status_in(&words) {
        return http_status(status);
    }
    Trouble::new(
        Verdict::Retry,
        format!("the connection failed: {}", visible::line(&words, 200)),
        "check that `url` names a streamable HTTP endpoint of an MCP server",
    )
}

/// An error and what caused it.
pub fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

fn sign_in() -> Trouble {
    Trouble::new(
        Verdict::SignIn,
        "the server wants a sign-in (HTTP 401)",
        "put a valid token into `headers` (Authorization) and restart the server",
    )
    .caused_by("sign-in")
}

fn http_status(status: u16) -> Trouble {
    match status {
        401 | 403 => Trouble { reason: format!("the server wants a sign-in (HTTP {status})"), ..sign_in() },
        404 | 405 => Trouble::new(
            Verdict::Final,
            format!("there is no MCP endpoint at this address (HTTP {status})"),
            "correct `url`; most servers use a path like /mcp",
        ),
        429 => Trouble::new(Verdict::Retry, "the server asks to slow down (HTTP 429)", "wait, then restart the server"),
        400..=499 => Trouble::new(
            Verdict::Final,
            format!("the server refused the request (HTTP {status})"),
            "check `url` and `headers`",
        ),
        _ => Trouble::new(
            Verdict::Retry,
            format!("the server has a fault of its own (HTTP {status})"),
            "try again later, or ask who runs it",
        ),
    }
}

fn reqwest(error: &reqwest::Error) -> Trouble {
    if let Some(status) = error.status() {
        return http_status(status.as_u16());
    }
    let host = error.url().and_then(|url| url.host_str()).unwrap_or("the host").to_owned();
    let root = chain(error).last().map(ToString::to_string).unwrap_or_default();
    // The address may hold a key.
    let root = error.url().map_or_else(|| root.clone(), |url| root.replace(url.as_str(), "its address"));
    let root = visible::line(&root, 120);
    if error.is_builder() {
        Trouble::new(Verdict::Final, format!("`url` or `headers` cannot be used: {root}"), "correct them")
    } else if error.is_connect() || error.is_timeout() {
        Trouble::new(
            Verdict::Retry,
            format!("{host} cannot be reached: {root}"),
            "check the network, and that the server runs at this address",
        )
        .caused_by(&format!("unreachable {root}"))
    } else {
        Trouble::new(
            Verdict::Retry,
            format!("the connection to {host} failed: {root}"),
            "check that `url` names a streamable HTTP endpoint of an MCP server",
        )
    }
}

/// The status in a message like `… HTTP 401 …`, which is all the transport leaves of some errors.
fn status_in(words: &str) -> Option<u16> {
    let (_, rest) = words.split_once("HTTP ")?;
    rest.get(..3)?.parse().ok().filter(|status| (300..600).contains(status))
}

#[cfg(test)]
mod tests;
