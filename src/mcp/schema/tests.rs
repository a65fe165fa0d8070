use proptest::prelude::*;

use super::*;

fn mended(raw: Value) -> Mended {
    mend(&raw).unwrap_or_else(|quarantine| panic!("{raw}: {}", quarantine.reason))
}

fn sound(schema: &Value) {
    assert_eq!(schema["type"], "object", "{schema}");
    assert!(schema["properties"].is_object(), "{schema}");
    for keyword in ["anyOf", "oneOf", "allOf", "$ref", "enum", "not"] {
        assert!(schema.get(keyword).is_none(), "{keyword} at the root of {schema}");
    }
    assert!(jsonschema::draft202012::meta::is_valid(schema), "{schema}");
}

#[test]
fn nothing_becomes_an_object_without_arguments() {
    for raw in [json!(null), json!({}), json!({"type": "object"}), json!({"type": "object", "properties": null})] {
        assert_eq!(mended(raw).schema, json!({"type": "object", "properties": {}}));
    }
    assert_eq!(mended(json!(null)).repairs.len(), 1);
}

#[test]
fn a_good_schema_is_left_alone() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "where"},
            "depth": {"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 9},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
            "type": {"type": "string", "enum": ["a", "b"]},
        },
        "required": ["path"],
        "additionalProperties": false,
        "$defs": {"tag": {"type": "string"}},
    });
    let result = mended(schema.clone());
    assert_eq!(result.schema, schema);
    assert_eq!(result.repairs, Vec::<String>::new());
    assert!(result.validator.is_valid(&json!({"path": "x", "tags": ["a"]})));
    assert!(!result.validator.is_valid(&json!({"tags": [1]})));
}

#[test]
fn a_choice_at_the_root_becomes_one_object() {
    let result = mended(json!({"anyOf": [
        {"type": "object", "properties": {"id": {"type": "integer"}, "x": {"type": "string"}}, "required": ["id", "x"]},
        {"type": "object", "properties": {"name": {"type": "string"}, "x": {"type": "integer"}}, "required": ["name", "x"]},
    ]}));
    sound(&result.schema);
    assert_eq!(result.schema["required"], json!(["x"]));
    assert_eq!(result.schema["properties"]["x"], json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}));
    assert!(result.validator.is_valid(&json!({"id": 1, "x": "a"})));
    assert!(result.repairs.iter().any(|repair| repair.contains("`anyOf` at the root")), "{:?}", result.repairs);
}

#[test]
fn unknown_and_null_types_are_unconstrained() {
    let result = mended(json!({"type": "object", "properties": {"a": {"type": "text"}, "b": {"type": null}, "c": 7}}));
    sound(&result.schema);
    assert!(result.validator.is_valid(&json!({"a": 1, "b": [], "c": "x"})));
    assert!(result.repairs.iter().any(|repair| repair.contains("`a`") && repair.contains("text")));
    let result = mended(json!({"type": "text", "properties": {"a": {}}}));
    sound(&result.schema);
}

#[test]
fn references_in_a_circle_end_and_lost_ones_are_ignored() {
    let result = mended(json!({
        "type": "object",
        "properties": {
            "tree": {"$ref": "#/$defs/node"},
            "self": {"$ref": "#"},
            "lost": {"$ref": "#/$defs/nowhere"},
            "web": {"$ref": "https://example.org/schema.json"},
            "two": {"$ref": "#/$defs/a"},
        },
        "$defs": {
            "node": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}},
            "a": {"$ref": "#/$defs/b"},
            "b": {"$ref": "#/$defs/a"},
        },
    }));
    sound(&result.schema);
    assert!(result.schema["properties"]["tree"].get("$ref").is_some(), "the first round stays");
    assert_eq!(result.schema["$defs"]["node"]["properties"]["children"]["items"], json!({}));
    assert_eq!(result.schema["properties"]["lost"], json!({}));
    assert_eq!(result.schema["properties"]["web"], json!({}));
    assert!(result.repairs.iter().filter(|repair| repair.contains("circle")).count() >= 2);
}

#[test]
fn a_reference_at_the_root_is_filled_in() {
    let result = mended(json!({"$ref": "#/definitions/Args", "definitions": {"Args": {
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}));
    sound(&result.schema);
    assert_eq!(result.schema["required"], json!(["path"]));
}

#[test]
fn broken_keywords_are_taken_out_one_by_one() {
    let result = mended(json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "$id": "https://example.org/x",
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": -1, "pattern": "("},
            "b": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "required": true},
            "c": {"enum": []},
            "d": {"type": "array", "items": [{"type": "string"}]},
        },
        "required": ["a", 5, "a"],
    }));
    sound(&result.schema);
    assert_eq!(result.schema["properties"]["a"]["type"], "string", "{}", result.schema);
    assert_eq!(result.schema["required"], json!(["a"]));
    assert!(result.schema.get("$schema").is_none());
}

#[test]
fn hidden_text_goes_with_a_warning_and_long_text_is_cut() {
    let result = mended(json!({"type": "object", "properties": {
        "a": {"description": "safe\u{200b}\u{e0041}"},
        "b": {"description": "x".repeat(5_000)},
    }}));
    assert_eq!(result.schema["properties"]["a"]["description"], "safe");
    assert!(result.repairs.iter().any(|repair| repair.starts_with("warning: 2 invisible")), "{:?}", result.repairs);
    assert_eq!(
        result.schema["properties"]["b"]["description"].as_str().unwrap().chars().count(),
        MAX_PROPERTY_DESCRIPTION
    );
}

#[test]
fn what_cannot_be_mended_is_quarantined_with_a_reason() {
    for (raw, word) in [
        (json!("object"), "a string"),
        (json!([1]), "a list"),
        (json!(false), "a boolean"),
        (json!({"type": "string"}), "string"),
        (json!({"type": "object", "properties": {"a b": {}}, "required": ["a b"]}), "a b"),
        (json!({"type": "object", "properties": {"a": {"description": "x".repeat(MAX_BYTES)}}}), "larger"),
    ] {
        let reason = mend(&raw).unwrap_err().reason;
        assert!(reason.contains(word), "{reason}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..5).prop_map(Value::from),
        "object|array|string|text|#|#/\\$defs/a|#/properties/b|[a-c]|\\(|\u{200b}x".prop_map(Value::from),
    ];
    let key = "type|properties|required|anyOf|oneOf|allOf|items|enum|\\$ref|\\$defs|pattern|minLength|not|a|b|description|additionalProperties|\\$id|const|format|if|prefixItems|dependentRequired|maximum|multipleOf";
    leaf.prop_recursive(5, 48, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn any_schema_is_sound_or_quarantined(raw in any_value()) {
        match mend(&raw) {
            Ok(result) => {
                sound(&result.schema);
                let again = mend(&result.schema).expect("what was mended stays good");
                prop_assert_eq!(again.schema, result.schema);
            }
            Err(quarantine) => prop_assert!(!quarantine.reason.is_empty()),
        }
    }

    #[test]
    fn deep_nesting_ends(depth in 1usize..400) {
        let mut schema = json!({"type": "string"});
        for _ in 0..depth {
            schema = json!({"type": "object", "properties": {"a": schema}});
        }
        if let Ok(result) = mend(&schema) {
            sound(&result.schema);
        }
    }
}
