use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::tap::fixture::{TRIGGERS, linked, manifest, provider_text, read, tap, write};
use crate::tap::{Catalogue, PartKind, Severity, Tag, Tap, TapKind, Uses};

fn tag(text: &str) -> Tag {
    Tag::parse(text).unwrap()
}

fn lines(catalogue: &Catalogue, roots: &[&Path]) -> Vec<String> {
    let line = |one: &crate::tap::Finding| {
        let text = format!("{:?} {} | {}", one.severity, one.part.name, one.problem.headline());
        roots.iter().fold(text, |text, root| text.replace(&format!("{}/", root.display()), ""))
    };
    catalogue.findings.iter().map(line).collect()
}

fn capability(root: &Path, name: &str, server: &str) {
    write(root, &format!("capabilities/{name}/config.toml"), TRIGGERS);
    write(root, &format!("capabilities/{name}/default.toml"), &provider_text(server));
}

#[test]
fn the_first_tap_that_has_a_part_provides_it_and_the_others_are_noted() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (root, title) in [(one.path(), "One"), (two.path(), "Two")] {
        write(root, "agents/developer/general.toml", &manifest(title, "\"files\""));
        capability(root, "files", title);
    }
    write(two.path(), "agents/developer/only.toml", &manifest("Only", ""));
    write(one.path(), "agents/developer/broken.toml", "[[roles]]\n");
    write(two.path(), "agents/developer/broken.toml", &manifest("Whole", ""));
    let taps = vec![linked("a/one", one.path()), linked("b/two", two.path())];
    let catalogue = read(taps.clone());

    let of = |name: &str| catalogue.agent(&tag(name)).map(|agent| (agent.title.as_str(), agent.tap.name.as_str()));
    assert_eq!(of("developer:general"), Some(("One", "a/one")));
    assert_eq!(of("developer:only"), Some(("Only", "b/two")));
    // What cannot be used shadows nothing.
    assert_eq!(of("developer:broken"), Some(("Whole", "b/two")));
    assert_eq!(of("developer:none"), None);
    assert_eq!(catalogue.agents_of("developer").count(), 3);
    assert_eq!(catalogue.domains().collect::<Vec<_>>(), ["developer"]);
    let files: Vec<&str> = catalogue.capabilities_named("files").iter().map(|one| one.tap.name.as_str()).collect();
    assert_eq!(files, ["a/one", "b/two"]);
    assert_eq!(catalogue.capability("files").unwrap().tap.name, "a/one");
    assert!(catalogue.capability("file").is_none() && catalogue.capabilities_named("filesystem").is_empty());
    let notes: Vec<String> =
        lines(&catalogue, &[one.path(), two.path()]).into_iter().filter(|line| line.starts_with("Note")).collect();
    assert_eq!(
        notes,
        [
            "Note developer:general | agents/developer/general.toml: `developer:general` is not used: a/one has it too and comes first",
            "Note files | capabilities/files: `files` is not used: a/one has it too and comes first",
        ]
    );
    let swapped = read(taps.into_iter().rev().collect());
    assert_eq!(swapped.agent(&tag("developer:general")).unwrap().title, "Two");
}

#[test]
fn what_has_no_place_in_a_tap_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "agents/stray.toml", &manifest("Stray", ""));
    write(root, "agents/README.md", "text");
    write(root, "agents/a b/x.toml", &manifest("Space", ""));
    write(root, "agents/dev/x@1.toml", &manifest("Version", ""));
    write(root, "agents/dev/.hidden.toml", "nonsense");
    write(root, "agents/dev/notes.txt", "text");
    write(root, "agents/dev/binary.toml", "x");
    std::fs::write(root.join("agents/dev/binary.toml"), b"a = \"\xff\"").unwrap();
    let catalogue = read(vec![linked("a/one", root), linked("a/gone", Path::new("/nowhere/at/all"))]);
    assert_eq!(catalogue.agents.len(), 0);
    let found = lines(&catalogue, &[root]);
    let expected = [
        "Error a b:x | agents/a b/x.toml: its place makes no tag, so this manifest is left out: its domain may have",
        "Error dev:binary | agents/dev/binary.toml:1:6: this file is not UTF-8 from here on",
        "Error stray.toml | agents/stray.toml: a manifest belongs into the folder of its domain",
        "Error x@1.toml | agents/dev/x@1.toml: a file name has no @version",
        "Error a/gone | /nowhere/at/all: the tap a/gone cannot be read: ",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for expected in expected {
        assert!(found.iter().any(|line| line.starts_with(expected)), "{expected}\n{found:#?}");
    }
    assert!(catalogue.tap("a/gone").unwrap().unavailable.is_some());
    assert!(catalogue.tap("a/one").unwrap().unavailable.is_none());
}

