use proptest::prelude::*;
use serde_json::json;

use super::markdown::look;
use crate::proto::{
    AskKind, CallId, Content, Decision, Entry, EntryKind, Fault, FaultKind, Level, Order, Origin, Runnable, Share,
    ShellEnd, ShellState, ShellView, ToolOutcome, ToolState,
};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::cell::{Fold, Look, render};
use crate::ui::transcript::highlight::Highlighter;
use crate::ui::transcript::{Break, Heights, Styled};

/// Text with what breaks layouts: wide, joined, combining, hidden and control characters, markdown.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        Just("测试，".to_owned()),
        Just("👨‍👩‍👧‍👦🙂🇩🇪".to_owned()),
        Just("e\u{301}\u{200b}\u{202e}".to_owned()),
        Just("\u{1b}[31m\u{7}\u{9b}2J".to_owned()),
        Just("\r\n\t\u{ff9e}ｶﾞ".to_owned()),
        Just("\n\n- a\n  1. b\n".to_owned()),
        Just("\n\n| a | b | c |\n|--|:-:|--:|\n| x |\n".to_owned()),
        Just("\n```rust\nfn main() { \"x\" }\n".to_owned()),
        Just("\n> **q** `c` [l](http://x)\n".to_owned()),
        Just("*_`~#|".to_owned()),
        Just("@@ -1,2 +1,2 @@\n-a\n+b\n".to_owned()),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn kinds(text: &str, number: u64) -> Vec<EntryKind> {
    let text = text.to_owned();
    let finished = |outcome| ToolState::Finished {
        outcome,
        elapsed_ms: number,
        content: Content::Text(text.clone()),
        full_bytes: number,
        spill: Some(text.clone()),
        narrowed: None,
    };
    let tool = |state| EntryKind::Tool {
        call: CallId(text.clone()),
        server: text.clone(),
        tool: "write".to_owned(),
        arguments: json!({"old": &text, "new": "b", "command": &text, "n": number}),
        state,
    };
    let shell = |state| EntryKind::Shell(ShellView { command: text.clone(), share: Share::Model, state });
    let mut fault = Fault::new(FaultKind::Network, text.clone(), text.clone());
    fault.detail = Some(text.clone());
    let item = Runnable { path: text.clone(), content: text.clone() };
    vec![
        EntryKind::User { text: text.clone(), origin: Origin::Person, attachments: vec![text.clone()] },
        EntryKind::User {
            text: text.clone(),
            origin: Origin::System { kind: text.clone(), label: text.clone() },
            attachments: Vec::new(),
        },
        EntryKind::Assistant { text: text.clone(), streaming: true, interrupted: false, scripted: true },
        EntryKind::Assistant { text: text.clone(), streaming: false, interrupted: true, scripted: false },
        EntryKind::Thinking { text: text.clone(), streaming: true, elapsed_ms: number },
        EntryKind::Thinking { text: text.clone(), streaming: false, elapsed_ms: number },
        tool(ToolState::Running { since: 0, note: Some(text.clone()), fraction: Some(0.5) }),
        tool(finished(ToolOutcome::Ok)),
        tool(finished(ToolOutcome::Error)),
        EntryKind::Decision(Decision::CallRefused { tool: text.clone(), reason: text.clone() }),
        EntryKind::Notice { level: Level::Error, source: text.clone(), text: text.clone(), hint: Some(text.clone()) },
        EntryKind::Fault(fault),
        EntryKind::Command { line: text.clone(), output: text.clone() },
        shell(ShellState::Running { since: 0, tail: text.clone(), bytes: number }),
        shell(ShellState::Finished {
            end: ShellEnd::Exited(1),
            content: Content::Text(text.clone()),
            full_bytes: number,
            spill: Some(text.clone()),
            elapsed_ms: number,
        }),
        EntryKind::Asked {
            kind: AskKind::Trust { folder: text.clone(), items: vec![item], content_hash: text.clone() },
            answered: None,
        },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_is_wider_than_its_width_nor_holds_a_control(text in nasty(), width in 1usize..200, number in any::<u64>()) {
        let highlighter = Highlighter::off();
        for kind in kinds(&text, number) {
            let entry = Entry { order: Order::default(), version: 0, at: 0, kind };
            for fold in [Fold::Folded, Fold::Open] {
                let rows = render(&entry, &Look { fold, ..look(width, &highlighter) });
                prop_assert!(!rows.is_empty());
                for row in rows {
                    prop_assert!(text::width(&row.text) <= width, "{width}: {:?} {:?}", row.text, entry.kind);
                    prop_assert!(!row.text.chars().any(char::is_control), "{:?}", row.text);
                    let marked: usize = row.marks.iter().map(|mark| mark.bytes as usize).sum();
                    prop_assert_eq!(marked, row.text.len());
                }
            }
        }
    }

    #[test]
    fn wrapping_loses_no_letter(text in "[a-z测 ]{0,60}", width in 1usize..30) {
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for how in [Break::Words, Break::Anywhere] {
            let none = Styled::default();
            let rows = Styled::new(&text, Role::UiText).rows(width.max(2), how, &none, &none);
            let shown: String = rows.iter().map(|row| letters(&row.text)).collect();
            prop_assert_eq!(shown, letters(&text));
        }
    }

    #[test]
    fn heights_add_up(each in proptest::collection::vec(0u32..9, 0..60), changes in proptest::collection::vec((0usize..60, 0u32..9), 0..20), more in proptest::collection::vec(0u32..9, 0..20)) {
        let mut each = each;
        let mut heights = Heights::new(each.clone());
        for (index, height) in changes {
            if let Some(place) = each.get_mut(index) {
                *place = height;
            }
            heights.set(index, height);
        }
        for height in more {
            each.push(height);
            heights.push(height);
        }
        let mut above = 0u64;
        for (index, height) in each.iter().enumerate() {
            prop_assert_eq!(heights.before(index), above);
            for line in 0..*height {
                prop_assert_eq!(heights.find(above + u64::from(line)), Some((index, line)));
            }
            above += u64::from(*height);
        }
        prop_assert_eq!(heights.total(), above);
        prop_assert_eq!(heights.find(above), None);
    }
}
