use octomind::proto::Decision;
use serde_json::{Value, json};

use super::rig::Rig;
use crate::fake_server::spec;

#[tokio::test]
async fn names_are_mapped_and_the_server_gets_its_own() {
    let mut rig = Rig::start(vec![spec("s", "badnames")]).await;
    assert_eq!(rig.wire_names(), ["Scan_Files", "cal_create", "hello", "notes_read"]);
    assert_eq!(rig.words("s", "Scan Files", json!({})).await.1, "called Scan Files");
    let shown: Vec<_> = rig.tools("s").into_iter().map(|tool| tool.name).collect();
    assert_eq!(shown, ["Scan Files", "cal.create", "hello", "notes/read"], "people see the server's own names");
    assert_eq!(rig.decisions().iter().filter(|decision| matches!(decision, Decision::ToolRenamed { .. })).count(), 3);
    rig.end().await;
}

#[tokio::test]
async fn colliding_names_stay_callable_and_repeats_are_kept_once() {
    let mut rig = Rig::start(vec![spec("s", "collide")]).await;
    let catalog = rig.servers.catalog();
    let mut names: Vec<_> = catalog.iter().map(|tool| tool.info.wire_name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 6, "{names:?}");
    for tool in ["search-a", "search_a", "x.y", "x/y", "run"] {
        assert_eq!(rig.words("s", tool, json!({})).await.1, format!("called {tool}"));
    }
    assert_eq!(rig.notices(), ["s: it lists `run` more than once; it was kept once"]);
    rig.end().await;
}

#[tokio::test]
async fn one_name_on_two_servers_gives_the_same_two_names_after_a_restart() {
    let mut seen = Vec::new();
    for order in [["one", "two"], ["two", "one"]] {
        let rig = Rig::start(order.map(|name| spec(name, "ok")).to_vec()).await;
        let catalog = rig.servers.catalog();
        let mut names: Vec<_> = catalog.iter().map(|tool| (tool.server.clone(), tool.info.wire_name.clone())).collect();
        assert_eq!(names[0].0, order[0], "servers stand in their order");
        names.sort();
        seen.push(names);
        for server in order {
            assert_eq!(rig.words(server, "hello", json!({})).await.1, "hello");
        }
        rig.end().await;
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn a_bad_schema_costs_one_tool_at_most() {
    let mut rig = Rig::start(vec![spec("s", "badschema")]).await;
    assert_eq!(rig.wire_names(), ["hello", "no_schema_type", "null_schema", "odd_type", "root_choice"]);
    assert_eq!(rig.words("s", "hello", json!({})).await.1, "hello");
    assert_eq!(rig.words("s", "null_schema", Value::Null).await.1, "called null_schema");
    let tools = rig.tools("s");
    let reason = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        tool.quarantine.as_ref().map(|quarantine| quarantine.reason.clone())
    };
    assert_eq!(reason("hopeless").as_deref(), Some("its input schema is a string, not an object"));
    assert_eq!(reason("(tool 7)").as_deref(), Some("it has no name"));
    let mended = tools.iter().find(|tool| tool.name == "root_choice").unwrap();
    assert!(mended.repairs.iter().any(|repair| repair.contains("anyOf")), "{:?}", mended.repairs);
    let (_, words) = rig.words("s", "hopeless", json!({})).await;
    assert_eq!(words, "hopeless cannot be used: its input schema is a string, not an object.");
    rig.end().await;
}

#[tokio::test]
async fn all_pages_are_read_and_an_endless_list_ends() {
    let mut rig = Rig::start(vec![spec("p", "pages"), spec("s", "stuckcursor")]).await;
    assert_eq!(rig.wire_names(), ["tool_0", "tool_1", "tool_2", "tool_3", "tool_4", "hello"]);
    assert!(rig.notices().iter().any(|text| text.contains("never ends")), "{:?}", rig.notices());
    rig.end().await;
}

#[tokio::test]
async fn a_changed_list_is_read_again_once() {
    let mut rig = Rig::start(vec![spec("s", "listchanged")]).await;
    assert_eq!(rig.wire_names(), ["hello"]);
    rig.call("s", "hello", json!({})).await;
    rig.until("the change", |body| {
        matches!(body, octomind::proto::Body::Decided(Decision::ToolsChanged { added, .. }) if *added == ["late_tool"])
    })
    .await;
    assert_eq!(rig.wire_names(), ["hello", "late_tool"]);
    assert_eq!(rig.words("s", "late_tool", json!({})).await.1, "called late_tool");
    rig.end().await;
}

#[tokio::test]
async fn a_description_that_changes_later_is_named() {
    let mut rig = Rig::start(vec![spec("s", "rugpull")]).await;
    rig.call("s", "hello", json!({})).await;
    rig.until("the change", |body| {
        matches!(body, octomind::proto::Body::Decided(Decision::ToolsChanged { changed, .. }) if *changed == ["hello"])
    })
    .await;
    rig.end().await;
}

#[tokio::test]
async fn hidden_text_is_taken_out_with_a_warning() {
    let mut rig = Rig::start(vec![spec("s", "tags")]).await;
    assert_eq!(rig.servers.catalog()[0].description, "Says hello");
    assert!(rig.tools("s")[0].repairs[0].starts_with("warning: 4 invisible"), "{:?}", rig.tools("s")[0].repairs);
    rig.end().await;
}

#[tokio::test]
async fn two_hundred_tools_state_their_cost_and_a_filter_states_itself() {
    let mut many = spec("s", "many");
    many.filter = vec!["tool_00*".to_owned(), "tool_200".to_owned()];
    let mut rig = Rig::start(vec![many]).await;
    assert_eq!(rig.servers.catalog().len(), 11);
    let tools = rig.tools("s");
    assert_eq!(tools.len(), 201);
    assert!(tools.iter().all(|tool| tool.tokens > 100));
    let left_out = tools.iter().find(|tool| tool.name == "tool_100").unwrap();
    assert_eq!(left_out.filtered_by.as_deref(), Some("test"));
    let (_, words) = rig.words("s", "tool_100", json!({})).await;
    assert_eq!(words, "tool_100 is left out by test.");
    rig.end().await;
}
