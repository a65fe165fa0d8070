use serde_json::json;

use super::markdown::look;
use crate::proto::{CallId, Content, Decision, Entry, EntryKind, Order, ToolOutcome, ToolState};
use crate::ui::transcript::cell::{Fold, Look, render};
use crate::ui::transcript::highlight::Highlighter;

fn shown(kind: EntryKind, fold: Fold, width: usize) -> String {
    let highlighter = Highlighter::in_place();
    let entry = Entry { order: Order::default(), version: 0, at: 0, kind };
    let rows = render(&entry, &Look { fold, now: 3200, ..look(width, &highlighter) });
    rows.iter().map(|row| row.text.trim_end()).collect::<Vec<_>>().join("\n")
}

fn tool(arguments: serde_json::Value, outcome: ToolOutcome, output: &str) -> EntryKind {
    let state = ToolState::Finished {
        outcome,
        elapsed_ms: 1500,
        content: Content::Text(output.to_owned()),
        full_bytes: output.len() as u64,
        spill: None,
        narrowed: None,
    };
    EntryKind::Tool {
        call: CallId("c".to_owned()),
        server: "files".to_owned(),
        tool: "run".to_owned(),
        arguments,
        state,
    }
}

#[test]
fn a_tool_says_what_it_did_in_one_line() {
    let kind = tool(json!({"path": "a", "pattern": "x", "deep": true}), ToolOutcome::Ok, "");
    assert_eq!(shown(kind, Fold::Folded, 50), "⚒ files.run  x  path a  deep true         ok 1.5 s");
}

#[test]
fn folded_output_tells_its_true_size() {
    let output =
        |lines: std::ops::RangeInclusive<usize>| lines.map(|line| format!("line {line}\n")).collect::<String>();
    let folded = |outcome, text: &str| shown(tool(json!({}), outcome, text), Fold::Folded, 40);
    assert_eq!(
        folded(ToolOutcome::Ok, &output(1..=4)),
        "⚒ files.run                     ok 1.5 s\n│ line 1\n│ line 2\n│ line 3\n│ line 4"
    );
    assert_eq!(
        folded(ToolOutcome::Ok, &output(1..=5)),
        "⚒ files.run                     ok 1.5 s\n│ line 1\n│ line 2\n│ line 3\n│ … 2 more lines (5 lines, 35 B)"
    );
    let long = folded(ToolOutcome::Ok, &"x".repeat(300));
    assert!(long.ends_with("x…  (1 line, 300 B)") || long.ends_with("… (1 line, 300 B)"), "{long}");
    let failed = folded(ToolOutcome::Error, &output(1..=20));
    assert_eq!(failed.lines().nth(1), Some("│ … 14 lines before (20 lines, 151 B)"));
    assert_eq!(failed.lines().last(), Some("│ line 20"));
    assert_eq!(folded(ToolOutcome::Error, &output(1..=8)).lines().count(), 9);
    let state = ToolState::Finished {
        outcome: ToolOutcome::Ok,
        elapsed_ms: 1,
        content: Content::Blob { hash: "h".to_owned(), bytes: 5_000_000, preview: "head of it\nmore".to_owned() },
        full_bytes: 5_000_000,
        spill: None,
        narrowed: None,
    };
    let (server, tool) = ("files".to_owned(), "run".to_owned());
    let kind = EntryKind::Tool { call: CallId("c".to_owned()), server, tool, arguments: json!({}), state };
    assert!(shown(kind, Fold::Folded, 40).ends_with("(4.8 MB in all)"));
}

#[test]
fn every_outcome_has_words_of_its_own() {
    let cases = [
        (ToolOutcome::Ok, "ok 1.5 s"),
        (ToolOutcome::Error, "✘ error 1.5 s"),
        (ToolOutcome::Cancelled, "■ stopped 1.5 s"),
        (ToolOutcome::TimedOut, "✘ timed out 1.5 s"),
        (ToolOutcome::Refused, "✘ refused"),
        (ToolOutcome::Lost, "? lost with its server"),
    ];
    for (outcome, words) in cases {
        let shown = shown(tool(json!({}), outcome, ""), Fold::Folded, 60);
        assert!(shown.ends_with(words), "{shown}");
    }
}

