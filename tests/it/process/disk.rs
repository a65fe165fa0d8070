//! Locks, modes of files, and disks that take nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::home::{Home, PROGRAM, ended, started};
use super::screens::{NARROW, assert_clean, flowed};

/// The file once nothing is added to it any more: what a session notes beside its turn may come late.
fn at_rest(file: &Path) -> Vec<u8> {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut known = fs::read(file).unwrap();
    let mut since = Instant::now();
    while since.elapsed() < Duration::from_millis(1500) {
        assert!(Instant::now() < deadline, "{} never comes to rest", file.display());
        std::thread::sleep(Duration::from_millis(50));
        let now = fs::read(file).unwrap();
        if now != known {
            (known, since) = (now, Instant::now());
        }
    }
    known
}

#[test]
fn the_second_of_two_processes_only_reads_and_a_killed_one_holds_nothing() {
    let home = Home::new();
    let mut first = home.workbench(&["--name", "shared"], 100, 30);
    first.wait_for("● files");
    first.send(b"hello\r");
    first.wait_for("heard: hello");
    let before = at_rest(&home.journal("shared"));

    let mut second = home.workbench(&["--resume", "shared"], 120, 40);
    second.wait_for("heard: hello");
    second.wait_for("read only, held by process");
    second.send(b"may I?\r");
    second.wait_for("process");
    let said = home.run(&["--resume", "shared"], "may I?");
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(said.err.contains("open elsewhere"), "{said:?}");
    second.kill(Signal::TERM);
    second.end();
    assert_eq!(fs::read(home.journal("shared")).unwrap(), before, "only one process writes");

    first.send(b"still mine\r");
    first.wait_for("heard: still mine");
    first.kill(Signal::KILL);
    first.end();
    let said = home.run(&["--resume", "shared"], "mine now");
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard: mine now"), "{said:?}");
    home.assert_nothing_alive();
}

