use proptest::prelude::*;

use super::*;

#[test]
fn beginning_and_end_are_kept_as_whole_lines() {
    let text: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
    let cut = excerpt(&text, 100);
    assert!(cut.head.starts_with("line 1\n") && cut.head.ends_with('\n'), "{cut:?}");
    assert!(cut.tail.starts_with("line ") && cut.tail.ends_with("line 1000\n"), "{cut:?}");
    assert!(cut.tail.lines().count() > cut.head.lines().count());
    assert_eq!(cut.head.lines().count() + cut.left_out + cut.tail.lines().count(), 1000);
    assert_eq!(excerpt(&text, 100_000), Excerpt { head: &text, left_out: 0, tail: "" });
}

#[test]
fn one_endless_line_is_cut_too() {
    let text = "äx.".repeat(20_000);
    let cut = excerpt(&text, 200);
    assert!(!cut.head.is_empty() && !cut.tail.is_empty());
    assert_eq!(cut.left_out, 1);
}

proptest! {
    #[test]
    fn the_budget_holds(text in "(\\PC{0,40}\n?){0,40}", budget in 20u64..200) {
        let cut = excerpt(&text, budget);
        prop_assert!(estimate(cut.head) + estimate(cut.tail) <= budget);
        prop_assert!(text.starts_with(cut.head) && text.ends_with(cut.tail));
        prop_assert_eq!(cut.left_out == 0, cut.head == text);
    }
}
