use super::*;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn env(&self) -> Env {
        let data = self.folder.path().join("data").display().to_string();
        Env::from_pairs([("OCTOMIND_DATA_DIR", data.as_str()), ("HOME", data.as_str())])
    }

    fn keymap(&self, name: &str, source: &str) -> PathBuf {
        let folder = Paths::from_env(&self.env()).config_folder.join("keymaps");
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("{name}.toml"));
        std::fs::write(&file, source).unwrap();
        file
    }

    fn run(&self, arguments: &KeysArguments) -> (Exit, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let exit = run_in(arguments, self.env(), self.folder.path(), &mut out, &mut err).unwrap();
        (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }
}

fn checking(file: Option<PathBuf>, json: bool) -> KeysArguments {
    KeysArguments { command: Some(KeysCommand::Check(CheckArguments { file, json })), ..KeysArguments::default() }
}

#[test]
fn the_reference_is_the_keymap_itself() {
    let place = Place::new();
    let (exit, out, err) = place.run(&KeysArguments::default());
    assert_eq!((exit, err.as_str()), (Exit::Done, ""));
    assert!(out.starts_with("[global]\nkeys "), "{out}");
    assert!(out.contains("\n[composer]\n") && !out.contains("[normal]"), "{out}");
    let vim = KeysArguments { keymap: Some("vim".to_owned()), json: true, ..KeysArguments::default() };
    let (_, out, _) = place.run(&vim);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    let rows = value["rows"].as_array().unwrap();
    assert_eq!(rows.len(), keys::load("vim", None).keymap.unwrap().rows().len());
    let word = rows.iter().find(|row| row["context"] == "normal" && row["keys"] == "w").unwrap();
    assert_eq!((&word["action"], &word["words"]), (&"vi".into(), &"to the start of the next word".into()));
}

#[test]
fn a_finding_has_its_place_a_caret_and_a_hint() {
    let place = Place::new();
    let file =
        place.keymap("own", "inherits = \"default\"\n[transcript]\n\"j\" = \"scrol-down\"\n\"ctrl-i\" = \"zoom\"\n");
    let (exit, out, _) = place.run(&checking(Some(file.clone()), false));
    assert_eq!(exit, Exit::Failed);
    assert!(out.contains(&format!("{}:3:7", file.display())), "{out}");
    assert!(out.contains("3 | \"j\" = \"scrol-down\"") && out.contains("  |       ^^^^^^^^^^^^"), "{out}");
    assert!(out.contains("= hint: did you mean `scroll-down`?"), "{out}");
    assert!(out.contains("ctrl-i is tab in most terminals"), "{out}");
    assert!(out.ends_with("checked own: 2 problems\n"), "{out}");
    let (_, out, _) = place.run(&checking(Some(file), true));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["findings"][0]["line"], &value["findings"][0]["column"]), (&3.into(), &7.into()));
}

#[test]
fn without_a_file_all_of_the_persons_are_checked() {
    let place = Place::new();
    assert_eq!(
        place.run(&checking(None, false)),
        (Exit::Done, "checked default: no problems\n".to_owned(), String::new())
    );
    place.keymap("a", "[pane]\n\"x\" = \"nothing\"\n");
    place.keymap("b", "inherits = \"a\"\n");
    let (exit, out, _) = place.run(&checking(None, false));
    assert_eq!(exit, Exit::Failed);
    assert!(out.ends_with("checked a, b, default: 1 problem\n"), "told once: {out}");
    let (exit, _, err) = place.run(&checking(Some("nowhere.toml".into()), false));
    assert_eq!(exit, Exit::Usage);
    assert!(err.contains("nowhere.toml is no keymap"), "{err}");
}

/// What is printed is the table that keys are looked up in, and each row does there what it says.
#[test]
fn the_reference_is_the_table() {
    let nowhere = Path::new("/nonexistent");
    for (name, _) in keys::BUILT_IN {
        let keymap = keys::load(name, None).keymap.unwrap();
        let rows = keymap.rows();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        list(name, nowhere, true, &mut out, &mut err).unwrap();
        assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
        let printed: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let printed = printed["rows"].as_array().unwrap();
        assert_eq!(printed.len(), rows.len(), "{name}");
        for (printed, row) in printed.iter().zip(&rows) {
            let same = printed["keys"] == row.keys.as_str()
                && printed["action"] == row.call.action.id()
                && printed["context"] == row.context.name()
                && printed["when"] == row.when.as_str();
            assert!(same, "{name}: {printed} is not {row:?}");
            let sequence = keys::Key::parse_sequence(&row.keys).unwrap();
            let alone = rows.iter().filter(|other| other.context == row.context && other.keys == row.keys).count() == 1;
            let found = keymap.find(&[row.context], &sequence, &keys::Facts::default());
            let does = matches!(found, keys::Found::Call(call) if *call == row.call);
            assert!(does || !alone || !row.when.is_empty(), "{name}: {row:?} does something else");
        }
        let mut text = Vec::new();
        list(name, nowhere, false, &mut text, &mut err).unwrap();
        let text = String::from_utf8(text).unwrap();
        for row in &rows {
            let told = text.lines().any(|line| line.starts_with(row.keys.as_str()) && line.contains(&row.words));
            assert!(told, "{name}: {row:?} is not printed");
        }
    }
}
