use proptest::prelude::*;

use super::*;
use crate::proto::{AgentState, PlanSignal, RequestId, Signal};
use crate::text::tokens;

/// Visible text and statuses of a text that comes in one piece.
fn strip(text: &str) -> (String, Vec<String>) {
    strip_pieces(std::iter::once(text))
}

fn strip_pieces<'text>(pieces: impl IntoIterator<Item = &'text str>) -> (String, Vec<String>) {
    let mut stripper = Stripper::default();
    let mut visible = String::new();
    for piece in pieces {
        visible.push_str(&stripper.push(piece));
    }
    let (rest, reports) = stripper.finish();
    (visible + &rest, reports)
}

fn letters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()])
}

fn status(state: &str) -> String {
    format!("<sup>{{\"state\":\"{state}\",\"focus\":\"f\",\"next\":\"n\",\"carry\":[]}}</sup>")
}

#[test]
fn the_instruction_is_short_and_asks_for_what_is_read() {
    let cost = tokens::estimate(INSTRUCTION);
    assert!(cost <= 260, "{cost} tokens");
    let example = INSTRUCTION.lines().find(|line| line.starts_with("<sup>")).unwrap();
    let reported = parse(RequestId(1), &[example.to_owned()]);
    assert_eq!(reported.report.unwrap().state, AgentState::Progressing);
    for word in ["exploring", "progressing", "blocked", "need_input", "done", "request", "phase_complete", "reassess"] {
        assert!(INSTRUCTION.contains(&format!("\"{word}\"")), "{word}");
    }
}

