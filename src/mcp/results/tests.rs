use serde_json::json;

use super::*;

fn text_of(result: &CallResult) -> &str {
    match &result.content {
        Content::Text(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn texts_join_and_errors_are_errors() {
    let result = read(&json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}));
    assert_eq!((text_of(&result), result.outcome), ("a\nb", ToolOutcome::Ok));
    let result = read(&json!({"isError": true, "content": [{"type": "text", "text": "no\u{e0041} such file"}]}));
    assert_eq!((text_of(&result), result.outcome), ("no such file", ToolOutcome::Error));
    assert_eq!(text_of(&read(&json!({"content": []}))), "(no output)");
    assert_eq!(text_of(&read(&json!({}))), "(no output)");
}

#[test]
fn structured_content_stands_in_for_missing_text_only() {
    let only = read(&json!({"content": [], "structuredContent": {"t": 21}}));
    assert_eq!(text_of(&only), "{\n  \"t\": 21\n}");
    let both = read(&json!({"content": [{"type": "text", "text": "warm"}], "structuredContent": {"t": 21}}));
    assert_eq!(text_of(&both), "warm");
}

#[test]
fn media_are_media_and_never_text() {
    let result = read(&json!({"content": [
        {"type": "text", "text": "see"},
        {"type": "image", "mimeType": "image/PNG", "data": "iVBO\nRw0K"},
        {"type": "audio", "mimeType": "audio/wav", "data": "UklGRg"},
    ]}));
    let Content::Parts(parts) = &result.content else { panic!("{result:?}") };
    assert_eq!(parts[1], Content::Media { media_type: "image/png".into(), base64: "iVBORw0K".into() });
    assert_eq!(parts[2], Content::Media { media_type: "audio/wav".into(), base64: "UklGRg==".into() });
}

#[test]
fn media_that_cannot_be_used_become_a_note() {
    let large = STANDARD.encode(vec![0u8; MAX_MEDIA_BYTES + 1]);
    for (item, note) in [
        (json!({"type": "image", "mimeType": "image/png", "data": large}), "3.8 MB was left out"),
        (json!({"type": "image", "mimeType": "image/png", "data": "!!!"}), "damaged"),
        (
            json!({"type": "resource", "resource": {"uri": "a:b", "mimeType": "application/zip", "blob": "UEsDBA=="}}),
            "application/zip, 4 bytes, binary",
        ),
        (json!({"type": "hologram", "x": 1}), "unknown kind hologram"),
    ] {
        let result = read(&json!({"content": [item]}));
        let words = text_of(&result);
        assert!(words.contains(note) && words.len() < 400, "{words}");
    }
}

#[test]
fn resources_keep_their_address() {
    let result = read(&json!({"content": [
        {"type": "resource", "resource": {"uri": "file:///a.txt", "text": "hello"}},
        {"type": "resource_link", "uri": "file:///b.txt", "name": "b"},
    ]}));
    assert_eq!(text_of(&result), "[resource file:///a.txt]\nhello\n[resource file:///b.txt · b]");
}

#[test]
fn binary_text_is_told_with_its_size_and_readable_parts() {
    let noise: String = (0..4096u32).map(|i| char::from_u32(i * 7 % 32).unwrap()).collect();
    let result = read(&json!({"content": [{"type": "text", "text": format!("{noise}readable words{noise}")}]}));
    let words = text_of(&result);
    assert!(words.starts_with("[binary data, 8.2 KB") && words.contains("readable words"), "{words}");
    for plain in
        ["tab\tand \u{1b}[31mcolour\u{1b}[0m", "ünïcödé 🙂", "a\r\nb", "one \u{fffd} mark in a long enough sentence"]
    {
        assert_eq!(text_of(&read(&json!({"content": [{"type": "text", "text": plain}]}))), plain);
    }
}
