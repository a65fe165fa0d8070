use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn a_value_is_found_in_every_form_it_is_written_in() {
    let secret = "p@ss w/ö+rd?\"1";
    let mask = Mask::default();
    mask.add("DB_PASS", secret);
    let mut url = reqwest::Url::parse("http://h/").unwrap();
    url.set_path(secret);
    let forms = [
        secret.to_owned(),
        STANDARD.encode(secret),
        STANDARD_NO_PAD.encode(secret),
        URL_SAFE_NO_PAD.encode(secret),
        json!(secret).to_string(),
        format!("{secret:?}"),
        url.to_string(),
        "p%40ss%20w%2F%C3%B6%2Brd%3F%221".to_owned(),
        "p%40ss+w%2f%c3%b6%2brd%3f%221".to_owned(),
    ];
    for form in forms {
        let masked = mask.text(&form);
        assert!(masked.contains("[DB_PASS masked]") && !masked.contains("rd"), "{form} → {masked}");
    }
    assert!(!format!("{mask:?}").contains("ss w"));
}

#[test]
fn base64_around_a_value_does_not_hide_it() {
    for secret in ["tok-12345678", "tok-123456789", "tok-1234567890", "c3VjaCBhIHNlY3JldA=="] {
        let mask = Mask::default();
        mask.add("T", secret);
        for (before, after) in [("", ":"), ("me:", ""), ("bob:", "\n"), ("alice:", " ")] {
            let text = STANDARD.encode(format!("{before}{secret}{after}"));
            assert!(mask.text(&text).contains("[T masked]"), "{before}{secret}{after} → {}", mask.text(&text));
        }
    }
}

#[test]
fn a_dump_of_a_long_value_hides_no_more_than_its_ends() {
    let secret: String = (0..108).map(|n| char::from(b'a' + (n * 7 % 26) as u8)).collect();
    let mask = Mask::default();
    mask.add("KEY", &secret);
    for before in ["", "k", "KEY=", "some words before it: "] {
        for coded in [
            STANDARD.encode(format!("{before}{secret}")),
            format!("{before}{secret}").bytes().map(|byte| format!("{byte:02x}")).collect(),
            format!("{before}{secret}").bytes().map(|byte| format!("{byte:02X}")).collect::<String>(),
        ] {
            for width in [60, 64, 76] {
                let lines: Vec<&str> =
                    coded.as_bytes().chunks(width).map(|l| std::str::from_utf8(l).unwrap()).collect();
                let masked = mask.text(&lines.join("\n")).replace("[KEY masked]", "");
                let left = masked.lines().map(str::len).sum::<usize>();
                let free = before.len() * 2 + 4;
                assert!(left <= free + 20 * lines.len(), "{before} {width}: {masked}");
                assert!(masked.lines().all(|line| line.len() <= free + 20), "{before} {width}: {masked}");
            }
        }
    }
    assert_eq!(mask.text(&STANDARD.encode(&secret)), "[KEY masked]");
    let hex: String = "s3cr3t-value".bytes().map(|byte| format!("{byte:02x}")).collect();
    mask.add("SHORT", "s3cr3t-value");
    assert_eq!(mask.text(&format!("0x{hex}.")), "0x[SHORT masked].");
}

#[test]
fn a_key_of_many_lines_is_masked_line_by_line() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nkqhkiG9w0BAQEFAASCMIIEvQIBADANBg\n-----END PRIVATE KEY-----";
    let mask = Mask::default();
    mask.add("PEM", key);
    assert_eq!(mask.text("line MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"), "line [PEM masked]");
    assert_eq!(mask.text(key), "[PEM masked]");
    assert_eq!(mask.text("-----BEGIN PRIVATE KEY-----"), "-----BEGIN PRIVATE KEY-----");
}