#[test]
fn what_is_a_status_and_what_is_text() {
    let done = status("done");
    // Text, what of it is visible, how many statuses it has.
    let table: &[(&str, &str, usize)] = &[
        ("plain", "plain", 0),
        ("", "", 0),
        ("x<sup>2</sup> + y<sup>2</sup>", "x<sup>2</sup> + y<sup>2</sup>", 0),
        ("<sup>{n}</sup>", "<sup>{n}</sup>", 0),
        ("<sup>{ n }</sup> ", "<sup>{ n }</sup> ", 0),
        ("<sup>{\"a\": 1}</sup>\n", "<sup>{\"a\": 1}</sup>\n", 0),
        ("the `<sup>` tag", "the `<sup>` tag", 0),
        ("a < b <su", "a < b <su", 0),
        ("  spaces stay  \n", "  spaces stay  \n", 0),
        ("Done.\n\n[S]", "Done.", 1),
        ("Done.\n\n[S]\n", "Done.", 1),
        ("[S]", "", 1),
        ("[S][S]", "", 2),
        ("A [S] [S] ", "A", 2),
        ("A [S] B", "A  B", 1),
        ("A\n[S]\nB\n", "A\n\nB\n", 1),
        ("<sup>[S]", "<sup>", 1),
        ("<<[S]", "<<", 1),
        ("A\u{a0}\u{2003}<sup>\u{a0}{\u{2003}\"state\":\"done\"}</sup>\u{a0}", "A", 1),
        ("A\u{a0}", "A\u{a0}", 0),
        ("x <sup>  [S]", "x <sup>", 1),
        ("<sup>\n {\"focus\":\"f\", \"state\" : \"done\"}\n</sup>", "", 1),
        // Not JSON, and meant to be.
        ("A <sup>{\"state\": done}</sup>", "A", 1),
        ("A <sup>{\"state\":\"done\",\"focus\":\"the \"odd\" one\"}</sup>B", "A B", 1),
        ("A <sup>{\"state\":\"done\"}}</sup>", "A", 1),
        ("A <sup>{\"state\":\"done\" <b>}</sup> B", "A  B", 1),
        // A closing tag within a string closes nothing, unless no other comes.
        ("A <sup>{\"state\":\"done\",\"focus\":\"cut at </sup> here\"}</sup> B", "A  B", 1),
        ("A <sup>{\"state\":\"done}</sup> B [S]", "A  B", 2),
        ("A <sup>{\"state\":\"done}</sup> B", "A  B", 1),
        // An opening that never closes takes no text with it.
        ("the tag `<sup>{\"` opens it.\n\nMore. [S]", "the tag `<sup>{\"` opens it.\n\nMore.", 1),
        ("`<sup>{\"state\"` is how it starts, text", "`<sup>{\"state\"` is how it starts, text", 0),
        // Broken off.
        ("A\n<sup>{\"state\":\"do", "A", 1),
        ("A\n<sup>{\"sta", "A", 1),
        ("A\n<sup>{\"", "A", 1),
        ("A\n<sup>{", "A", 1),
        ("A\n<sup>", "A", 1),
        ("A\n<su", "A", 1),
        ("<s", "", 1),
        ("A\n<", "A\n<", 0),
        ("A <su", "A <su", 0),
        ("A <sup>{\"state\":\"done\"}", "A", 1),
        ("A <sup>{\"state\":\"done\"}</su", "A", 1),
        ("A <sup>{\"state\":\"done\"}\n\nBut then more.", "A \n\nBut then more.", 1),
        ("A <sup>{\"unknown\": 1", "A <sup>{\"unknown\": 1", 0),
        // Text stays text, whatever opens in it.
        (
            "T <sup>{\"state\": and so on.\n\nOne.\n\nTwo m<sup>2</sup> END",
            "T <sup>{\"state\": and so on.\n\nOne.\n\nTwo m<sup>2</sup> END",
            0,
        ),
        ("T <sup>{\"state\": and so on, m<sup>2</sup> END", "T <sup>{\"state\": and so on, m<sup>2</sup> END", 0),
        ("T <sup>{\"state\":\"done\", … and\n\nmore", "T <sup>{\"state\":\"done\", … and\n\nmore", 0),
        ("T <sup>{\"state\":\"done\" and more", "T <sup>{\"state\":\"done\" and more", 0),
        ("T <sup>{\"state\":\"do\nmore", "T <sup>{\"state\":\"do\nmore", 0),
        ("T <sup>{\"state\":\"m<sup>2</sup> is it", "T <sup>{\"state\":\"m<sup>2</sup> is it", 0),
        ("T <sup>{\"state\": a}\n\nOne.</sup>", "T <sup>{\"state\": a}\n\nOne.</sup>", 0),
        ("T <sup>{\"state\": and so on\n\nOne.\n[S]", "T <sup>{\"state\": and so on\n\nOne.", 1),
        ("T <sup>{\"state\": and [S] more", "T <sup>{\"state\": and  more", 1),
        ("T <sup>{\"state\":\"do [S]", "T <sup>{\"state\":\"do", 1),
        ("T <sup>{\"state\":\"done\"} x <sup>2</sup> END", "T  x <sup>2</sup> END", 1),
        ("T <sup>{\"state\":\"done\"} and the rest</sup> END", "T  and the rest</sup> END", 1),
        ("T <sup>{\"state\":\"done\",\"focus\":\"a <sup> tag\"}</sup>", "T", 1),
        ("T <sup>{\"state\":\"done\",\"focus\":\"two\nlines\"}</sup>", "T", 1),
        // Code shows a status and gives none.
        ("```\n[S]\n```\n", "```\n[S]\n```\n", 0),
        ("```\n[S]\n```\n[S]", "```\n[S]\n```", 1),
        ("  ~~~html\n```\n[S]\n~~~\n[S]", "  ~~~html\n```\n[S]\n~~~", 1),
        ("```\n[S]", "```\n[S]", 0),
        ("```rs\nfn a() {}\n```[S]", "```rs\nfn a() {}\n```", 1),
        ("```\na\n````\nb [S]", "```\na\n````\nb", 1),
        ("````\n```\n[S]\n````\n[S]", "````\n```\n[S]\n````", 1),
        ("Write `[S]` at the end.", "Write `[S]` at the end.", 0),
        ("Write `[S]", "Write `[S]", 0),
        ("Write ``a` [S]`` here.", "Write ``a` [S]`` here.", 0),
        ("Write `so: [S]` here.\n\n[S]", "Write `so: [S]` here.", 1),
        ("It is `done`[S]", "It is `done`", 1),
        ("It is ``do`ne``[S]", "It is ``do`ne``", 1),
        ("The ` key. [S]\n", "The ` key.", 1),
        ("The ` key.\n[S]", "The ` key.", 1),
        ("`a`\n`b` [S]", "`a`\n`b`", 1),
        ("ünï <sup>{\"state\":\"dönë\"}</sup>çode", "ünï çode", 1),
    ];
    for (text, visible, count) in table {
        let (text, visible) = (text.replace("[S]", &done), visible.replace("[S]", &done));
        for (shown, reports) in [strip(&text), strip_pieces(letters(&text))] {
            assert_eq!(shown, visible, "{text:?}");
            assert_eq!(reports.len(), *count, "{text:?}: {reports:?}");
        }
    }
}

