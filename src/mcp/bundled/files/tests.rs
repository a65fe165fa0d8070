//! End to end: an rmcp client in this process against the server, over a pipe.

mod edits;
mod files;
mod served;

use std::path::Path;

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use rmcp::service::{RoleClient, RunningService};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::ServeError;
use super::serve::serve_until;

/// A client and the server it talks to, in a folder of their own.
struct Session {
    folder: tempfile::TempDir,
    client: RunningService<RoleClient, ()>,
    server: Serving,
}

type Serving = JoinHandle<Result<(), ServeError>>;

/// A folder and the server at work in it.
struct Bare {
    folder: tempfile::TempDir,
    server: Serving,
}

impl Session {
    async fn start() -> Self {
        let (Bare { folder, server }, client) = Self::start_with(()).await;
        Self { folder, client, server }
    }

    async fn start_with<H: rmcp::ClientHandler>(handler: H) -> (Bare, RunningService<RoleClient, H>) {
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        let server = tokio::spawn(serve_until(read, write, folder.path().to_owned(), CancellationToken::new()));
        let client = handler.serve(ours).await.unwrap();
        (Bare { folder, server }, client)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let arguments = arguments.as_object().unwrap().clone();
        self.client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
    }

    async fn ok(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{}", text(&result));
        text(&result)
    }

    async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{}", text(&result));
        text(&result)
    }

    /// The id of the first line that reads so.
    async fn id(&self, name: &str, line: &str) -> String {
        let view = self.ok("view", serde_json::json!({"path": name})).await;
        let found = view.lines().find_map(|shown| shown.split_once('|').filter(|(_, text)| *text == line));
        found.unwrap().0.to_owned()
    }
}

fn text(result: &CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(|text| text.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}
