//! One working MCP connection: listing and calling.

use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ErrorCode, ListToolsRequest, PaginatedRequestParams,
    ServerResult,
};
use rmcp::service::{
    Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningServiceCancellationToken, ServiceError,
};
use rmcp::transport::IntoTransport;
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};
use serde_json::{Map, Value};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

pub use super::ears::Ears;
use super::ears::Handler;
use super::trouble::{self, Trouble, Verdict};
use super::{CallResult, Progress, results, tools, visible};
use crate::mcp::Listing;
use crate::proto::ToolOutcome;

/// Pages of `tools/list` that are read at most.
pub const MAX_PAGES: usize = 100;

/// A call is ended after so many times its idle time-out, progress or not.
pub const ABSOLUTE_FACTOR: u32 = 20;

/// A connection after its handshake.
pub struct Connection {
    pub peer: Peer<RoleClient>,
    pub ears: Arc<Ears>,
    done: JoinHandle<()>,
    cancel: Option<RunningServiceCancellationToken>,
}

impl Connection {
    /// Does the handshake.
    ///
    /// # Errors
    /// Why not, in words for people.
    pub async fn open<T, E, A>(transport: T, ears: Arc<Ears>) -> Result<Self, Trouble>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: Error + Send + Sync + 'static,
    {
        let service = Handler(Arc::clone(&ears)).serve(transport).await.map_err(|error| trouble::handshake(&error))?;
        let peer = service.peer().clone();
        let cancel = service.cancellation_token();
        let done = tokio::spawn(async move {
            let _ = service.waiting().await;
        });
        Ok(Self { peer, ears, done, cancel: Some(cancel) })
    }

    /// Waits until the connection is over. Cancel safe.
    pub async fn over(&mut self) {
        if !self.done.is_finished() {
            let _ = (&mut self.done).await;
        }
    }

    /// Says goodbye, but does not wait longer than the grace.
    pub async fn close(mut self, grace: Duration) {
        if let Some(cancel) = self.cancel.take() {
            cancel.cancel();
        }
        let _ = timeout(grace, self.over()).await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.done.abort();
    }
}

/// Reads all pages of the tool list. The second value are warnings.
///
/// # Errors
/// The list cannot be had at all.
pub async fn list(peer: &Peer<RoleClient>, patience: Duration) -> Result<(Listing, Vec<String>), Trouble> {
    let mut items = Vec::new();
    let mut warnings = Vec::new();
    let mut seen = HashSet::new();
    let mut cursor = None;
    for page in 1.. {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let answer = timeout(patience, peer.send_request(request)).await.map_err(|_| trouble::silent(patience))?;
        let answer = match answer {
            Ok(answer) => value(answer),
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND && page == 1 => {
                return Ok((Listing::default(), vec!["it offers no tools".to_owned()]));
            }
            Err(error) => return Err(list_trouble(&error)),
        };
        match answer.get("tools") {
            Some(Value::Array(tools)) => items.extend(tools.iter().cloned()),
            _ => warnings.push(format!("page {page} of its tool list holds no list")),
        }
        match answer.get("nextCursor").and_then(Value::as_str).filter(|next| !next.is_empty()) {
            None => break,
            Some(next) if !seen.insert(next.to_owned()) => {
                warnings
                    .push(format!("its tool list never ends (the same page again); reading stopped after page {page}"));
                break;
            }
            Some(_) if page >= MAX_PAGES || items.len() > tools::MAX_TOOLS => {
                warnings.push(format!("its tool list is too long; reading stopped after page {page}"));
                break;
            }
            Some(next) => cursor = Some(next.to_owned()),
        }
    }
    Ok((tools::parse(&items), warnings))
}

fn list_trouble(error: &ServiceError) -> Trouble {
    match error {
        ServiceError::McpError(error) => Trouble::new(
            Verdict::Retry,
            format!("it does not list its tools: {}", visible::line(&error.message, 200)),
            "see its error output",
        ),
        ServiceError::TransportSend(error) => trouble::transport(error.error.as_ref()),
        ServiceError::TransportClosed => trouble::exited(None, trouble::Phase::Starting, None),
        other => Trouble::new(
            Verdict::Retry,
            format!("it does not list its tools: {}", visible::line(&other.to_string(), 200)),
            "see its error output",
        ),
    }
}