#[test]
fn what_is_held_is_bounded_on_both_sides() {
    let filled = |bytes: usize| {
        let frame = "<sup>{\"state\":\"done\",\"focus\":\"\"}</sup>";
        frame.replace("\"\"}", &format!("\"{}\"}}", "x".repeat(bytes - frame.len())))
    };
    let closing = "</sup>".len();
    for (bytes, count) in [(HOLD_MOST + closing, 1), (HOLD_MOST + closing + 1, 0)] {
        let text = filled(bytes);
        assert_eq!(text.len(), bytes);
        for (visible, reports) in [strip(&text), strip_pieces(letters(&text))] {
            assert_eq!(reports.len(), count, "{bytes} bytes");
            assert_eq!(visible.len(), if count == 0 { bytes } else { 0 });
        }
    }
    // A status that was closed but for its tag is still one, and the text after it is not lost.
    let long = format!("A <sup>{{\"state\":\"done\"}} {}", "y ".repeat(HOLD_MOST));
    let (visible, reports) = strip(&long);
    assert_eq!((visible, reports.len()), (format!("A  {}", "y ".repeat(HOLD_MOST)), 1));
    // White space too.
    let spaces = format!("A{}{}", " ".repeat(3 * HOLD_MOST), status("done"));
    let mut stripper = Stripper::default();
    let shown = stripper.push(&spaces).len();
    assert!((2 * HOLD_MOST..=3 * HOLD_MOST).contains(&shown), "{shown}");
}

#[test]
fn nothing_waits_that_cannot_become_a_status() {
    let mut stripper = Stripper::default();
    assert_eq!(stripper.push("a <sup>{n"), "a <sup>{n");
    assert_eq!(stripper.push("} b <"), "} b");
    assert_eq!(stripper.push("i>c"), " <i>c");
    assert_eq!(stripper.push(" <sup>"), "");
    assert_eq!(stripper.push("2"), " <sup>2");
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        4 => "[a-zé \n\u{a0}]{0,6}",
        4 => Just("<sup>".to_owned()),
        3 => Just("</sup>".to_owned()),
        3 => Just("<sup>{\"".to_owned()),
        3 => Just(status("done")),
        2 => Just("<sup>{\"state\":\"".to_owned()),
        2 => Just("<sup> {\n\"focus\":\"a </sup> b\",\"state\":\"blocked\"}".to_owned()),
        2 => "[<>/{}\":,s\\\\]{1,3}",
        1 => Just("\"state\"".to_owned()),
        1 => Just("x<sup>2</sup>".to_owned()),
        2 => "[`~]{1,4}",
        2 => Just("\n\n".to_owned()),
        2 => Just("\n```\n".to_owned()),
        1 => Just("<sup>{\"state\": and so on".to_owned()),
        1 => (8_150usize..8_200).prop_map(|count| "y".repeat(count)),
        1 => (8_150usize..8_200).prop_map(|count| " ".repeat(count)),
        1 => (4_080usize..4_110).prop_map(|count| "\u{a0}".repeat(count)),
    ];
    prop::collection::vec(part, 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pieces_make_no_difference(parts in pieces(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20)) {
        let text = parts.concat();
        let whole = strip(&text);
        prop_assert_eq!(&strip_pieces(parts.iter().map(String::as_str)), &whole);
        let mut places: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        places.extend([0, text.len()]);
        places.sort_unstable();
        let cut = places.windows(2).map(|pair| &text[pair[0]..pair[1]]);
        prop_assert_eq!(&strip_pieces(cut), &whole);
        if text.len() < 1_000 {
            prop_assert_eq!(&strip_pieces(letters(&text)), &whole);
        }
    }

    /// Whatever follows, what was shown stays, so no part of a tag that is taken out was ever shown.
    #[test]
    fn nothing_is_shown_that_is_taken_out(parts in pieces()) {
        let whole = strip(&parts.concat()).0;
        let mut stripper = Stripper::default();
        let mut shown = String::new();
        for part in &parts {
            shown.push_str(&stripper.push(part));
            prop_assert!(whole.starts_with(&shown), "{:?} then {:?}", shown, whole);
        }
    }

    /// Every byte is either visible, in a status, or white space before a status at the end; in order.
    #[test]
    fn nothing_is_lost(parts in pieces()) {
        let text = parts.concat();
        let (visible, reports) = strip(&text);
        let taken: usize = reports.iter().map(String::len).sum();
        prop_assert!(visible.len() + taken <= text.len());
        let solid = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
        let closing = "</sup>".len();
        let lost = solid(&text) - solid(&visible) - reports.iter().map(|report| solid(report)).sum::<usize>();
        // A closing tag that was cut short belongs to its status.
        prop_assert!(lost <= closing, "{} lost of {:?}", lost, text);
        if reports.is_empty() {
            prop_assert_eq!(visible, text);
        }
    }

    #[test]
    fn text_without_tags_is_left_alone(text in "[^<]{0,200}") {
        prop_assert_eq!(strip(&text), (text, Vec::new()));
    }

    #[test]
    fn reading_never_panics(body in "\\PC{0,60}", keyed in "[a-z\"{}\\[\\]:,\\\\ ]{0,60}") {
        for raw in [&body, &keyed] {
            let _ = parse(RequestId(1), &[format!("<sup>{{{raw}}}</sup>"), raw.clone()]);
            let _ = parse(RequestId(1), &[format!("<sup>{{\"state\":\"done\",\"carry\":[{raw}]}}</sup>")]);
        }
    }
}

