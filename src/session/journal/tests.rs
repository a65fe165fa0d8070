use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::*;
use crate::proto::{Body, Content, Event, Level, Order, RequestId, Seq, StopReason};

fn notice(seq: u64, text: &str) -> Event {
    let body = Body::Notice { level: Level::Info, source: "test".into(), text: text.into(), hint: None };
    Event { seq: Seq(seq), at: 1000 + seq, order: Some(Order { turn: 0, round: 0, slot: seq as u32 }), body }
}

fn delta(seq: u64, at: u64, offset: u64, text: &str) -> Event {
    let body = Body::TextDelta { request: RequestId(1), offset, text: text.into() };
    Event { seq: Seq(seq), at, order: None, body }
}

fn message(seq: u64, text: &str) -> Event {
    let body = Body::AssistantMessage {
        request: RequestId(1),
        text: text.into(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: "test:one".into(),
    };
    Event { seq: Seq(seq), at: 0, order: None, body }
}

fn locked(folder: &Path) -> Lock {
    match Lock::take(folder).unwrap() {
        Locked::Mine(lock) => lock,
        Locked::Held(by) => panic!("held by {by}"),
    }
}

fn written(folder: &Path, events: &[Event]) -> Vec<u8> {
    create_private_folder(folder).unwrap();
    let mut journal = Journal::open(folder, 0, locked(folder)).unwrap();
    for event in events {
        journal.record(event).unwrap();
    }
    journal.settle().0.unwrap();
    fs::read(folder.join(JOURNAL)).unwrap()
}

fn read_back(folder: &Path) -> (Vec<Event>, Reading) {
    let mut events = Vec::new();
    let reading = read(&folder.join(JOURNAL), |event| events.push(event)).unwrap();
    (events, reading)
}

#[test]
fn what_is_written_is_read_back_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let events: Vec<Event> = ["plain", "U+2028 \u{2028} U+0085 \u{85}", "nul \0 and\nnewline", "🙂"]
        .iter()
        .zip(1..)
        .map(|(text, seq)| notice(seq, text))
        .collect();
    let bytes = written(dir.path(), &events);
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), events.len());
    let (back, reading) = read_back(dir.path());
    assert_eq!(back, events);
    assert_eq!((reading.skipped, reading.torn_bytes), (0, 0));
}

#[test]
fn a_journal_cut_at_any_byte_gives_a_prefix_and_can_be_written_on() {
    let dir = tempfile::tempdir().unwrap();
    let events: Vec<Event> = (1..=6).map(|seq| notice(seq, &format!("event {seq} \u{2028} é"))).collect();
    let whole = written(dir.path(), &events);
    for cut in 0..=whole.len() {
        fs::write(dir.path().join(JOURNAL), &whole[..cut]).unwrap();
        let (back, reading) = read_back(dir.path());
        assert_eq!(back[..], events[..back.len()], "cut at {cut}");
        assert_eq!(reading.skipped, 0, "cut at {cut}");
        assert_eq!(reading.good_bytes + reading.torn_bytes, cut as u64);
        assert_eq!(reading.torn_bytes > 0, cut > 0 && whole[cut - 1] != b'\n', "cut at {cut}");
        let mut journal = Journal::open(dir.path(), reading.good_bytes, locked(dir.path())).unwrap();
        journal.record(&notice(99, "after")).unwrap();
        drop(journal);
        let (after, again) = read_back(dir.path());
        assert_eq!((after.len(), again.skipped, again.torn_bytes), (back.len() + 1, 0, 0), "cut at {cut}");
    }
}

#[test]
fn damaged_lines_are_skipped_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let line = |seq| serde_json::to_vec(&notice(seq, "ok")).unwrap();
    let newer = br#"{"seq":9,"at":1,"body":{"telepathy":{"strength":3}}}"#.to_vec();
    let lines = [line(1), vec![0; 400], line(2), b"{\"a\":".to_vec(), vec![0xff, 0xfe], newer, line(3)];
    fs::write(dir.path().join(JOURNAL), lines.map(|line| [line, b"\n".to_vec()].concat()).concat()).unwrap();
    let (events, reading) = read_back(dir.path());
    assert_eq!(events.iter().map(|event| event.seq.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(reading.skipped, 4);
    assert_eq!(reading.named.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), [2, 4, 5, 6]);
    assert_eq!(reading.named[0].why, Unreadable::Nuls);
    assert_eq!(reading.named[2].why, Unreadable::NotText);
    assert_eq!(reading.named[3].why, Unreadable::Newer("telepathy".into()));
}

