use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::*;
use crate::config::Env;

fn context() -> PromptContext {
    PromptContext {
        cwd: "/w".into(),
        date: "2026-11-30".into(),
        shell: "fish".into(),
        os: "linux x86_64".into(),
        git_status: "## main\n M a".into(),
        readme: "{{CWD}} is not filled in twice".into(),
        ..PromptContext::default()
    }
}

#[test]
fn placeholders_are_filled_in_once_and_everything_else_stays() {
    for (text, filled) in [
        ("in {{CWD}} on {{DATE}}", "in /w on 2026-11-30"),
        ("{{ROLE}}", "unknown"),
        ("[{{GIT_TREE}}]", "[]"),
        ("{{{{CWD}}}}", "{{CWD}}"),
        ("{{README}}", "{{CWD}} is not filled in twice"),
        ("{{HOME}} {{ cwd }} {{CWD {{SHELL}}", "{{HOME}} {{ cwd }} {{CWD fish"),
        ("{{{CWD}}}", "{/w}"),
        ("{{SYSTEM}}", "Shell: fish\nSystem: linux x86_64\nFolder: /w"),
        ("é{{OS}}🙂", "élinux x86_64🙂"),
        ("{{{{}}}} {{}} }}{{", "{{{{}}}} {{}} }}{{"),
    ] {
        assert_eq!(fill(text, &context()), filled, "{text}");
    }
    assert!(fill("{{CONTEXT}}", &context()).ends_with("Git status:\n## main\n M a"));
}

#[test]
fn only_what_occurs_is_asked_for() {
    let asked = placeholders("{{CWD}} {{{{GIT_STATUS}}}} {{SYSTEM}} {{NOPE}}");
    assert_eq!(asked.into_iter().collect::<Vec<_>>(), [Placeholder::Cwd, Placeholder::System]);
}

proptest::proptest! {
    #[test]
    fn any_text_survives(text in "(\\PC|[{}]|\\{\\{|\\}\\}|CWD|ROLE){0,30}") {
        let filled = fill(&text, &PromptContext::default());
        if placeholders(&text).is_empty() && !text.contains("{{{{") {
            proptest::prop_assert_eq!(filled, text);
        }
    }
}

#[test]
fn dates() {
    for (days, text) in [
        (0, "1970-01-01"),
        (59, "1970-03-01"),
        (11_016, "2000-02-29"),
        (20_787, "2026-11-30"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ] {
        assert_eq!(date(SystemTime::UNIX_EPOCH + Duration::from_secs(days * 86_400 + 86_399)), text);
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@x", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
}

async fn gathered(text: &str, workdir: &Path) -> PromptContext {
    let path = std::env::var("PATH").unwrap_or_default();
    let env = Env::from_pairs([("SHELL", "/usr/bin/zsh"), ("PATH", path.as_str())]);
    gather(&[text], "assistant", workdir, &env, SystemTime::UNIX_EPOCH).await
}

/// A repository may define programs that git runs while it only looks: none of them may run.
#[tokio::test]
async fn git_is_asked_without_running_anything_of_the_repositorys() {
    let folder = tempfile::tempdir().unwrap();
    let (workdir, proof) = (folder.path().join("w"), folder.path().join("proof"));
    fs::create_dir(&workdir).unwrap();
    git(&workdir, &["init", "-q"]);
    fs::write(workdir.join("a.txt"), "one\n").unwrap();
    fs::write(workdir.join(".gitattributes"), "* filter=evil\n").unwrap();
    fs::write(workdir.join("README.md"), "# Title\n").unwrap();
    git(&workdir, &["add", "."]);
    git(&workdir, &["commit", "-qm", "first"]);
    let evil = format!("touch {}", proof.display());
    for key in ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor"] {
        git(&workdir, &["config", key, &evil]);
    }
    fs::write(workdir.join("a.txt"), "two\n").unwrap();
    fs::write(workdir.join("b\u{7}.txt"), "").unwrap();
    // Proof that the trap works: git as it comes does run it.
    let _ = Command::new("git").args(["status", "--short"]).current_dir(&workdir).output().unwrap();
    assert!(proof.exists(), "the trap does not work");
    fs::remove_file(&proof).unwrap();

    let context = gathered("{{CONTEXT}}", &workdir).await;
    assert!(!proof.exists(), "a program of the repository ran");
    assert!(context.git_status.starts_with("## main") && context.git_status.contains(" M a.txt"), "{context:?}");
    assert_eq!(context.git_tree, ".gitattributes\nREADME.md\na.txt");
    assert_eq!(context.readme, "# Title");
    assert_eq!(context.binaries, "", "not asked for");
    assert_eq!(context.shell, "zsh");
}

#[tokio::test]
async fn outside_a_repository_git_parts_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    let context = gathered("{{CONTEXT}} {{BINARIES}}", folder.path()).await;
    assert_eq!((context.git_status.as_str(), context.git_tree.as_str(), context.readme.as_str()), ("", "", ""));
    assert!(context.binaries.split(", ").any(|program| program == "git"), "{}", context.binaries);
}

#[tokio::test]
async fn a_long_readme_is_cut_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("README.md"), "é".repeat(20_000)).unwrap();
    let readme = gathered("{{README}}", folder.path()).await.readme;
    assert!(readme.len() < 9_000 && readme.ends_with("é\n[the README goes on]"));
}