fn read(body: &str) -> crate::proto::Reported {
    parse(RequestId(7), &[format!("<sup>{body}</sup>")])
}

#[test]
fn a_status_is_read() {
    let reported = read(
        "{\"state\":\"need_input\",\"focus\":\" the gate \",\"next\":\"ask\",\"carry\":[\"port 8080\",\"\"],\
         \"plan\":{\"signal\":\"phase_complete\",\"note\":\"built\"},\"memories\":[\"M1\"],\"behaviors\":[\"b-2\"]}",
    );
    assert_eq!((reported.request, reported.trouble, reported.dropped.len()), (RequestId(7), None, 0));
    let report = reported.report.unwrap();
    assert_eq!((report.state, report.focus.as_str(), report.next.as_str()), (AgentState::NeedInput, "the gate", "ask"));
    assert_eq!(report.carry, ["port 8080"]);
    assert_eq!(report.plan, Some(PlanSignal { signal: Signal::PhaseComplete, note: "built".to_owned() }));
    assert_eq!((report.memories, report.behaviors), (vec!["M1".to_owned()], vec!["b-2".to_owned()]));
}

#[test]
fn what_is_wrong_with_a_status_is_said() {
    let table = [
        ("{\"state\": done}", "not JSON"),
        ("{\"state\":\"done\"}}", "not JSON"),
        ("{\"focus\":\"\\\"state\\\"\"}", "no state"),
        ("{\"state\":null}", "no state"),
        ("{\"state\":\"finished\"}", "\"finished\""),
    ];
    for (body, trouble) in table {
        let reported = read(body);
        assert!(reported.report.is_none(), "{body}");
        assert!(reported.trouble.as_ref().is_some_and(|said| said.contains(trouble)), "{body}: {:?}", reported.trouble);
    }
    assert!(parse(RequestId(1), &[]).trouble.unwrap().contains("no status"));
    let unclosed = parse(RequestId(1), &["<sup>{\"state\":\"done\"}".to_owned()]);
    assert!(unclosed.report.is_none() && unclosed.trouble.unwrap().contains("closing tag"));
    // The rest of a status may be odd.
    let odd =
        read("{\"state\":\" DONE \",\"focus\":3,\"carry\":\"one\",\"plan\":{\"signal\":\"x\"},\"memories\":\"M\"}");
    let odd = odd.report.unwrap();
    assert_eq!((odd.state, odd.focus.as_str(), odd.carry.len(), odd.plan), (AgentState::Done, "", 1, None));
    // What stands where an id or a state should be is looked at like everything else.
    let key = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let unknown = read(&format!("{{\"state\":\"{key}\"}}"));
    assert!(unknown.trouble.is_some_and(|said| !said.contains("16C7")));
    let known = read(&format!("{{\"state\":\"done\",\"memories\":[\"M1\",\"{key}\",\"two words\"]}}"));
    assert_eq!((known.report.unwrap().memories, known.dropped.len()), (vec!["M1".to_owned()], 2));
    // Line ends in a string.
    assert_eq!(read("{\"state\":\"done\",\"focus\":\"two\nlines\"}").report.unwrap().focus, "two lines");
}

