use std::fs;

use tempfile::TempDir;

use super::*;

const AGENT: &str = "# Title: Writer\n# Description: Writes what is asked for, short and clear.\n\n[[roles]]\nsystem = \"You write.\"\nwelcome = \"\"\n";

fn folder(agent: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("agents/writing")).unwrap();
    fs::write(folder.path().join("agents/writing/chief.toml"), agent).unwrap();
    folder
}

/// What is printed, where, and how it ends, with a data root of its own.
fn ran(arguments: CheckArguments) -> (String, String, Exit) {
    let data = tempfile::tempdir().unwrap();
    let env = Env::from_pairs([("OCTOMIND_DATA_DIR", data.path().display().to_string())]);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_in(&arguments, &env, &mut out, &mut err).unwrap();
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap(), exit)
}

fn of(folder: &TempDir) -> CheckArguments {
    CheckArguments { folder: Some(folder.path().to_path_buf()), ..CheckArguments::default() }
}

#[test]
fn a_sound_tap() {
    let folder = folder(AGENT);
    let (out, err, exit) = ran(of(&folder));
    assert!(out.ends_with(": 1 agent, 0 capabilities, 0 skills: no problems\n"), "{out}");
    assert_eq!((err.as_str(), exit), ("", Exit::Done));
}

#[test]
fn a_warning_shows_its_place_and_fails_only_when_strict() {
    let folder = folder(&AGENT.replace("Writer", "Pen"));
    let (out, _, exit) = ran(of(&folder));
    let file = folder.path().join("agents/writing/chief.toml");
    let expected = format!(
        "warning: `# Title:` has 3 characters\n --> {}:1:10\n  |\n1 | # Title: Pen\n  |          ^^^\n  = hint: 5 to 60 tell",
        file.display()
    );
    assert!(out.starts_with(&expected), "{out}");
    assert!(out.ends_with("1 warning\n"), "{out}");
    assert_eq!(exit, Exit::Done);
    assert_eq!(ran(CheckArguments { strict: true, ..of(&folder) }).2, Exit::Failed);
}

#[test]
fn an_error_fails() {
    let folder = folder("[[roles]\n");
    let (out, _, exit) = ran(of(&folder));
    assert!(out.contains("error: this is not TOML: ") && out.contains("chief.toml:1:9\n"), "{out}");
    assert!(out.ends_with("1 error, 2 warnings\n"), "{out}");
    assert_eq!(exit, Exit::Failed);
}

#[test]
fn notes_are_counted_and_shown_on_demand() {
    let folder = folder(&AGENT.replace("welcome = \"\"", "welcome = \"Hello from {{CWD}}\""));
    let (out, _, exit) = ran(CheckArguments { strict: true, ..of(&folder) });
    assert!(out.ends_with("1 note (see them with --notes)\n") && !out.contains("note: "), "{out}");
    assert_eq!(exit, Exit::Done);
    let (out, ..) = ran(CheckArguments { notes: true, ..of(&folder) });
    assert!(out.starts_with("note: {{CWD}} stands outside") && out.ends_with(": 1 note\n"), "{out}");
}

#[test]
fn json_has_every_finding_with_its_place() {
    let folder = folder(&AGENT.replace("Writer", "Pen"));
    let (out, ..) = ran(CheckArguments { json: true, ..of(&folder) });
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["errors"], &value["warnings"]), (&json!(0), &json!(1)));
    let finding = &value["findings"][0];
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["part"], json!({ "kind": "agent", "name": "writing:chief" }));
    assert_eq!((&finding["line"], &finding["column"]), (&json!(1), &json!(10)));
    assert!(finding["file"].as_str().unwrap().ends_with("agents/writing/chief.toml"));
}

#[test]
fn no_folder_is_a_mistake_of_the_command_line() {
    let missing = CheckArguments { folder: Some("/nowhere/tap".into()), ..CheckArguments::default() };
    let (out, err, exit) = ran(missing);
    assert!(out.is_empty() && err.contains("/nowhere/tap is no folder"), "{err}");
    assert_eq!(exit, Exit::Usage);
}

#[test]
fn without_a_folder_every_connected_tap_is_checked() {
    let (out, err, exit) = ran(CheckArguments::default());
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("muvon/tap, octomind/starter: "), "{out}\n{err}");
    assert_eq!(exit, Exit::Done, "{out}");
}

#[test]
fn what_a_secret_is_set_to_is_not_printed() {
    let folder = folder(&AGENT.replace("Writer", &format!("sk-0123456789abcdef{}", " long".repeat(12))));
    let data = tempfile::tempdir().unwrap();
    let pairs =
        [("OCTOMIND_DATA_DIR", data.path().display().to_string()), ("MY_API_KEY", "sk-0123456789abcdef".to_owned())];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run_in(&of(&folder), &Env::from_pairs(pairs), &mut out, &mut err).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("# Title: ") && !out.contains("sk-0123456789abcdef"), "{out}");
}
