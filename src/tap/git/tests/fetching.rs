use std::os::unix::fs::PermissionsExt;

use super::*;

fn refused(origin: &Origin) -> GitFault {
    let attempt = Attempt::new();
    let fault = attempt.run(&origin.address(), None).unwrap_err();
    // Nothing of it was written, neither here nor elsewhere.
    let left: Vec<_> = fs::read_dir(attempt.target()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
    assert_eq!(fs::read_dir(attempt.folder.path()).unwrap().count(), 1);
    fault
}

#[test]
fn files_programs_and_links() {
    let origin = Origin::new();
    let commit = origin.commit(&[
        ("agents/a/b.toml", "one"),
        ("capabilities/x/default.toml", "->y.toml"),
        ("capabilities/x/y.toml", "why"),
        ("deps/o/t.sh", "#!/bin/bash\r\n"),
        ("skills/s", "->../capabilities/x"),
    ]);
    let attempt = Attempt::new();
    assert_eq!(attempt.run(&origin.address(), None).unwrap(), new(&commit));
    assert_eq!(attempt.text("agents/a/b.toml"), "one");
    assert_eq!(attempt.text("capabilities/x/default.toml"), "why");
    assert_eq!(attempt.text("skills/s/default.toml"), "why");
    assert_eq!(attempt.text("deps/o/t.sh"), "#!/bin/bash\r\n");
    let mode = |path: &str| fs::metadata(attempt.target().join(path)).unwrap().permissions().mode();
    assert_eq!((mode("deps/o/t.sh") & 0o100, mode("agents/a/b.toml") & 0o111), (0o100, 0));
    let told = attempt.told.lock().unwrap();
    assert_eq!(told.first().unwrap().phase, Phase::Connecting);
    assert_eq!(*told.last().unwrap(), Progress { phase: Phase::Writing, done: 12, total: 12, bytes: 19 });
    assert!(told.iter().any(|told| told.phase == Phase::Receiving && told.done == told.total && told.done > 5));
}

#[test]
fn it_is_a_clone_like_any_other() {
    let origin = Origin::with_agent();
    let attempt = Attempt::new();
    let Fetched::New { commit, .. } = attempt.run(&origin.address(), None).unwrap() else { panic!("nothing new") };
    let repository = Repository::open(attempt.target()).unwrap();
    assert_eq!(repository.head().unwrap().name(), Ok("refs/heads/main"));
    assert_eq!(repository.statuses(None).unwrap().len(), 0);
    assert_eq!(changes(&attempt.target(), &["agents"]).unwrap(), Changes::None);
    assert_eq!(head(&attempt.target(), &origin.address()), Some(commit));
    assert_eq!(head(&attempt.target(), &Address::File("/elsewhere".into())), None);
    assert!(!attempt.target().join(".git/hooks").exists(), "no templates, so no hooks");
}

#[test]
fn the_known_commit_is_not_fetched_again() {
    let origin = Origin::with_agent();
    let Fetched::New { commit, .. } = Attempt::new().run(&origin.address(), None).unwrap() else { panic!("known") };
    let attempt = Attempt::new();
    assert_eq!(attempt.run(&origin.address(), Some(&commit)).unwrap(), Fetched::Unchanged);
    assert!(attempt.told.lock().unwrap().iter().all(|told| told.phase == Phase::Connecting));
    let next = origin.commit(&[("agents/a/b.toml", "two")]);
    assert_eq!(Attempt::new().run(&origin.address(), Some(&commit)).unwrap(), new(&next));
}

#[test]
fn names_that_lead_out_refuse_it_whole() {
    let origin = Origin::new();
    let blob = origin.blob("bad");
    let good = ("100644", b"a.toml".as_slice(), blob);
    for name in ["..", ".", "../uc", "/tmp/uc", ".git", ".GIT", "C:", "a\\b", "git~1"] {
        origin.commit_tree(origin.tree(&[good, ("100644", name.as_bytes(), blob)]));
        assert!(matches!(refused(&origin), GitFault::Unsafe { .. }), "{name}");
        // The same for a folder, and one level down.
        let inner = origin.tree(&[("100644", b"hooks", blob)]);
        let folder = origin.tree(&[("40000", name.as_bytes(), inner)]);
        origin.commit_tree(origin.tree(&[good, ("40000", b"agents", folder)]));
        let fault = refused(&origin);
        assert!(matches!(&fault, GitFault::Unsafe { .. }), "{name}: {fault}");
    }
}

#[test]
fn links_that_lead_out_refuse_it_whole() {
    let origin = Origin::new();
    for target in ["/tmp", "..", "../../x", "a/../../x", ".git/config", ""] {
        origin.commit(&[("agents/a.toml", "x"), ("l", &format!("->{target}"))]);
        assert!(matches!(refused(&origin), GitFault::Unsafe { .. }), "{target}");
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    // A link and a folder of the same name: the file in the folder would land where the link leads.
    let origin = Origin::new();
    let blob = origin.blob("bad");
    let inner = origin.tree(&[("100644", b"uc", blob)]);
    let target = origin.blob("agents");
    let agents = origin.tree(&[("100644", b"a.toml", blob)]);
    origin.commit_tree(origin.tree(&[("40000", b"agents", agents), ("120000", b"l", target), ("40000", b"l", inner)]));
    let attempt = Attempt::new();
    let fault = attempt.run(&origin.address(), None).unwrap_err();
    assert!(matches!(&fault, GitFault::Unsafe { path, .. } if path == "l"), "{fault}");
    assert!(!attempt.target().join("agents/uc").exists());
}

#[test]
fn other_repositories_are_left_out() {
    let origin = Origin::new();
    let blob = origin.blob("x");
    let agents = origin.tree(&[("100644", b"a.toml", blob)]);
    let elsewhere = Oid::from_str("1234567890123456789012345678901234567890").unwrap();
    let tree = origin.tree(&[("40000", b"agents", agents), ("160000", b"vendor", elsewhere)]);
    let commit = origin.commit_tree(tree);
    let attempt = Attempt::new();
    let fetched = attempt.run(&origin.address(), None).unwrap();
    assert_eq!(fetched, Fetched::New { commit, submodules: vec!["vendor".to_owned()] });
    assert!(!attempt.target().join("vendor").exists());
}

#[test]
fn bounds_end_it() {
    let origin = Origin::new();
    let noise: String = (0..20_000_u32).map(|number| format!("{:x}", number.wrapping_mul(2_654_435_761))).collect();
    origin.commit(&[("agents/a.toml", &noise), ("agents/b.toml", "x")]);
    let run = |bounds: &dyn Fn(&mut Bounds)| {
        let mut attempt = Attempt::new();
        bounds(&mut attempt.bounds);
        attempt.run(&origin.address(), None).unwrap_err()
    };
    assert_eq!(run(&|bounds| bounds.received = 1000), GitFault::Large { limit: 1000 });
    assert_eq!(run(&|bounds| bounds.written = 1000), GitFault::Large { limit: 1000 });
    assert_eq!(run(&|bounds| bounds.entries = 2), GitFault::Many { limit: 2 });
    assert_eq!(run(&|bounds| bounds.time = Duration::ZERO), GitFault::Slow { seconds: 0 });
}

#[test]
fn it_can_be_stopped() {
    let attempt = Attempt::new();
    attempt.stop.cancel();
    assert_eq!(attempt.run(&Origin::with_agent().address(), None).unwrap_err(), GitFault::Stopped);
}

#[test]
fn what_is_no_repository() {
    let folder = TempDir::new().unwrap();
    let fault = |path: PathBuf| Attempt::new().run(&Address::File(path), None).unwrap_err().to_string();
    let told = fault(folder.path().join("none"));
    assert!(told.contains("does not exist"), "{told}");
    let told = fault(folder.path().to_owned());
    assert!(told.contains("holds no git repository"), "{told}");
    let empty = Origin::new();
    assert!(matches!(Attempt::new().run(&empty.address(), None), Err(GitFault::Empty { .. })));
}

#[test]
fn work_of_the_persons_is_seen() {
    let origin = Origin::new();
    origin.commit(&[
        ("agents/a.toml", "one"),
        ("README.md", "x"),
        (".gitattributes", "* text=auto\n"),
        ("crlf", "a\r\n"),
    ]);
    let attempt = Attempt::new();
    attempt.run(&origin.address(), None).unwrap();
    let (place, folders) = (attempt.target(), ["agents", "skills"]);
    let seen = || changes(&place, &folders).unwrap();
    let some = |text: &str| Changes::Some(text.to_owned());
    assert_eq!(seen(), Changes::None);
    // Rubbish of systems and editors does not count.
    fs::write(place.join(".DS_Store"), "x").unwrap();
    fs::write(place.join("agents/.b.swp"), "x").unwrap();
    fs::write(place.join("notes.txt"), "x").unwrap();
    assert_eq!(seen(), Changes::None);
    fs::write(place.join("agents/new.toml"), "x").unwrap();
    assert_eq!(seen(), some("agents/new.toml"));
    fs::remove_file(place.join("README.md")).unwrap();
    assert_eq!(seen(), some("README.md and 1 more"));
    fs::write(place.join("README.md"), "x").unwrap();
    fs::remove_file(place.join("agents/new.toml")).unwrap();
    assert_eq!(seen(), Changes::None);
    fs::write(place.join("agents/a.toml"), "two").unwrap();
    assert_eq!(seen(), some("agents/a.toml"));
    // A commit of their own.
    let repository = Repository::open(&place).unwrap();
    let mut index = repository.index().unwrap();
    index.add_path(Path::new("agents/a.toml")).unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who = Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
    let parent = repository.head().unwrap().peel_to_commit().unwrap();
    repository.commit(Some("HEAD"), &who, &who, "x", &tree, &[&parent]).unwrap();
    assert_eq!(seen(), some("commits that were made here"));
    assert_eq!(changes(attempt.folder.path(), &folders).unwrap(), Changes::NoClone);
}

/// The library opens it and waits for somebody to write.
#[test]
fn a_pipe_in_place_of_a_file_holds_nobody_up() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let start = std::time::Instant::now();
    for (name, bounds) in [
        ("packed-refs", Bounds { silence: Duration::from_millis(100), ..Bounds::default() }),
        ("config", Bounds { time: Duration::from_millis(100), ..Bounds::default() }),
    ] {
        let origin = Origin::with_agent();
        let file = origin.path().join(name);
        let _ = fs::remove_file(&file);
        mkfifoat(CWD, &file, Mode::RWXU).unwrap();
        let mut attempt = Attempt::new();
        attempt.bounds = bounds;
        let fault = attempt.run(&origin.address(), None).unwrap_err();
        assert!(matches!(fault, GitFault::Silent { .. } | GitFault::Slow { .. }), "{name}: {fault}");
        let attempt = Attempt::new();
        let (stop, address) = (attempt.stop.clone(), origin.address());
        std::thread::scope(|scope| {
            let running = scope.spawn(|| attempt.run(&address, None));
            while attempt.told.lock().unwrap().is_empty() {
                assert!(start.elapsed() < Duration::from_secs(20), "it never began");
                std::thread::yield_now();
            }
            stop.cancel();
            assert_eq!(running.join().unwrap(), Err(GitFault::Stopped), "{name}");
        });
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
