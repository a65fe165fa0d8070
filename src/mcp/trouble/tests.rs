use super::*;

fn missing() -> io::Error {
    io::Error::from_raw_os_error(2)
}

#[test]
fn arguments_typed_into_command_get_a_hint() {
    let trouble = not_started("echo 'Hello World'", None, &missing());
    assert_eq!(trouble.verdict, Verdict::Final);
    assert!(trouble.advice.contains(r#"command = "echo", args = ["Hello", "World"]"#), "{}", trouble.advice);
    assert!(trouble.reason.contains("OS error 2"));
}

#[test]
fn a_missing_program_is_named() {
    let trouble = not_started("no-such-bin-uc", None, &missing());
    assert!(trouble.reason.contains("no-such-bin-uc") && trouble.advice.contains("install no-such-bin-uc"));
    let folder = not_started("ls", Some(Path::new("/no/such/folder")), &missing());
    assert!(folder.reason.contains("/no/such/folder"), "{}", folder.reason);
}

#[cfg(unix)]
#[test]
fn exit_codes_and_signals_are_told() {
    use std::os::unix::process::ExitStatusExt;
    let code = exited(Some(ExitStatus::from_raw(3 << 8)), Phase::Starting, Some("KEY is not set"));
    assert_eq!(code.reason, "it exited with code 3 before it was ready; it said: KEY is not set");
    let signal = exited(Some(ExitStatus::from_raw(9)), Phase::Ready, None);
    assert_eq!(signal.reason, "it was ended by signal 9");
}

#[test]
fn a_status_is_found_in_words() {
    assert_eq!(status_in("unexpected server response: HTTP 401 Unauthorized: no"), Some(401));
    assert_eq!(status_in("HTTP/1.1 what"), None);
    assert_eq!(http_status(403).verdict, Verdict::SignIn);
    assert_eq!(http_status(404).verdict, Verdict::Final);
    assert_eq!(http_status(503).verdict, Verdict::Retry);
}
