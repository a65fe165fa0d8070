use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::cli::args::{CommandLine, Subcommands, parse};
use crate::tap::git::tests::Origin;

struct World {
    folder: TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn taps(&self) -> Taps {
        let host = format!("file://{}", self.folder.path().join("host").display());
        Taps::open(&Paths::new(self.folder.path().join("data"), None)).hosted_at(Some(&host))
    }

    /// Exit code, standard output and error, with the world's own folder as `<>`.
    fn run(&self, words: &[&str]) -> (String, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let words = ["octomind"].iter().chain(words);
        let CommandLine { command, .. } = parse(words).unwrap();
        let code = match command {
            Some(Subcommands::Tap(arguments)) => run_with(&self.taps(), &arguments, Style::Plain, &mut out, &mut err),
            Some(Subcommands::Untap { tap }) => untap_with(&self.taps(), &tap, &mut out, &mut err),
            other => panic!("{other:?}"),
        };
        let clean =
            |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&self.folder.path().display().to_string(), "<>");
        (format!("{:?}", code.unwrap()), clean(out), clean(err))
    }

    fn origin(&self, owner: &str, repo: &str) -> Origin {
        let origin = Origin::at(&self.folder.path().join("host").join(owner).join(format!("octomind-{repo}")));
        origin.commit(&[("agents/a/b.toml", "one")]);
        origin
    }
}

fn code(exit: Exit) -> String {
    format!("{:?}", ExitCode::from(exit))
}

#[test]
fn connect_refresh_and_disconnect() {
    let world = World::new();
    let origin = world.origin("u", "r");
    let (exit, out, err) = world.run(&["tap", "u/r"]);
    assert_eq!(
        (exit, out.as_str()),
        (code(Exit::Done), "u/r is connected; it was cloned to <>/data/taps/u/octomind-r\n")
    );
    assert_eq!(err, "u/r: connecting\nu/r: receiving\nu/r: writing files\n");
    let (exit, out, _) = world.run(&["tap", "--refresh", "u/r"]);
    assert_eq!((exit, out.as_str()), (code(Exit::Done), "u/r has not changed\n"));
    let commit = origin.commit(&[("agents/a/b.toml", "two")]);
    let (exit, out, err) = world.run(&["tap", "--refresh"]);
    assert_eq!(out, format!("u/r is new: {}\n", &commit[..10]));
    // The built-in tap is asked for too, and is not at this host.
    assert_eq!(exit, code(Exit::Failed));
    assert!(err.contains("octomind: muvon/tap stays as it is: "), "{err}");
    let (exit, out, _) = world.run(&["untap", "u/r"]);
    let told = "u/r is disconnected; its files are still in <>/data/taps/u/octomind-r\n";
    assert_eq!((exit, out.as_str()), (code(Exit::Done), told));
}

#[test]
fn refusals() {
    let world = World::new();
    for (words, exit, reason) in [
        (&["tap", "nonsense"][..], Exit::Usage, "user/repo"),
        (&["tap", "../x"], Exit::Usage, "no name of a tap"),
        (&["tap", "muvon/tap"], Exit::Usage, "neither added nor removed"),
        (&["untap", "muvon/tap"], Exit::Usage, "neither added nor removed"),
        (&["untap", "u/r"], Exit::Usage, "not connected"),
        (&["tap", "u/r", "/no/such/folder"], Exit::Usage, "not a folder"),
        (&["tap", "http://example.org/u/r"], Exit::Usage, "use https"),
        (&["tap", "u/r"], Exit::Failed, "does not exist"),
        (&["tap", "--refresh", "u/r"], Exit::Usage, "no clone"),
    ] {
        let (got, out, err) = world.run(words);
        assert_eq!((got, out.as_str()), (code(exit), ""), "{words:?}: {err}");
        assert!(err.contains(reason), "{words:?}: {err}");
    }
    for words in
        [&["octomind", "tap", "u/r", "--json"][..], &["octomind", "tap", "init", "u/r"], &["octomind", "untap"]]
    {
        assert!(parse(words).is_err(), "{words:?}");
    }
}

