use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::Row;
use crate::ui::transcript::cell::{Fold, Look, assistant};
use crate::ui::transcript::highlight::Highlighter;
use crate::ui::transcript::markdown::mend;
use crate::ui::transcript::stream::Stream;

pub fn look(width: usize, highlighter: &Highlighter) -> Look<'_> {
    Look { width, fold: Fold::Open, now: 0, motion: true, keys: Default::default(), highlighter }
}

fn whole(content: &str, width: usize) -> Vec<Row> {
    let highlighter = Highlighter::in_place();
    let mut stream = Stream::default();
    stream.update(content, assistant::State::of(false, false, false), &look(width, &highlighter));
    stream.into_rows()
}

fn shown(content: &str, width: usize) -> String {
    let rows = whole(content, width);
    rows.iter().map(|row| row.text.trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn lists_nest_and_keep_their_numbers() {
    let text = "3. three\n4. four\n   - inner\n     - deeper\n- [x] done\n- [ ] open";
    assert_eq!(shown(text, 30), "3. three\n4. four\n   ◦ inner\n     • deeper\n\n☑ done\n☐ open");
}

#[test]
fn long_items_wrap_under_their_text() {
    assert_eq!(shown("- one two three four", 12), "• one two\n  three four");
}

#[test]
fn a_table_gives_way_then_becomes_records() {
    let table = "| name | meaning |\n|---|--:|\n| alpha | the very first of them |\n";
    assert_eq!(
        shown(table, 24),
        "name  │          meaning\n──────┼─────────────────\nalpha │   the very first\n      │          of them"
    );
    assert_eq!(shown(table, 8), "name\nalpha\nmeaning\nthe very\nfirst of\nthem");
}

#[test]
fn links_say_where_they_lead_once() {
    assert_eq!(shown("see [the page](https://a.example/x)", 60), "see the page (https://a.example/x)");
    assert_eq!(shown("see <https://a.example/x>", 60), "see https://a.example/x");
    assert_eq!(shown("[here](#part)", 60), "here");
}

#[test]
fn quotes_and_rules() {
    assert_eq!(shown("> one\n>\n> two\n\n---\n\nend", 20), "▎ one\n▎\n▎ two\n\n────────────────────\n\nend");
}

#[test]
fn code_keeps_its_indentation_and_gets_roles() {
    let rows = whole("```rust\nfn main() {\n    let x = 1; // one\n}\n```", 40);
    assert_eq!(&*rows[1].text, "      let x = 1; // one");
    let role = |word: &str| {
        rows.iter().flat_map(Row::pieces).find(|(piece, _)| piece.contains(word)).map(|(_, tone)| tone.base)
    };
    assert_eq!(role("let"), Some(Role::CodeKeyword));
    assert_eq!(role("// one"), Some(Role::CodeComment));
    assert_eq!(role("main"), Some(Role::CodeFunction));
}

#[test]
fn escape_sequences_and_hidden_text_never_reach_a_row() {
    let shown = shown("a\u{1b}[31mb \u{202e}c\u{202c} \u{200b}d\u{e0041}\n\n```\n\u{1b}]52;c;UA==\u{7}x\n```", 40);
    assert!(
        !shown.chars().any(|c| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}' | '\u{e0041}'))
    );
    assert!(shown.contains("ab c d"), "{shown:?}");
}

/// What a reader sees of a message cut off at some point.
#[test]
fn half_written_syntax_does_not_flash() {
    let cases = [
        ("a **bo", "a **bo**"),
        ("a **", "a "),
        ("a *it", "a *it*"),
        ("use `co", "use `co`"),
        ("a [te", "a "),
        ("a [text](http://x", "a "),
        ("a [text](http://x) b", "a [text](http://x) b"),
        ("heading?\n--", "heading?\n"),
        ("heading?\n=", "heading?\n"),
        ("text\n``", "text\n"),
        ("2 * 3 = 6", "2 * 3 = 6"),
        ("snake_case_name", "snake_case_name"),
        ("| a | b |", "| a | b |\n|---|---|"),
        ("| a | b |\n|-", "| a | b |\n|---|---|"),
        ("~~go", "~~go~~"),
    ];
    for (tail, wanted) in cases {
        assert_eq!(mend(tail), wanted, "{tail:?}");
    }
}

/// A line of one repeated letter once took the square of its length: hours for this one.
#[test]
fn a_long_run_of_one_letter_is_looked_at_once() {
    let run = "A".repeat(8 << 20);
    assert_eq!(mend(&run).len(), run.len());
    assert_eq!(mend(r"a \*b and *c"), r"a \*b and *c*");
}

const MESSAGE: &str = "First *words* and a list:\n\n- one\n- two\n  more of two\n\n1. a\n\n2. b\n\n   in b\n\n```rust\nfn f() {}\n\nlet s = \
    \"a\";\n```\nright after\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~~\nplain\n~~~\n\nThe [end](https://x.example).\n";

#[test]
fn a_grown_message_looks_like_one_that_came_whole() {
    let highlighter = Highlighter::in_place();
    for width in [7, 20, 60] {
        for step in [1, 3, 17] {
            let mut stream = Stream::default();
            let mut end = 0;
            while end < MESSAGE.len() {
                end = (end + step).min(MESSAGE.len());
                let state = assistant::State::of(true, false, false);
                for row in stream.update(&MESSAGE[..end], state, &look(width, &highlighter)) {
                    assert!(text::width(&row.text) <= width, "{width}: {:?}", row.text);
                }
            }
            stream.update(MESSAGE, assistant::State::of(false, false, false), &look(width, &highlighter));
            assert_eq!(stream.into_rows(), whole(MESSAGE, width), "width {width}, step {step}");
        }
    }
}

#[test]
fn a_finished_message_that_differs_replaces_what_was_shown() {
    let highlighter = Highlighter::in_place();
    let mut stream = Stream::default();
    stream.update("one\n\ntwo\n\nthree", assistant::State::of(true, false, false), &look(20, &highlighter));
    stream.update("uno\n\ndos\n\ntres", assistant::State::of(false, false, false), &look(20, &highlighter));
    assert_eq!(stream.into_rows(), whole("uno\n\ndos\n\ntres", 20));
}

/// The worker's colours arrive later and change no row count.
#[test]
fn colours_that_arrive_later_are_laid_over_plain_code() {
    let (sender, ready) = std::sync::mpsc::channel();
    let highlighter = Highlighter::default();
    let sender = std::sync::Mutex::new(sender);
    highlighter.on_ready(move || {
        let _ = sender.lock().unwrap().send(());
    });
    let mut stream = Stream::default();
    let state = assistant::State::of(false, false, false);
    let plain = stream.update(MESSAGE, state, &look(60, &highlighter)).to_vec();
    assert!(stream.waiting());
    ready.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    let coloured = stream.update(MESSAGE, state, &look(60, &highlighter)).to_vec();
    assert!(!stream.waiting());
    assert_ne!(plain, coloured);
    assert_eq!(coloured, whole(MESSAGE, 60));
    let texts = |rows: &[Row]| rows.iter().map(|row| row.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&plain), texts(&coloured));
}

/// They become characters only after the text was cleaned.
#[test]
fn entities_bring_nothing_that_a_terminal_acts_on() {
    let evil = "a&#27;]0;t&#7;b&#x1b;[2Jc&#x9b;31md&#x202e;e&#x200b;f&#x200d;g&#xe0041;h&#8;i";
    for text in [
        evil.to_owned(),
        format!("# {evil}"),
        format!("- *{evil}*"),
        format!("| x |\n|---|\n| {evil} |"),
        format!("[{evil}](http://a/{evil})"),
        format!("![{evil}](http://a \"{evil}\")"),
        format!("```{evil}\ncode\n```"),
        format!("[x][y]\n\n[y]: http://a/{evil}"),
        format!("> {evil}"),
    ] {
        let shown = shown(&text, 200);
        let acts =
            |letter: char| letter != '\n' && (letter.is_control() || text::is_hidden(letter) || letter == '\u{200d}');
        assert!(!shown.contains(acts), "{text}: {shown:?}");
    }
    assert_eq!(shown("&lt;b&gt; &amp; &#233; e\u{301} 👩\u{200d}💻", 40), "<b> & é e\u{301} 👩\u{200d}💻");
}
