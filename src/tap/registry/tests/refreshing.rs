use std::sync::mpsc;
use std::time::Duration;

use super::*;

fn outcome(world: &World, which: &Which) -> Outcome {
    let mut all = world.refresh(which);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).outcome
}

fn one(name: &str) -> Which {
    Which::One(name.to_owned())
}

#[test]
fn updated_whole_by_one_swap() {
    let world = World::new();
    let origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    assert_eq!(outcome(&world, &one("u/r")), Outcome::Unchanged);
    let commit = origin.commit(&[("agents/a/b.toml", "two"), ("deps/o/t.sh", "x")]);
    // Whoever reads meanwhile finds a tap there at every moment.
    let place = world.place("u/octomind-r");
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                let seen = fs::read_to_string(place.join("agents/a/b.toml")).unwrap();
                assert!(seen == "one" || seen == "two", "{seen:?}");
            }
        });
        assert_eq!(outcome(&world, &one("u/r")), Outcome::Updated { commit: commit.clone() });
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(text(&place, "agents/a/b.toml"), "two");
    assert!(!place.join("skills").exists(), "what is gone there is gone here");
    assert!(world.is_tidy());
    let standing = world.taps().listing(SystemTime::now()).taps.remove(0);
    assert_eq!(standing.record.commit, Some(commit));
}

#[test]
fn the_built_in_tap_is_fetched_when_asked_for() {
    let world = World::new();
    let fault = match outcome(&world, &one("muvon/tap")) {
        Outcome::Failed(fault) => fault.to_string(),
        other => panic!("{other:?}"),
    };
    let tap = world.taps().effective().remove(0);
    assert_eq!(tap.unavailable, Some(format!("it could not be fetched just now: {fault}")));
    let _origin = world.origin("muvon", "tap");
    assert!(matches!(outcome(&world, &Which::All), Outcome::Updated { .. }));
    let tap = world.taps().effective().remove(0);
    assert_eq!(tap.unavailable, None);
    assert!(matches!(tap.kind, TapKind::BuiltIn { .. }));
    assert_eq!(text(&tap.root, "agents/a/b.toml"), "one");
}

#[test]
fn without_the_host_what_is_there_goes_on_and_tells_its_age() {
    let world = World::new();
    let origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    drop(origin);
    fs::remove_dir_all(world.host.path().join("u")).unwrap();
    assert!(matches!(outcome(&world, &one("u/r")), Outcome::Failed(_)));
    let later = SystemTime::now() + Duration::from_secs(3 * 24 * 60 * 60);
    let standing = world.taps().listing(later).taps.remove(0);
    assert_eq!(standing.tap.unavailable, None);
    assert_eq!(text(&standing.tap.root, "agents/a/b.toml"), "one");
    let stale = standing.stale(later).unwrap();
    assert!(stale.starts_with("what is there is from 3 d ago; refreshing failed 3 d ago: "), "{stale}");
    assert!(standing.age(later).unwrap() >= Duration::from_secs(3 * 24 * 60 * 60));
}

#[test]
fn what_is_due() {
    let world = World::new();
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    // The built-in tap was never fetched.
    assert!(world.taps().is_due(hour, now));
    assert!(matches!(outcome(&world, &Which::Due(hour)), Outcome::Failed(_)));
    let now = SystemTime::now();
    assert!(!world.taps().is_due(hour, now), "it failed a moment ago");
    assert!(world.taps().is_due(hour, now + Duration::from_secs(11 * 60)));
    let _origin = world.origin("muvon", "tap");
    assert!(matches!(outcome(&world, &Which::All), Outcome::Updated { .. }));
    let now = SystemTime::now();
    assert!(!world.taps().is_due(hour, now));
    assert!(world.taps().is_due(hour, now + 2 * hour));
    assert!(world.taps().is_due(Duration::ZERO, now));
    // A clone that someone removed is due however fresh its record is.
    fs::remove_dir_all(world.place("muvon")).unwrap();
    assert!(world.taps().is_due(hour, now));
    let linked = TempDir::new().unwrap();
    world.connect("me/x", Some(linked.path().to_str().unwrap())).unwrap();
    let fault = world.with(|work| world.taps().refresh(&one("me/x"), work)).unwrap_err();
    assert!(matches!(fault, RegistryFault::NoClone { .. }));
}

