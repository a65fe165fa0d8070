use super::*;

#[test]
fn cloned_listed_and_left_on_disk() {
    let world = World::new();
    let origin = world.origin("u", "r");
    let done = world.connect("u/r", None).unwrap();
    assert_eq!((done.how, done.name.as_str()), (How::Cloned, "u/r"));
    assert_eq!(done.root, world.place("u/octomind-r"));
    assert_eq!(text(&done.root, "agents/a/b.toml"), "one");
    assert_eq!(world.names(), ["u/r", "muvon/tap", "octomind/starter"]);
    assert!(world.file().ends_with("[[taps]]\nname = \"u/r\"\n"), "{}", world.file());
    assert!(world.told.lock().unwrap().contains(&"u/r".to_owned()) && world.is_tidy());
    // Again is no fault, and no fetch.
    drop(origin);
    fs::remove_dir_all(world.host.path().join("u")).unwrap();
    assert_eq!(world.connect("u/r", None).unwrap().how, How::Already);
    let done = world.taps().disconnect("u/octomind-r").unwrap();
    assert_eq!(done.left, Some(world.place("u/octomind-r")));
    assert!(world.place("u/octomind-r/agents/a/b.toml").is_file());
    assert_eq!(world.names(), ["muvon/tap", "octomind/starter"]);
    assert!(matches!(world.taps().disconnect("u/r"), Err(RegistryFault::Unknown { .. })));
}

#[test]
fn addresses_name_the_tap() {
    let world = World::new();
    let _origins = (world.origin("u", "r"), world.origin("v", "plain"));
    let host = world.host.path().display();
    world.connect(&format!("file://{host}/u/octomind-r"), None).unwrap();
    // The usual host needs no address in the list.
    assert!(!world.file().contains("url ="), "{}", world.file());
    let elsewhere = TempDir::new().unwrap();
    let other = Origin::at(&elsewhere.path().join("team/things.git"));
    other.commit(&[("skills/x/SKILL.md", "x")]);
    let url = format!("file://{}/team/things.git", elsewhere.path().display());
    assert_eq!(world.connect(&url, None).unwrap().name, "team/things");
    assert!(world.file().contains(&format!("url = \"{url}\"")), "{}", world.file());
    assert_eq!(world.connect("w/own-name", Some(&url)).unwrap().name, "w/own-name");
    assert_eq!(world.names()[..3], ["u/r", "team/things", "w/own-name"]);
    let kinds: Vec<TapKind> = world.taps().effective().into_iter().map(|tap| tap.kind).collect();
    assert_eq!(kinds[1], TapKind::Clone { url: url.clone() });
    world.taps().disconnect(&url).unwrap();
    assert_eq!(world.names()[..2], ["u/r", "w/own-name"]);
    assert!(matches!(world.connect("file:///x", None), Err(RegistryFault::Unnamed { .. })));
    assert!(matches!(world.connect("https://a:b@example.org/u/r", None), Err(RegistryFault::Git(_))));
}

#[test]
fn folders_are_linked() {
    let world = World::new();
    let own = TempDir::new().unwrap();
    let folder = own.path().join("my tap");
    fs::create_dir_all(folder.join("agents")).unwrap();
    let done = world.connect("me/tools", Some(folder.to_str().unwrap())).unwrap();
    assert_eq!((done.how, done.notes.len()), (How::Linked, 0));
    let real = fs::canonicalize(&folder).unwrap();
    assert_eq!(fs::read_link(world.place("me/octomind-tools")).unwrap(), real);
    let tap = world.taps().effective().remove(0);
    assert_eq!((tap.kind, tap.root, tap.unavailable), (TapKind::Linked, real.clone(), None));
    // Away for a while: named, and the rest works.
    fs::rename(&folder, own.path().join("gone")).unwrap();
    let taps = world.taps().effective();
    assert_eq!(taps[0].unavailable, Some(format!("the folder {} is not there", real.display())));
    assert_eq!(taps.last().unwrap().unavailable, None);
    let done = world.taps().disconnect("me/tools").unwrap();
    assert_eq!(done.left, None);
    assert!(fs::symlink_metadata(world.place("me/octomind-tools")).is_err());
    assert!(own.path().join("gone/agents").is_dir(), "the person's folder stays");
}

