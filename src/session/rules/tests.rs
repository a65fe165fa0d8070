use std::time::Duration;

use proptest::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::config::Mask;
use crate::proto::{Fault, FaultKind, SubmitMode};

fn fault(kind: FaultKind, retry_after_ms: Option<u64>) -> Fault {
    Fault { retry_after_ms, ..Fault::new(kind, "m", "a") }
}

#[test]
fn retry_schedule() {
    let fresh = Tried { retries: 0, max_retries: 3, text_shown: false, person: true };
    let wait = |ms| Verdict::Wait { ms, asked_by_provider: false };
    let overloaded = fault(FaultKind::Overloaded, None);
    let table = [
        (overloaded.clone(), fresh, 0.5, wait(1000)),
        (overloaded.clone(), Tried { retries: 2, ..fresh }, 0.5, wait(4000)),
        (overloaded.clone(), Tried { retries: 5, max_retries: 9, ..fresh }, 0.5, wait(30_000)),
        (overloaded.clone(), fresh, 0.0, wait(800)),
        (overloaded.clone(), fresh, 1.0, wait(1200)),
        (overloaded.clone(), Tried { retries: 3, ..fresh }, 0.5, Verdict::GiveUp),
        (overloaded.clone(), Tried { retries: 63, max_retries: 99, ..fresh }, 0.5, wait(30_000)),
        (overloaded.clone(), Tried { text_shown: true, ..fresh }, 0.5, Verdict::Ask),
        (overloaded, Tried { text_shown: true, person: false, ..fresh }, 0.5, Verdict::GiveUp),
        (fault(FaultKind::RateLimit, Some(7000)), fresh, 0.9, Verdict::Wait { ms: 7000, asked_by_provider: true }),
        (fault(FaultKind::RateLimit, Some(7_200_000)), fresh, 0.9, Verdict::GiveUp),
        (fault(FaultKind::NotRunning, None), fresh, 0.5, Verdict::GiveUp),
        (fault(FaultKind::WrongKey, Some(1)), fresh, 0.5, Verdict::GiveUp),
        (fault(FaultKind::ContextOverflow, None), fresh, 0.5, Verdict::GiveUp),
    ];
    for (index, (fault, tried, chance, wanted)) in table.into_iter().enumerate() {
        assert_eq!(verdict(&fault, tried, 30_000, chance), wanted, "row {index}");
    }
}

#[test]
fn a_result_that_fits_is_not_cut_and_no_limit_cuts_nothing() {
    let words = |text: &str| text.split_whitespace().count() as u64;
    assert_eq!(cut("a b c", 10, "f", words), None);
    assert_eq!(cut(&"word ".repeat(1000), 1000, "f", words), None);
    assert_eq!(cut(&"word ".repeat(1000), 0, "f", words), None);
}

#[test]
fn a_cut_keeps_both_ends_on_line_ends_and_names_the_file() {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let text: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    let cut = cut(&text, 1000, "/s/spill/c1.txt", words).unwrap();
    assert_eq!(cut.tokens, 10_000);
    assert!(words(&cut.text) <= 1000, "{}", words(&cut.text));
    assert!(cut.text.starts_with("line 0\nline 1\n") && cut.text.ends_with("line 4998\nline 4999\n"));
    assert!(cut.text.contains("the whole is in /s/spill/c1.txt"));
    assert!(cut.kept_head > cut.kept_tail && cut.kept_tail > 300);
    assert!(cut.text.lines().all(|line| line.starts_with("line ") || line.starts_with("[…")), "{}", cut.text);
}

