use std::time::Duration;

use super::*;
use crate::ui::input::{Input, MouseKind, TerminalAnswer};
use crate::ui::keys::Key;
use crate::ui::theme::Shade;

/// Inputs of one read and of the silence after it, as words.
fn read(bytes: &[u8]) -> Vec<String> {
    let mut parser = Parser::default();
    let mut inputs = parser.feed(bytes);
    inputs.extend(parser.flush());
    inputs.iter().map(words).collect()
}

fn words(input: &Input) -> String {
    match input {
        Input::Key(key) => key.to_string(),
        Input::Paste(text) => format!("paste {text:?}"),
        Input::Mouse(mouse) => format!("{:?} {},{}", mouse.kind, mouse.column, mouse.row),
        Input::Focus(focused) => format!("focus {focused}"),
        Input::Answer(answer) => format!("{answer:?}"),
    }
}

#[test]
fn bytes_become_keys() {
    for (bytes, expected) in [
        (&b"a"[..], "a"),
        (b"A", "A"),
        (b" ", "space"),
        (b"\r", "enter"),
        (b"\n", "ctrl-j"),
        (b"\t", "tab"),
        (b"\x7f", "backspace"),
        (b"\x08", "ctrl-h"),
        (b"\x00", "ctrl-space"),
        (b"\x1a", "ctrl-z"),
        (b"\x1f", "ctrl-_"),
        (b"\x1b", "esc"),
        ("é".as_bytes(), "é"),
        ("🙂".as_bytes(), "🙂"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"\x1b[1;5C", "ctrl-right"),
        (b"\x1b[1;4D", "alt-shift-left"),
        (b"\x1b[H", "home"),
        (b"\x1b[4~", "end"),
        (b"\x1b[3;5~", "ctrl-del"),
        (b"\x1b[5~", "pageup"),
        (b"\x1b[Z", "shift-tab"),
        (b"\x1bOP", "f1"),
        (b"\x1b[15~", "f5"),
        (b"\x1b[24~", "f12"),
        (b"\x1b[[B", "f2"),
        (b"\x1bx", "alt-x"),
        (b"\x1bX", "alt-X"),
        (b"\x1b[", "alt-["),
        (b"\x1bO", "alt-O"),
        (b"\x1b\r", "alt-enter"),
        (b"\x1b\x7f", "alt-backspace"),
        (b"\x1b\x1b[A", "alt-up"),
        // The kitty protocol.
        (b"\x1b[27u", "esc"),
        (b"\x1b[13;2u", "shift-enter"),
        (b"\x1b[122;5u", "ctrl-z"),
        (b"\x1b[97;5:1u", "ctrl-a"),
        (b"\x1b[97;6u", "ctrl-shift-a"),
        (b"\x1b[97;65u", "a"),
        (b"\x1b[57414u", "enter"),
        (b"\x1b[57400;129u", "1"),
        // xterm's way.
        (b"\x1b[27;2;13~", "shift-enter"),
        (b"\x1b[27;5;106~", "ctrl-j"),
        (b"\x1b[I", "focus true"),
        (b"\x1b[O", "focus false"),
        (b"\x1b[<0;10;5M", "Press 9,4"),
        (b"\x1b[<64;1;1M", "WheelUp 0,0"),
        (b"\x1b[<32;3;4M", "Drag 2,3"),
        (b"\x1b[<0;3;4m", "Release 2,3"),
        (b"\x1b[?1u", "KittyKeyboard"),
        (b"\x1b[?62;22c", "Attributes"),
        (b"\x1b]11;rgb:1d1d/2020/2424\x1b\\", "Background(Dark)"),
        (b"\x1b]11;rgb:ff/ff/f0\x07", "Background(Light)"),
    ] {
        assert_eq!(read(bytes), [expected], "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_is_no_press_is_no_key() {
    for bytes in [
        &b"\x1b[97;1:3u"[..],
        b"\x1b[1;1:3A",
        b"\x1b[57441;2u",
        b"\x1b[?2026;2$y",
        b"\x1b]52;c;UA==\x07",
        b"\x1bP>|term 1\x1b\\",
        b"\x1b[201~",
        b"\x1b[<35;3;4M",
        b"\xff",
    ] {
        assert_eq!(read(bytes), Vec::<String>::new(), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn two_escapes_in_one_read_are_two_presses() {
    assert_eq!(read(b"\x1b\x1b"), ["esc", "esc"]);
    assert_eq!(read(b"\x1b\x1b\x1b"), ["esc", "esc", "esc"]);
    assert_eq!(read(b"\x1b\x1ba"), ["esc", "alt-a"]);
}

#[test]
fn sequences_come_in_any_pieces() {
    let whole = "é\x1b[1;5C\x1b[200~a\r\nb\x1b[201~\x1b]11;rgb:00/00/00\x1b\\z🙂".as_bytes();
    let expected = ["é", "ctrl-right", "paste \"a\\r\\nb\"", "Background(Dark)", "z", "🙂"];
    for size in 1..=whole.len() {
        let mut parser = Parser::default();
        let inputs: Vec<Input> = whole.chunks(size).flat_map(|chunk| parser.feed(chunk)).collect();
        assert_eq!(inputs.iter().map(words).collect::<Vec<_>>(), expected, "pieces of {size}");
        assert!(!parser.is_pending() && !parser.in_paste());
    }
}

#[test]
fn a_paste_that_carries_the_end_mark_stays_one_paste() {
    let bytes = b"\x1b[200~one\x1b[201~\r\x1b[2Jtwo\x1b[201~\r";
    assert_eq!(read(bytes), ["paste \"one\\u{1b}[201~\\r\\u{1b}[2Jtwo\"", "enter"]);
    let two = b"\x1b[200~one\x1b[201~\x1b[200~two\x1b[201~";
    assert_eq!(read(two), ["paste \"one\"", "paste \"two\""]);
}

#[test]
fn a_paste_in_pieces_ends_where_its_mark_ends_however_it_is_cut() {
    let bytes = b"\x1b[200~one two\x1b[201~x";
    for cut in 1..bytes.len() {
        let mut parser = Parser::default();
        let mut inputs = parser.feed(&bytes[..cut]);
        inputs.extend(parser.feed(&bytes[cut..]));
        let shown: Vec<String> = inputs.iter().map(words).collect();
        assert_eq!(shown, ["paste \"one two\"", "x"], "cut at {cut}");
    }
}

#[test]
fn a_paste_whose_end_never_comes_is_given_after_a_while() {
    assert_eq!(read(b"\x1b[200~one"), ["paste \"one\""]);
}

#[test]
fn a_megabyte_is_read_at_once() {
    let line = "x".repeat(99) + "\r";
    let mut bytes = b"\x1b[200~".to_vec();
    bytes.extend(line.repeat(10_500).into_bytes());
    bytes.extend(b"\x1b[201~");
    let begun = std::time::Instant::now();
    let mut parser = Parser::default();
    // As a terminal hands it out.
    let inputs: Vec<Input> = bytes.chunks(16 * 1024).flat_map(|chunk| parser.feed(chunk)).collect();
    assert!(matches!(&inputs[..], [Input::Paste(text)] if text.len() == 1_050_000));
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
}

#[test]
fn random_bytes_never_panic_and_never_hang() {
    let mut seed = 7_u64;
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..24)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Mostly bytes that begin or end sequences.
                let common = b"\x1b[]O<;0123u~MmABCp?:\\\x07\xe2\x80P";
                let pick = (seed >> 33) as usize;
                if pick.is_multiple_of(5) { (seed >> 40) as u8 } else { common[pick % common.len()] }
            })
            .collect();
        let _ = read(&bytes);
    }
}

fn gathered(bursts: &mut Bursts, bytes: &[u8], millis: u64) -> Vec<String> {
    let inputs = Parser::default().feed(bytes);
    bursts.gather(inputs, Duration::from_millis(millis)).iter().map(words).collect()
}

#[test]
fn a_burst_with_an_enter_inside_is_a_paste() {
    let mut bursts = Bursts::default();
    assert_eq!(gathered(&mut bursts, b"a\rb\rc", 0), ["paste \"a\\nb\\nc\""]);
    assert_eq!(gathered(&mut bursts, b"d\r", 10), ["paste \"d\\n\""], "goes on");
    assert_eq!(gathered(&mut bursts, b"d\r", 500), ["d", "enter"]);
    assert_eq!(gathered(&mut bursts, b"\r", 505), ["enter"]);
    let _ = gathered(&mut bursts, b"a\rb", 600);
    assert_eq!(gathered(&mut bursts, b"\x03", 605), ["ctrl-c"]);
    assert_eq!(gathered(&mut bursts, b"x\r", 610), ["x", "enter"], "another key ended it");
}

#[test]
fn very_much_at_once_is_a_paste_even_on_one_line() {
    let mut bursts = Bursts::default();
    let line = "x".repeat(4000);
    assert_eq!(gathered(&mut bursts, line.as_bytes(), 0), [format!("paste {line:?}")]);
    let sent = format!("{line}\r");
    assert_eq!(gathered(&mut bursts, sent.as_bytes(), 10), [format!("paste {line:?}"), "enter".to_owned()]);
    assert_eq!(gathered(&mut bursts, &[b'j'; 200], 500).len(), 200, "a key that is held down");
}

#[test]
fn fast_typing_is_typing() {
    let mut bursts = Bursts::default();
    assert_eq!(gathered(&mut bursts, b"ok\r", 0), ["o", "k", "enter"]);
    assert_eq!(gathered(&mut bursts, b"\r\r", 0), ["enter", "enter"]);
    assert_eq!(gathered(&mut bursts, b"jjjj", 0), ["j", "j", "j", "j"]);
    assert_eq!(gathered(&mut bursts, b"a\x1b[Ab\r", 0), ["a", "up", "b", "enter"]);
    assert_eq!(gathered(&mut bursts, b"\x1b[200~x\x1b[201~\r", 0), ["paste \"x\"", "enter"]);
}

#[test]
fn answers_are_typed() {
    let inputs = Parser::default().feed(b"\x1b]11;rgb:0/0/0\x07\x1b[?0u\x1b[?6c");
    let expected = [
        Input::Answer(TerminalAnswer::Background(Shade::Dark)),
        Input::Answer(TerminalAnswer::KittyKeyboard),
        Input::Answer(TerminalAnswer::Attributes),
    ];
    assert_eq!(inputs, expected);
    let wheel = Parser::default().feed(b"\x1b[<69;1;1M");
    assert!(matches!(wheel[..], [Input::Mouse(mouse)] if mouse.kind == MouseKind::WheelDown && mouse.modifiers.shift));
    assert_eq!(Parser::default().feed(b"\x1b[200~"), Vec::new());
    assert_eq!(Key::parse("ctrl-j").unwrap().to_string(), "ctrl-j");
}

#[test]
fn an_answer_that_comes_late_and_in_pieces_is_never_typed_text() {
    let answers: [&[u8]; 4] = [b"\x1b[?62;4;22c", b"\x1b]11;rgb:1d1d/2020/2424\x1b\\", b"\x1b[?997;1n", b"\x1b[?1u"];
    for answer in answers {
        for cut in 3..answer.len() {
            let mut parser = Parser::default();
            let first = parser.feed(&answer[..cut]);
            assert!(first.is_empty(), "{cut} {first:?}");
            assert!(parser.in_sequence(), "the rest is waited for longer than for a lone escape: {cut}");
            let rest: Vec<String> = parser.feed(&answer[cut..]).iter().map(words).collect();
            assert!(rest.len() <= 1 && !rest.iter().any(|word| word.len() <= 2), "{cut} {rest:?}");
        }
    }
    for key in [&b"\x1b"[..], b"\x1b[", b"\x1bO", b"\x1ba"] {
        let mut parser = Parser::default();
        let _ = parser.feed(key);
        assert!(!parser.in_sequence(), "a key is not kept waiting: {key:?}");
    }
}
