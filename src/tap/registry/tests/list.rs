use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn names() {
    let parsed = |text: &str| Name::parse(text).map(|name| name.to_string());
    assert_eq!(parsed("u/r").unwrap(), "u/r");
    assert_eq!(parsed("u/octomind-r").unwrap(), "u/r");
    assert_eq!(parsed("My-Org/tap_2.x").unwrap(), "My-Org/tap_2.x");
    for bad in [
        "",
        "u",
        "/r",
        "u/",
        "u/r/x",
        "../r",
        "u/..",
        "u/../../x",
        ".u/r",
        "-u/r",
        "u/-r",
        "u r/x",
        "u/r\n",
        "/etc/x",
        "u/.git",
        "u/x.git",
        "u/r.",
        "u/a..b",
        "~/x",
        "u\\x/r",
        "ü/r",
        "u/octomind-",
        "C:/x",
    ] {
        assert!(parsed(bad).is_err(), "{bad:?}");
    }
    assert!(parsed(&format!("{}/r", "a".repeat(101))).is_err());
    assert!(Name::parse("Muvon/Tap").unwrap().is_built_in());
    assert!(Name::parse("muvon/octomind-tap").unwrap().is_built_in());
    assert_eq!(Name::parse("u/r").unwrap().address(HOST), "https://github.com/u/octomind-r");
}

#[test]
fn with_nothing_connected_there_are_two() {
    let world = World::new();
    let taps = world.taps().effective();
    assert_eq!(world.names(), ["muvon/tap", "octomind/starter"]);
    assert_eq!(taps[0].unavailable.as_deref(), Some("it was not fetched yet"));
    assert_eq!(taps[0].root, world.place("muvon/octomind-tap"));
    assert_eq!(taps[1].unavailable, None);
    assert!(taps[1].root.join("README.md").is_file());
    assert!(!world.data.path().join("taps.toml").exists(), "looking writes no list");
}

#[test]
fn a_bad_entry_costs_itself() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    world.write_file(&format!(
        "# mine\n[[taps]]\nname = \"a/one\"\n\n[[taps]]\nname = \"../evil\"\n\n[[taps]]\nname = \"b/two\"\n\
         local_path = \"{path}\"\n\n[[taps]]\nurl = \"https://example.org/x/y\"\n\n[[taps]]\nname = 7\n\n\
         [[taps]]\nname = \"A/One\"\n\n[[taps]]\nname = \"muvon/tap\"\nlocal_path = \"{path}\"\n\n\
         [[taps]]\nname = \"c/rel\"\nlocal_path = \"some/where\"\n\n[[taps]]\nname = \"d/ssh\"\nurl = \"ssh://x/y/z\"\n\n\
         [[taps]]\nname = \"e/three\"\nurl = \"https://example.org/e/octomind-three\"\n"
    ));
    let listing = world.taps().listing(SystemTime::now());
    let names: Vec<&str> = listing.taps.iter().map(|standing| standing.tap.name.as_str()).collect();
    assert_eq!(names, ["a/one", "b/two", "e/three", "muvon/tap", "octomind/starter"]);
    let told: Vec<String> = listing
        .problems
        .iter()
        .map(|problem| format!("{} {}", problem.place.as_ref().unwrap().line, problem.message))
        .collect();
    let expected = [
        "5 `../evil` is no name",
        "12 `name` is missing",
        "15 `name` is not a string",
        "18 A/One is listed twice",
        "21 muvon/tap comes with the program",
        "25 `local_path` is not absolute",
        "29 `ssh://x/y/z` cannot be fetched from",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told} / {expected}");
    }
}

#[test]
fn a_broken_line_costs_its_entry() {
    let world = World::new();
    world.write_file(
        "[[taps]]\nname = \"a/one\"\n\n[[taps]]\nname = \"b/two\nurl = \"x\"\n\n[[taps]]\nname = \"c/three\"\n",
    );
    let listing = world.taps().listing(SystemTime::now());
    assert!(!listing.problems.is_empty());
    assert_eq!(world.names(), ["a/one", "c/three", "muvon/tap", "octomind/starter"]);
    // Nothing is written over a file that cannot be read whole.
    let before = world.file();
    let folder = TempDir::new().unwrap();
    let fault = world.connect("d/four", Some(folder.path().to_str().unwrap())).unwrap_err();
    assert!(matches!(fault, RegistryFault::Broken { .. }), "{fault}");
    assert_eq!(world.file(), before);
    assert!(!world.place("d/octomind-four").exists() && world.is_tidy());
}

#[test]
fn other_shapes_of_the_list() {
    let world = World::new();
    world.write_file("taps = [{ name = \"a/one\" }, \"b/two\"]\n");
    assert_eq!(world.names()[0], "a/one");
    assert_eq!(world.taps().listing(SystemTime::now()).problems.len(), 1);
    let folder = TempDir::new().unwrap();
    world.connect("c/three", Some(folder.path().to_str().unwrap())).unwrap();
    assert_eq!(world.names()[..2], ["a/one", "c/three"]);
    world.write_file("taps = 7\n");
    assert_eq!(world.names(), ["muvon/tap", "octomind/starter"]);
    assert!(matches!(world.connect("d/x", Some(folder.path().to_str().unwrap())), Err(RegistryFault::Broken { .. })));
}

#[test]
fn comments_and_order_stay() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    world.write_file("# first\n[[taps]] # one\nname = \"a/one\" # keep\nextra = 1\n");
    world.connect("b/two", Some(path)).unwrap();
    world.taps().disconnect("b/two").unwrap();
    world.connect("c/three", Some(path)).unwrap();
    let real = fs::canonicalize(path).unwrap();
    assert_eq!(
        world.file(),
        format!(
            "# first\n[[taps]] # one\nname = \"a/one\" # keep\nextra = 1\n\n[[taps]]\nname = \"c/three\"\nlocal_path = \"{}\"\n",
            real.display()
        )
    );
}

#[test]
fn the_list_is_private() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    world.connect("a/one", Some(folder.path().to_str().unwrap())).unwrap();
    let mode = fs::metadata(world.data.path().join("taps.toml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn nobody_loses_anothers_change() {
    let world = World::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    std::thread::scope(|scope| {
        for number in 0..12 {
            let world = &world;
            scope.spawn(move || world.connect(&format!("u/t{number}"), Some(path)).unwrap());
        }
    });
    assert_eq!(world.names().len(), 14);
    assert_eq!(world.file().matches("[[taps]]").count(), 12);
    assert!(world.is_tidy());
}
