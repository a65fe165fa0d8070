use super::*;
use crate::config::load::{Sources, load};
use crate::config::source::{Source, SourceKind};

const TEXT: &str = "# top\nversion = 17 # kept\n\n[model] # profile\ntemperature = 0.3   # warm\n\n[[roles]]\nname = \"a\"\n\n\
                    [[roles]]\nname = \"b\" # second\nmodel = { name = \"x:y\" }\n";

fn set(key: &str, value: impl Into<Value>) -> Result<String, Failure> {
    changed(TEXT, key, value.into())
}

#[test]
fn only_the_value_changes() {
    assert_eq!(set("model.temperature", 0.7).unwrap(), TEXT.replace("0.3 ", "0.7 "));
    assert_eq!(set("version", 18).unwrap(), TEXT.replace("17", "18"));
    assert_eq!(set("roles.b.name", "c").unwrap(), TEXT.replace("\"b\"", "\"c\""));
    assert_eq!(set("roles.b.model.name", "p:q").unwrap(), TEXT.replace("x:y", "p:q"));
    let added = set("supervisor.gate.enabled", false).unwrap();
    assert!(added.starts_with(TEXT) && added.contains("gate]\nenabled = false"), "{added}");
}

#[test]
fn what_cannot_be_set_changes_nothing() {
    assert_eq!(set("model", 1), Err(Failure::Key("a table stands there")));
    assert_eq!(set("version.x", 1), Err(Failure::Key("a value stands where a table is needed")));
    assert_eq!(set("roles.zzz.name", 1), Err(Failure::Key("no entry has this name")));
    assert_eq!(changed("[a", "b", true.into()), Err(Failure::Broken));
}

#[test]
fn line_ends_and_the_byte_order_mark_stay() {
    let windows = "\u{feff}a = 1\r\n# note\r\nb = 2\r\n";
    assert_eq!(changed(windows, "b", 3.into()).unwrap(), windows.replace("b = 2", "b = 3"));
}

#[test]
fn a_switch_written_to_the_template_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().to_path_buf(), None);
    assert!(write_template(&paths).unwrap());
    assert!(!write_template(&paths).unwrap());
    set_in_file(&paths.config_file, "supervisor.gate.enabled", false).unwrap();
    set_in_file(&paths.config_file, "mcp.servers.files.timeout_seconds", 60).unwrap();
    let text = fs::read_to_string(&paths.config_file).unwrap();
    assert_eq!(text.lines().count(), TEMPLATE.lines().count());
    let files = vec![Source::new(SourceKind::File, "config.toml", text)];
    let loaded = load(&Sources { files, ..Sources::default() });
    assert_eq!(loaded.problems, vec![]);
    assert!(!loaded.config.supervisor.gate.enabled);
    assert_eq!(loaded.config.mcp.servers[0].timeout_seconds, 60);
    let left: Vec<_> = fs::read_dir(&paths.config_folder).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside the file");
}

#[cfg(unix)]
#[test]
fn mode_and_link_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (kept, link) = (folder.path().join("kept.toml"), folder.path().join("link.toml"));
    fs::write(&kept, "a = 1\n").unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&kept, &link).unwrap();
    set_in_file(&link, "a", 2).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "a = 2\n");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o640);
    let new = folder.path().join("new.toml");
    set_in_file(&new, "a", 1).unwrap();
    assert_eq!(fs::metadata(&new).unwrap().permissions().mode() & 0o777, 0o600);
}

/// What a person may have done to a file by hand, line ends of both kinds among it.
const ANNOTATED: &str = "# my file\n\tversion = 17\t# tabs\n\n\n[supervisor]   # watches\r\nenabled=true\r\n\
                         \n# the gate, loved and hated\n[ supervisor . gate ]\n  enabled   =   true   # keep!  \n\n\
                         note = 'its \"mine\"'\n[supervisor.plan]\n# off on trains\nenabled = true # on\n\
                         [supervisor.condense]\ntokens_threshold = 5_000 # five thousand\nadaptive = false\n\
                         [skills]\nrules = { auto_activation = true }";

#[test]
fn an_annotated_file_is_the_same_but_for_the_value() {
    for (key, value, from, to) in [
        ("supervisor.gate.enabled", Value::from(false), "  =   true   # keep!", "  =   false   # keep!"),
        ("supervisor.enabled", Value::from(false), "enabled=true\r\n", "enabled=false\r\n"),
        ("supervisor.plan.enabled", Value::from(false), "enabled = true # on", "enabled = false # on"),
        ("supervisor.condense.adaptive", Value::from(true), "adaptive = false", "adaptive = true"),
        ("supervisor.condense.tokens_threshold", Value::from(600), "5_000", "600"),
        ("skills.rules.auto_activation", Value::from(false), "auto_activation = true", "auto_activation = false"),
        ("version", Value::from(18), "version = 17\t#", "version = 18\t#"),
    ] {
        assert!(ANNOTATED.matches(from).count() == 1, "{from}");
        assert_eq!(changed(ANNOTATED, key, value).unwrap(), ANNOTATED.replace(from, to), "{key}");
    }
}

#[test]
fn a_value_set_back_gives_the_file_back() {
    for (key, value) in [("supervisor.gate.enabled", true), ("supervisor.condense.adaptive", false), ("sandbox", false)]
    {
        let there = changed(TEMPLATE, key, (!value).into()).unwrap();
        assert_ne!(there, TEMPLATE);
        assert_eq!(changed(&there, key, value.into()).unwrap(), TEMPLATE, "{key}");
    }
}

#[test]
fn a_broken_or_protected_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, "[supervisor\nenabled = true\n").unwrap();
    let error = set_in_file(&file, "supervisor.enabled", false).unwrap_err();
    assert!(error.to_string().contains("is not TOML, so nothing was saved"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[supervisor\nenabled = true\n");

    fs::write(&file, "[supervisor]\nenabled = true\n").unwrap();
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    let error = set_in_file(&file, "supervisor.enabled", false).unwrap_err();
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[supervisor]\nenabled = true\n");

    let folder_there = folder.path().join("folder.toml");
    fs::create_dir(&folder_there).unwrap();
    assert!(matches!(set_in_file(&folder_there, "a", 1), Err(WriteError::Io { .. })));
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "nothing is left beside the file");
}
