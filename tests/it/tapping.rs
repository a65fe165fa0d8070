//! The real binary, ended in the middle of a clone.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

fn tap(home: &Path, host: &str, words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_octomind"))
        .args(words)
        .env_clear()
        .env("OCTOMIND_DATA_DIR", home.join("data"))
        .env("OCTOMIND_TAP_HOST", host)
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn finished(child: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A server that takes a connection and says nothing.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    (listener, host)
}

fn accepted(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        match listener.accept() {
            Ok((stream, _)) => return stream,
            Err(error) => assert!(Instant::now() < deadline, "nobody connected: {error}"),
        }
        std::thread::yield_now();
    }
}

/// `u/octomind-r` in this folder.
fn repository(folder: &Path) {
    let mut options = git2::RepositoryInitOptions::new();
    let repository = git2::Repository::init_opts(folder.join("u/octomind-r"), options.bare(true).mkpath(true)).unwrap();
    let tree = |name: &str, id: git2::Oid, mode: i32| {
        let mut builder = repository.treebuilder(None).unwrap();
        builder.insert(name, id, mode).unwrap();
        builder.write().unwrap()
    };
    let file = repository.blob(b"text").unwrap();
    let domain = tree("b.toml", file, 0o100_644);
    let agents = tree("a", domain, 0o040_000);
    let root = repository.find_tree(tree("agents", agents, 0o040_000)).unwrap();
    let who = git2::Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
    repository.commit(Some("HEAD"), &who, &who, "x", &root, &[]).unwrap();
}

#[test]
fn killed_in_the_middle_and_tried_again() {
    let home = tempfile::tempdir().unwrap();
    let (listener, host) = silent();
    let mut child = tap(home.path(), &host, &["tap", "u/r"]);
    let _stream = accepted(&listener);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!home.path().join("data/taps.toml").exists());
    let (code, out, _) = finished(tap(home.path(), &host, &["tap"]));
    assert_eq!(code, Some(0));
    assert!(!out.contains("u/r"), "{out}");
    repository(&home.path().join("host"));
    let host = format!("file://{}", home.path().join("host").display());
    let (code, out, err) = finished(tap(home.path(), &host, &["tap", "u/r"]));
    assert_eq!((code, out.starts_with("u/r is connected")), (Some(0), true), "{out}{err}");
    assert!(home.path().join("data/taps/u/octomind-r/agents/a/b.toml").is_file());
}

#[test]
fn interrupted_it_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (listener, host) = silent();
    let child = tap(home.path(), &host, &["tap", "u/r"]);
    let _stream = accepted(&listener);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let (code, out, err) = finished(child);
    assert_eq!((code, out.as_str()), (Some(130), ""), "{err}");
    assert!(err.ends_with("octomind: the transfer was stopped\n"), "{err}");
    let staged = std::fs::read_dir(home.path().join("data/taps/.staging")).unwrap().count();
    assert_eq!((staged, home.path().join("data/taps.toml").exists()), (0, false));
}

/// Whatever the umask lets through.
#[test]
fn all_that_is_kept_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    repository(&home.path().join("host"));
    std::fs::write(home.path().join("script.toml"), "[[turn]]\notherwise = true\n[[turn.reply]]\ntext = \"heard\"\n")
        .unwrap();
    let host = format!("file://{}", home.path().join("host").display());
    let model = format!("script:{}", home.path().join("script.toml").display());
    for words in [&["tap", "u/r"][..], &["tap", "--refresh"], &["run", "developer:general", "-m", &model]] {
        let mut child = Command::new("sh")
            .args(["-c", "umask 000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_octomind")])
            .args(words)
            .env_clear()
            .env("OCTOMIND_DATA_DIR", home.path().join("data"))
            .env("OCTOMIND_TAP_HOST", &host)
            .env("RUST_LOG", "debug")
            .env("HOME", home.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"hello");
        let (code, out, err) = finished(child);
        assert!(code == Some(0) || words.contains(&"--refresh"), "{words:?}: {code:?} {out}{err}");
    }
    let mut open = Vec::new();
    let mut seen = 0;
    let mut folders = vec![home.path().join("data")];
    while let Some(folder) = folders.pop() {
        let here = [folder.clone()].into_iter();
        for path in here.chain(std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path())) {
            let about = std::fs::symlink_metadata(&path).unwrap();
            seen += 1;
            // Git's own files are below a folder that nobody else can enter.
            if !about.is_symlink()
                && about.permissions().mode() & 0o077 != 0
                && !path.components().any(|c| c.as_os_str() == ".git")
            {
                open.push(format!("{:o} {}", about.permissions().mode() & 0o777, path.display()));
            }
            if about.is_dir() && path != folder && !folder.ends_with("checkpoints") {
                folders.push(path);
            }
        }
    }
    assert!(seen > 20);
    assert_eq!(open, Vec::<String>::new());
}
