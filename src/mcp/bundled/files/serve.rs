//! The MCP side: handshake, tool list, calls in parallel, end with the input.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::shell::{self, Reporter, Shells};
use super::{Answer, Refusal, Tools, definitions, edit, list, place, search, seen, view, write};

/// Why the server did not run or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot work in {}: {source}; start it in a folder that exists", path.display())]
    Root { path: PathBuf, source: io::Error },
    #[error("the client did not open an MCP session: {0}")]
    Handshake(String),
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
    #[error("the server stopped in the middle of its work: {0}")]
    Stopped(String),
}

/// Serves the six tools until the input ends or a signal asks to stop. Commands still running then
/// are ended with everything they started.
pub async fn serve<R, W>(stdin: R, stdout: W, root: PathBuf) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closing = CancellationToken::new();
    let listen = |kind| signal(kind).map_err(ServeError::Signals);
    let (mut terminate, mut hang_up) = (listen(SignalKind::terminate())?, listen(SignalKind::hangup())?);
    let asked = closing.clone();
    let signals = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        asked.cancel();
        std::future::pending().await
    };
    tokio::select! {
        outcome = serve_until(stdin, stdout, root, closing) => outcome,
        outcome = signals => outcome,
    }
}

/// As [`serve`], ended by the token instead of signals.
pub(super) async fn serve_until<R, W>(
    stdin: R,
    stdout: W,
    root: PathBuf,
    closing: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let root = place::Root::new(&root).map_err(|source| ServeError::Root { path: root, source })?;
    let tools = Tools { root, seen: seen::Seen::default(), writing: std::sync::Mutex::default() };
    let shells = Arc::new(Shells::default());
    let server = Server { tools: Arc::new(tools), shells: Arc::clone(&shells), closing: closing.clone() };
    let input = EndOfInput { inner: stdin, closing: closing.clone() };
    let outcome = match server.serve_with_ct((input, stdout), closing.clone()).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| ServeError::Stopped(error.to_string())),
        Err(_) if closing.is_cancelled() => Ok(()),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Handshake(error.to_string())),
    };
    closing.cancel();
    shells.end().await;
    outcome
}

/// Notices the end of the input at once: the MCP loop would first wait for running calls.
struct EndOfInput<R> {
    inner: R,
    closing: CancellationToken,
}

impl<R: AsyncRead + Unpin> AsyncRead for EndOfInput<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = buffer.remaining() > 0;
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        let ended = match &polled {
            Poll::Ready(Ok(())) => room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if ended {
            self.closing.cancel();
        }
        polled
    }
}

#[derive(Clone)]
struct Server {
    tools: Arc<Tools>,
    shells: Arc<Shells>,
    closing: CancellationToken,
}

/// Tools that look at or change files; they block, so they run beside the loop.
#[derive(Clone, Copy)]
enum FileTool {
    View,
    Edit,
    Write,
    Search,
    List,
}

impl FileTool {
    fn named(name: &str) -> Option<(Self, &'static str)> {
        Some(match name {
            "view" => (Self::View, "view"),
            "edit" => (Self::Edit, "edit"),
            "write" => (Self::Write, "write"),
            "search" => (Self::Search, "search"),
            "list" => (Self::List, "list"),
            _ => return None,
        })
    }

    fn run(self, tools: &Tools, args: &mut Args, cancel: &CancellationToken) -> Result<Answer, Refusal> {
        match self {
            Self::View => view::run(tools, args),
            Self::Search => search::run(tools, args, cancel),
            Self::List => list::run(tools, args),
            Self::Edit => {
                let _one_at_a_time = tools.writing.lock().unwrap_or_else(PoisonError::into_inner);
                edit::run(tools, args)
            }
            Self::Write => {
                let _one_at_a_time = tools.writing.lock().unwrap_or_else(PoisonError::into_inner);
                write::run(tools, args)
            }
        }
    }
}

impl Server {
    async fn answer(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Answer {
        if request.name == "shell" {
            let mut args = Args::new("shell", request.arguments);
            let report = context.meta.get_progress_token().map(|token| Reporter::new(context.peer.clone(), token));
            let stop = shell::Stop { cancel: context.ct, closing: self.closing.clone() };
            let answer = shell::run(&self.shells, &self.tools.root, &mut args, report, stop).await;
            return finish(answer, &args);
        }
        let Some((tool, name)) = FileTool::named(&request.name) else {
            let names: Vec<_> = definitions::all().into_iter().map(|tool| tool.name).collect();
            return refused(&format!("There is no tool {}. There are {}.", request.name, names.join(", ")));
        };
        let (tools, cancel) = (Arc::clone(&self.tools), context.ct);
        let work = tokio::task::spawn_blocking(move || {
            let mut args = Args::new(name, request.arguments);
            let answer = tool.run(&tools, &mut args, &cancel);
            finish(answer, &args)
        });
        work.await.unwrap_or_else(|error| refused(&format!("{name} failed inside: {error}. Try it in another way.")))
    }
}

fn refused(text: &str) -> Answer {
    Answer { content: vec![ContentBlock::text(text)], failed: true }
}

/// Adds the note about arguments that were not understood.
fn finish(answer: Result<Answer, Refusal>, args: &Args) -> Answer {
    let mut answer = answer.unwrap_or_else(|refusal| refused(&refusal.to_string()));
    answer.content.extend(args.leftovers().map(ContentBlock::text));
    answer
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("octomind-files", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(definitions::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        definitions::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.answer(request, context).await;
        let result =
            if answer.failed { CallToolResult::error(answer.content) } else { CallToolResult::success(answer.content) };
        Ok(result.into())
    }
}
