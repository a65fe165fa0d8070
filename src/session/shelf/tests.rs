use std::fs;
use std::path::Path;

use super::*;
use crate::proto::{Attachment, Content, Origin, Purpose, RequestId, Speaker, StopReason, TurnId, Usage};

const NOW: Timestamp = 1_800_000_000_000;
const DAY: u64 = 86_400_000;

fn started(name: &str, folder: &Path) -> Body {
    Body::SessionStarted {
        name: name.into(),
        role: "assistant".into(),
        workdir: "/here".into(),
        folder: folder.display().to_string(),
        version: "0".into(),
    }
}

fn said(text: &str) -> Body {
    let attachments: Vec<Attachment> = Vec::new();
    Body::UserMessage { content: Content::Text(text.into()), attachments, origin: Origin::Person }
}

fn answer(text: &str) -> Body {
    Body::AssistantMessage {
        request: RequestId(1),
        text: text.into(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: "p:m".into(),
    }
}

fn paid(cost: f64) -> Body {
    let usage = Usage { input: 10, cost: Some(cost), ..Usage::default() };
    Body::RequestFinished { request: RequestId(1), purpose: Purpose::Main, usage, first_token_ms: 0, elapsed_ms: 0 }
}

fn session(sessions: &Path, name: &str) {
    let folder = sessions.join(name);
    fs::create_dir_all(folder.join("blobs")).unwrap();
    fs::write(folder.join("blobs/abc"), "a large body").unwrap();
    let bodies = [
        started(name, &folder),
        Body::TurnStarted { turn: TurnId(1) },
        said("what is this?"),
        paid(0.25),
        answer("A shop."),
        paid(0.5),
    ];
    let lines: String = bodies
        .into_iter()
        .zip(1..)
        .map(|(body, seq)| Event { seq: Seq(seq), at: NOW + seq, order: None, body })
        .map(|event| serde_json::to_string(&event).unwrap() + "\n")
        .collect();
    fs::write(folder.join(JOURNAL), lines).unwrap();
}

fn shelf(root: &Path) -> Shelf {
    Shelf::new(root.join("sessions"), Some("own".to_owned()))
}

fn answers(shelf: &Shelf, command: ShelfCommand) -> Vec<ShelfAnswer> {
    let mut told = Vec::new();
    shelf.answer(command, NOW, &mut |answer| {
        told.push(answer);
        true
    });
    told
}

fn names(shelf: &Shelf) -> Vec<String> {
    let told = answers(shelf, ShelfCommand::List);
    let rows = told.iter().flat_map(|answer| match answer {
        ShelfAnswer::Listed { rows, .. } => rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    });
    rows.collect()
}

#[test]
fn the_list_comes_in_pieces_a_screen_full_first() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..300 {
        session(&root.path().join("sessions"), &format!("s{number:03}"));
    }
    let told = answers(&shelf(root.path()), ShelfCommand::List);
    let sizes: Vec<(usize, usize, usize)> = told
        .iter()
        .map(|answer| match answer {
            ShelfAnswer::Listed { from, total, rows } => (*from, *total, rows.len()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sizes, [(0, 300, 40), (40, 300, 200), (240, 300, 60)]);
    let ShelfAnswer::Listed { rows, .. } = &told[0] else { panic!() };
    let row = &rows[0];
    assert_eq!(
        (row.title.as_str(), row.turns, row.cost, row.workdir.as_str()),
        ("what is this?", 1, Some(0.75), "/here")
    );
    let mut heard = 0;
    shelf(root.path()).answer(ShelfCommand::List, NOW, &mut |_| {
        heard += 1;
        false
    });
    assert_eq!(heard, 1, "nobody listens any more");
}

#[test]
fn a_preview_has_the_last_messages() {
    let root = tempfile::tempdir().unwrap();
    session(&root.path().join("sessions"), "one");
    let shelf = shelf(root.path());
    let wanted = vec![(Speaker::Person, "what is this?".to_owned()), (Speaker::Agent, "A shop.".to_owned())];
    assert_eq!(shelf.preview("one").unwrap(), wanted);
    assert_eq!(
        answers(&shelf, ShelfCommand::Preview { name: "../etc".into() }),
        [ShelfAnswer::Previewed { name: "../etc".into(), said: Vec::new().into() }]
    );
}

#[test]
fn a_title_is_one_more_record_behind_the_last_whole_one() {
    let root = tempfile::tempdir().unwrap();
    let sessions = root.path().join("sessions");
    session(&sessions, "one");
    let journal = sessions.join("one").join(JOURNAL);
    let mut torn = fs::read(&journal).unwrap();
    torn.extend_from_slice(b"{\"seq\":99,\"at\":");
    fs::write(&journal, torn).unwrap();
    let shelf = shelf(root.path());
    assert_eq!(shelf.rename("one", "  the shop\u{1b}[2J \n", NOW + 50).unwrap(), "the shop");
    let text = fs::read_to_string(&journal).unwrap();
    let last: Event = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((last.seq, last.body), (Seq(7), Body::TitleChanged { title: "the shop".into() }));
    assert_eq!(text.lines().count(), 7, "what was torn is gone");
    assert!(matches!(shelf.rename("one", " ", NOW), Err(ShelfError::NoTitle)));
}

#[test]
fn a_fork_is_a_session_of_its_own_with_the_same_past() {
    let root = tempfile::tempdir().unwrap();
    let sessions = root.path().join("sessions");
    session(&sessions, "one");
    let shelf = shelf(root.path());
    let row = shelf.fork("one", NOW).unwrap();
    assert_ne!(row.name, "one");
    assert_eq!((row.title.as_str(), row.turns, row.cost), ("fork of what is this?", 1, Some(0.75)));
    let folder = sessions.join(&row.name);
    assert_eq!(fs::read_to_string(folder.join("blobs/abc")).unwrap(), "a large body");
    let text = fs::read_to_string(folder.join(JOURNAL)).unwrap();
    let first: Event = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first.body, started(&row.name, &folder), "what it knows of itself is its own");
    let of_one = fs::read_to_string(sessions.join("one").join(JOURNAL)).unwrap();
    assert_eq!(text.lines().skip(1).take(5).collect::<Vec<_>>(), of_one.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn what_is_deleted_comes_back_whole_for_seven_days() {
    let root = tempfile::tempdir().unwrap();
    let sessions = root.path().join("sessions");
    session(&sessions, "one");
    session(&sessions, "two");
    let shelf = shelf(root.path());
    let before = fs::read(sessions.join("one").join(JOURNAL)).unwrap();
    shelf.delete("one", NOW).unwrap();
    assert_eq!(names(&shelf), ["two"]);
    assert!(matches!(shelf.delete("one", NOW), Err(ShelfError::Name(_))));
    shelf.restore("one").unwrap();
    assert_eq!(fs::read(sessions.join("one").join(JOURNAL)).unwrap(), before);
    assert!(matches!(shelf.restore("one"), Err(ShelfError::NotDeleted(_))));
    shelf.delete("one", NOW).unwrap();
    session(&sessions, "one");
    assert!(matches!(shelf.restore("one"), Err(ShelfError::Taken(_))), "another one has the name");
    shelf.purge(NOW + TRASH_DAYS * DAY).unwrap();
    assert_eq!(shelf.trashed().len(), 1, "still within the days");
    shelf.purge(NOW + TRASH_DAYS * DAY + 1).unwrap();
    assert_eq!(shelf.trashed(), []);
}

#[test]
fn nothing_is_done_to_a_session_that_is_open() {
    let root = tempfile::tempdir().unwrap();
    let sessions = root.path().join("sessions");
    session(&sessions, "one");
    session(&sessions, "own");
    let shelf = shelf(root.path());
    let held = Lock::take(&sessions.join("one")).unwrap();
    assert!(matches!(held, Locked::Mine(_)));
    let by = format!("process {}", std::process::id());
    assert!(matches!(shelf.delete("one", NOW), Err(ShelfError::Open(name, who)) if name == "one" && who == by));
    assert!(matches!(shelf.rename("one", "x", NOW), Err(ShelfError::Open(..))));
    assert_eq!(shelf.row(&sessions.join("one")).open_by, Some(by));
    assert!(matches!(shelf.delete("own", NOW), Err(ShelfError::Own(_))));
    let told = answers(&shelf, ShelfCommand::Delete { name: "own".into() });
    assert!(matches!(told.as_slice(), [ShelfAnswer::Refused { why, .. }] if why.contains("you are in")), "{told:?}");
    drop(held);
    assert_eq!(shelf.row(&sessions.join("one")).open_by, None);
    shelf.delete("one", NOW).unwrap();
}
