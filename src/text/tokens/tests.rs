use super::*;

/// How far the estimate may be off, in percent of the real count.
const TOLERANCE: u64 = 15;

macro_rules! sample {
    ($name:literal) => {
        ($name, include_str!(concat!("samples/", $name, ".txt")))
    };
}

/// Text, and what o200k_base makes of it (counted once with tiktoken-rs 0.12.1).
const SAMPLES: &[((&str, &str), u64)] = &[
    (sample!("prose"), 169),
    (sample!("markdown"), 172),
    (sample!("rust"), 213),
    (sample!("python"), 226),
    (sample!("json"), 208),
    (sample!("minified"), 471),
    (sample!("log"), 251),
    (sample!("zh"), 121),
    (sample!("ja"), 169),
    (sample!("ko"), 142),
    (sample!("russian"), 105),
    (sample!("german"), 101),
    (("license", include_str!("../../../LICENSE")), 2261),
];

#[test]
fn near_a_real_tokenizer_on_every_kind_of_text() {
    let mut off = Vec::new();
    for ((name, text), counted) in SAMPLES {
        let estimated = estimate(text);
        if estimated.abs_diff(*counted) * 100 > counted * TOLERANCE {
            off.push(format!("{name}: estimated {estimated}, counted {counted}"));
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}

#[test]
fn small_cases() {
    let cases = [("", 0), ("a", 1), ("hello world", 2), ("🦀", 2), ("\u{301}", 2)];
    for (text, tokens) in cases {
        assert_eq!(estimate(text), tokens, "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn never_more_than_two_a_byte_and_never_nothing_for_something(text in "\\PC{1,80}") {
        let tokens = estimate(&text);
        proptest::prop_assert!(tokens > 0 || text == " ");
        proptest::prop_assert!(tokens <= 2 * text.len() as u64);
    }
}