#[test]
fn one_that_fails_costs_no_other() {
    let world = World::new();
    let (first, second) = (world.origin("a", "r"), world.origin("b", "r"));
    world.connect("a/r", None).unwrap();
    world.connect("b/r", None).unwrap();
    drop(first);
    fs::remove_dir_all(world.host.path().join("a")).unwrap();
    second.commit(&[("agents/a/b.toml", "two")]);
    let all = world.refresh(&Which::All);
    let summary: Vec<(&str, bool)> =
        all.iter().map(|one| (one.name.as_str(), matches!(one.outcome, Outcome::Failed(_)))).collect();
    assert_eq!(summary, [("a/r", true), ("b/r", false), ("muvon/tap", true)]);
    assert_eq!(text(&world.place("b/octomind-r"), "agents/a/b.toml"), "two");
    assert_eq!(text(&world.place("a/octomind-r"), "agents/a/b.toml"), "one");
}

#[test]
fn work_of_the_persons_is_not_lost() {
    let world = World::new();
    let origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    let place = world.place("u/octomind-r");
    fs::write(place.join("agents/a/b.toml"), "mine").unwrap();
    assert_eq!(outcome(&world, &one("u/r")), Outcome::Unchanged);
    origin.commit(&[("agents/a/b.toml", "two")]);
    let Outcome::Failed(fault) = outcome(&world, &one("u/r")) else { panic!("replaced") };
    assert!(fault.to_string().contains("agents/a/b.toml"), "{fault}");
    assert_eq!(text(&place, "agents/a/b.toml"), "mine");
    assert!(world.is_tidy());
}

#[test]
fn a_clone_that_was_killed_is_swept_up_and_retried() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    // What a killed process leaves: its folders and its lock file, which nobody holds.
    let staging = world.place(".staging");
    fs::create_dir_all(staging.join("1-2-3/new/.git")).unwrap();
    fs::write(staging.join("1-2-3/new/half"), "x").unwrap();
    let lock = fs::File::create(staging.join("1-2-3.lock")).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    lock.set_modified(long_ago).unwrap();
    // One that is still at work, and one that began just now.
    fs::create_dir_all(staging.join("4-5-6/new")).unwrap();
    let held = fs::File::create(staging.join("4-5-6.lock")).unwrap();
    held.set_modified(long_ago).unwrap();
    held.lock().unwrap();
    fs::create_dir_all(staging.join("7-8-9/new")).unwrap();
    fs::write(staging.join("7-8-9.lock"), "").unwrap();
    world.connect("u/r", None).unwrap();
    let mut left: Vec<String> =
        fs::read_dir(&staging).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["4-5-6", "4-5-6.lock", "7-8-9", "7-8-9.lock"]);
    assert_eq!(text(&world.place("u/octomind-r"), "agents/a/b.toml"), "one");
}

#[test]
fn a_replacement_that_was_killed_is_undone() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    let staging = world.place(".staging");
    fs::create_dir_all(staging.join("1-2-3")).unwrap();
    fs::rename(world.place("u/octomind-r"), staging.join("1-2-3/old")).unwrap();
    fs::write(staging.join("1-2-3/name"), "u/r").unwrap();
    fs::File::create(staging.join("1-2-3.lock")).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    // Any fetch sweeps; this one has nothing to do with it.
    let _ = world.refresh(&one("muvon/tap"));
    assert_eq!(text(&world.place("u/octomind-r"), "agents/a/b.toml"), "one");
    assert!(world.is_tidy());
}

#[test]
fn one_process_fetches_a_tap_at_a_time() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    let name = Name::parse("u/r").unwrap();
    let held = stage::fetch_lock(&world.place(""), &name).unwrap().unwrap();
    let busy = Outcome::Failed(RegistryFault::Busy { name: "u/r".to_owned() });
    assert_eq!(outcome(&world, &one("u/r")), busy);
    assert_eq!(world.taps().listing(SystemTime::now()).taps[0].record.failed, None);
    drop(held);
    assert_eq!(outcome(&world, &one("u/r")), Outcome::Unchanged);
}

#[test]
fn behind_a_session() {
    let world = World::new();
    let _origin = world.origin("muvon", "tap");
    let (sender, told) = mpsc::channel();
    let which = Which::Due(Duration::from_secs(3600));
    let background =
        world.taps().refresh_in_background(which, Bounds::default(), move |event| sender.send(event).unwrap()).unwrap();
    let told: Vec<Told> = told.into_iter().collect();
    assert!(matches!(told.first(), Some(Told::Progress { .. })));
    assert!(matches!(told.last(), Some(Told::Done(Refreshed { outcome: Outcome::Updated { .. }, .. }))), "{told:?}");
    background.finish();
    assert_eq!(world.taps().effective()[0].unavailable, None);
}

#[test]
fn a_broken_record_costs_only_its_age() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    world.connect("u/r", None).unwrap();
    fs::write(world.place(".fetched/u/r.json"), "{not json").unwrap();
    let standing = world.taps().listing(SystemTime::now()).taps.remove(0);
    assert_eq!((standing.tap.unavailable, standing.record.commit), (None, None));
    assert_eq!(outcome(&world, &one("u/r")), Outcome::Unchanged);
}
