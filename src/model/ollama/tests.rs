use super::*;

#[test]
fn the_context_grows_in_steps_and_never_past_the_window() {
    assert_eq!(ollama_context(100, 1000, None), 8_192);
    assert_eq!(ollama_context(45_000, 1000, None), 16_384);
    assert_eq!(ollama_context(45_000, 32_768, None), 32_768);
    assert_eq!(ollama_context(3_000_000, 1000, None), 131_072);
    assert_eq!(ollama_context(3_000_000, 1000, Some(40_000)), 40_000);
    assert_eq!(ollama_context(10, 10, Some(4_096)), 4_096);
}

#[test]
fn a_cut_prompt_shows_in_the_counts() {
    assert!(prompt_was_cut(15_000, 2_051));
    assert!(!prompt_was_cut(15_000, 11_000));
    assert!(!prompt_was_cut(1_500, 100));
    assert!(!prompt_was_cut(15_000, 0), "no count is no sign");
}