#[test]
fn a_folder_with_nothing_in_it_is_doubtful() {
    let folder = tempfile::tempdir().unwrap();
    let found = read(vec![linked("a/one", folder.path())]).findings;
    assert_eq!((found.len(), found[0].severity, found[0].part.kind), (1, Severity::Warning, PartKind::Tap));
}

#[test]
fn uses_and_capabilities_are_held_against_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let with = |uses: &str, text: String| format!("# Uses: {uses}\n{text}");
    write(root, "agents/doctor/blood.toml", &manifest("Blood", ""));
    write(root, "agents/writer/chief.toml", &manifest("Writer", ""));
    write(root, "agents/assistant/chief.toml", &with("*, writer", manifest("Assistant", "")));
    let uses = "writer, doctor, doctr, doctor:blood, doctor:bone, *, developer:chief";
    write(root, "agents/developer/chief.toml", &with(uses, manifest("Chief", "\"files\", \"fils\", \"nobody/files\"")));
    write(root, "agents/developer/general.toml", &with("writer", manifest("General", "")));
    capability(root, "files", "files");
    let catalogue = read(vec![linked("a/one", root)]);
    let uses = |name: &str| catalogue.agent(&tag(name)).unwrap().uses.clone();
    assert_eq!(uses("developer:chief"), [Uses::Domain("writer".to_owned()), Uses::Agent(tag("doctor:blood"))]);
    assert_eq!(uses("assistant:chief"), [Uses::EveryChief, Uses::Domain("writer".to_owned())]);
    let expected = [
        "Error developer:chief | agents/developer/chief.toml:1:17: the domain `doctor` has no chief, so it has no effect",
        "Error developer:chief | agents/developer/chief.toml:1:25: no tap has the domain `doctr`, so it has no effect",
        "Error developer:chief | agents/developer/chief.toml:1:46: no tap has the agent doctor:bone, so it has no effect",
        "Error developer:chief | agents/developer/chief.toml:1:59: `*` is for assistant:chief only, so it has no effect",
        "Error developer:chief | agents/developer/chief.toml:1:62: this is the agent itself, so it has no effect",
        "Error developer:chief | agents/developer/chief.toml:5:26: no tap has a capability `fils`; did you mean `files`?",
        "Error developer:chief | agents/developer/chief.toml:5:34: no connected tap is of `nobody`, which `nobody/files` is pinned to; connect it with `octomind tap`",
        "Note developer:general | agents/developer/general.toml:1:9: `# Uses:` is meant for a domain's chief; this agent is none",
    ];
    assert_eq!(lines(&catalogue, &[root]), expected);
    assert_eq!(catalogue.findings[0].problem.hint.as_deref(), Some("name its agents: doctor:blood"));
}

#[test]
fn the_view_lists_everything_with_its_problems() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "agents/developer/chief.toml", &manifest("Chief", "\"files\", \"lost\""));
    write(root, "agents/developer/broken.toml", "[[roles]]");
    capability(root, "files", "octofs");
    let shown = view(&read(vec![linked("a/one", root)]), Some("the disk is gone"));
    assert_eq!(shown.taps[0].name, "a/one");
    let chief = &shown.agents[0];
    assert_eq!(
        (chief.name.as_str(), chief.title.as_str(), chief.detail.as_str()),
        ("developer:chief", "Chief", "files, lost")
    );
    assert!(chief.problems.len() == 1 && chief.problems[0].error, "{:?}", chief.problems);
    assert!(chief.problems[0].place.contains("chief.toml:4:26"), "{:?}", chief.problems);
    let files = &shown.capabilities[0];
    assert_eq!(
        (files.title.as_str(), files.detail.as_str()),
        ("Provider octofs", "default; 2 triggers: read a file · show a file")
    );
    assert!(shown.problems[0].message.contains("the disk is gone"));
    assert!(shown.problems.iter().any(|problem| problem.place.contains("broken.toml")));
}

