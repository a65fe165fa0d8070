use std::fs;
use std::path::Path;

use super::*;
use crate::proto::{Order, Seq, TurnId};

#[test]
fn generated_names() {
    let table = [
        (0, "/home/me/My Project!", "700101-My-Project-0000-00ff"),
        (951_782_400_000, "/w/x", "000229-x-0000-00ff"),
        (1_796_037_300_000, "/", "261130-project-1115-00ff"),
        (1_796_037_300_000, "/w/\u{7}\u{7}\u{1b}]52;c;UA==\u{7}", "261130-52-c-UA-1115-00ff"),
    ];
    for (now, workdir, wanted) in table {
        let name = generated_name(now, Path::new(workdir), 0xff);
        assert_eq!(name, wanted);
        assert_eq!(checked_name(&name), Ok(name.as_str()));
    }
}

#[test]
fn names_of_people_are_checked() {
    for good in ["work", "brisk otter", "été-1", "a.b"] {
        assert_eq!(checked_name(good), Ok(good));
    }
    for bad in [
        "",
        "  ",
        "..",
        ".hidden",
        "../up",
        "a/b",
        "a\\b",
        "a\u{0}b",
        "a\u{202e}b",
        "a\u{ad}b",
        "a\u{3164}b",
        "c:",
        "-flag",
        &"x".repeat(200),
    ] {
        assert!(checked_name(bad).is_err(), "{bad:?}");
    }
}

fn session(sessions: &Path, name: &str, workdir: &str, at: u64, turns: u32) {
    let folder = sessions.join(name);
    fs::create_dir_all(&folder).unwrap();
    let mut bodies = vec![Body::SessionStarted {
        name: name.into(),
        role: "assistant".into(),
        workdir: workdir.into(),
        folder: String::new(),
        version: "0".into(),
    }];
    for turn in 1..=turns {
        bodies.push(Body::TurnStarted { turn: TurnId(turn) });
        let content = Content::Text(format!("\nquestion {turn}\nmore"));
        bodies.push(Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
    }
    let lines: String = bodies
        .into_iter()
        .zip(1..)
        .map(|(body, seq)| Event { seq: Seq(seq), at: at + seq, order: Some(Order::default()), body })
        .map(|event| serde_json::to_string(&event).unwrap() + "\n")
        .collect();
    fs::write(folder.join(JOURNAL), lines).unwrap();
}

#[test]
fn sessions_are_listed_by_last_use_and_found_by_name_prefix_and_folder() {
    let dir = tempfile::tempdir().unwrap();
    session(dir.path(), "alpha-one", "/here", 100, 2);
    session(dir.path(), "alpha-two", "/there", 300, 1);
    session(dir.path(), "beta", "/here", 500, 0);
    let listed = list(dir.path()).unwrap();
    assert_eq!(listed.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["beta", "alpha-two", "alpha-one"]);
    assert_eq!((listed[2].title.as_str(), listed[2].turns, listed[2].updated), ("question 1", 2, 105));
    assert_eq!(find(dir.path(), "bet"), Ok(dir.path().join("beta")));
    assert_eq!(find(dir.path(), "alpha-one"), Ok(dir.path().join("alpha-one")));
    assert!(matches!(find(dir.path(), "alpha"), Err(NameError::Ambiguous(..))));
    assert!(matches!(find(dir.path(), "gamma"), Err(NameError::Unknown(_))));
    assert_eq!(most_recent(dir.path(), Path::new("/here")), Ok(dir.path().join("alpha-one")), "one with a turn");
    assert_eq!(most_recent(dir.path(), Path::new("/nowhere")), Err(NameError::NoneHere));
    assert!(list(&dir.path().join("missing")).unwrap().is_empty());
}

#[test]
fn giant_and_damaged_journals_do_not_stop_the_list() {
    let dir = tempfile::tempdir().unwrap();
    session(dir.path(), "good", "/here", 100, 1);
    session(dir.path(), "giant", "/here", 50, 1);
    let giant = fs::OpenOptions::new().append(true).open(dir.path().join("giant").join(JOURNAL)).unwrap();
    giant.set_len(3 << 30).unwrap();
    fs::create_dir(dir.path().join("broken")).unwrap();
    fs::write(dir.path().join("broken").join(JOURNAL), "{\"a\":").unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::write(dir.path().join("a file"), "x").unwrap();
    let begun = std::time::Instant::now();
    let names: Vec<String> = list(dir.path()).unwrap().into_iter().map(|found| found.name).collect();
    assert_eq!(names, ["good", "giant", "broken"]);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}
