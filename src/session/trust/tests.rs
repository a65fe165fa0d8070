use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;

use super::*;

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn gate(&self) -> std::sync::Arc<Gate> {
        Gate::new(self.path().to_owned(), self.path().join("data/accepted"))
    }

    fn hash(&self) -> String {
        scan(self.path()).unwrap().content_hash
    }
}

fn shown(found: &Found) -> Vec<(&str, &str)> {
    found.items.iter().map(|item| (item.path.as_str(), item.content.as_str())).collect()
}

#[test]
fn a_project_without_scripts_has_nothing_to_trust() {
    let project = Project::new();
    assert_eq!(scan(project.path()), None);
    fs::create_dir_all(project.path().join(".agents/tools")).unwrap();
    project.put(".agents/octomind.toml", "x = 1");
    assert_eq!(scan(project.path()), None);
    assert_eq!(scan(&project.path().join("absent")), None);
    let (store, _) = Store::open(&project.path().join("trust"));
    assert_eq!(decide(None, &store, Audience::Nobody, TrustFlag::Absent), Verdict::Nothing);
}

#[test]
fn everything_that_would_run_is_shown_as_it_is() {
    let project = Project::new();
    project.put(".agents/tools/deploy", "#!/bin/sh\n\x1b[2Jrm -rf /\n");
    project.put(".agents/tools/lib/common", "x\n");
    project.put(".agents/plugins/p/plugin.json", "{}");
    project.put(".agents/tools/blob", [0u8; 5]);
    project.put("scripts/check", "true\n");
    project.put("scripts/other", "unused\n");
    project.put(
        ".agents/guardrails.toml",
        "[[hook]]\nscript = 'scripts/check'\n[[pipe]]\nname = 'n'\ncommand = 'scripts/absent'\n[[guard]]\nscript = 'scripts/other'\n[[validator]]\nscript = '/'\n",
    );
    symlink("/bin/sh", project.path().join(".agents/tools/sh")).unwrap();
    symlink(".", project.path().join(".agents/tools/loop")).unwrap();
    symlink("absent", project.path().join(".agents/tools/dangling")).unwrap();
    let found = scan(project.path()).unwrap();
    let items = shown(&found);
    let names: Vec<_> = items.iter().map(|(path, _)| *path).collect();
    assert_eq!(
        names,
        [
            ".agents/guardrails.toml",
            ".agents/plugins/p/plugin.json",
            ".agents/tools/blob",
            ".agents/tools/dangling -> absent",
            ".agents/tools/deploy",
            ".agents/tools/lib/common",
            ".agents/tools/loop -> .",
            ".agents/tools/sh -> /bin/sh",
            "scripts/absent",
            "scripts/check",
        ]
    );
    let content = |name: &str| items.iter().find(|(path, _)| *path == name).unwrap().1;
    assert_eq!(content(".agents/tools/deploy"), "#!/bin/sh\n\x1b[2Jrm -rf /\n");
    assert_eq!(content(".agents/tools/blob"), "(binary, 5 bytes)");
    assert!(content("scripts/absent").starts_with("(cannot be read: "));
    assert_eq!(found.uncovered, None);
    assert_eq!(found.folder, project.path().display().to_string());
}

#[test]
fn any_change_is_another_hash_and_the_same_content_is_the_same() {
    let (project, twin) = (Project::new(), Project::new());
    for project in [&project, &twin] {
        project.put(".agents/tools/a", "one\n");
        project.put(".agents/tools/large", "x".repeat(400_000));
        symlink("a", project.path().join(".agents/tools/link")).unwrap();
    }
    let mut hashes = vec![project.hash()];
    assert_eq!(hashes[0], twin.hash(), "where the folder lies does not matter");
    let mut differs = |what: &str| {
        let hash = project.hash();
        assert!(!hashes.contains(&hash), "{what}");
        hashes.push(hash);
    };
    let file = project.path().join(".agents/tools/a");
    project.put(".agents/tools/a", "two\n");
    differs("content");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    differs("executable bit");
    fs::rename(&file, project.path().join(".agents/tools/b")).unwrap();
    differs("name, and the link dangles");
    fs::remove_file(project.path().join(".agents/tools/link")).unwrap();
    symlink("b", project.path().join(".agents/tools/link")).unwrap();
    differs("target of a link");
    project.put(".agents/tools/large", format!("{}y", "x".repeat(399_999)));
    differs("a byte beyond what is shown");
    project.put(".agents/plugins/p", "");
    differs("a new empty file");
}

