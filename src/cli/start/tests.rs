use super::*;
use crate::cli::args::Format;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn prepare(&self, options: RunOptions, message: &str) -> Result<Start, Refused> {
        let env = Env::from_pairs([("OCTOMIND_DATA_DIR", self.path("data").to_str().unwrap())]);
        let input = read_message(&mut message.as_bytes()).unwrap();
        std::fs::create_dir_all(self.path("work")).unwrap();
        prepare(Some("developer".to_owned()), options, input, Screen::Other, env, &self.path("work"))
    }
}

#[test]
fn a_first_run_writes_the_template_and_goes_on() {
    let home = Home::new();
    let start = home.prepare(RunOptions::default(), "hi\n").unwrap();
    assert_eq!((start.mode, start.message.as_str()), (Mode::Headless(Format::Plain), "hi\n"));
    assert_eq!((start.pick, start.role.as_deref()), (Pick::New { name: None }, Some("developer")));
    assert!(home.path("data/config/config.toml").exists());
}

#[test]
fn which_session() {
    let options = |name: Option<&str>, resume: Option<&str>, resume_recent| RunOptions {
        name: name.map(str::to_owned),
        resume: resume.map(str::to_owned),
        resume_recent,
        ..RunOptions::default()
    };
    let home = Home::new();
    let named = |name: &str| Some(name.to_owned());
    let cases = [
        (options(Some("x"), None, false), Pick::New { name: named("x") }),
        (options(None, Some("x"), false), Pick::Resume { name: "x".to_owned() }),
        (options(None, Some(""), false), Pick::ResumeRecent),
        (options(None, None, true), Pick::ResumeRecent),
    ];
    for (options, pick) in cases {
        assert_eq!(home.prepare(options, "hi").unwrap().pick, pick);
    }
}

#[test]
fn a_bad_configuration_ends_a_run_without_a_person() {
    let home = Home::new();
    home.prepare(RunOptions::default(), "hi").unwrap();
    let file = home.path("data/config/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("colour = 1\n{text}")).unwrap();
    let refused = home.prepare(RunOptions::default(), "hi").unwrap_err();
    assert_eq!(refused.exit, Exit::Config);
    for said in ["config.toml:1:1", "colour", "nothing was sent"] {
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }
    let set = RunOptions { set: vec!["modle.name=x".to_owned()], ..RunOptions::default() };
    std::fs::write(&file, text).unwrap();
    assert_eq!(home.prepare(set, "hi").unwrap_err().exit, Exit::Config);
}

#[test]
fn schemas() {
    let home = Home::new();
    let with = |text: &str| {
        std::fs::write(home.path("schema.json"), text).unwrap();
        home.prepare(RunOptions { schema: Some(home.path("schema.json")), ..RunOptions::default() }, "hi")
    };
    assert_eq!(with("{\"type\":\"object\"}").unwrap().schema, Some(serde_json::json!({"type": "object"})));
    for (text, said) in [("[1]", "JSON object"), ("{", "schema.json: EOF")] {
        let refused = with(text).unwrap_err();
        assert_eq!(refused.exit, Exit::Usage);
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    let missing = RunOptions { schema: Some(home.path("none.json")), ..RunOptions::default() };
    assert_eq!(home.prepare(missing, "hi").unwrap_err().exit, Exit::Usage);
}

#[test]
fn messages() {
    assert_eq!(read_message(&mut &b" \n"[..]), Ok((Input::Empty, " \n".to_owned())));
    let refused = read_message(&mut &b"ab\xff"[..]).unwrap_err();
    assert!(refused.text.contains("not UTF-8 text (byte 2)"), "{}", refused.text);
    let large = vec![b'x'; usize::try_from(MAX_MESSAGE).unwrap() + 1];
    assert!(read_message(&mut &large[..]).unwrap_err().text.contains("larger than 10 MB"));
    let home = Home::new();
    assert_eq!(home.prepare(RunOptions::default(), "").unwrap_err().exit, Exit::Usage);
    assert!(!home.path("data").exists(), "a refused run leaves nothing behind");
}

#[test]
fn a_sandbox_is_asked_for_by_flag_or_configuration() {
    let home = Home::new();
    let by_key = RunOptions { set: vec!["sandbox=true".to_owned()], ..RunOptions::default() };
    let by_flag = RunOptions { sandbox: true, ..RunOptions::default() };
    for (options, asked) in [(by_key, true), (by_flag, true), (RunOptions::default(), false)] {
        assert_eq!(home.prepare(options, "hi").unwrap().loaded.config.sandbox, asked);
    }
}