#[test]
fn folders_that_cannot_be_linked() {
    let world = World::new();
    let own = TempDir::new().unwrap();
    let _origin = world.origin("u", "r");
    fs::write(own.path().join("file"), "x").unwrap();
    world.connect("u/r", None).unwrap();
    world.taps().disconnect("u/r").unwrap();
    for place in [own.path().join("none"), own.path().join("file"), world.place("u/octomind-r")] {
        let fault = world.connect("u/r", Some(place.to_str().unwrap())).unwrap_err();
        assert!(matches!(fault, RegistryFault::NoFolder { .. }), "{fault}");
    }
    assert_eq!(world.names().len(), 2);
    // The clone that was left makes way.
    let done = world.connect("u/r", Some(own.path().to_str().unwrap())).unwrap();
    assert!(world.place("u/octomind-r.left-1/agents/a/b.toml").is_file());
    assert_eq!(done.notes.len(), 2, "{:?}", done.notes);
}

#[test]
fn what_comes_with_the_program_is_not_to_be_had() {
    let world = World::new();
    for name in ["muvon/tap", "Muvon/octomind-tap", "octomind/starter", "https://github.com/muvon/octomind-tap"] {
        assert!(matches!(world.connect(name, None), Err(RegistryFault::BuiltIn { .. })), "{name}");
        assert!(matches!(world.taps().disconnect(name), Err(RegistryFault::BuiltIn { .. })), "{name}");
    }
    assert!(matches!(world.connect("muvon/tap", Some("/tmp")), Err(RegistryFault::BuiltIn { .. })));
}

#[test]
fn a_failed_add_leaves_nothing_and_can_be_tried_again() {
    let world = World::new();
    assert!(world.connect("u/r", None).is_err());
    let nothing = |world: &World| {
        assert_eq!((world.file().as_str(), world.names().len()), ("", 2));
        assert!(!world.place("u/octomind-r").exists() && world.is_tidy());
    };
    nothing(&world);
    // No tap in it.
    let origin = Origin::at(&world.host.path().join("u/octomind-r"));
    origin.commit(&[("README.md", "x")]);
    assert!(matches!(world.connect("u/r", None), Err(RegistryFault::NoTap { .. })));
    nothing(&world);
    // Stopped.
    origin.commit(&[("agents/a/b.toml", "one")]);
    world.stop.cancel();
    assert!(matches!(world.connect("u/r", None), Err(RegistryFault::Git(_))));
    nothing(&world);
    let world = World { stop: CancellationToken::new(), ..world };
    world.connect("u/r", None).unwrap();
    assert_eq!(text(&world.place("u/octomind-r"), "agents/a/b.toml"), "one");
}

#[test]
fn another_source_needs_untapping_first() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    let own = TempDir::new().unwrap();
    world.connect("u/r", None).unwrap();
    let fault = world.connect("U/R", Some(own.path().to_str().unwrap())).unwrap_err();
    assert!(fault.to_string().contains("octomind untap u/r"), "{fault}");
}

#[test]
fn what_is_in_the_way_is_not_replaced() {
    let world = World::new();
    let _origin = world.origin("u", "r");
    let place = world.place("u/octomind-r");
    fs::create_dir_all(&place).unwrap();
    fs::write(place.join("precious"), "x").unwrap();
    assert!(matches!(world.connect("u/r", None), Err(RegistryFault::InTheWay { .. })));
    assert_eq!(text(&place, "precious"), "x");
    assert_eq!(world.file(), "");
}