/// The JSON of an answer, whichever of the typed results it looked like.
fn value(result: ServerResult) -> Value {
    match result {
        ServerResult::CustomResult(custom) => custom.0,
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// One call to make.
pub struct Call<'a> {
    pub server: &'a str,
    pub tool: &'a str,
    pub arguments: Map<String, Value>,
    pub idle: Duration,
    pub progress: UnboundedSender<Progress>,
    pub cancel: CancellationToken,
}

/// How a call ended; with what broke the connection, if it did.
pub type Called = (CallResult, Option<Trouble>);

pub async fn call(peer: &Peer<RoleClient>, ears: &Ears, call: Call<'_>) -> Called {
    let params = CallToolRequestParams::new(call.tool.to_owned()).with_arguments(call.arguments.clone());
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = match peer.send_request_with_option(request, PeerRequestOptions::no_options()).await {
        Ok(handle) => handle,
        Err(error) => return failed(&call, &error),
    };
    let token = handle.progress_token.clone();
    let heard = ears.register(&token);
    let called = answer(handle, heard, &call).await;
    ears.forget(&token);
    called
}

async fn answer(
    mut handle: RequestHandle<RoleClient>,
    mut heard: UnboundedReceiver<Progress>,
    call: &Call<'_>,
) -> Called {
    let cap = call.idle * ABSOLUTE_FACTOR;
    let end = Instant::now() + cap;
    let mut idle = Instant::now() + call.idle;
    loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => {
                while let Ok(progress) = heard.try_recv() {
                    let _ = call.progress.send(progress);
                }
                return match answer {
                Ok(Ok(result)) => (results::read(&value(result)), None),
                Ok(Err(error)) => failed(call, &error),
                Err(_) => failed(call, &ServiceError::TransportClosed),
            };
            }
            () = call.cancel.cancelled() => {
                let _ = handle.cancel(Some("stopped by the person".to_owned())).await;
                return (CallResult::plain(ToolOutcome::Cancelled, "The call was stopped before it ended."), None);
            }
            Some(progress) = heard.recv() => {
                idle = Instant::now() + call.idle;
                let _ = call.progress.send(progress);
            }
            () = sleep_until(idle.min(end)) => {
                let reason = if end <= idle { "absolute time limit" } else { "no progress" };
                let _ = handle.cancel(Some(reason.to_owned())).await;
                return (timed_out(call, cap, end <= idle), None);
            }
        }
    }
}

/// The text states both limits, so that it is clear which one to change.
fn timed_out(call: &Call<'_>, cap: Duration, absolute: bool) -> CallResult {
    let (idle, cap) = (call.idle.as_secs_f32(), cap.as_secs_f32());
    let why = if absolute {
        format!("was still running after {cap} s, the absolute limit (the limit without progress is {idle} s)")
    } else {
        format!("showed no progress for {idle} s (the absolute limit is {cap} s)")
    };
    CallResult::plain(
        ToolOutcome::TimedOut,
        format!(
            "{} {why}. It was asked to stop; whether it had an effect is not known. Ask for less at a time; a person can raise `timeout_seconds` of server {}.",
            call.tool, call.server
        ),
    )
}

fn failed(call: &Call<'_>, error: &ServiceError) -> Called {
    let server = call.server;
    match error {
        ServiceError::McpError(error) => {
            let (words, _) = visible::strip(&error.message);
            (CallResult::plain(ToolOutcome::Error, format!("{} failed: {words}", call.tool)), None)
        }
        ServiceError::TransportSend(error) if session_expired(error.error.as_ref()) => (
            CallResult::plain(
                ToolOutcome::Error,
                format!(
                    "Server {server} was restarted and did not run this call. It is being connected again; make the call again if it is still needed."
                ),
            ),
            Some(Trouble::new(
                Verdict::Retry,
                "it was restarted and forgot the session",
                "nothing; it is connected again",
            )),
        ),
        ServiceError::TransportSend(error) => {
            let trouble = trouble::transport(error.error.as_ref());
            let words = format!("{} did not come through to server {server}: {}", call.tool, trouble.reason);
            let outcome = if trouble.cause.starts_with("unreachable") || trouble.verdict == Verdict::SignIn {
                ToolOutcome::Error
            } else {
                ToolOutcome::Lost
            };
            // A status that is neither is about this call, not about the connection.
            let answered = trouble::chain(error.error.as_ref()).any(|error| error.is::<HttpStatusError>());
            let broken = (!answered || trouble.verdict == Verdict::SignIn).then_some(trouble);
            (CallResult::plain(outcome, format!("{words}.")), broken)
        }
        ServiceError::TransportClosed => (
            CallResult::plain(
                ToolOutcome::Lost,
                format!(
                    "Server {server} went away while {} ran; whether it had an effect is not known. Check before calling again.",
                    call.tool
                ),
            ),
            None,
        ),
        other => (CallResult::plain(ToolOutcome::Error, format!("{} failed: {other}", call.tool)), None),
    }
}

fn session_expired(error: &(dyn Error + 'static)) -> bool {
    trouble::chain(error).any(|error| {
        matches!(error.downcast_ref::<StreamableHttpError<reqwest::Error>>(), Some(StreamableHttpError::SessionExpired))
    })
}
