//! The sandbox as a person meets it, and what is left after `kill -9`. Without Landlock in the kernel
//! the first part says so and proves nothing.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use octomind::sandbox::{Level, level};

use super::home::{Home, Said, ended};
use crate::workbench::pty::until;

fn available() -> bool {
    let level = level();
    let there = !matches!(level, Level::Unavailable { .. });
    if !there {
        println!("SKIPPED: the sandbox is {}", level.words());
    }
    there
}

/// What the shell tool answers in a sandbox.
fn shell(home: &Home, command: &str) -> Said {
    ended(home.spawn(&["--sandbox"], &format!("run {command}")))
}

fn git(folder: &Path, words: &[&str]) {
    let words = ["-c", "user.name=a", "-c", "user.email=a@b"].iter().chain(words);
    let done = Command::new("git").args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn writing_stays_inside_and_a_denial_is_explained() {
    if !available() {
        return;
    }
    let home = Home::new();
    let outside = home.path("outside.txt");
    let said = shell(&home, &format!("echo x > {}", outside.display()));
    assert!(!outside.exists());
    assert!(said.out.contains("the sandbox keeps") && said.out.contains("sandbox=false"), "{said:?}");
    let journal = home.data().join("sessions/forged");
    shell(&home, &format!("echo x > {}", journal.display()));
    assert!(!journal.exists(), "a child does not write where this process does");
}

#[test]
fn what_people_do_all_day_works() {
    if !available() {
        return;
    }
    let home = Home::new();
    let commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo done-$((40+2))";
    git(&home.path("project"), &["init", "-q"]);
    let tools = Path::new(env!("CARGO")).parent().unwrap().display();
    let build = format!(
        "PATH={tools}:$PATH; cargo init -q --name a --vcs none c && cd c && cargo build -q --offline && echo done-$((40+2))"
    );
    for command in [
        commit,
        &build,
        "echo x > /dev/null && echo done-$((40+2))",
        "f=$(mktemp) && echo x > $f && case $f in /tmp/octomind-run*|*/octomind-run*) echo done-$((40+2));; esac",
        "echo x > new && mkdir a && mv new a/b && rm -r a && echo done-$((40+2))",
        "mkfifo pipe && rm pipe && ln -s x y && rm y && echo done-$((40+2))",
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")' && rm s && echo done-$((40+2))",
    ] {
        let said = shell(&home, command);
        assert!(said.out.contains("done-42"), "{command}: {said:?}");
    }
}

#[test]
fn a_linked_work_tree_commits_and_cannot_plant_a_hook() {
    if !available() {
        return;
    }
    let home = Home::new();
    let shared = home.path("main");
    fs::create_dir(&shared).unwrap();
    fs::remove_dir_all(home.path("project")).unwrap();
    git(&shared, &["init", "-q"]);
    git(&shared, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&shared, &["worktree", "add", "-q", "../project"]);
    let said = shell(
        &home,
        "echo x > f; git add f; git -c user.name=a -c user.email=a@b commit -q -m y; git log -1 --format=%s-%s",
    );
    assert!(said.out.contains("y-y"), "{said:?}");
    let said = shell(&home, &format!("echo x > {}/.git/hooks/pre-commit", shared.display()));
    assert!(!shared.join(".git/hooks/pre-commit").exists() && said.out.contains("the sandbox keeps"), "{said:?}");
}

#[test]
fn a_hook_that_is_planted_inside_is_told() {
    if !available() {
        return;
    }
    let home = Home::new();
    git(&home.path("project"), &["init", "-q"]);
    let said = shell(&home, "git config core.fsmonitor ./evil");
    assert!(said.out.contains("outside of the sandbox") && said.out.contains("fsmonitor"), "{said:?}");
    let said = shell(&home, "git init -q vendor/sub; echo x > vendor/sub/.git/hooks/pre-commit; echo x > .envrc");
    assert!(said.out.contains("vendor/sub/.git/hooks/pre-commit") && said.out.contains(".envrc"), "{said:?}");
}

#[test]
fn a_server_that_may_not_write_is_told_why_and_how_to_allow_it() {
    if !available() {
        return;
    }
    let home = Home::new();
    let outside = home.path("outside.txt");
    fs::create_dir_all(home.path("data/config")).unwrap();
    let server = format!(
        "[[mcp.servers]]\nname = \"keeper\"\ntype = \"stdio\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo x > {}\"]\n\
         [[roles]]\nname = \"keeper\"\nsystem = \"x\"\nwelcome = \"\"\n[roles.mcp]\nserver_refs = [\"keeper\"]\n\
         allowed_tools = []\n",
        outside.display()
    );
    fs::write(home.path("data/config/more.toml"), server).unwrap();
    let said = ended(home.spawn(&["keeper", "--sandbox"], "hello"));
    assert!(!outside.exists());
    let told = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the sandbox keeps") && told.contains("sandbox=false"), "{said:?}");
}

#[test]
fn the_level_stands_in_the_header() {
    if !available() {
        return;
    }
    let home = Home::new();
    let mut pty = home.workbench(&["tour", "--sandbox"], 120, 30);
    let word = if matches!(level(), Level::Complete { .. }) { "sandbox full" } else { "sandbox partial" };
    pty.wait("the level", |pty| pty.row(0).contains(word));
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
    home.assert_nothing_alive();
}

/// A child that ended is not left lying while the session goes on.
#[test]
fn no_ended_child_is_left_while_it_runs() {
    let home = Home::new();
    let zombies = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let stat = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
        let all: Vec<(String, u32)> = stat
            .filter_map(|stat| {
                let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
                let mut fields = rest.split_whitespace();
                (fields.next()? == "Z").then(|| Some((name.to_owned(), fields.next()?.parse().ok()?)))?
            })
            .collect();
        let ours: Vec<u32> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| {
                let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
                let own = home.path("").display().to_string();
                String::from_utf8_lossy(&environment).contains(&own)
            })
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect();
        all.into_iter().filter(|(_, parent)| ours.contains(parent)).collect::<Vec<_>>()
    };
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("● files");
    for round in 0..5 {
        pty.send(format!("run (sleep 0.01 &) ; sh -c 'exit 0' ; echo round-{round}-$((40+2))\r").as_bytes());
        pty.wait_for(&format!("round-{round}-42"));
    }
    let gone = until(Duration::from_secs(20), || zombies().is_empty());
    assert!(gone, "{:?}", zombies());
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
    home.assert_nothing_alive();
}

