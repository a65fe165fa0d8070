use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::cli::table::Paint;
use crate::config::Config;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn named<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap()
}

#[test]
fn what_is_wrong_hangs_under_its_name() {
    let checks = [
        Check::ok("data", "/home/a/.local/share/octomind, mode 700"),
        Check::warning("git", "the program was not found; taps are fetched without it", "install git"),
        Check::error(
            "model",
            "no provider's key is set and no server answers on this machine",
            "set a key such as ONE",
        ),
    ];
    let mut out = Vec::new();
    write(&checks, Look { columns: 44, paint: Paint::Plain }, &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    ✔ data   /home/a/.local/share/octomind, mode
             700
    ! git    the program was not found; taps are
             fetched without it
             → install git
    ✘ model  no provider's key is set and no
             server answers on this machine
             → set a key such as ONE

    To mend: 1; to look at: 1.
    ");
    assert_eq!(exit(&checks), Exit::Failed);
    assert_eq!(exit(&checks[..2]), Exit::Done);
}

/// The folder for temporary files may be entered by all, so that only what is below it decides.
#[test]
fn files_with_secrets_are_named_when_others_can_reach_them() {
    let home = tempfile::tempdir().unwrap();
    set_mode(home.path(), 0o755);
    let paths = Paths::new(home.path().join("data"), None);
    fs::create_dir_all(paths.env_file.parent().unwrap()).unwrap();
    fs::write(&paths.env_file, "A_KEY=1").unwrap();
    let outer = home.path().parent().unwrap().metadata().unwrap().permissions().mode();
    if outer & 0o001 == 0 {
        return;
    }
    let config = paths.env_file.parent().unwrap();
    for (folder, file, state) in [
        (0o755, 0o644, State::Error),
        (0o755, 0o640, State::Warning),
        (0o755, 0o600, State::Ok),
        (0o700, 0o644, State::Ok),
    ] {
        set_mode(config, folder);
        set_mode(&paths.env_file, file);
        let checks = places::checks(&paths, home.path());
        let check = named(&checks, "secrets");
        assert_eq!(check.state, state, "{folder:o} {file:o}: {check:?}");
        assert_eq!(check.advice.is_some(), state != State::Ok);
    }
}

#[test]
fn looking_makes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::new(home.path().join("a/b"), None);
    let checks = places::checks(&paths, home.path());
    assert!(checks.iter().all(|check| check.state == State::Ok), "{checks:?}");
    assert!(named(&checks, "data").what.ends_with("is made by the first run"));
    assert!(!home.path().join("a").exists());
}

#[test]
fn a_data_root_that_is_a_file_or_open_to_all() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    fs::write(&data, "").unwrap();
    set_mode(&data, 0o755);
    let checks = places::checks(&Paths::new(data.clone(), None), home.path());
    assert_eq!(named(&checks, "data").state, State::Error);
    fs::remove_file(&data).unwrap();
    fs::create_dir(&data).unwrap();
    set_mode(&data, 0o777);
    let checks = places::checks(&Paths::new(data, None), home.path());
    assert!(named(&checks, "data").what.starts_with("everybody may write to"), "{checks:?}");
}

#[test]
fn taps_say_where_they_are_or_why_not() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::new(home.path().join("data"), None);
    let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let checks = places::taps(&paths, &Env::default(), &Config::template(), now);
    let states: Vec<(State, bool)> =
        checks.iter().map(|check| (check.state, check.what.contains("(built in)"))).collect();
    assert_eq!(states, [(State::Warning, true), (State::Ok, false)], "{checks:?}");
}

#[test]
fn a_sandbox_that_is_asked_for_and_missing_is_an_error() {
    use crate::sandbox::level::of_landlock;
    let mut config = Config::template();
    for (answer, asked, state) in [
        (Ok(7), false, State::Ok),
        (Ok(7), true, State::Ok),
        (Ok(2), true, State::Warning),
        (Err(38), false, State::Warning),
        (Err(38), true, State::Error),
    ] {
        config.sandbox = asked;
        let check = engine::sandbox(&config, &of_landlock(answer));
        assert_eq!(check.state, state, "{check:?}");
    }
}

#[test]
fn space_is_told_and_little_of_it_is_a_warning() {
    for (free, state) in [(50 << 30, State::Ok), (300 << 20, State::Warning), (5 << 20, State::Error)] {
        assert_eq!(places::space_left(std::path::Path::new("/x"), free).state, state);
    }
}

#[test]
fn a_broken_configuration_is_named_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::new(home.path().to_path_buf(), None);
    let mut loaded = load(&Sources::read(&paths, home.path(), Vec::new()));
    assert_eq!(configuration(&loaded).state, State::Ok);
    loaded.problems.push(crate::config::Problem::of_file("config.toml", "this is wrong"));
    let check = configuration(&loaded);
    assert_eq!((check.state, check.what.as_str()), (State::Error, "config.toml: this is wrong"));
}