proptest! {
    #[test]
    fn a_cut_never_exceeds_its_limit(text in "(\\PC{0,30}\n?){0,60}", limit in 100u64..400) {
        let estimate = |text: &str| text.len() as u64 / 3 + text.matches('\n').count() as u64;
        let Some(cut) = cut(&text, limit, "f", estimate) else {
            prop_assert!(estimate(&text) <= limit);
            return Ok(());
        };
        prop_assert!(cut.kept_head + cut.kept_tail <= limit);
        prop_assert!(estimate(&text) > limit);
    }

    #[test]
    fn masked_pieces_are_what_masking_the_whole_gives(pieces in prop::collection::vec("[ab]{0,6}|hunter2hunter2|hunter2", 0..12)) {
        let mask = Mask::of(["hunter2hunter2".to_owned(), "abababab".to_owned()]);
        let mut growing = String::new();
        let mut shown = String::new();
        for piece in &pieces {
            growing.push_str(piece);
            shown.push_str(&mask.drain(&mut growing));
        }
        prop_assert!(!shown.contains("hunter2hunter2") && !shown.contains("abababab"));
        shown.push_str(&mask.text(&growing));
        prop_assert!(!shown.contains("hunter2hunter2"));
    }

    #[test]
    fn coalesced_pieces_say_the_same(pieces in prop::collection::vec(("\\PC{0,5}", 0u64..40), 0..40)) {
        let mut now = Instant::now();
        let mut coalescer = Coalescer::default();
        let (mut shown, mut events, begun) = (String::new(), 0, now);
        for (piece, wait) in &pieces {
            now += Duration::from_millis(*wait);
            coalescer.push(piece);
            if let Some((offset, text)) = coalescer.take(now) {
                prop_assert_eq!(offset, shown.len() as u64);
                shown.push_str(&text);
                events += 1;
            }
        }
        if let Some((offset, text)) = coalescer.take_all() {
            prop_assert_eq!(offset, shown.len() as u64);
            shown.push_str(&text);
        }
        prop_assert_eq!(shown, pieces.iter().map(|(piece, _)| piece.as_str()).collect::<String>());
        prop_assert!(events <= 1 + (now - begun).as_millis() / INTERVAL.as_millis());
    }

    #[test]
    fn repetition_never_panics_and_keeps_a_boundary(text in "\\PC{0,50}", times in 1usize..200) {
        let text = text.repeat(times);
        if let Some(keep) = Repetition::default().check(&text) {
            prop_assert!(text.is_char_boundary(keep) && keep < text.len());
        }
    }
}

#[test]
fn the_first_piece_goes_at_once_and_the_rest_waits_for_the_frame() {
    let begun = Instant::now();
    let mut coalescer = Coalescer::default();
    coalescer.push("a");
    assert_eq!(coalescer.take(begun), Some((0, "a".into())));
    coalescer.push("b");
    assert_eq!(coalescer.take(begun + Duration::from_millis(15)), None);
    assert_eq!(coalescer.due(), Some(begun + INTERVAL));
    coalescer.push("c");
    assert_eq!(coalescer.take(begun + INTERVAL), Some((1, "bc".into())));
    assert_eq!(coalescer.due(), None);
}

#[test]
fn text_loops_are_found_and_other_repetition_is_not() {
    let lead = "Let me think about it. ";
    let loops = ["I will now run the test again. ", "let me check. ", "我现在再次运行测试。"];
    for unit in loops {
        let text = format!("{lead}{}", unit.repeat(6000 / unit.len()));
        let keep = Repetition::default().check(&text).unwrap_or_else(|| panic!("{unit:?}"));
        assert!(text[..keep].starts_with(lead) && keep <= lead.len() + 2 * unit.len(), "{:?}", &text[..keep]);
    }
    let numbered: String = (0..400).map(|n| format!("{n}. run the test again\n")).collect();
    for fine in ["-".repeat(9000), "0, ".repeat(3000), "| -- | -- |\n".repeat(900), "\n".repeat(9000), numbered] {
        assert_eq!(Repetition::default().check(&fine), None, "{:?}", &fine[..20]);
    }
}

#[test]
fn a_call_written_as_text_is_found_only_at_the_end() {
    let tools = ["view".to_owned(), "shell".to_owned()];
    let lost = [
        "I'll look.\n<tool_call>{\"name\":\"view\",\"arguments\":{}}</tool_call>",
        "<function=shell><parameter=command>ls</parameter></function>\n</tool_call>",
        "{\"name\": \"view\", \"arguments\": {\"path\": \"a\"}}",
        "Here:\n```json\n{\"function\": {\"name\": \"shell\", \"arguments\": {}}}\n```",
        "<tool_call>{\"name\":\"view\",\"argum",
    ];
    for text in lost {
        assert!(lost_call(text, &tools).is_some(), "{text}");
    }
    let fine = [
        "A call looks like <tool_call>…</tool_call> and the runtime (version 3) runs it.",
        "{\"name\": \"unknown\", \"arguments\": {}}",
        "{\"name\": \"view\"}",
        "```json\n{\"name\": \"view\", \"arguments\": {}}\n```\nThis is an example of a call.",
        "done",
        "",
    ];
    for text in fine {
        assert_eq!(lost_call(text, &tools), None, "{text}");
    }
}

#[test]
fn near_misses_of_commands() {
    let table = [
        ("/modle", Some("model")),
        ("/contxt", Some("context")),
        ("/hlep", Some("help")),
        ("/mpc", None),
        ("/nwe", None),
        ("/ne", Some("new")),
        ("/model", None),
        ("/tmp/file", None),
        ("/modle is wrong", None),
        ("/", None),
        ("hello", None),
        ("/quti", Some("quit")),
    ];
    for (line, wanted) in table {
        assert_eq!(near_command(line), wanted, "{line}");
    }
}