#[test]
fn what_is_too_much_to_cover_is_never_accepted_in_silence() {
    let project = Project::new();
    project.put(".agents/tools/a", "one\n");
    let large = fs::File::create(project.path().join(".agents/tools/large")).unwrap();
    large.set_len(3 << 30).unwrap();
    let found = scan(project.path()).unwrap();
    assert!(found.uncovered.as_ref().unwrap().contains("bytes"));
    let (mut store, _) = Store::open(&project.path().join("trust"));
    store.remember(&found.content_hash, StoredAnswer::Accepted, "", 0).unwrap();
    for audience in [Audience::Person, Audience::Nobody] {
        let verdict = decide(Some(&found), &store, audience, TrustFlag::Absent);
        assert!(matches!(verdict, Verdict::Denied { why } if why.contains("--trust")));
    }
    assert_eq!(decide(Some(&found), &store, Audience::Nobody, TrustFlag::Given), Verdict::Trusted { by: "--trust" });
}

#[test]
fn the_policy_by_audience_answer_and_flag() {
    let project = Project::new();
    project.put(".agents/tools/a", "one\n");
    let found = scan(project.path()).unwrap();
    let (mut store, problems) = Store::open(&project.path().join("data/trust"));
    assert!(problems.is_empty());
    let verdict = |store: &Store, audience, flag| decide(Some(&found), store, audience, flag);
    assert_eq!(verdict(&store, Audience::Person, TrustFlag::Absent), Verdict::Ask);
    assert!(
        matches!(verdict(&store, Audience::Nobody, TrustFlag::Absent), Verdict::Denied { why } if why.contains("--trust"))
    );
    store.remember(&found.content_hash, StoredAnswer::Declined, &found.folder, 1).unwrap();
    assert!(matches!(verdict(&store, Audience::Person, TrustFlag::Absent), Verdict::Denied { .. }));
    assert_eq!(verdict(&store, Audience::Nobody, TrustFlag::Given), Verdict::Trusted { by: "--trust" });
    store.remember(&found.content_hash, StoredAnswer::Accepted, &found.folder, 2).unwrap();
    let (store, problems) = Store::open(&project.path().join("data/trust"));
    assert!(problems.is_empty() && store.is_trusted(&found.content_hash));
    for audience in [Audience::Person, Audience::Nobody] {
        assert_eq!(verdict(&store, audience, TrustFlag::Absent), Verdict::Trusted { by: "an earlier answer" });
    }
    project.put(".agents/tools/a", "two\n");
    let changed = scan(project.path()).unwrap();
    assert_eq!(decide(Some(&changed), &store, Audience::Person, TrustFlag::Absent), Verdict::Ask);
}

#[test]
fn the_store_is_private_and_survives_what_happens_to_files() {
    let project = Project::new();
    let path = project.path().join("data/trust");
    let (mut store, _) = Store::open(&path);
    store.remember("h1", StoredAnswer::Accepted, "/p", 1).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    // Torn in the middle, garbage, NULs: each costs itself only, and the next answer is whole.
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(b"\0\0\0\0\n{\"hash\":\"h2\",\"answ");
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let (mut store, problems) = Store::open(&path);
    assert!(problems.len() == 1 && problems[0].contains("2 lines"), "{problems:?}");
    assert!(store.is_trusted("h1") && !store.is_trusted("h2"));
    store.remember("h3", StoredAnswer::Accepted, "/p", 1).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(Store::open(&path).0.is_trusted("h3"));
    // Two processes: neither loses the other's answer.
    let (mut one, mut other) = (Store::open(&path).0, Store::open(&path).0);
    one.remember("h4", StoredAnswer::Accepted, "", 0).unwrap();
    other.remember("h5", StoredAnswer::Accepted, "", 0).unwrap();
    let all = Store::open(&path).0;
    assert!(all.is_trusted("h4") && all.is_trusted("h5"));

    fs::File::options().write(true).open(&path).unwrap().set_len(3 << 30).unwrap();
    assert!(!Store::open(&path).0.is_trusted("h1"), "a giant file is read at its end only");
    let (mut folder, problems) = Store::open(project.path());
    assert!(problems[0].contains("not a regular file"));
    assert!(folder.remember("h6", StoredAnswer::Accepted, "", 0).is_err());
    assert!(folder.is_trusted("h6"), "it counts for this process");
}

proptest! {
    #[test]
    fn any_bytes_open_as_a_store(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trust");
        fs::write(&path, bytes).unwrap();
        let (mut store, _) = Store::open(&path);
        store.remember("h", StoredAnswer::Accepted, "", 0).unwrap();
        prop_assert!(Store::open(&path).0.is_trusted("h"));
    }
}