#[test]
fn an_edit_is_a_diff() {
    let arguments =
        json!({"path": "a.rs", "old_string": "let a = 1;\nlet b = 2;\n", "new_string": "let a = 1;\nlet b = 3;\n"});
    let shown = shown(tool(arguments, ToolOutcome::Ok, "edited"), Fold::Folded, 40);
    assert_eq!(shown, "⚒ files.run  a.rs               ok 1.5 s\n│  let a = 1;\n│ -let b = 2;\n│ +let b = 3;");
}

#[test]
fn carriage_returns_show_their_last_state() {
    let shown = shown(tool(json!({}), ToolOutcome::Ok, "10%\r20%\r100%\na\r\nb\n"), Fold::Open, 30);
    assert!(shown.ends_with("│ 100%\n│ a\n│ b"), "{shown}");
}

#[test]
fn a_thought_is_one_line_until_opened() {
    let kind = EntryKind::Thinking { text: "First look.\nThen think.".to_owned(), streaming: false, elapsed_ms: 4200 };
    assert_eq!(shown(kind.clone(), Fold::Folded, 60), "∴ thought 4.2 s  First look.");
    assert_eq!(shown(kind, Fold::Open, 60), "∴ thought 4.2 s\n│ First look.\n│ Then think.");
}

#[test]
fn a_decision_opens_to_its_numbers() {
    let decision = Decision::ResultCut {
        call: "c".to_owned(),
        tokens: 12_000,
        limit: 8000,
        kept_head: 5000,
        kept_tail: 3000,
        spill: "/tmp/whole.txt".to_owned(),
    };
    let folded = shown(EntryKind::Decision(decision.clone()), Fold::Folded, 80);
    assert_eq!(folded, "◆ cut  result of 12000 tok cut to 8000 tok, whole kept in a file");
    let open = shown(EntryKind::Decision(decision), Fold::Open, 80);
    assert!(open.contains("│ whole  /tmp/whole.txt"), "{open}");
}

#[test]
fn a_scripted_reply_is_labelled() {
    let kind = EntryKind::Assistant { text: "hi".to_owned(), streaming: false, interrupted: true, scripted: true };
    assert_eq!(shown(kind, Fold::Open, 40), "scripted reply\nhi\n■ interrupted");
}

#[test]
fn a_table_of_a_command_keeps_its_columns_at_any_width() {
    let output = "/help            what one can do here\n/effort [none|low|medium|high]  how hard the model thinks\n\nAnything else goes to the model.\n";
    let kind = EntryKind::Command { line: "/help".to_owned(), output: output.to_owned() };
    assert_eq!(
        shown(kind.clone(), Fold::Open, 40),
        "› /help\n  /help               what one can do\n                      here\n  /effort [none|low|medium|high]\n                      how hard the model\n                      thinks\n\n  Anything else goes to the model."
    );
    assert!(shown(kind, Fold::Open, 90).contains("  /effort [none|low|medium|high]  how hard the model thinks\n"));
}

#[test]
fn a_long_notice_folds_and_a_short_one_does_not() {
    let notice = |lines: usize| EntryKind::Notice {
        level: crate::proto::Level::Error,
        source: "config".to_owned(),
        text: "these keys are missing".to_owned(),
        hint: Some((1..lines).map(|line| format!("key_{line} = 0\n")).collect::<String>().trim_end().to_owned()),
    };
    assert_eq!(shown(notice(8), Fold::Folded, 60).lines().count(), 8);
    let long = shown(notice(100), Fold::Folded, 60);
    assert_eq!((long.lines().count(), long.lines().last()), (7, Some("  … 94 more rows")));
    assert_eq!(shown(notice(100), Fold::Open, 60).lines().count(), 100);
}