fn modes(folder: &Path, found: &mut Vec<(PathBuf, u32, bool)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let metadata = entry.metadata().unwrap();
        found.push((entry.path(), metadata.permissions().mode() & 0o777, metadata.is_dir()));
        // Git's own files are below a folder that nobody else can enter.
        let of_git = folder.file_name().is_some_and(|name| name == "checkpoints");
        if metadata.is_dir() && !of_git {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn whatever_the_umask_only_the_owner_reads_what_is_kept() {
    let home = Home::new();
    let model = home.model();
    let long = format!("long {}", "x".repeat(100_000));
    let words = ["-c", "umask 000; exec \"$@\"", "sh", PROGRAM, "run", "--model", &model, "--name", "open"];
    for message in [long.as_str(), "look", "run seq 1 60000; echo to the log >&2"] {
        let mut shell = Command::new("sh");
        let own = home.command(&[]);
        shell.args(words).args(["-c", "log_level=debug"]).env_clear();
        shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(home.path("project"));
        let said = ended(started(shell, message));
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let mut pty = home.in_terminal(&["sh", "-c", "umask 000; exec \"$@\"", "sh"], &["--name", "open"], 100, 30);
    pty.wait_for("● files");
    pty.send(b"hello\r");
    pty.wait_for("heard: hello");
    pty.kill(Signal::TERM);
    pty.end();
    let mut found = Vec::new();
    modes(&home.data(), &mut found);
    for (path, mode, folder) in &found {
        let runs = path.extension().is_some_and(|extension| extension == "sh");
        // What came with the program is not even for its owner to write.
        let write = if path.components().any(|part| part.as_os_str() == "cache") { *mode & 0o200 } else { 0o200 };
        let wanted = write | if *folder || runs { 0o500 } else { 0o400 };
        assert_eq!(*mode, wanted, "{} is {mode:o}", path.display());
    }
    let data = fs::metadata(home.data()).unwrap().permissions().mode() & 0o777;
    assert_eq!(data, 0o700);
    for part in ["journal.jsonl", "blobs/", "logs/", "config.toml"] {
        assert!(found.iter().any(|(path, ..)| path.display().to_string().contains(part)), "no {part}: {found:?}");
    }
}

/// A small file system of its own at the data root.
struct Mount(PathBuf);

impl Mount {
    /// `None` where this user may not mount; the test is skipped then and says so.
    fn at(folder: PathBuf, options: &str) -> Option<Self> {
        fs::create_dir_all(&folder).unwrap();
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&folder).output();
        if done.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        println!("skipped: mounting a small file system is not allowed here");
        None
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_is_told_the_session_goes_on_and_catches_up() {
    let home = Home::new();
    let Some(_mount) = Mount::at(home.data(), "size=4m,mode=700") else { return };
    let mut pty = home.workbench(&["--name", "full"], NARROW, 30);
    home.wait_alive("mcp files");
    // What is being unpacked would give its room back when it does not fit.
    pty.wait("the starter tap", |_| {
        let names = fs::read_dir(home.data().join("cache")).into_iter().flatten().flatten();
        let names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.iter().any(|name| name.starts_with("starter-tap-")) && names.iter().all(|name| !name.starts_with('.'))
    });
    pty.wait("the journal", |_| home.journal("full").exists());
    let filler = home.data().join("filler");
    let mut size = 1 << 22;
    let mut bytes = Vec::new();
    // Whole pages first, then whatever is left of the last one.
    while size > 0 {
        let mut more = bytes.clone();
        more.resize(bytes.len() + size, b'x');
        match fs::write(&filler, &more) {
            Ok(()) => bytes = more,
            Err(_) => size /= 2,
        }
    }
    // Another file may have taken some of the room meanwhile: then this one ends where the disk does.
    let _ = fs::write(&filler, &bytes);
    let journal = fs::metadata(home.journal("full")).unwrap().len();
    // More than fits into the page that the journal already has.
    pty.send(format!("\x1b[200~a {}\x1b[201~\r", "very ".repeat(1000)).as_bytes());
    pty.wait_for("heard: a very");
    pty.wait_for("Say it differently");
    // In the notes: what else was to be written at the start may have met the full disk before the message,
    // and then the long answer has moved the notice out of sight.
    pty.send(b"\x1b");
    pty.wait("the panes", |pty| !pty.row(29).contains("TYPE"));
    pty.send(b"5");
    pty.wait("the notice", |pty| flowed(pty).contains("the disk is full"));
    pty.send(b"1");
    pty.wait_for("Say it differently");
    pty.send(b"i");
    pty.wait("the composer", |pty| pty.row(29).contains("TYPE"));
    assert!(fs::metadata(home.journal("full")).unwrap().len() < journal + 4096);
    pty.send(b"go on\r");
    pty.wait_for("heard: go on");
    assert_clean(&pty, NARROW, 30);
    fs::remove_file(&filler).unwrap();
    pty.send(b"better now\r");
    pty.wait_for("heard: better now");
    pty.wait("the notice", |pty| flowed(pty).contains("nothing was lost"));
    pty.kill(Signal::TERM);
    pty.end();
    assert_eq!(home.recorded("full", "user_message").len(), 3, "all of it is there");
    let text = fs::read_to_string(home.journal("full")).unwrap();
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "no torn record");
    home.assert_nothing_alive();
}

#[test]
fn a_limit_of_a_files_size_is_told_and_the_session_goes_on() {
    let home = Home::new();
    assert_eq!(home.run(&["--name", "limited"], "hello").code, Some(0));
    let model = home.model();
    let words = ["-c", "ulimit -f 40; exec \"$@\"", "sh", PROGRAM, "run", "--model", &model, "--name", "limited"];
    let own = home.command(&["run"]);
    let mut shell = Command::new("bash");
    shell.args(words).args(["-c", super::home::PLAIN, "-c", "supervisor.enabled=false"]).env_clear();
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(home.path("project"));
    // In several records, each of which would still fit on its own.
    let numbers: String = (0..4_000).map(|number| format!("{number} ")).collect();
    let said = ended(started(shell, &format!("count {numbers}")));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("heard: count 0 1 2"), "{said:?}");
    assert!(said.err.contains("the limit of a file's size is reached"), "{said:?}");
    let text = fs::read_to_string(home.journal("limited")).unwrap();
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "no torn record");
    let said = home.run(&["--resume", "limited"], "better now");
    assert_eq!((said.code, said.out.contains("better now")), (Some(0), true), "{said:?}");
    home.assert_nothing_alive();
}

#[test]
fn a_data_root_that_takes_nothing_is_told_and_the_session_goes_on() {
    let home = Home::new();
    // A file where a folder should be; a file system that is read-only where one can be mounted.
    fs::create_dir(home.data()).unwrap();
    fs::write(home.data().join("sessions"), "").unwrap();
    takes_nothing(&home);
    let home = Home::new();
    let Some(_mount) = Mount::at(home.data(), "size=1m,ro") else { return };
    takes_nothing(&home);
}

fn takes_nothing(home: &Home) {
    let said = home.run(&[], "hello");
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard: hello"), "{said:?}");
    assert!(said.err.contains("kept in memory only"), "{said:?}");
    let mut pty = home.workbench(&[], NARROW, 30);
    pty.wait("the notice", |pty| flowed(pty).contains("kept in memory only"));
    pty.send(b"hello\r");
    pty.wait_for("heard: hello");
    pty.send(b"look\r");
    pty.wait_for("I saw:");
    assert_clean(&pty, NARROW, 30);
    pty.kill(Signal::TERM);
    assert_eq!(pty.end(), Some(143));
    pty.assert_restored();
    home.assert_nothing_alive();
}
