use super::*;

#[test]
fn what_is_there_and_what_is_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/foo.rs"), "").unwrap();
    for (path, there) in [
        ("src", true),
        ("src/foo.rs", true),
        ("./src/foo.rs", true),
        ("src/bar.rs", false),
        ("nowhere/at/all", false),
        ("src/foo.rs/inner", false),
    ] {
        assert_eq!(exists(folder.path(), path), Ok(there), "{path}");
    }
    for path in ["", " ", "/etc/passwd", "../outside", "src/../../outside"] {
        assert!(exists(folder.path(), path).is_err(), "{path}");
    }
    let gone = folder.path().join("gone");
    assert!(exists(&gone, "a").unwrap_err().contains("working directory cannot be read"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_tells_nothing() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), "").unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), folder.path().join("secret")).unwrap();
    for path in ["out", "out/secret", "out/missing", "out/missing/deep", "secret"] {
        let why = exists(folder.path(), path).unwrap_err();
        assert_eq!(why, format!("{path} is not in the working directory"));
    }
    symlink("target", folder.path().join("dangling")).unwrap();
    assert_eq!(exists(folder.path(), "dangling"), Ok(false));
}

#[test]
fn the_branch_is_read_in_all_kinds_of_checkouts() {
    let folder = tempfile::tempdir().unwrap();
    let (project, deep) = (folder.path().join("project"), folder.path().join("project/src/deep"));
    fs::create_dir_all(&deep).unwrap();
    assert!(branch(&deep).unwrap_err().contains("no git repository"));

    fs::create_dir(project.join(".git")).unwrap();
    assert!(branch(&deep).unwrap_err().contains("HEAD cannot be read"));
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
    assert_eq!(branch(&deep), Ok(Some("feature/x".to_owned())));
    fs::write(project.join(".git/HEAD"), "64be3a9c6a0b3a7a0f8f4d3f7c1de7f4f5e3a1b2\n").unwrap();
    assert_eq!(branch(&project), Ok(None));

    let tree = folder.path().join("tree");
    fs::create_dir_all(project.join(".git/worktrees/tree")).unwrap();
    fs::create_dir(&tree).unwrap();
    fs::write(project.join(".git/worktrees/tree/HEAD"), "ref: refs/heads/other\n").unwrap();
    fs::write(tree.join(".git"), "gitdir: ../project/.git/worktrees/tree\n").unwrap();
    assert_eq!(branch(&tree), Ok(Some("other".to_owned())));
    fs::write(tree.join(".git"), "nonsense").unwrap();
    assert!(branch(&tree).is_err());
}

#[test]
fn each_kind_says_how_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(folder.path().join("there"), "").unwrap();
    let of = |watched: Watched| observe(folder.path(), &watched);
    let name = |text: &str| text.to_owned();
    assert_eq!(of(Watched::FileExists(name("there"))), AssumptionState::Holds);
    assert_eq!(of(Watched::FileExists(name("gone"))), AssumptionState::Broken);
    assert_eq!(of(Watched::FileMissing(name("there"))), AssumptionState::Broken);
    assert_eq!(of(Watched::FileMissing(name("gone"))), AssumptionState::Holds);
    assert_eq!(of(Watched::BranchIs(name("main"))), AssumptionState::Holds);
    assert_eq!(of(Watched::BranchIs(name("mai"))), AssumptionState::Broken);
    fs::write(folder.path().join(".git/HEAD"), "64be3a9c6a0b3a7a0f8f4d3f7c1de7f4f5e3a1b2\n").unwrap();
    assert_eq!(of(Watched::BranchIs(name("main"))), AssumptionState::Broken);
    for watched in [
        Watched::FileExists(name("../out")),
        Watched::FileMissing(name("/etc")),
        Watched::CommandOk(name("cargo test")),
        Watched::Unknown(name("moon is no kind")),
    ] {
        assert!(matches!(of(watched.clone()), AssumptionState::Unknown { .. }), "{watched:?}");
    }
}