#[test]
fn a_refused_agent_names_the_others_and_what_is_used_instead() {
    let list: String = ["au", "ca", "de", "uk", "us"].map(|land| format!("\n  lawyer:{land} — Law of {land}")).concat();
    let unread = "it may be in a tap that could not be read: a/b: it could not be fetched";
    let text = format!(
        "the domain `lawyer` has no chief; name one of its agents{list}\n{unread}\nThe role assistant is used instead."
    );
    let kind = || EntryKind::Notice {
        level: crate::proto::Level::Error,
        source: "role".to_owned(),
        text: text.clone(),
        hint: Some("read more in a very long hint that nobody needs to read at once".to_owned()),
    };
    let highlighter = Highlighter::in_place();
    let of = |fold, width| {
        let keys = crate::ui::transcript::cell::CellKeys { agents: "f3", ..Default::default() };
        let entry = Entry { order: Order::default(), version: 0, at: 0, kind: kind() };
        let rows = render(&entry, &Look { fold, keys, ..look(width, &highlighter) });
        rows.iter().map(|row| row.text.trim_end()).collect::<Vec<_>>().join("\n")
    };
    let folded = of(Fold::Folded, 48);
    assert!(folded.contains("lawyer:au · lawyer:ca"), "{folded}");
    assert!(folded.contains("  The role assistant is used instead.\n  f3 lists the agents"), "{folded}");
    assert!(folded.lines().count() <= 8, "{folded}");
    let open = of(Fold::Open, 48);
    assert!(open.contains("lawyer:uk — Law of uk") && open.contains("read more"), "{open}");
}

#[test]
fn a_start_and_a_skill_fit_any_width() {
    use crate::proto::{SkillCause, SkillView, StartStep, StepState, StepView};
    let step = |step, state| StepView {
        step,
        state,
        detail: "需要 a compiler\u{301} and 🙂 much more than fits".to_owned(),
        elapsed_ms: 61_000,
        output: vec!["x".repeat(90), "y\tz".to_owned()],
    };
    let states = [StepState::Running, StepState::Done, StepState::Doubtful, StepState::Failed, StepState::Cancelled];
    let skill = SkillView {
        name: "日本語のとても長い名前".to_owned(),
        description: "words ".repeat(40),
        cause: SkillCause::Rule { line: 0 },
        source: "tap".to_owned(),
        file: "/a".repeat(60),
        tokens: 12_000,
    };
    let highlighter = Highlighter::in_place();
    for width in 1..90 {
        for state in &states {
            let steps = vec![step(StartStep::Deps, state.clone()), step(StartStep::Servers, StepState::Done)];
            for kind in [EntryKind::StartUp { steps }, EntryKind::Skill { skill: skill.clone(), forgotten: false }] {
                for fold in [Fold::Folded, Fold::Open] {
                    let entry = Entry { order: Order::default(), version: 0, at: 0, kind: kind.clone() };
                    for row in render(&entry, &Look { fold, now: 3200, ..look(width, &highlighter) }) {
                        let columns = crate::text::width(&row.text);
                        // A wide character has nowhere to go in a single column.
                        assert!(columns <= width.max(2), "{width}: {columns} {:?}", row.text);
                    }
                }
            }
        }
    }
}

#[test]
fn a_start_is_summed_up_from_what_its_steps_say() {
    use crate::proto::{StartStep, StepState, StepView};
    let step = |step, detail: &str| StepView {
        step,
        state: StepState::Done,
        detail: detail.to_owned(),
        elapsed_ms: 300,
        output: Vec::new(),
    };
    let summed = |tag: &str, capabilities: &str, servers: &str| {
        let steps = vec![
            step(StartStep::Tag, tag),
            step(StartStep::Tap, "muvon/tap"),
            step(StartStep::Capabilities, capabilities),
            step(StartStep::Servers, servers),
        ];
        let kind = EntryKind::StartUp { steps };
        let shown = shown(kind.clone(), super::super::cell::default_fold(&kind), 100);
        shown.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        summed("lawyer → lawyer:chief", "shell (starter), web (tavily)", "2 ready, 11 tools"),
        "lawyer:chief ready · muvon/tap · 2 capabilities · 11 tools ▸ 1.2 s"
    );
    assert_eq!(
        summed("a:b", "shell (starter)", "no server"),
        "a:b ready · muvon/tap · 1 capability · no server ▸ 1.2 s"
    );
}