#[test]
fn more_folders_are_opened_by_name_and_a_missing_one_is_told() {
    if !available() {
        return;
    }
    let home = Home::new();
    fs::create_dir(home.path("more")).unwrap();
    let mut command = home.command(&["run", "--sandbox", "--model", &home.model(), "-c", super::home::PLAIN]);
    let folders = format!("{}:{}", home.path("more").display(), home.path("none").display());
    command.env("OCTOMIND_SANDBOX_WRITE", folders);
    fs::write(home.path("message"), format!("run echo x > {}/y", home.path("more").display())).unwrap();
    let output = command.stdin(fs::File::open(home.path("message")).unwrap()).output().unwrap();
    let said = Said::from(output);
    assert!(home.path("more/y").exists(), "{said:?}");
    assert!(said.err.contains("none is not opened"), "{said:?}");
}

#[test]
fn nothing_outlives_kill_9_whatever_it_does() {
    for command in
        ["trap '' TERM HUP; sleep 300", "setsid sleep 300 & sleep 301", "nohup sleep 300 > /dev/null 2>&1 & wait"]
    {
        let home = Home::new();
        let mut child = home.spawn(&[], &format!("run {command}"));
        home.wait_alive("sleep 300");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(until(Duration::from_secs(8), || home.alive().is_empty()), "{command}: {:?}", home.alive());
    }
}

#[test]
fn files_that_were_left_open_do_not_reach_a_child() {
    let home = Home::new();
    let held = fs::File::open(home.path("script.toml")).unwrap();
    // Without the flag, as a careless parent would leave it.
    let held = rustix::io::dup(&held).unwrap();
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).unwrap();
    let said = ended(home.spawn(&[], "run ls -l /proc/self/fd"));
    assert!(said.out.contains("/proc/self/fd") || said.out.contains("->"), "{said:?}");
    assert!(!said.out.contains("script.toml"), "{said:?}");
    drop(held);
}