fn wait(changes: &Receiver<Change>, wanted: impl Fn(&Change) -> bool) -> Change {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let change = changes.recv_timeout(left).expect("the change is told within its time");
        if wanted(&change) {
            return change;
        }
    }
}

fn open(taps: Vec<Arc<Tap>>, workdir: &Path) -> (Live, Receiver<Change>) {
    let (told, changes) = channel();
    let places = Places { taps, workdir: workdir.to_path_buf(), user: None, generated: None };
    let live = Live::open(places, move |change| {
        let _ = told.send(change);
    });
    (live.unwrap(), changes)
}

#[test]
fn a_change_on_disk_makes_a_new_catalogue_and_a_vanished_tap_keeps_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tap");
    write(&root, "agents/developer/chief.toml", &manifest("One", ""));
    let clone = tap("a/one", TapKind::Clone { url: String::new() }, &root);
    let (live, changes) = open(vec![clone], &folder.path().join("work"));
    let first = live.current();
    assert_eq!(first.agents[0].title, "One");
    let titled = |title: &'static str| move |change: &Change| matches!(change, Change::Rebuilt(fresh) if fresh.agents.iter().any(|agent| agent.title == title));

    write(&root, "agents/developer/chief.toml", &manifest("Two", ""));
    wait(&changes, titled("Two"));
    assert_eq!(live.current().agents[0].title, "Two");
    // Who holds the old one keeps it.
    assert_eq!(first.agents[0].title, "One");

    // A folder that was not there when watching began.
    write(&root, "agents/doctor/blood.toml", &manifest("Blood", ""));
    wait(&changes, titled("Blood"));

    std::fs::rename(&root, folder.path().join("aside")).unwrap();
    let stale = wait(&changes, |change| matches!(change, Change::Stale(_)));
    assert!(matches!(stale, Change::Stale(why) if why.starts_with("a/one: ")));
    assert!(live.shelf().stale().is_some());
    assert_eq!(live.current().agents.len(), 2);

    let other = folder.path().join("fresh");
    write(&other, "agents/developer/chief.toml", &manifest("Three", ""));
    std::fs::rename(&other, &root).unwrap();
    wait(&changes, titled("Three"));
    assert!(live.shelf().stale().is_none());
    assert_eq!(live.current().agents.len(), 1);
}

#[test]
fn taps_can_be_connected_and_removed_while_it_runs() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(one.path(), "agents/a/chief.toml", &manifest("One", ""));
    write(two.path(), "agents/b/chief.toml", &manifest("Two", ""));
    let work = tempfile::tempdir().unwrap();
    let (live, changes) = open(vec![linked("a/one", one.path())], work.path());
    let places = |taps| Places { taps, workdir: work.path().to_path_buf(), user: None, generated: None };
    live.replace(places(vec![linked("a/one", one.path()), linked("b/two", two.path())]));
    wait(&changes, |change| matches!(change, Change::Rebuilt(fresh) if fresh.agents.len() == 2));
    live.replace(places(vec![linked("b/two", two.path())]));
    wait(&changes, |change| matches!(change, Change::Rebuilt(fresh) if fresh.agents.len() == 1));
    assert_eq!(live.current().agents[0].title, "Two");
}

#[test]
fn capabilities_without_triggers_are_one_note_of_their_tap() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for name in ["one", "two"] {
        write(root, &format!("capabilities/{name}/default.toml"), &provider_text(name));
    }
    capability(root, "three", "three");
    write(root, "capabilities/three/config.toml", "triggers = []\n");
    let shown = view(&read(vec![linked("a/one", root)]), None);
    assert!(
        shown.capabilities.iter().filter(|one| one.tap == "a/one").all(|one| one.problems.is_empty()),
        "{shown:#?}"
    );
    let notes: Vec<&str> = shown.taps[0].problems.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(notes, ["3 capabilities without triggers: they work only where a manifest names them"]);
    assert!(shown.taps[0].problems[0].note);
    let hint = shown.taps[0].problems[0].hint.clone().unwrap();
    assert_eq!(hint, format!("`octomind taps check {}` names each", root.display()));
}
