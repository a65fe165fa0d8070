use super::*;

fn log(folder: &Path, most: u64) -> Log {
    Log::new(folder.join("logs/octomind.log"), most, Mask::of(["sk-secret".to_owned()]))
}

#[test]
fn nothing_is_created_before_the_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), 100);
    assert!(!folder.path().join("logs").exists());
    log.write_line("hello sk-secret\n").unwrap();
    let file = folder.path().join("logs/octomind.log");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "hello [masked]\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&folder.path().join("logs"))), (0o600, 0o700));
    }
}

/// The log is opened before anything was answered.
#[test]
fn what_is_learnt_later_is_masked_too() {
    let folder = tempfile::tempdir().unwrap();
    let env = crate::config::Env::default();
    let log = Log::new(folder.path().join("octomind.log"), 1000, env.clone().mask().clone());
    log.write_line("one tok-12345678\n").unwrap();
    env.mask().add_given("MY_INPUT", "tok-12345678");
    log.write_line("url: \"http://h/tok-12345678?k=dG9rLTEyMzQ1Njc4\"\n").unwrap();
    let text = std::fs::read_to_string(folder.path().join("octomind.log")).unwrap();
    assert_eq!(text, "one tok-12345678\nurl: \"http://h/[MY_INPUT masked]?k=[MY_INPUT masked]\"\n");
}

#[test]
fn a_full_file_is_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path(), 10);
    for line in ["first line\n", "second line\n", "third line\n"] {
        log.write_line(line).unwrap();
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join("logs").join(name)).unwrap();
    assert_eq!((read("octomind.log").as_str(), read("octomind.log.1").as_str()), ("third line\n", "second line\n"));
}

#[test]
fn the_size_counts_over_restarts() {
    let folder = tempfile::tempdir().unwrap();
    log(folder.path(), 10).write_line("first line\n").unwrap();
    let again = log(folder.path(), 10);
    again.write_line("2\n").unwrap();
    again.write_line("3\n").unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("logs/octomind.log")).unwrap(), "3\n");
}

#[test]
fn a_folder_that_says_no_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("logs"), "a file").unwrap();
    let log = log(folder.path(), 10);
    assert!(log.write_line("x\n").is_err());
    assert!(log.write_line("x\n").is_ok());
}

#[test]
fn which_filter() {
    let shown = |level, filter| chosen_filter(level, filter).map(|filter| filter.to_string());
    assert_eq!(shown(LogLevel::None, None), None);
    assert_eq!(shown(LogLevel::Info, None).as_deref(), Some("octomind=info,warn"));
    assert_eq!(shown(LogLevel::None, Some("trace")).as_deref(), Some("trace"));
    assert_eq!(shown(LogLevel::Debug, Some("=,=")).as_deref(), Some("octomind=debug,info"));
}

#[test]
fn the_workbench_is_given_what_is_logged_masked_and_whole() {
    let told: std::sync::Arc<Mutex<Vec<(tracing::Level, String, String)>>> = std::sync::Arc::default();
    let into = std::sync::Arc::clone(&told);
    let tail: Tail = Box::new(move |at, level, target, text| {
        assert!(at > 0);
        into.lock().unwrap().push((level, target.to_owned(), text));
    });
    let kept = Kept { tail, mask: Mask::of(["sk-secret".to_owned()]) }.with_filter(EnvFilter::new(KEPT));
    tracing::subscriber::with_default(tracing_subscriber::registry().with(kept), || {
        tracing::warn!(target: "octomind::tap", tap = "a/b", "no room for sk-secret");
        tracing::info!(target: "elsewhere", "not of ours");
        tracing::error!(target: "elsewhere", "a problem of others");
    });
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0].2, "no room for [masked] tap=\"a/b\"");
    assert_eq!((told[1].0, told[1].1.as_str()), (tracing::Level::ERROR, "elsewhere"));
}
