use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::config::{Env, Paths};

fn values() -> (Env, BTreeMap<String, String>) {
    let env = Env::from_pairs([("TOKEN", "t-1"), ("EMPTY", "")]);
    (env, BTreeMap::from([("CITY".to_owned(), "Bern {{ENV:TOKEN}}".to_owned()), ("NONE".to_owned(), String::new())]))
}

#[test]
fn texts_are_filled_and_doubled_braces_are_literal() {
    let (env, inputs) = values();
    for (text, filled) in [
        ("{{ENV:TOKEN}} in {{INPUT:CITY}}", "t-1 in Bern {{ENV:TOKEN}}"),
        ("{{{{INPUT:CITY}}}} and {{{{ENV:NO_SUCH}}}}", "{{INPUT:CITY}} and {{ENV:NO_SUCH}}"),
        ("{{ENV: TOKEN }}", "t-1"),
        ("{{INPUT:}} {{ENV:}} {{ENV:a b}} {{OTHER}}", "{{INPUT:}} {{ENV:}} {{ENV:a b}} {{OTHER}}"),
        ("{{INPUT: {{ENV:TOKEN}}", "{{INPUT: t-1"),
        ("$HOME ${TOKEN} {\"a\":{\"b\":{}}}", "$HOME ${TOKEN} {\"a\":{\"b\":{}}}"),
        ("ends with {{", "ends with {{"),
        ("{{{ENV:TOKEN}}}", "{t-1}"),
        ("", ""),
    ] {
        assert_eq!(fill(text, Values { env: &env, inputs: &inputs }).as_deref(), Ok(filled), "{text}");
    }
}

#[test]
fn what_has_no_value_is_named_and_never_filled_with_nothing() {
    let (env, inputs) = values();
    let values = Values { env: &env, inputs: &inputs };
    let missing = fill("{{ENV:EMPTY}} {{INPUT:NONE}} {{ENV:EMPTY}} {{INPUT:CITY}}", values).unwrap_err();
    assert_eq!(missing, [Key::env("EMPTY"), Key::input("NONE")]);
}

#[test]
fn needs_name_everything_that_wants_a_key() {
    let (env, inputs) = values();
    let server: crate::config::schema::Server = crate::config::schema::Server {
        name: "db".into(),
        kind: crate::config::schema::ServerType::Stdio,
        timeout_seconds: 30,
        tools: vec![],
        auto_bind: vec![],
        url: None,
        headers: BTreeMap::new(),
        command: Some("sh".into()),
        args: vec!["--dsn={{ENV:DSN}}".into(), "{{{{ENV:LITERAL}}}}".into()],
        env: [("KEY".to_owned(), "{{ENV:TOKEN}}".to_owned())].into(),
        cwd: Some("{{INPUT:PLACE}}".into()),
    };
    let mut needs = Needs::default();
    needs.text("You live in {{INPUT:PLACE}}.", "agent a:b");
    needs.server(&server, "capability db of x/y");
    let names: Vec<String> = needs.all().iter().map(|need| need.key.to_string()).collect();
    assert_eq!(names, ["{{INPUT:PLACE}}", "{{ENV:DSN}}", "{{ENV:TOKEN}}"]);
    let missing = needs.missing(Values { env: &env, inputs: &inputs });
    assert_eq!(missing.len(), 2);
    assert_eq!(missing[0].wanted_by, ["agent a:b", "capability db of x/y"]);
}

#[test]
fn a_value_nobody_can_be_asked_for_says_how_to_set_it() {
    let places = Places::new(&Paths::new("/d".into(), None), Path::new("/w"));
    let missing = |key| Missing::new(Need { key, wanted_by: vec!["capability db of x/y".into()] }, &places).to_string();
    assert_eq!(
        missing(Key::env("DSN")),
        "{{ENV:DSN}} has no value; capability db of x/y needs it. Export DSN, or add the line DSN=… to /w/.env."
    );
    assert_eq!(
        missing(Key::input("PLACE")),
        "{{INPUT:PLACE}} has no value; capability db of x/y needs it. Add the line PLACE = \"…\" to /d/inputs.toml, \
         or start it once in a terminal, where it is asked for."
    );
    // What a project may not set is kept with the person's own.
    assert!(missing(Key::env("OLLAMA_HOST")).contains("/d/config/.env"));
}