#[test]
fn what_one_learns_all_mask_and_short_values_stay() {
    let (mask, json) = (Mask::default(), |text: &str| json!(text).to_string());
    let elsewhere = mask.clone();
    assert!(matches!(elsewhere.text("tok-12345678"), Cow::Borrowed(_)));
    mask.add("A", "  tok-12345678\n");
    mask.add("B", "tok-12345678-and-more");
    mask.add("C", "12345");
    assert_eq!(elsewhere.text("tok-12345678 tok-12345678-and-more 12345"), "[A masked] [B masked] 12345");
    assert_eq!(
        elsewhere.value(&json!({"tok-12345678": ["tok-12345678", 1]})),
        json!({"[A masked]": ["[A masked]", 1]})
    );
    assert!(elsewhere.is_in_json(&json("tok-12345678")) && !elsewhere.is_in_json(&json("tok-1234567")));
    assert_eq!(elsewhere.owned("12345".to_owned()), "12345");
}

#[test]
fn the_end_of_a_growing_text_waits_for_the_longest_secret() {
    let mask = Mask::of(["sk-12345".to_owned(), "sk-12345-long".to_owned()]);
    let mut growing = "say sk-12345".to_owned();
    assert_eq!(mask.drain(&mut growing), "say ");
    growing.push_str("-lo");
    assert_eq!(mask.drain(&mut growing), "");
    growing.push_str("ng x");
    assert_eq!(mask.drain(&mut growing), "[masked] x");
    growing.push_str("sk-12345-x");
    assert_eq!(mask.drain(&mut growing), "[masked]-x");
    assert_eq!(growing, "");
}

#[test]
fn ordinary_words_and_places_can_be_spoken_and_everything_else_is_masked() {
    for (key, value, private) in [
        ("COUNTRY", "New Zealand", false),
        ("NAME", "Anne-Marie O'Neil", false),
        ("API_KEY", "abcdefghijkl", true),
        ("PLACE", "abcdefghijklmnopqrstuvwxyzabc", true),
        ("HOST", "sk-12345", true),
        ("LOGIN", "me@example.org", true),
        ("HOME", "/home/me1", false),
        ("PROJECT_DIR", "/home/me/x1", false),
        ("XDG_CONFIG_HOME", "/home/me1/.config", false),
        ("TOKEN_HOME", "tok-12345", true),
        ("DB_HOST", "db1.example.org:5432", false),
        ("TOKEN_FILE", "/home/me/x1", false),
        ("WEBHOOK_URL", "https://example.org/T0/B0/xyz", true),
    ] {
        assert_eq!(is_private(key, value), private, "{key}={value}");
    }
}

#[test]
fn the_scheme_of_a_header_is_no_secret() {
    let mask = Mask::default();
    mask.add_named(&BTreeMap::from(
        [("Authorization", "Bearer abc-12345"), ("X-Api-Key", "key-12345"), ("Accept", "text/html")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    ));
    let shown = mask.text("abc-12345 key-12345 text/html").into_owned();
    assert_eq!(shown, "[Authorization masked] [X-Api-Key masked] text/html");
}

proptest! {
    #[test]
    fn no_form_is_left_in_what_is_shown(value in "\\PC{6,40}", before in "[a-z ]{0,9}", after in "[a-z ]{0,9}") {
        let value = value.trim();
        prop_assume!(value.len() >= SHORTEST && !"[masked]".contains(value));
        let mask = Mask::of([value.to_owned()]);
        for form in [value.to_owned(), STANDARD.encode(value), json!(value).to_string()] {
            let text = format!("{before}{form}{after}");
            prop_assert!(mask.text(&text).contains(MASKED), "{}", text);
            let mut growing = String::new();
            let mut shown = String::new();
            for letter in text.chars() {
                growing.push(letter);
                shown.push_str(&mask.drain(&mut growing));
            }
            shown.push_str(&mask.text(&growing));
            prop_assert!(shown.contains(MASKED), "{}", shown);
        }
    }
}