#[test]
fn a_long_text_behind_an_odd_tag_is_whole() {
    let paragraphs = "A paragraph that says a lot, and all of it counts.\n\n".repeat(60);
    for tag in [
        "<sup>{\"state\": and so on.",
        "<sup>{\"state\":\"done\", …",
        "<sup>{\"state\":\"done",
        "<sup>{\"state\":{\"a\":",
    ] {
        let text = format!("The tag starts {tag}\n\n{paragraphs}Area is 5 m<sup>2</sup> END");
        assert_eq!(strip(&text), (text.clone(), Vec::new()));
        let mut stripper = Stripper::default();
        let shown = stripper.push(&text[..text.len() / 2]);
        assert!(shown.len() + 2 >= text.len() / 2, "it is held: {shown}");
    }
}

#[test]
fn what_is_taken_out_and_cannot_be_read_is_quoted() {
    let [odd, whole] = ["<sup>{\"state\": odd one}</sup>".to_owned(), status("done")];
    let last = parse(RequestId(1), &[whole.clone(), odd.clone()]);
    assert!(last.report.is_none() && last.trouble.unwrap().ends_with(&format!("It read: {odd}")));
    let earlier = parse(RequestId(1), &[odd.clone(), whole]);
    assert_eq!(earlier.report.unwrap().state, AgentState::Done);
    let said = earlier.trouble.unwrap();
    assert!(said.starts_with("Before the last status: ") && said.ends_with(&odd), "{said}");
    for (letters, cut) in [(EXCERPT_MOST, false), (EXCERPT_MOST + 1, true)] {
        let frame = "<sup>{\"state\": }</sup>";
        let raw =
            frame.replace(" }", &format!(" {}}}", "a ".repeat(100))).chars().take(letters - 6).collect::<String>();
        let said = parse(RequestId(1), &[raw + "</sup>"]).trouble.unwrap();
        assert_eq!(said.ends_with('…'), cut, "{said}");
    }
    let secret = format!("<sup>{{\"state\": password=hunter2 {}}}</sup>", "x ".repeat(8));
    let said = parse(RequestId(1), &[secret]).trouble.unwrap();
    assert!(said.contains("It is not quoted") && !said.contains("hunter2"), "{said}");
}

#[test]
fn the_last_status_counts() {
    let [first, last] = [status("done"), status("blocked")];
    assert_eq!(parse(RequestId(1), &[first.clone(), last]).report.unwrap().state, AgentState::Blocked);
    let malformed = "<sup>{\"state\":}</sup>".to_owned();
    assert!(parse(RequestId(1), &[first, malformed]).report.is_none());
}

#[test]
fn lengths_are_bounded_on_both_sides() {
    for (letters, kept) in [(LINE_MOST, LINE_MOST), (LINE_MOST + 1, LINE_MOST)] {
        let focus = "é".repeat(letters);
        let report = read(&format!("{{\"state\":\"done\",\"focus\":\"{focus}\"}}")).report.unwrap();
        assert_eq!(report.focus.chars().count(), kept);
        assert_eq!(report.focus.ends_with('…'), letters > LINE_MOST);
    }
    for (entries, kept, dropped) in [(CARRY_MOST, CARRY_MOST, 0), (CARRY_MOST + 1, CARRY_MOST, 1)] {
        let carry = vec!["\"fact\""; entries].join(",");
        let reported = read(&format!("{{\"state\":\"done\",\"carry\":[{carry}]}}"));
        assert_eq!((reported.report.unwrap().carry.len(), reported.dropped.len()), (kept, dropped));
    }
    let hidden = read("{\"state\":\"done\",\"focus\":\"a\\u202eb\\u001b[31mc\"}").report.unwrap();
    assert_eq!(hidden.focus, "abc");
}