struct Folder {
    dir: tempfile::TempDir,
    paths: Paths,
    places: Places,
}

fn folder() -> Folder {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::new(dir.path().join("data"), None);
    std::fs::create_dir_all(dir.path().join("work")).unwrap();
    let places = Places::new(&paths, &dir.path().join("work"));
    Folder { dir, paths, places }
}

impl Folder {
    fn keep(&self, key: &Key, answer: &str) -> (Result<Kept, KeepError>, Inputs, Env) {
        let (mut inputs, _) = Inputs::open(&self.places.inputs);
        let mut env = Env::default();
        let kept = keep(key, answer, &self.places, &mut inputs, &mut env, 7);
        (kept, inputs, env)
    }

    fn env(&self) -> Env {
        Env::default().with_files(&self.paths, &self.dir.path().join("work")).0
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn an_input_is_asked_for_once_and_its_file_is_private() {
    let folder = folder();
    std::fs::create_dir_all(folder.places.inputs.parent().unwrap()).unwrap();
    std::fs::write(&folder.places.inputs, "# mine\nOLD = \"kept\"\n").unwrap();
    std::fs::set_permissions(&folder.places.inputs, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (kept, inputs, env) = folder.keep(&Key::input("API.KEY-1"), "  s3cret \"value\" \\ ");
    assert_eq!(kept.unwrap(), Kept { file: folder.places.inputs.clone(), set_aside: None });
    assert_eq!(inputs.values()["API.KEY-1"], "s3cret \"value\" \\");
    assert_eq!(env.mask_secrets("a s3cret \"value\" \\"), "a [API.KEY-1 masked]");
    let (again, problems) = Inputs::open(&folder.places.inputs);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(again.values(), inputs.values());
    assert_eq!(again.values()["OLD"], "kept");
    assert!(std::fs::read_to_string(&folder.places.inputs).unwrap().starts_with("# mine\n"));
    assert_eq!(mode(&folder.places.inputs), 0o600);
}

#[test]
fn a_damaged_file_of_inputs_is_named_and_moved_aside_whole() {
    let folder = folder();
    let path = &folder.places.inputs;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let damaged = "GOOD = \"1\"\nBAD = \"no end\nLAST = \"2\"\n";
    std::fs::write(path, damaged).unwrap();
    let (inputs, problems) = Inputs::open(path);
    assert_eq!(inputs.values().len(), 2);
    assert!(problems[0].headline().contains("inputs.toml:2"), "{problems:?}");
    let (kept, ..) = folder.keep(&Key::input("NEW"), "3");
    let aside = kept.unwrap().set_aside.unwrap();
    assert_eq!(std::fs::read_to_string(&aside).unwrap(), damaged);
    assert_eq!(mode(&aside), 0o600);
    let (again, problems) = Inputs::open(path);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(again.values().keys().collect::<Vec<_>>(), ["GOOD", "LAST", "NEW"]);
}

#[test]
fn a_file_of_inputs_that_is_no_text_is_moved_aside_too() {
    let folder = folder();
    let path = &folder.places.inputs;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, [0xff, 0xfe, 0x00]).unwrap();
    let (inputs, problems) = Inputs::open(path);
    assert!(inputs.values().is_empty());
    assert_eq!(problems.len(), 1);
    let (kept, ..) = folder.keep(&Key::input("NEW"), "3");
    assert_eq!(std::fs::read(kept.unwrap().set_aside.unwrap()).unwrap(), [0xff, 0xfe, 0x00]);
    assert_eq!(Inputs::open(path).0.values().len(), 1);
}

#[test]
fn a_variable_is_appended_and_every_line_kept() {
    let folder = folder();
    let path = &folder.places.project;
    std::fs::write(path, "# project\r\nA=1\r\nDSN=").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (kept, _, env) = folder.keep(&Key::env("DSN"), "postgres://me:pw@host/db?x=$1 #2");
    assert_eq!(kept.unwrap().file, *path);
    assert_eq!(env.get("DSN"), Some("postgres://me:pw@host/db?x=$1 #2"));
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "# project\r\nA=1\r\nDSN=\r\nDSN=\"postgres://me:pw@host/db?x=\\$1 #2\"\r\n"
    );
    assert_eq!(mode(path), 0o600);
    assert_eq!(folder.env().get("DSN"), Some("postgres://me:pw@host/db?x=$1 #2"));
    // The same answer adds no second line.
    let before = std::fs::read(path).unwrap();
    folder.keep(&Key::env("DSN"), "postgres://me:pw@host/db?x=$1 #2").0.unwrap();
    assert_eq!(std::fs::read(path).unwrap(), before);
}

#[test]
fn a_link_is_not_written_through() {
    let folder = folder();
    let target = folder.dir.path().join("profile");
    std::fs::write(&target, "mine\n").unwrap();
    std::os::unix::fs::symlink(&target, &folder.places.project).unwrap();
    let (kept, _, env) = folder.keep(&Key::env("TOKEN"), "t-0123456789");
    assert!(matches!(kept, Err(KeepError::LinkedAway { .. })), "{kept:?}");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine\n");
    assert_eq!(env.get("TOKEN"), Some("t-0123456789"), "it holds for the session all the same");
    // Nor to a file beside it, which may be published with the project.
    let readme = folder.places.project.with_file_name("README.md");
    std::fs::write(&readme, "read me\n").unwrap();
    std::fs::remove_file(&folder.places.project).unwrap();
    std::os::unix::fs::symlink("README.md", &folder.places.project).unwrap();
    let (kept, ..) = folder.keep(&Key::env("TOKEN"), "t-0123456789");
    assert!(matches!(kept, Err(KeepError::LinkedAway { .. })), "{kept:?}");
    assert_eq!(std::fs::read_to_string(&readme).unwrap(), "read me\n");
}

#[test]
fn an_unwritable_place_costs_the_file_not_the_session() {
    let folder = folder();
    std::fs::create_dir(&folder.places.project).unwrap();
    let (kept, _, env) = folder.keep(&Key::env("TOKEN"), "t-0123456789");
    assert!(matches!(kept, Err(KeepError::Io { .. })), "{kept:?}");
    assert_eq!(env.get("TOKEN"), Some("t-0123456789"));
    assert!(matches!(folder.keep(&Key::env("TOKEN"), "  ").0, Err(KeepError::Empty)));
    assert!(matches!(folder.keep(&Key::input("X"), &"x".repeat(70_000)).0, Err(KeepError::TooLong(_))));
}

proptest! {
    #[test]
    fn any_answer_is_read_back_as_it_was_given(answer in "[^\0]{1,60}") {
        let answer = answer.trim();
        prop_assume!(!answer.is_empty() && !answer.contains("\r\n"));
        let folder = folder();
        folder.keep(&Key::env("ANSWER"), answer).0.unwrap();
        folder.keep(&Key::input("ANSWER"), answer).0.unwrap();
        let env = folder.env();
        prop_assert_eq!(env.get("ANSWER"), Some(answer));
        let (inputs, problems) = Inputs::open(&folder.places.inputs);
        prop_assert!(problems.is_empty(), "{:?}", problems);
        prop_assert_eq!(inputs.values()["ANSWER"].as_str(), answer);
    }

    #[test]
    fn filling_never_panics_and_leaves_plain_text_alone(text in ".{0,80}", braces in "[{}:A-Z]{0,40}") {
        let (env, inputs) = values();
        let values = Values { env: &env, inputs: &inputs };
        let mixed = format!("{text}{braces}{text}");
        let _ = fill(&mixed, values);
        let plain: String = text.chars().filter(|letter| *letter != '{').collect();
        prop_assert_eq!(fill(&plain, values).unwrap(), plain);
    }
}
