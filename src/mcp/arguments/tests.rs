use serde_json::json;

use super::*;

fn refused(schema: &Value, arguments: Value) -> String {
    let validator = jsonschema::validator_for(schema).unwrap();
    check("read", arguments, schema, &validator).unwrap_err()
}

#[test]
fn a_missing_argument_is_named_with_what_is_expected() {
    let schema = json!({"type": "object", "properties": {"limit": {"type": "integer"}, "path": {"type": "string"}}, "required": ["path"]});
    assert_eq!(
        refused(&schema, json!({})),
        "read was not run: `path` is missing. Arguments: path (string, required), limit (integer)."
    );
    assert_eq!(
        refused(&schema, json!({"path": 3, "limit": "x"})),
        "read was not run: `path` must be string, got 3; `limit` must be integer, got \"x\". Arguments: path (string, required), limit (integer)."
    );
}

#[test]
fn unknown_arguments_choices_and_inner_places_are_told() {
    let schema = json!({"type": "object", "additionalProperties": false, "properties": {
        "mode": {"enum": ["r", "w"]},
        "list": {"type": "array", "items": {"type": "object", "required": ["id"]}},
    }});
    let words = refused(&schema, json!({"moed": "r", "mode": "x", "list": [{}]}));
    for part in [
        "`moed` is no argument of it (did you mean `mode`?)",
        "`mode` must be one of \"r\", \"w\", got \"x\"",
        "`list.0.id` is missing",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    let schema = json!({"type": "object", "properties": {}});
    assert_eq!(
        refused(&schema, json!("{\"a\": 1")),
        "read takes a JSON object of arguments, but got a string. It takes no arguments."
    );
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert_eq!(check("read", Value::Null, &schema, &validator), Ok(Map::new()));
}