#[test]
fn the_gate_lets_through_exactly_what_was_accepted() {
    let project = Project::new();
    let gate = project.gate();
    assert!(gate.check().is_ok());
    project.put(".agents/tools/a", "one\n");
    assert!(gate.check().unwrap_err().reason().contains("wait for an answer"));
    gate.accept(&gate.content_hash().unwrap());
    assert!(gate.check().is_ok());
    project.put(".agents/tools/a", "two\n");
    assert!(gate.check().unwrap_err().reason().contains("changed since"));
    gate.deny(&gate.content_hash().unwrap(), "Declined.");
    assert_eq!(gate.check(), Err(crate::mcp::Unlisted::Failed("Declined.".into())));
    project.put(".agents/tools/a", "one\n");
    assert!(gate.check().is_ok(), "what was accepted stays so");
}

#[test]
fn files_known_by_their_times_are_not_taken_for_others() {
    let project = Project::new();
    project.put(".agents/tools/a", "one\n");
    let gate = project.gate();
    gate.accept(&gate.content_hash().unwrap());
    // Same size, same moment: the times alone would not tell.
    for content in ["two\n", "one\n", "six\n"] {
        project.put(".agents/tools/a", content);
        assert_eq!(gate.check().is_ok(), content == "one\n", "{content}");
    }
    let allowed = gate.allowed();
    assert!(allowed().is_err());
}

#[test]
fn guardrails_that_never_end_or_never_begin_are_not_waited_for() {
    let project = Project::new();
    project.put(".agents/tools/one", "x");
    let guardrails = project.path().join(".agents/guardrails.toml");
    symlink("/dev/zero", &guardrails).unwrap();
    let found = scan(project.path()).unwrap();
    assert!(shown(&found).contains(&(".agents/guardrails.toml -> /dev/zero", "(not a regular file)")));

    fs::remove_file(&guardrails).unwrap();
    let pipe = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &guardrails, pipe).unwrap();
    assert!(shown(&scan(project.path()).unwrap()).contains(&(".agents/guardrails.toml", "(not a regular file)")));

    fs::remove_file(&guardrails).unwrap();
    fs::write(&guardrails, vec![b'#'; 2 * 1024 * 1024]).unwrap();
    assert!(scan(project.path()).unwrap().uncovered.unwrap().contains("guardrails.toml"));
}

#[test]
fn what_asks_before_the_first_look_waits_for_it() {
    let project = Project::new();
    project.put(".agents/tools/one", "x");
    let gate = project.gate();
    let allowed = gate.allowed();
    let asking = std::thread::spawn(move || allowed());
    gate.accept(&project.hash());
    gate.looked();
    assert!(asking.join().unwrap().is_ok());
}

impl Project {
    fn run(&self, name: &str, content: &str) {
        self.put(name, content);
        fs::set_permissions(self.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn accepted(&self) -> std::sync::Arc<Gate> {
        let gate = self.gate();
        gate.accept(&gate.content_hash().unwrap());
        gate.looked();
        gate
    }
}

#[test]
fn what_runs_is_a_copy_of_what_was_accepted() {
    let project = Project::new();
    project.run(".agents/tools/go", "#!/bin/sh\n");
    project.put(".agents/tools/lib/part", "part\n");
    project.put(".agents/plugins/p/plugin.json", "{}");
    project.put("elsewhere", "outside\n");
    symlink("lib", project.path().join(".agents/tools/linked")).unwrap();
    symlink(".", project.path().join(".agents/tools/lib/loop")).unwrap();
    symlink("../../elsewhere", project.path().join(".agents/tools/out")).unwrap();
    fs::hard_link(project.path().join("elsewhere"), project.path().join(".agents/tools/hard")).unwrap();
    let gate = project.accepted();
    let moved = gate.check().unwrap();
    let at = |name: &str| moved.path(&project.path().join(".agents").join(name));
    assert!(at("tools/go").starts_with(project.path().join("data/accepted")), "{moved:?}");
    let read = |name: &str| fs::read_to_string(at(name)).unwrap();
    for (name, content) in [
        ("tools/go", "#!/bin/sh\n"),
        ("tools/lib/part", "part\n"),
        ("tools/linked/part", "part\n"),
        ("tools/lib/loop/part", "part\n"),
        ("tools/out", "outside\n"),
        ("tools/hard", "outside\n"),
        ("plugins/p/plugin.json", "{}"),
    ] {
        assert_eq!(read(name), content, "{name}");
    }
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("tools/go"), mode("tools/lib/part"), mode("tools/lib")), (0o500, 0o400, 0o700));

    // By its other name, through the link, in place: the copy is not touched, and it is asked again.
    for name in ["elsewhere", ".agents/tools/hard", ".agents/tools/go"] {
        let before = fs::read(project.path().join(name)).unwrap();
        let mut file = fs::OpenOptions::new().append(true).open(project.path().join(name)).unwrap();
        std::io::Write::write_all(&mut file, b"swapped").unwrap();
        assert!(gate.check().is_err(), "{name}");
        assert!(!read("tools/out").contains("swapped") && !read("tools/hard").contains("swapped"), "{name}");
        assert_eq!(read("tools/go"), "#!/bin/sh\n");
        fs::write(project.path().join(name), before).unwrap();
        assert_eq!(gate.check().unwrap(), moved, "{name} as it was");
    }
    let copy = at("tools");
    drop(gate);
    assert!(!copy.exists(), "a copy ends with its session");
}