#[test]
fn the_list() {
    let world = World::new();
    let own = world.folder.path().join("own");
    fs::create_dir_all(own.join("agents")).unwrap();
    world.run(&["tap", "me/tools", own.to_str().unwrap()]);
    let (exit, out, err) = world.run(&["tap"]);
    assert_eq!((exit, err.as_str()), (code(Exit::Done), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "NAME              KIND      STATE        CHECKED  WHERE");
    assert_eq!(lines[1], "me/tools          linked    ready                 <>/own");
    assert_eq!(lines[2], "muvon/tap         built-in  unavailable           <>/data/taps/muvon/octomind-tap");
    assert!(lines[3].starts_with("octomind/starter  starter   ready                 <>/data/cache/starter-tap-"));
    assert_eq!(lines[5], "muvon/tap: it was not fetched yet");
    let (_, out, _) = world.run(&["tap", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(list["taps"][0]["kind"], "linked");
    assert_eq!(list["taps"][1]["state"], "unavailable");
    assert_eq!(list["taps"][1]["reason"], "it was not fetched yet");
    assert_eq!(list["problems"], serde_json::json!([]));
}

#[test]
fn problems_of_the_list_are_told() {
    let world = World::new();
    fs::create_dir_all(world.folder.path().join("data")).unwrap();
    fs::write(world.folder.path().join("data/taps.toml"), "[[taps]]\nname = \"x\"\n").unwrap();
    let (exit, out, err) = world.run(&["tap"]);
    assert_eq!(exit, code(Exit::Config));
    assert!(out.contains("octomind/starter") && err.contains("taps.toml:1:1"), "{err}");
}

fn files(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true if path.ends_with(".git") => files.push(".git".to_owned()),
                true => folders.push(path),
                false => files.push(path.strip_prefix(root).unwrap().display().to_string()),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_tap_of_ones_own() {
    let world = World::new();
    let folder = world.folder.path().join("mine");
    let init = ["tap", "init", "me/tools", "--agent", "team:code-review", "--dir", folder.to_str().unwrap()];
    let (exit, out, err) = world.run(&init);
    assert_eq!((exit, err.as_str()), (code(Exit::Done), ""), "{out}");
    assert!(out.contains("me/tools is connected to the folder <>/mine"), "{out}");
    assert!(out.contains("\nchecked: 1 agent, 1 capability, 1 skill, 0 findings\n"), "{out}");
    assert!(out.contains("octomind run team:code-review"), "{out}");
    assert_eq!(
        files(&folder),
        [
            ".git",
            "README.md",
            "agents/team/code-review.toml",
            "capabilities/example-notes/config.toml",
            "capabilities/example-notes/default.toml",
            "deps/example/git.sh",
            "skills/team-code-review-style/SKILL.md",
        ]
    );
    let agent = fs::read_to_string(folder.join("agents/team/code-review.toml")).unwrap();
    assert!(agent.starts_with("# Agent: team:code-review\n# Title: Team code review\n"), "{agent}");
    assert!(agent.contains("{{CWD}}") && !agent.contains("{SPEC}"), "{agent}");
    // A name that is taken is known before anything is made.
    let other = world.folder.path().join("other");
    let (exit, out, err) =
        world.run(&["tap", "init", "me/tools", "--agent", "team:code-review", "--dir", other.to_str().unwrap()]);
    assert_eq!((exit, out.as_str()), (code(Exit::Usage), ""));
    assert!(err.contains("me/tools is connected already") && !other.exists(), "{err}");
    // Never into a folder with something in it.
    world.run(&["untap", "me/tools"]);
    let (exit, _, err) = world.run(&init);
    assert_eq!(exit, code(Exit::Usage));
    assert!(err.contains("is not empty"), "{err}");
}
