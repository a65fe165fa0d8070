use std::process::Command;

use super::*;

fn git(folder: &Path, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

struct Places {
    root: tempfile::TempDir,
}

impl Places {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["main", "temp"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn of(&self, workdir: &str) -> Roots {
        children(&self.path(workdir), &self.path("temp"), &[])
    }
}

#[test]
fn a_linked_work_tree_opens_what_a_commit_needs_and_neither_hooks_nor_config() {
    let places = Places::new();
    git(&places.path("main"), &["init", "-q"]);
    git(&places.path("main"), &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&places.path("main"), &["worktree", "add", "-q", "../linked"]);
    let roots = places.of("linked");
    let shared = places.path("main/.git");
    for name in ["objects/ab/x", "refs/heads/linked.lock", "logs/refs/heads/linked", "worktrees/linked/index.lock"] {
        assert!(roots.hold(&shared.join(name)), "{name}");
    }
    for name in ["hooks/pre-commit", "config", "config.lock", "info/attributes", "worktrees/other/index"] {
        assert!(!roots.hold(&shared.join(name)), "{name}");
    }
    assert!(!roots.hold(&places.path("main/file")));
    assert_eq!(roots.notes, Vec::<String>::new());
}

#[test]
fn a_project_cannot_open_a_folder_by_a_git_file_of_its_own() {
    let places = Places::new();
    let victim = places.path("victim/worktrees/x");
    fs::create_dir_all(&victim).unwrap();
    fs::create_dir_all(places.path("victim/objects")).unwrap();
    fs::write(places.path("main/.git"), format!("gitdir: {}\n", victim.display())).unwrap();
    let roots = places.of("main");
    assert!(!roots.hold(&places.path("victim/objects/x")) && !roots.hold(&victim.join("x")));
    assert!(roots.notes.iter().any(|note| note.contains("commits are not possible")), "{:?}", roots.notes);
}

#[test]
fn what_is_not_there_or_too_much_is_told_and_costs_nothing_else() {
    let places = Places::new();
    let extra = [places.path("none"), PathBuf::from("/"), places.path("temp")];
    let roots = children(&places.path("main"), &places.path("temp"), &extra);
    assert_eq!(roots.notes.len(), 2, "{:?}", roots.notes);
    assert!(roots.notes[0].contains("none is not opened"), "{:?}", roots.notes);
    assert!(roots.hold(&places.path("main/new/file")) && !roots.hold(&places.path("other")));
}

#[test]
fn below_the_top_of_a_repository_its_folder_is_named() {
    let places = Places::new();
    git(&places.path("main"), &["init", "-q"]);
    fs::create_dir(places.path("main/sub")).unwrap();
    assert!(places.of("main").notes.is_empty());
    let roots = places.of("main/sub");
    assert!(roots.notes[0].contains("start in the repository's top folder"), "{:?}", roots.notes);
    assert!(!roots.hold(&places.path("main/.git/index")));
}

#[test]
fn links_and_dots_do_not_lead_out() {
    let places = Places::new();
    std::os::unix::fs::symlink("/etc", places.path("main/out")).unwrap();
    let roots = places.of("main");
    for outside in ["main/out/x", "main/../x", "main/none/../../x", "main/out"] {
        assert!(!roots.hold(&places.path(outside)), "{outside}");
    }
    assert!(roots.hold(Path::new("/dev/null")) && roots.hold(Path::new("/dev/pts/3")));
    assert!(!roots.hold(Path::new("/dev/sda")));
}

#[test]
fn this_process_keeps_its_data_and_children_do_not() {
    let places = Places::new();
    let children = places.of("main");
    let own = process(&children, &places.path("data"), Path::new("/tmp"));
    assert!(own.hold(&places.path("data/sessions/x")) && !children.hold(&places.path("data/sessions/x")));
}