#[test]
fn a_file_without_line_ends_is_read_in_constant_memory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(JOURNAL);
    let first = [serde_json::to_vec(&notice(1, "first")).unwrap(), b"\n".to_vec()].concat();
    fs::write(&path, &first).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(80 * 1024 * 1024).unwrap();
    let (events, reading) = read_back(dir.path());
    assert_eq!(events.len(), 1);
    assert_eq!(reading.good_bytes, first.len() as u64);
    let last = [b"\n".to_vec(), serde_json::to_vec(&notice(2, "last")).unwrap(), b"\n".to_vec()].concat();
    io::Write::write_all(&mut fs::OpenOptions::new().append(true).open(&path).unwrap(), &last).unwrap();
    let (events, reading) = read_back(dir.path());
    assert_eq!(events.iter().map(|event| event.seq.0).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((reading.skipped, reading.named[0].line, reading.torn_bytes), (1, 2, 0));
}

#[test]
fn deltas_are_merged_and_vanish_when_the_message_is_complete() {
    let dir = tempfile::tempdir().unwrap();
    create_private_folder(dir.path()).unwrap();
    let mut journal = Journal::open(dir.path(), 0, locked(dir.path())).unwrap();
    journal.record(&delta(1, 0, 0, "one ")).unwrap();
    journal.record(&delta(2, 10, 4, "two ")).unwrap();
    assert_eq!((journal.due_in(10), journal.due_in(900), journal.due_in(5000)), (Some(990), Some(100), Some(0)));
    assert!(read_back(dir.path()).0.is_empty());
    journal.record(&delta(3, 1200, 8, "three")).unwrap();
    assert_eq!(read_back(dir.path()).0, [delta(3, 1200, 0, "one two three")]);
    journal.record(&delta(4, 1300, 13, " four")).unwrap();
    journal.record(&message(5, "one two three four")).unwrap();
    assert_eq!(read_back(dir.path()).0.iter().map(|event| event.seq.0).collect::<Vec<_>>(), [3, 5]);
    journal.record(&delta(6, 1300, 0, &"x".repeat(9000))).unwrap();
    assert_eq!(read_back(dir.path()).0.len(), 3);
}

/// The hour that is lived twice, or a machine whose clock was wrong at the start.
#[test]
fn a_clock_that_goes_back_keeps_nothing_from_the_disk() {
    let dir = tempfile::tempdir().unwrap();
    create_private_folder(dir.path()).unwrap();
    let mut journal = Journal::open(dir.path(), 0, locked(dir.path())).unwrap();
    let hour = 3_600_000;
    journal.record(&delta(1, hour, 0, "one ")).unwrap();
    assert_eq!(journal.due_in(hour - 1), Some(0));
    journal.record(&delta(2, 5, 4, "two")).unwrap();
    assert_eq!(read_back(dir.path()).0.len(), 1, "written at once");
    journal.record(&notice(3, "earlier than what came before it")).unwrap();
    let (events, reading) = read_back(dir.path());
    assert_eq!((events.iter().map(|event| event.seq.0).collect::<Vec<_>>(), reading.skipped), (vec![2, 3], 0));
}

#[test]
fn a_waiting_delta_is_written_before_a_later_event() {
    let dir = tempfile::tempdir().unwrap();
    create_private_folder(dir.path()).unwrap();
    let mut journal = Journal::open(dir.path(), 0, locked(dir.path())).unwrap();
    journal.record(&delta(1, 0, 0, "text")).unwrap();
    journal.record(&notice(2, "between")).unwrap();
    assert_eq!(read_back(dir.path()).0.iter().map(|event| event.seq.0).collect::<Vec<_>>(), [1, 2]);
}

/// A disk with room for `free` more bytes.
#[derive(Debug)]
struct SmallDisk {
    bytes: Arc<Mutex<Vec<u8>>>,
    free: Arc<Mutex<usize>>,
}

impl Sink for SmallDisk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let free = *self.free.lock().unwrap();
        let fits = bytes.len().min(free);
        self.bytes.lock().unwrap().extend_from_slice(&bytes[..fits]);
        *self.free.lock().unwrap() -= fits;
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.bytes.lock().unwrap().truncate(len as usize);
        Ok(())
    }

    fn sync_handle(&self) -> io::Result<Option<fs::File>> {
        Ok(None)
    }
}

