use std::fs::{self, OpenOptions};
use std::io::Write;

use super::*;
use crate::proto::{Content, Level, Order, Origin, Seq};

fn body(number: u64) -> Body {
    match number % 4 {
        0 => Body::TurnStarted { turn: TurnId(u32::try_from(number / 4).unwrap() + 1) },
        1 => Body::UserMessage {
            content: Content::Text(format!("message {number}")),
            attachments: Vec::new(),
            origin: Origin::Person,
        },
        2 => Body::Notice { level: Level::Info, source: "x".into(), text: format!("note {number}"), hint: None },
        _ => Body::TitleChanged { title: format!("title {number}") },
    }
}

fn events(from: u64, count: u64) -> Vec<Event> {
    let event = |number: u64| Event {
        seq: Seq(number + 1),
        at: 1000 + number,
        order: Some(Order { turn: u32::try_from(number / 4).unwrap() + 1, round: 0, slot: (number % 4) as u32 }),
        body: body(number),
    };
    (from..from + count).map(event).collect()
}

fn write(path: &Path, events: &[Event]) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    for event in events {
        writeln!(file, "{}", serde_json::to_string(event).unwrap()).unwrap();
    }
}

fn folded(events: &[Event]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    events.iter().for_each(|event| snapshot.apply(event));
    snapshot
}

#[test]
fn any_event_in_any_order_is_the_fold_up_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let all = events(0, 1000);
    write(&path, &all[..400]);
    fs::write(&path, [fs::read(&path).unwrap(), b"damaged\n".to_vec()].concat()).unwrap();
    write(&path, &all[400..]);
    let mut machine = TimeMachine::new(&path);
    for index in [0usize, 1, 999, 998, 127, 128, 129, 400, 401, 3, 500, 256, 255, 255] {
        let moment = machine.at(index as u64).unwrap().unwrap();
        assert_eq!((moment.index, moment.total, moment.seq), (index as u64, 1000, Seq(index as u64 + 1)));
        assert_eq!(*moment.snapshot, folded(&all[..=index]), "at {index}");
        assert_eq!(moment.name, body(index as u64).name());
    }
    let moment = machine.at(u64::MAX).unwrap().unwrap();
    assert_eq!(moment.index, 999);
    assert_eq!(moment.turns.len(), 250);
    assert_eq!(moment.turns[2], (TurnId(3), 8));
}

#[test]
fn what_is_written_meanwhile_is_there_and_what_is_half_written_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let all = events(0, 20);
    write(&path, &all[..10]);
    let mut machine = TimeMachine::new(&path);
    assert_eq!(machine.at(u64::MAX).unwrap().unwrap().index, 9);
    let line = serde_json::to_string(&all[10]).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    write!(file, "{}", &line[..9]).unwrap();
    assert_eq!(machine.at(u64::MAX).unwrap().unwrap().total, 10);
    writeln!(file, "{}", &line[9..]).unwrap();
    write(&path, &all[11..]);
    let moment = machine.at(u64::MAX).unwrap().unwrap();
    assert_eq!((moment.index, &*moment.snapshot), (19, &folded(&all)));
    assert!(TimeMachine::new(&dir.path().join("none")).at(0).is_err());
}

#[test]
fn kept_snapshots_stay_few_however_long_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let all = events(0, 20_000);
    write(&path, &all);
    let mut machine = TimeMachine::new(&path);
    let moment = machine.at(12_345).unwrap().unwrap();
    assert_eq!(moment.snapshot.transcript.len(), folded(&all[..=12_345]).transcript.len());
    assert!(machine.kept.len() <= KEPT, "{}", machine.kept.len());
    assert_eq!(machine.every, 512);
}
