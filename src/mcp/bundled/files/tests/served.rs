use std::time::Duration;

use serde_json::json;

use super::super::definitions;
use super::Session;

#[test]
fn the_definitions_are_small_and_complete() {
    let tools = definitions::all();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["view", "edit", "write", "search", "list", "shell"]);
    let size = serde_json::to_string(&tools).unwrap().len();
    assert!(size <= 3_500, "{size} bytes");
    for tool in &tools {
        assert!(jsonschema::validator_for(&serde_json::Value::Object((*tool.input_schema).clone())).is_ok());
        let annotations = tool.annotations.clone().unwrap();
        let reads = matches!(tool.name.as_ref(), "view" | "search" | "list");
        assert_eq!(annotations.read_only_hint, Some(reads), "{}", tool.name);
        assert_eq!(annotations.destructive_hint, (!reads).then_some(true), "{}", tool.name);
    }
}

#[tokio::test]
async fn a_client_lists_the_tools_and_views_a_file() {
    let session = Session::start().await;
    assert_eq!(session.client.list_all_tools().await.unwrap().len(), 6);
    session.put("src/one.rs", "fn one() {\n\n}\n");
    let view = session.ok("view", json!({"file_path": "src/one.rs"})).await;
    let lines: Vec<_> = view.lines().collect();
    assert_eq!(lines[0], "src/one.rs: 3 lines, 14 bytes");
    assert!(lines[1].starts_with("1:") && lines[1].ends_with("|fn one() {"), "{view}");
    assert_eq!(lines.len(), 4);
}

#[tokio::test]
async fn the_server_ends_with_its_input_and_takes_its_commands_along() {
    let session = Session::start().await;
    let mark = session.path().join("pid");
    let request = rmcp::model::CallToolRequestParams::new("shell").with_arguments(
        json!({"command": "(sh -c 'echo $$ > pid; exec sleep 300') | cat"}).as_object().unwrap().clone(),
    );
    let peer = session.client.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool(request).await });
    let pid = super::super::probe::number_in(&mark).await;
    session.client.cancel().await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), session.server).await.unwrap().unwrap().unwrap();
    super::super::probe::until_gone(pid).await;
    let _ = call.await;
}

#[tokio::test]
async fn an_unknown_tool_or_argument_is_named() {
    let session = Session::start().await;
    let text = session.refused("delete", json!({})).await;
    assert!(text.contains("There is no tool delete") && text.contains("view, edit, write"), "{text}");
    let text = session.ok("list", json!({"colour": 1})).await;
    assert!(text.contains("not used: `colour`"), "{text}");
    let text = session.refused("view", json!({"name": "x"})).await;
    assert!(text.contains("view needs `path`, but got name"), "{text}");
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let session = Session::start().await;
    // Each waits for the other, so one after the other would never end.
    let meet = |own: &str, other: &str| json!({"command": format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo met"), "timeout_seconds": 20});
    let (one, two) = tokio::join!(session.ok("shell", meet("a", "b")), session.ok("shell", meet("b", "a")));
    assert!(one.starts_with("met\n") && two.starts_with("met\n"), "{one}{two}");
}

#[tokio::test]
async fn one_failing_call_is_its_own() {
    let session = Session::start().await;
    let (bad, good) = tokio::join!(
        session.refused("shell", json!({"command": "exit 1"})),
        session.ok("shell", json!({"command": "sleep 0.05; echo fine"})),
    );
    assert!(bad.contains("[exit 1") && good.starts_with("fine\n"), "{bad}{good}");
}

#[tokio::test]
async fn progress_carries_the_last_line_and_cancel_ends_the_command() {
    use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam};
    use rmcp::service::{NotificationContext, PeerRequestOptions, RoleClient};

    struct Listener(tokio::sync::mpsc::UnboundedSender<ProgressNotificationParam>);
    impl rmcp::ClientHandler for Listener {
        async fn on_progress(&self, note: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
            let _ = self.0.send(note);
        }
    }
    let (sender, mut notes) = tokio::sync::mpsc::unbounded_channel();
    let (session, client) = Session::start_with(Listener(sender)).await;
    let arguments = json!({"command": "printf 'step 1\\nstep 2\\n'; echo $$ > pid; sleep 300"});
    let call = CallToolRequestParams::new("shell").with_arguments(arguments.as_object().unwrap().clone());
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
    let handle = client.peer().send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    let pid = super::super::probe::number_in(&session.folder.path().join("pid")).await;
    let note = tokio::time::timeout(Duration::from_secs(10), notes.recv()).await.unwrap().unwrap();
    assert_eq!(note.message.as_deref(), Some("step 2"));
    assert_eq!(note.progress_token, handle.progress_token);
    assert!(note.progress > 0.0);
    handle.cancel(Some("enough".into())).await.unwrap();
    super::super::probe::until_gone(pid).await;
    // The server is as well as before.
    assert_eq!(client.list_all_tools().await.unwrap().len(), 6);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error_and_no_session_is_none() {
    let end = |root: std::path::PathBuf| {
        super::super::serve::serve_until(tokio::io::empty(), tokio::io::sink(), root, Default::default())
    };
    let error = end("/nonexistent".into()).await.unwrap_err();
    assert!(error.to_string().contains("cannot work in /nonexistent"), "{error}");
    end("/".into()).await.unwrap();
}