#[test]
fn nearest_tool() {
    let names = ["view", "files_search", "shell"];
    for (wrong, wanted) in
        [("View", Some("view")), ("search", Some("files_search")), ("shel", Some("shell")), ("database", None)]
    {
        assert_eq!(nearest(wrong, names), wanted, "{wrong}");
    }
}

#[test]
fn queue_rules() {
    let mut queue = Queue::default();
    let a = queue.push("a".into(), Vec::new(), SubmitMode::Queue);
    let b = queue.push("b".into(), Vec::new(), SubmitMode::Steer);
    let c = queue.push("c".into(), Vec::new(), SubmitMode::Queue);
    queue.push("d".into(), Vec::new(), SubmitMode::Steer);
    assert!(queue.edit(a, "A") && queue.withdraw(b) && !queue.withdraw(b) && !queue.edit(b, "x"));
    let texts = |taken: Vec<Waiting>| taken.into_iter().map(|waiting| waiting.text).collect::<Vec<_>>();
    assert_eq!(texts(queue.take_next()), ["d"], "late steering first");
    assert_eq!(texts(queue.take_steering()), [""; 0]);
    assert_eq!(texts(queue.take_next()), ["A"]);
    assert_eq!(queue.take_next()[0].id, c);
    assert!(queue.is_empty() && queue.take_next().is_empty());
}

#[test]
fn equal_rounds_are_counted_by_arguments_and_results() {
    let round = |result: &str| vec![("t".to_owned(), "{}".to_owned(), result.to_owned())];
    let mut rounds = Rounds::default();
    assert_eq!(rounds.add(round("a")), Repeat::Fine);
    assert_eq!(rounds.add(round("a")), Repeat::Fine);
    assert_eq!(rounds.add(round("a")), Repeat::Fine);
    assert_eq!(rounds.add(round("b")), Repeat::Fine);
    for _ in 0..10 {
        rounds.add(round("b"));
    }
    assert_eq!(rounds.add(round("b")), Repeat::Stop(12));
}

#[test]
fn spending_limits() {
    let limits = Limits { session: 1.0, request: 0.5 };
    let spent = |session, at_turn, at_yes| Spent { session, at_turn, at_yes };
    assert_eq!(limits.check(spent(0.4, 0.0, 0.0)), Allowed::Yes);
    assert!(matches!(limits.check(spent(0.5, 0.0, 0.0)), Allowed::Stop(_)));
    assert!(matches!(limits.check(spent(1.2, 1.0, 0.0)), Allowed::Ask(_)));
    assert_eq!(limits.check(spent(1.2, 1.0, 1.0)), Allowed::Yes);
    assert_eq!(Limits::default().check(spent(9.0, 0.0, 0.0)), Allowed::Yes);
}

#[test]
fn the_lower_limit_of_a_request_counts() {
    let room = |threshold, window| Room { threshold, window };
    assert_eq!(room(0, None).check(u64::MAX), None);
    assert_eq!(room(100, None).check(99), None);
    assert_eq!(room(100, None).check(100), Some(Full::Threshold(100)));
    assert_eq!(room(100, Some(50)).check(70), Some(Full::Window(50)));
    assert_eq!(room(100, Some(50)).check(200), Some(Full::Window(50)));
    assert_eq!(room(100, Some(200)).check(150), Some(Full::Threshold(100)));
    assert_eq!(room(0, Some(0)).check(10), None);
}

#[test]
fn a_turn_has_only_so_many_rounds() {
    let mut rounds = Rounds::default();
    for round in 1..200 {
        let call = ("shell".to_owned(), round.to_string(), "ok".to_owned());
        assert_eq!(rounds.add([call]), Repeat::Fine);
    }
    assert_eq!(rounds.add([("shell".to_owned(), "200".to_owned(), "ok".to_owned())]), Repeat::TooMany(200));
}

#[test]
fn the_time_a_command_took_does_not_make_a_result_new() {
    for (one, other, same) in [
        ("ok\n[exit 0, 0.1 s]", "ok\n[exit 0, 12.3 s]", true),
        ("ok\n[exit 0, 0.1 s]", "ok\n[exit 1, 0.1 s]", false),
        ("ok\n[exit 0, 0.1 s]", "no\n[exit 0, 0.1 s]", false),
        (
            "[cancelled after 0.1 s, so there is no exit code]",
            "[cancelled after 2.0 s, so there is no exit code]",
            true,
        ),
        (
            "[exit 0, 0.1 s]\n[still running in the background; stop it with: kill -- -17]",
            "[exit 0, 0.2 s]\n[still running in the background; stop it with: kill -- -94]",
            true,
        ),
        ("[1, 2]", "[1, 3]", false),
    ] {
        assert_eq!(timeless(one) == timeless(other), same, "{one} | {other}");
    }
}
