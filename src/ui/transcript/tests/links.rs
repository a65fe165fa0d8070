use super::markdown::look;
use crate::ui::theme::Role;
use crate::ui::transcript::highlight::Highlighter;
use crate::ui::transcript::markdown::render;
use crate::ui::transcript::{Break, Row, Styled, Target};

/// Each link of some rows: the words that carry it, and where it leads.
fn linked(rows: &[Row]) -> Vec<(String, String)> {
    let of_row = |row: &Row| {
        let words = |link: &crate::ui::transcript::Link| row.text[link.start as usize..link.end as usize].to_owned();
        row.links.iter().map(|link| (words(link), link.target.words())).collect::<Vec<_>>()
    };
    rows.iter().flat_map(of_row).collect()
}

fn markdown(text: &str, width: usize) -> (String, Vec<(String, String)>) {
    let highlighter = Highlighter::in_place();
    let rows = render(text, look(width, &highlighter).width, &highlighter).rows;
    let shown = rows.iter().map(|row| row.text.trim_end()).collect::<Vec<_>>().join("\n");
    (shown, linked(&rows))
}

fn pair(words: &str, target: &str) -> (String, String) {
    (words.to_owned(), target.to_owned())
}

#[test]
fn a_link_whose_words_differ_shows_where_it_leads() {
    let (shown, links) = markdown("see [the page](https://a.example/x)", 60);
    assert_eq!(shown, "see the page (https://a.example/x)");
    assert_eq!(links, [pair("the page", "https://a.example/x"), pair("https://a.example/x", "https://a.example/x")]);
    let (shown, links) = markdown("<https://a.example/x>", 60);
    assert_eq!((shown.as_str(), links.len()), ("https://a.example/x", 1));
}

#[test]
fn words_that_name_an_address_lead_there_and_nowhere_else() {
    let (shown, links) = markdown("[https://good.example](https://evil.example)", 60);
    assert_eq!(shown, "https://good.example (https://evil.example)");
    let wanted =
        [pair("https://good.example", "https://good.example"), pair("https://evil.example", "https://evil.example")];
    assert_eq!(links, wanted);
    let (shown, links) = markdown("[src/a.rs:3](/etc/passwd)", 60);
    assert_eq!(shown, "src/a.rs:3 (/etc/passwd)");
    assert_eq!(links, [pair("src/a.rs:3", "src/a.rs:3"), pair("/etc/passwd", "/etc/passwd")]);
}

#[test]
fn nothing_dangerous_is_a_link_and_its_address_is_shown() {
    for target in ["javascript:alert(1)", "data:text/html,x", "vscode://x/y", "https://\u{430}.example"] {
        let (shown, links) = markdown(&format!("[click]({target})"), 80);
        assert_eq!((shown.as_str(), links.as_slice()), (format!("click ({target})").as_str(), [].as_slice()));
    }
    let (_, links) = markdown("[click](https://a.example/&#27;]8;;x)", 80);
    assert!(links.iter().all(|(_, target)| target.is_ascii() && !target.contains('\u{1b}')), "{links:?}");
}

#[test]
fn a_wrapped_address_leads_to_the_whole_from_each_of_its_rows() {
    let address = "https://a.example/a/very/long/path/that/does/not/fit";
    for text in [format!("go to {address} now"), format!("```\ncurl {address}\n```"), format!("> - {address}")] {
        let (shown, links) = markdown(&text, 24);
        assert!(shown.lines().count() > 2, "{shown}");
        assert!(links.len() > 1 && links.iter().all(|(_, target)| target == address), "{links:?}");
        let joined: String = links.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(joined, address);
    }
    let (_, links) = markdown(&format!("| a | b |\n|---|---|\n| {address} | x |"), 30);
    assert!(links.len() > 1 && links.iter().all(|(_, target)| target == address), "{links:?}");
}

#[test]
fn what_is_cut_is_no_link() {
    let row = Styled::new("https://a.example/long/path", Role::UiText).into_row(20);
    assert_eq!((row.text.as_ref(), row.links.len()), ("https://a.example/l…", 0));
    let row = Styled::new("at src/a.rs:12 in b", Role::UiText).into_row(40);
    assert_eq!(row.links[0].target, Target::File { path: "src/a.rs".into(), line: Some(12) });
    let lead = Styled::new("│ ", Role::UiDim);
    let rows = Styled::new("src/a.rs:12", Role::UiText).rows(9, Break::Anywhere, &lead, &lead);
    assert_eq!(linked(&rows), [pair("src/a.r", "src/a.rs:12"), pair("s:12", "src/a.rs:12")]);
}
