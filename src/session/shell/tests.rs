use std::sync::Mutex;

use super::*;

async fn ran_in(folder: &std::path::Path, command: &str, cancel: CancellationToken) -> (Ran, Vec<Far>) {
    let told = Mutex::new(Vec::new());
    let job = Job {
        command: command.to_owned(),
        folder: folder.to_owned(),
        spill: folder.join("spill/shell-1.txt"),
        mask: Mask::of(["hunter2-hunter2".to_owned()]),
    };
    let ran = run(job, |far| told.lock().unwrap().push(far), cancel).await;
    (ran, told.into_inner().unwrap())
}

#[tokio::test]
async fn both_outputs_and_the_exit_code_are_kept_and_secrets_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (ran, _) = ran_in(folder.path(), "pwd; echo hunter2-hunter2 >&2; exit 3", CancellationToken::new()).await;
    assert_eq!(ran.end, ShellEnd::Exited(3));
    let real = folder.path().canonicalize().unwrap();
    assert_eq!(ran.output, format!("{}\n[masked]\n", real.display()));
    assert_eq!(ran.spill, None);
}

#[tokio::test]
async fn a_flood_is_bounded_and_the_whole_of_it_is_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let command = "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done";
    let (ran, _) = ran_in(folder.path(), command, CancellationToken::new()).await;
    assert!(ran.output.len() < kept::HEAD + kept::END + 200, "{}", ran.output.len());
    assert!(ran.output.starts_with("line 0\n") && ran.output.ends_with("line 19999\n"));
    let spill = ran.spill.unwrap();
    assert!(ran.output.contains(&spill.display().to_string()));
    let whole = std::fs::read_to_string(&spill).unwrap();
    assert_eq!((whole.lines().count(), whole.len() as u64), (20_000, ran.bytes));
    assert_eq!(std::fs::metadata(&spill).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn stopping_ends_the_whole_group_and_keeps_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    let (stop, marker) = (cancel.clone(), folder.path().join("ready"));
    let seen = marker.clone();
    tokio::spawn(async move {
        while !seen.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    });
    let command = "trap '' TERM; echo began; sleep 600 & echo $! > child; touch ready; wait; sleep 600";
    let (ran, _) = ran_in(folder.path(), command, cancel).await;
    assert_eq!((ran.end, ran.output.as_str()), (ShellEnd::Stopped, "began\n"));
    let child: i32 = std::fs::read_to_string(folder.path().join("child")).unwrap().trim().parse().unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    let gone = || {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    };
    while !gone() {
        assert!(std::time::Instant::now() < deadline, "the child lives on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn output_is_told_while_the_command_runs() {
    let folder = tempfile::tempdir().unwrap();
    let told = std::sync::Arc::new(Mutex::new(Vec::new()));
    let (heard, go) = (std::sync::Arc::clone(&told), folder.path().join("go"));
    let job = Job {
        command: "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two".to_owned(),
        folder: folder.path().to_owned(),
        spill: folder.path().join("spill"),
        mask: Mask::of([]),
    };
    let tell = move |far: Far| {
        heard.lock().unwrap().push(far);
        std::fs::write(&go, "").unwrap();
    };
    let ran = tokio::time::timeout(Duration::from_secs(20), run(job, tell, CancellationToken::new())).await.unwrap();
    assert_eq!(ran.output, "one\ntwo\n");
    assert_eq!(told.lock().unwrap()[0], Far { tail: "one\n".to_owned(), bytes: 4 });
}

#[test]
fn characters_and_secrets_that_come_in_pieces_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = Kept::new(folder.path().join("x"), Mask::of(["hunter2-hunter2".to_owned()]));
    for byte in "ä hunter2-hunter2 \u{1f980}".bytes() {
        kept.push(&[byte]);
    }
    kept.push(b"\xff");
    assert_eq!(kept.finish().0, "ä [masked] \u{1f980}\u{fffd}");
}
