use serde_json::Value;

use super::*;
use crate::mcp::tools;

fn part(server: &str, items: &Value, filter: &[&str]) -> Part {
    Part {
        server: server.to_owned(),
        standing: Standing::Regular,
        filter: filter.iter().map(|&pattern| pattern.to_owned()).collect(),
        filter_origin: "`tools` of server s".to_owned(),
        layer: Layer::Static,
        shown: None,
        offered: true,
        tools: tools::prepare(tools::parse(items.as_array().unwrap())).0,
    }
}

fn build(parts: &[Part]) -> Catalog {
    super::build(parts, &[])
}

fn wire(catalog: &Catalog) -> Vec<(&str, &str)> {
    catalog.definitions.iter().map(|tool| (tool.server.as_str(), tool.info.wire_name.as_str())).collect()
}

#[test]
fn every_absent_tool_has_a_reason() {
    let catalog = build(&[part(
        "s",
        &json!([{"name": "git_log"}, {"name": "rm"}, {"name": "bad", "inputSchema": 1}]),
        &["git_*", "bad"],
    )]);
    assert_eq!(wire(&catalog), [("s", "git_log")]);
    for info in &catalog.infos[0] {
        let reason = info.quarantine.is_some() || info.filtered_by.is_some();
        assert_eq!(info.exposed(), !reason);
    }
    let rm = catalog.infos[0].iter().find(|info| info.name == "rm").unwrap();
    assert_eq!(rm.filtered_by.as_deref(), Some("`tools` of server s"));
}

#[test]
fn one_name_on_two_servers_stays_the_same_whichever_is_up() {
    let hello = json!([{"name": "hello"}]);
    let mut parts = [part("one", &hello, &[]), part("two", &hello, &[])];
    let both = build(&parts);
    assert_eq!(both.definitions.len(), 2);
    parts[0].offered = false;
    let one = build(&parts);
    assert_eq!(wire(&one), wire(&both)[1..], "a server that is down keeps its names");
    parts.reverse();
    parts[1].offered = true;
    let mut reversed = build(&parts);
    reversed.definitions.reverse();
    assert_eq!(reversed.definitions, both.definitions);
}

#[test]
fn renames_and_quarantine_are_recorded() {
    let part = part("s", &json!([{"name": "cal.create"}, {"name": "bad", "inputSchema": 1}, {"name": "fine"}]), &[]);
    let catalog = build(std::slice::from_ref(&part));
    let decisions = decisions(&part, &catalog.infos[0]);
    assert_eq!(decisions.len(), 2);
    assert!(matches!(&decisions[0], Decision::ToolQuarantined { tool, .. } if tool == "bad"));
    assert!(matches!(&decisions[1], Decision::ToolRenamed { wire_name, .. } if wire_name == "cal_create"));
    assert!(catalog.infos[0].iter().all(|info| info.quarantine.is_some() || info.tokens > 5));
}

#[test]
fn what_capabilities_ask_for_comes_after_the_role_and_changes_nothing_of_it() {
    let tools = json!([{"name": "read"}, {"name": "write"}]);
    let mut parts = vec![part("files", &tools, &["read"]), part("mail", &json!([{"name": "send"}]), &[])];
    let before = build(&parts);
    assert_eq!(wire(&before), [("files", "read"), ("mail", "send")]);
    parts[0].shown = Some(vec!["read".to_owned(), "write".to_owned()]);
    let late = Part { layer: Layer::Dynamic, ..part("db", &json!([{"name": "send"}, {"name": "drop"}]), &["send"]) };
    parts.push(late);
    let after = build(&parts);
    let (fixed, dynamic) = after.definitions.split_at(2);
    assert_eq!(fixed, before.definitions);
    assert!(fixed.iter().all(|tool| tool.layer == Layer::Static));
    assert!(dynamic.iter().all(|tool| tool.layer == Layer::Dynamic));
    assert_eq!(dynamic[0].info.wire_name, "write");
    assert!(dynamic[1].info.wire_name.starts_with("send_"), "{:?}", wire(&after));
    assert_eq!(dynamic.len(), 2);
    parts[2].shown = Some(Vec::new());
    assert_eq!(build(&parts).definitions.len(), 5, "all of it is asked for");
    parts[2].shown = Some(vec!["drop".to_owned()]);
    assert_eq!(wire(&build(&parts))[3..], [("db", "drop")], "instead of its own filter");
    parts[0].shown = Some(Vec::new());
    assert_eq!(build(&parts).definitions[..2], before.definitions, "the role's stay where they are");
}
