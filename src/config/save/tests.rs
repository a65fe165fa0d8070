use std::fs;

use super::*;
use crate::config::{Paths, TEMPLATE, open};

const GATE: &str = "supervisor.gate.enabled";

/// A configuration folder with the template, and a working directory.
struct Place {
    _folder: tempfile::TempDir,
    paths: Paths,
    workdir: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (paths, workdir) = (Paths::new(folder.path().join("data"), None), folder.path().join("work"));
        fs::create_dir_all(workdir.join(".agents")).unwrap();
        drop(open(&paths, &workdir, Vec::new()));
        Self { _folder: folder, paths, workdir }
    }

    fn save(&self, command_line: &[&str], key: &str, to: bool) -> Result<Saved, String> {
        let loaded = open(&self.paths, &self.workdir, command_line.iter().map(|text| (*text).to_owned()).collect());
        save(&loaded, &self.paths.config_file, key, to)
    }

    fn main(&self) -> String {
        fs::read_to_string(&self.paths.config_file).unwrap()
    }
}

fn gate_off(text: &str) -> String {
    text.replacen("[supervisor.gate]\nenabled = true", "[supervisor.gate]\nenabled = false", 1)
}

#[test]
fn a_switch_is_written_where_it_stands() {
    let place = Place::new();
    let saved = place.save(&[], GATE, false).unwrap();
    assert_eq!(place.main(), gate_off(TEMPLATE), "only the value changed");
    let line = TEMPLATE.lines().position(|line| line == "[supervisor.gate]").unwrap() + 2;
    let file = place.paths.config_file.display().to_string();
    assert_eq!(saved, Saved { file: file.clone(), origin: Origin::File { file, line } });
}

#[test]
fn the_command_line_is_none_of_the_files_business() {
    let place = Place::new();
    let saved = place.save(&["supervisor.gate.enabled=false"], GATE, false).unwrap();
    assert_eq!(place.main(), gate_off(TEMPLATE));
    assert!(matches!(saved.origin, Origin::File { .. }));
}

#[test]
fn a_file_that_lies_over_the_main_one_is_written() {
    let place = Place::new();
    let other = place.paths.config_folder.join("zz.toml");
    fs::write(&other, "# mine\n[supervisor.gate]\nenabled = true # loved\n").unwrap();
    let saved = place.save(&[], GATE, false).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "# mine\n[supervisor.gate]\nenabled = false # loved\n");
    assert_eq!(place.main(), TEMPLATE);
    assert_eq!(saved.origin, Origin::File { file: other.display().to_string(), line: 3 });
}

#[test]
fn what_cannot_be_written_says_why_and_stays() {
    let place = Place::new();
    let loaded = open(&place.paths, &place.workdir, Vec::new());
    let broken = TEMPLATE.replace("[supervisor.gate]", "[supervisor.gate");
    fs::write(&place.paths.config_file, &broken).unwrap();
    let why = save(&loaded, &place.paths.config_file, GATE, false).unwrap_err();
    assert!(why.contains("is not TOML, so nothing was saved"), "{why}");
    assert_eq!(place.main(), broken);

    fs::remove_file(&place.paths.config_file).unwrap();
    let why = save(&loaded, &place.paths.config_file, GATE, false).unwrap_err();
    assert!(why.contains("is not there"), "{why}");
    assert!(!place.paths.config_file.exists(), "a file with nothing but a switch would be no configuration");
}
