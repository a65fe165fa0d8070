use super::tell::Teller;
use super::{ask, is_wanted, panes};
use crate::config::schema::Ui;
use crate::proto::{
    Answer, AskKind, Body, CallId, Content, Event, Level, Order, Origin, RequestId, Runnable, Seq, Snapshot,
    StopReason, ToolOutcome, TurnId,
};

struct Play {
    snapshot: Snapshot,
    teller: Teller,
    seq: u64,
    slot: u32,
}

impl Play {
    fn new() -> Self {
        let mut snapshot = Snapshot::default();
        snapshot.session.name = "brisk-otter".to_owned();
        Self { snapshot, teller: Teller::default(), seq: 0, slot: 0 }
    }

    /// What is said when this happens, in an entry of its own or in the last one.
    fn next(&mut self, body: Body) -> String {
        self.slot += 1;
        self.same(body)
    }

    fn same(&mut self, body: Body) -> String {
        self.seq += 1;
        let order = Some(Order { turn: 1, round: 0, slot: self.slot });
        self.snapshot.apply(&Event { seq: Seq(self.seq), at: 1_700_000_000_000, order, body });
        self.teller.tell(&self.snapshot)
    }

    fn notice(&mut self, text: &str) -> String {
        let (source, hint) = ("config".to_owned(), Some("mend it".to_owned()));
        self.next(Body::Notice { level: Level::Warning, source, text: text.to_owned(), hint })
    }
}

#[test]
fn who_needs_lines_gets_them() {
    let plain = Ui::default();
    let reads = Ui { screen_reader: true, ..Ui::default() };
    for (settings, asked, environment, wanted) in [
        (&plain, false, "TERM=xterm-256color", false),
        (&plain, true, "TERM=xterm-256color", true),
        (&reads, false, "TERM=xterm-256color", true),
        (&plain, false, "TERM=dumb", true),
        (&plain, false, "", true),
        (&plain, false, "TERM=xterm OCTOMIND_LINEAR=1", true),
        (&plain, false, "TERM=xterm OCTOMIND_LINEAR=0", false),
    ] {
        let get = |name: &str| {
            let mut pairs = environment.split(' ').filter_map(|pair| pair.split_once('='));
            pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
        };
        assert_eq!(is_wanted(settings, asked, get), wanted, "{asked} {environment}");
    }
}

#[test]
fn a_reply_is_told_line_by_line_and_never_twice() {
    let mut play = Play::new();
    let said = play.next(Body::UserMessage {
        content: Content::Text("hello".to_owned()),
        attachments: Vec::new(),
        origin: Origin::Person,
    });
    assert_eq!(said, "", "who typed it knows it");
    let request = RequestId(1);
    play.slot += 1;
    let mut text = String::new();
    let mut all = String::new();
    for piece in ["The pl", "an\nscans `or", "ders`.\n\n", "- one"] {
        let body = Body::TextDelta { request, offset: text.len() as u64, text: piece.to_owned() };
        text.push_str(piece);
        all.push_str(&play.same(body));
    }
    assert_eq!(all, "Assistant: The plan\nscans `orders`.\n\n", "only whole lines");
    all.push_str(&play.same(Body::AssistantMessage {
        request,
        text: text.clone(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: "a:b".to_owned(),
    }));
    assert_eq!(all, "Assistant: The plan\nscans `orders`.\n\n- one\n");
    assert_eq!(play.teller.tell(&play.snapshot), "");
}

#[test]
fn a_tool_is_told_when_it_starts_and_how_it_ends() {
    let mut play = Play::new();
    let call = CallId("c".to_owned());
    let started = Body::ToolStarted {
        call: call.clone(),
        server: "files".to_owned(),
        tool: "view".to_owned(),
        arguments: serde_json::json!({"path": "src/\u{1b}[31ma.rs", "lines": [1, 2]}),
    };
    assert_eq!(play.next(started), "Tool view of files started: path src/a.rs; lines [1,2]\n");
    let lines: Vec<String> = (1..=60).map(|number| format!("line {number}")).collect();
    let said = play.same(Body::ToolFinished {
        call,
        outcome: ToolOutcome::Error,
        content: Content::Text(lines.join("\n")),
        full_bytes: 400,
        spill: None,
        elapsed_ms: 120,
    });
    assert!(said.starts_with("Tool view of files failed after 120 ms.\nOutput, the last 40 of 60 lines"), "{said}");
    assert!(said.contains("  line 21\n") && !said.contains("line 20\n") && said.ends_with("  line 60\n"), "{said}");
}

#[test]
fn notes_are_sentences_and_what_was_there_before_is_not_told() {
    let mut play = Play::new();
    assert_eq!(play.notice("a key is unknown"), "Warning, config: a key is unknown\nWhat to do: mend it\n");
    play.teller.skip(&play.snapshot);
    assert_eq!(play.teller.tell(&play.snapshot), "");
    assert!(play.notice("another").contains("another"));
    let _ = play.same(Body::TurnStarted { turn: TurnId(1) });
    assert_eq!(panes::answer(&play.snapshot, "/read 1").unwrap(), "", "a note is no part of the conversation");
}

#[test]
fn nothing_said_needs_a_symbol_or_a_sequence() {
    let mut play = Play::new();
    let mut said = play.notice("\u{1b}]8;;x\u{7}bell\u{202e}");
    for pane in ["/surface", "/scores", "/notes", "/plan", "/why nothing-such", "/why", "/read", "/read x"] {
        said.push_str(&panes::answer(&play.snapshot, pane).unwrap());
    }
    said.push_str(panes::HELP);
    assert!(said.chars().all(|letter| letter == '\n' || letter.is_ascii_graphic() || letter == ' '), "{said}");
    assert_eq!(panes::answer(&play.snapshot, "/mcp"), None, "the session answers that");
    assert_eq!(panes::answer(&play.snapshot, "surface"), None);
}

#[test]
fn questions_are_answered_in_words() {
    let trust = AskKind::Trust {
        folder: "/w".to_owned(),
        items: vec![Runnable { path: "run.sh".to_owned(), content: "rm -rf x\u{202e}\n".to_owned() }],
        content_hash: String::new(),
    };
    let secret = AskKind::Secret { key: "K".to_owned(), wanted_by: "capability x".to_owned(), kept_in: "f".to_owned() };
    for (kind, typed, wanted) in [
        (&trust, "Yes ", ask::Reply::Answer(Answer::Yes)),
        (&trust, "n", ask::Reply::Answer(Answer::No)),
        (&trust, "", ask::Reply::Unclear),
        (&trust, "go on please", ask::Reply::Unclear),
        (&trust, "show", ask::Reply::Show),
        (&trust, "later", ask::Reply::Later),
        (&secret, "yes", ask::Reply::Answer(Answer::Text("yes".to_owned()))),
        (&secret, "", ask::Reply::Answer(Answer::No)),
        (&secret, "later", ask::Reply::Later),
    ] {
        assert_eq!(ask::reply(kind, typed), wanted, "{typed}");
    }
    let shown = ask::details(&trust);
    assert!(shown.contains("File run.sh:\n  rm -rf x") && !shown.contains('\u{202e}'), "{shown}");
    assert!(ask::question(&trust).contains("Type yes, no, show"));
}
