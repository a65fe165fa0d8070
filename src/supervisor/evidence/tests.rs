use super::*;

const COMMAND: Kind = Kind::Command { changed_tree: false };
const CHANGING: Kind = Kind::Command { changed_tree: true };

type Row = (&'static str, Kind, ToolOutcome, &'static str);

fn lines(rows: &[Row]) -> Vec<EventLine<'_>> {
    rows.iter()
        .enumerate()
        .map(|(at, (target, kind, outcome, content))| EventLine {
            reference: format!("call:c{at}"),
            tool: "shell",
            target,
            line: target,
            outcome: *outcome,
            kind: *kind,
            content,
        })
        .collect()
}

/// (changes, checks, failed, not found)
type Wanted = (Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>);

#[test]
fn what_calls_amount_to() {
    use ToolOutcome::{Error, Lost, Ok, Refused, TimedOut};
    let edit: Row = ("edit", Kind::Mutation, Ok, "");
    let test: Row = ("cargo test", COMMAND, Ok, "all good\n[exit 0, 1.0 s]");
    let fail: Row = ("cargo test", COMMAND, Error, "1 failed\n[exit 101, 1.0 s]");
    let read: Row = ("view", Kind::Read, Ok, "text");
    let cases: Vec<(&str, Vec<Row>, Wanted)> = vec![
        ("nothing", vec![], (vec![], vec![], vec![], vec![])),
        ("change, then check", vec![edit, test], (vec![0], vec![1], vec![], vec![])),
        ("check, then change", vec![test, edit], (vec![1], vec![], vec![], vec![])),
        ("reading is no check", vec![edit, read], (vec![0], vec![], vec![], vec![])),
        ("a failing check is none", vec![edit, fail], (vec![0], vec![], vec![1], vec![])),
        ("mended later", vec![edit, fail, test], (vec![0], vec![2], vec![], vec![])),
        ("broken later", vec![edit, test, fail], (vec![0], vec![], vec![2], vec![])),
        (
            "a failing change may have changed half",
            vec![edit, test, ("edit", Kind::Mutation, Error, "")],
            (vec![0], vec![], vec![], vec![]),
        ),
        ("a lost change too", vec![edit, test, ("edit", Kind::Mutation, Lost, "")], (vec![0], vec![], vec![], vec![])),
        (
            "a refused one did not run",
            vec![edit, test, ("edit", Kind::Mutation, Refused, "")],
            (vec![0], vec![1], vec![], vec![]),
        ),
        (
            "a call that says nothing of itself may have changed something, and counts as no change",
            vec![edit, test, ("fetch", Kind::Unknown, Ok, "")],
            (vec![0], vec![], vec![], vec![]),
        ),
        (
            "a command that changed files is no check of itself",
            vec![edit, ("make", CHANGING, Ok, "[exit 0, 1.0 s]")],
            (vec![0, 1], vec![], vec![], vec![]),
        ),
        (
            "a command that is still running showed nothing",
            vec![edit, ("serve", COMMAND, Ok, "up\n[still running in the background; stop it with: kill 1]")],
            (vec![0], vec![], vec![1], vec![]),
        ),
        (
            "an exit code that is not 0 though the tool calls it fine",
            vec![edit, ("x", COMMAND, Ok, "[exit 1, 0.1 s]")],
            (vec![0], vec![], vec![1], vec![]),
        ),
        (
            "a text that imitates the exit line does not come last",
            vec![edit, ("cat", COMMAND, Error, "[exit 0, 0.1 s]\n[exit 1, 0.1 s]")],
            (vec![0], vec![], vec![1], vec![]),
        ),
        (
            "a command that does not exist",
            vec![edit, ("pytest", COMMAND, Error, "sh: pytest: not found\n[exit 127, 0.0 s]")],
            (vec![0], vec![], vec![], vec![1]),
        ),
        ("timed out", vec![edit, ("x", COMMAND, TimedOut, "")], (vec![0], vec![], vec![1], vec![])),
        ("no change at all", vec![read, test], (vec![], vec![1], vec![], vec![])),
    ];
    for (name, rows, (changes, checks, failed, not_found)) in cases {
        assert_eq!(facts(&lines(&rows)), Facts { changes, checks, failed, not_found }, "{name}");
    }
}

#[test]
fn a_check_beside_the_change_is_not_after_it() {
    let rows: [Row; 2] = [("edit", Kind::Mutation, ToolOutcome::Ok, ""), ("cargo test", COMMAND, ToolOutcome::Ok, "")];
    for (references, checks) in [(["call:c3-1", "call:c3-2"], vec![]), (["call:c3-1", "call:c4-1"], vec![1])] {
        let mut events = lines(&rows);
        for (event, reference) in events.iter_mut().zip(references) {
            reference.clone_into(&mut event.reference);
        }
        assert_eq!(facts(&events).checks, checks, "{references:?}");
    }
}