#[test]
fn a_project_whose_folder_is_a_link_runs_from_a_copy_all_the_same() {
    let project = Project::new();
    project.run("elsewhere/tools/go", "#!/bin/sh\n");
    symlink("elsewhere", project.path().join(".agents")).unwrap();
    let gate = project.accepted();
    let moved = gate.check().unwrap();
    for name in [".agents/tools/go", "elsewhere/tools/go"] {
        let path = moved.path(&project.path().canonicalize().unwrap().join(name));
        assert!(path.starts_with(project.path().join("data")) || name.starts_with(".agents"), "{name}: {path:?}");
    }
    let copy = moved.path(&project.path().join(".agents/tools/go"));
    assert!(copy.starts_with(project.path().join("data/accepted")), "{copy:?}");
    project.run("elsewhere/tools/go", "#!/bin/sh\necho evil\n");
    assert!(gate.check().is_err() && fs::read_to_string(copy).unwrap() == "#!/bin/sh\n");
}

#[test]
fn copies_of_killed_processes_are_removed_and_a_full_place_is_passed_over() {
    let project = Project::new();
    project.run(".agents/tools/go", "#!/bin/sh\n");
    let left = project.path().join("data/accepted/left");
    project.put("data/accepted/left/lock", "");
    project.put("data/accepted/left/files/.agents/tools/go", "old");
    let (gate, other) = (project.accepted(), project.accepted());
    let (one, two) = (gate.check().unwrap(), other.check().unwrap());
    assert!(!left.exists());
    let tool = project.path().join(".agents/tools/go");
    assert!(one != two && one.path(&tool).is_file() && two.path(&tool).is_file(), "each session has its own");
    // Somebody removed it: it is made again.
    fs::remove_dir_all(one.path(&project.path().join(".agents/tools"))).unwrap();
    fs::remove_dir_all(project.path().join("data/accepted")).unwrap();
    assert!(gate.check().unwrap().path(&tool).is_file());

    let blocked = project.path().join("file");
    project.put("file", "no folder");
    let gate = Gate::new(project.path().to_owned(), blocked);
    gate.accept(&gate.content_hash().unwrap());
    let moved = gate.check().unwrap().path(&tool);
    assert!(moved.is_file() && moved.starts_with(std::env::temp_dir()), "{moved:?}");
    let folder = moved.ancestors().nth(4).unwrap();
    assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700, "{folder:?}");
}

#[tokio::test]
async fn a_file_that_is_swapped_at_any_moment_never_runs() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::mcp::local::LocalTools;
    use crate::mcp::{Backend, CallResult};
    use crate::proto::{Content, ToolOutcome};

    let project = Project::new();
    let (good, evil) = ("#!/bin/sh\n# @description g\necho good", "#!/bin/sh\n# @description e\necho evil");
    project.run(".agents/tools/go", good);
    let gate = project.accepted();
    let tools = LocalTools::new(&project.path().join(".agents/tools"), gate.allowed());
    let over = std::sync::Arc::new(AtomicBool::new(false));
    let (folder, ended) = (project.path().to_owned(), std::sync::Arc::clone(&over));
    let swapping = std::thread::spawn(move || {
        let swap = |content: &str| {
            let aside = folder.join("aside");
            fs::write(&aside, content).unwrap();
            fs::set_permissions(&aside, fs::Permissions::from_mode(0o755)).unwrap();
            fs::rename(&aside, folder.join(".agents/tools/go")).unwrap();
        };
        while !ended.load(Ordering::Relaxed) {
            swap(evil);
            swap(good);
        }
    });
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..60 {
        let (progress, _keep) = tokio::sync::mpsc::unbounded_channel();
        let called = tools.call("go", serde_json::Map::new(), progress, Default::default()).await;
        match called {
            CallResult { outcome: ToolOutcome::Ok, content: Content::Text(text) } => {
                assert_eq!(text, "good\n");
                ran += 1;
            }
            CallResult { outcome: ToolOutcome::Refused, .. } => refused += 1,
            other => panic!("{other:?}"),
        }
        if let Ok(listing) = tools.list().await {
            assert!(listing.tools.iter().all(|tool| tool.description == "g"), "{listing:?}");
        }
    }
    over.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(ran + refused == 60 && refused > 0, "{ran} ran, {refused} were refused");
}
