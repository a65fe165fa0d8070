//! Commands that the person runs. They are real processes: time here is not the paused clock's.

use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;

fn run(command: &str, share: Share) -> Command {
    Command::Shell(ShellCommand::Run { command: command.to_owned(), share })
}

fn ended(own: &Snapshot) -> usize {
    let over =
        |entry: &&std::sync::Arc<Entry>| matches!(&entry.kind, EntryKind::Shell(view) if !view.state.is_running());
    own.transcript.entries().iter().filter(over).count()
}

#[tokio::test]
async fn the_model_reads_with_the_next_message_what_was_not_kept_from_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.command(run("echo for both; exit 4", Share::Model)).await;
    stage.until("the first end", |own| ended(own) == 1).await;
    stage.command(run("echo for me", Share::Person)).await;
    stage.until("the second end", |own| ended(own) == 2).await;
    stage.say("what went wrong?").await;
    let asked = stage.asked().await;
    let said = said(&asked.request).join("\n---\n");
    assert!(said.contains("$ echo for both; exit 4\nfor both\n[exit 4]"), "{said}");
    assert!(!said.contains("for me"), "{said}");
    assert!(said.find("[exit 4]") < said.find("what went wrong?"), "before the message it goes with: {said}");
    asked.answer("the exit code");
    stage.until_idle(1).await;
    let shown = stage.lines();
    assert!(shown.contains(&"$ echo for both; exit 4: Exited(4) for both\n".to_owned()), "{shown:?}");
    assert!(!shown.iter().any(|line| line.starts_with("system:")), "it is shown once: {shown:?}");
    stage.command(run("echo again", Share::Model)).await;
    stage.until("the third end", |own| ended(own) == 3).await;
    stage.say("and now?").await;
    let asked = stage.asked().await;
    let texts = super::fakes::said(&asked.request).join("\n");
    assert_eq!(texts.matches("[exit 4]").count(), 1, "told once: {texts}");
    assert!(texts.contains("$ echo again\nagain\n[exit 0]"), "{texts}");
}

#[tokio::test]
async fn one_runs_at_a_time_is_stopped_by_wish_and_ended_with_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    let pid = dir.path().join("pid");
    stage.command(run(&format!("echo $$ > {}; sleep 600", pid.display()), Share::Model)).await;
    stage.until("a command that runs", |own| own.shell.is_some()).await;
    stage.command(run("echo no", Share::Model)).await;
    stage.until("the refusal", |own| own.notes.iter().any(|note| note.text.starts_with("Not run:"))).await;
    stage.command(Command::Shell(ShellCommand::Stop)).await;
    stage.until("the end", |own| ended(own) == 1).await;
    assert!(stage.lines().iter().any(|line| line.contains(": Stopped ")), "{:?}", stage.lines());
    stage.command(run(&format!("echo $$ > {}; exec sleep 600", pid.display()), Share::Model)).await;
    stage.until("another that runs", |own| own.shell.is_some()).await;
    while std::fs::read_to_string(&pid).unwrap_or_default().trim().is_empty() {
        tokio::task::yield_now().await;
    }
    stage.quit().await;
    let last: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{last}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "it lives on: {stat}");
}