#[test]
fn a_full_disk_is_rolled_back_said_once_and_caught_up_with_later() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, free) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(0)));
    let line = |event: &Event| [serde_json::to_vec(event).unwrap(), b"\n".to_vec()].concat();
    let events: Vec<Event> = (1..=3).map(|seq| notice(seq, "text")).collect();
    *free.lock().unwrap() = line(&events[0]).len() + 7;
    let sink = SmallDisk { bytes: Arc::clone(&bytes), free: Arc::clone(&free) };
    let mut journal = Journal::on(dir.path(), Box::new(sink), 0, None);
    assert_eq!(journal.record(&events[0]), Ok(()));
    let trouble = journal.record(&events[1]).unwrap_err();
    assert_eq!(
        trouble.to_string(),
        "The journal cannot be written (the disk is full); the session goes on in memory only."
    );
    assert_eq!(*bytes.lock().unwrap(), line(&events[0]), "the partial record is gone");
    assert_eq!(journal.record(&events[2]), Ok(()), "said once");
    assert_eq!(journal.settle().0, Ok(()), "still full");
    *free.lock().unwrap() = 1 << 20;
    assert_eq!(journal.settle().0, Err(Trouble::Recovered));
    assert_eq!(*bytes.lock().unwrap(), events.iter().flat_map(line).collect::<Vec<u8>>());
}

#[test]
fn large_bodies_go_to_blobs_and_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let blobs = Blobs::new(dir.path());
    let text = "line of text\n".repeat(4000);
    let media = Content::Media { media_type: "image/png".into(), base64: "QUJD".repeat(20_000) };
    let whole = Content::Parts(vec![Content::Text(text), media, Content::Text("small".into())]);
    let kept = blobs.offload(whole.clone()).unwrap();
    assert!(serde_json::to_vec(&kept).unwrap().len() < 4096);
    assert_eq!(kept.bytes(), whole.bytes());
    let Content::Parts(parts) = &kept else { panic!() };
    let loaded = parts.iter().map(|part| match part {
        Content::Blob { hash, .. } => blobs.get(hash).unwrap(),
        inline => inline.clone(),
    });
    assert_eq!(Content::Parts(loaded.collect()), whole);
    for entry in fs::read_dir(dir.path().join("blobs")).unwrap() {
        fs::write(entry.unwrap().path(), "spoilt").unwrap();
    }
    let Content::Blob { hash, .. } = &parts[0] else { panic!() };
    assert_eq!(blobs.get(hash), None, "a spoilt blob is not taken for the body");
    assert_eq!(blobs.get("../../etc/passwd"), None);
}

#[cfg(unix)]
#[test]
fn files_are_private_whatever_they_were() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("sessions").join("one");
    create_private_folder(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(folder.join(JOURNAL), "").unwrap();
    fs::set_permissions(folder.join(JOURNAL), fs::Permissions::from_mode(0o666)).unwrap();
    written(&folder, &[notice(1, "x")]);
    Blobs::new(&folder).offload(Content::Text("y".repeat(INLINE_MAX + 1))).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join("blobs")), 0o700);
    assert_eq!((mode(&folder.join(JOURNAL)), mode(&folder.join("lock"))), (0o600, 0o600));
    let blob = fs::read_dir(folder.join("blobs")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&blob), 0o600);
}

#[test]
fn the_lock_is_exclusive_names_its_holder_and_is_free_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let lock = locked(dir.path());
    match Lock::take(dir.path()).unwrap() {
        Locked::Held(by) => assert_eq!(by, format!("process {}", std::process::id())),
        Locked::Mine(_) => panic!("two writers"),
    }
    drop(lock);
    fs::write(dir.path().join("lock"), "4194304\n").unwrap();
    drop(locked(dir.path()));
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_journal_is_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("theirs"), dir.path().join("journal.jsonl"));
    std::fs::write(&target, "theirs").unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o644)).unwrap();
    symlink(&target, &link).unwrap();
    assert!(open_private(&link).unwrap_err().to_string().contains("is a link"));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o644);
}

/// What a killed process was just starting holds its lock for a moment longer.
#[test]
fn a_lock_of_a_dead_process_is_waited_for_and_one_of_a_live_process_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let dead = child.id();
    child.wait().unwrap();
    let file = open_private(&dir.path().join("lock")).unwrap();
    file.lock().unwrap();
    fs::write(dir.path().join("lock"), format!("{dead}\n")).unwrap();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let holder = std::thread::spawn(move || {
        let _ = released.recv_timeout(std::time::Duration::from_millis(100));
        file.unlock().unwrap();
    });
    let Locked::Mine(lock) = Lock::take(dir.path()).unwrap() else { panic!("it is free soon") };
    drop(release);
    holder.join().unwrap();
    assert!(
        matches!(Lock::take(dir.path()).unwrap(), Locked::Held(by) if by.ends_with(&std::process::id().to_string()))
    );
    drop(lock);
    assert!(matches!(Lock::take(dir.path()).unwrap(), Locked::Mine(_)));
}