#[test]
fn what_is_not_carried_stands_in_no_copy_of_the_reply_either() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let broken = format!("<sup>{{\"state\":\"done\",\"carry\":[\"{secret}\"</sup>");
    let whole = format!("<sup>{{\"state\":\"done\",\"focus\":\"fine\",\"carry\":[\"plain\",\"use {secret}\"]}}</sup>");
    let harmless = "<sup>{\"state\":\"done\",\"focus\":\"a b\"}</sup>".to_owned();
    for (statuses, left) in
        [(vec![harmless.clone()], "a b"), (vec![broken], "[left out: it looks"), (vec![harmless, whole], "plain")]
    {
        let came = format!("Done.\n{}", statuses.join("\n"));
        let clean = redacted(&came, &statuses);
        assert!(clean.starts_with("Done.") && clean.contains(left) && !clean.contains(secret), "{clean}");
    }
}

#[test]
fn credentials_are_not_carried() {
    // Split so that no scanner of sources takes them for real.
    let secrets = [
        ["sk-", "proj-a1B2c3D4e5F6g7H8i9J0"].concat(),
        ["key is gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat(),
        ["AKI", "AIOSFODNN7EXAMPLE"].concat(),
        ["AIz", "aSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY"].concat(),
        ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.abc"].concat(),
        "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
        "postgres://app:hunter2@db/prod".to_owned(),
        "Authorization: Bearer abcdefgh12345".to_owned(),
        "DB_PASSWORD=hunter2".to_owned(),
        "password: hunter2".to_owned(),
        "the password is hunter2".to_owned(),
        "API_KEY = 1234abcd".to_owned(),
        "--token=zzTop99x".to_owned(),
        "use 7f3a9c0d1e2b4f5a6978c0d1e2f3a4b5".to_owned(),
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCY8x2K4m".to_owned(),
        "Q2l0eU9mTG9uZG9uMTIzNDU2".to_owned(),
        "Z9x8C7v6B5n4M3a2S1d0".to_owned(),
        "cookie: session=a8f9b2c1d4e7".to_owned(),
    ];
    for secret in &secrets {
        let body = serde_json::json!({"state": "done", "carry": ["kept", secret], "focus": secret, "next": "n"});
        let reported = read(&body.to_string());
        let report = reported.report.clone().unwrap();
        assert_eq!((report.carry.len(), report.focus.as_str()), (1, ""), "{secret}");
        assert_eq!(reported.dropped.len(), 2, "{secret}");
        let said = serde_json::to_string(&reported).unwrap();
        assert!(!said.contains(secret.as_str()) && !said.contains("hunter2"), "{said}");
    }
}

#[test]
fn pointers_and_ordinary_facts_are_carried() {
    let facts = [
        "the token is in the keyring",
        "the password is kept in .env",
        "API_KEY comes from $OPENAI_API_KEY",
        "API_KEY=$KEY",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "run 123e4567-e89b-12d3-a456-426614174000",
        "src/session/actor/supervise/mod.rs:120 has the hook",
        "test_condense_32_candidates_keeps_error_lines fails",
        "getUserByIdFromRepositoryV2 is the entry",
        "tokens 512, threshold 5000",
        "version 1.2.3-beta.4+build20261130",
        "https://example.com/docs/page?id=42",
        "token count is 5000",
        "token: none",
        "max_tokens: 8192",
        "key points: the cache is cold",
        "2026-11-30T20:15:00Z deploy began",
        "phase-2-of-4 done, 3 left",
    ];
    for fact in facts {
        let body = serde_json::json!({"state": "done", "carry": [fact]});
        let reported = read(&body.to_string());
        assert_eq!(reported.report.unwrap().carry, [fact], "{:?}", reported.dropped);
    }
}
