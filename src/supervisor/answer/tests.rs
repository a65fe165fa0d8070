use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::proto::Mechanic;

#[derive(Debug, PartialEq, Deserialize)]
struct Said {
    a: u32,
}

#[test]
fn one_object_is_found_in_what_models_put_around_it() {
    for (reply, wanted) in [
        (r#"{"a":1}"#, Ok(Said { a: 1 })),
        ("```json\n{\"a\": 2}\n```", Ok(Said { a: 2 })),
        ("Here it is: {\"a\":3} as asked", Ok(Said { a: 3 })),
        ("", Err("the answer is empty")),
        ("pass", Err("the answer is not JSON")),
        (r#"{"a":1} {"a":2}"#, Err("the answer is not one JSON object")),
        (r#"{"a":1"#, Err("the answer is not JSON")),
        (r#"}{"#, Err("the answer is not one JSON object")),
    ] {
        assert_eq!(parse(reply), wanted.map_err(str::to_owned), "{reply}");
    }
    assert!(
        parse::<Said>(r#"{"b":1}"#).is_err_and(|why| why.starts_with("the answer has another form: missing field"))
    );
    assert_eq!(
        parse::<Said>(&format!("{{\"a\":1,\"b\":\"{}\"}}", "x".repeat(LONGEST))),
        Err("the answer is too long".to_owned())
    );
}

#[test]
fn the_second_question_is_the_first_with_the_trouble_quoted() {
    let ask = Ask { mechanic: Mechanic::Gate, system: "s".into(), text: "t".into(), schema: json!({}), max_tokens: 1 };
    let second = again(&ask, "a\n\"b\"");
    assert!(second.text.starts_with("t\n\nThe last answer could not be used (\"a \\\"b\\\"\")"), "{}", second.text);
    assert_eq!(Ask { text: ask.text.clone(), ..second }, ask);
}
