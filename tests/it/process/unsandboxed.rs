//! The sandbox is asked for where the kernel refuses it, as in a container whose seccomp profile does.

use super::home::{Home, ended};
use super::screens::{NARROW, flowed};
use rustix::process::Signal;

/// Runs the work in a thread for which, and for whatever starts from it, Landlock does not exist.
#[allow(unsafe_code)]
fn without_landlock(work: impl FnOnce() + Send) {
    const LOAD_NUMBER: libc::sock_filter = libc::sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let landlock = u32::try_from(libc::SYS_landlock_create_ruleset).unwrap();
    let errno = libc::SECCOMP_RET_ERRNO | u32::try_from(libc::EPERM).unwrap();
    let steps =
        [LOAD_NUMBER, step(0x15, 0, 1, landlock), step(0x06, 0, 0, errno), step(0x06, 0, 0, libc::SECCOMP_RET_ALLOW)];
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut steps = steps;
            let filter = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
            // SAFETY: the filter outlives both calls, which copy it; they change this thread alone.
            unsafe {
                assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1_u64, 0_u64, 0_u64, 0_u64), 0);
                assert_eq!(
                    libc::prctl(
                        libc::PR_SET_SECCOMP,
                        libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                        &raw const filter
                    ),
                    0
                );
            }
            work();
        });
    });
}

#[test]
fn a_run_without_a_person_is_refused_with_the_reason() {
    without_landlock(|| {
        let home = Home::new();
        let said = ended(home.spawn(&["--sandbox"], "run echo started"));
        assert_eq!((said.code, said.out.as_str()), (Some(78), ""), "{said:?}");
        for part in ["the container forbids Landlock", "nothing was started", "sandbox=false"] {
            assert!(said.err.contains(part), "{said:?}");
        }
        assert!(home.sessions().is_empty());
        home.assert_nothing_alive();
    });
}

const F2: &[u8] = b"\x1bOQ";

#[test]
fn a_person_is_asked_in_the_workbench_and_nothing_starts_before_the_answer() {
    without_landlock(|| {
        let home = Home::new();
        let mut pty = home.workbench(&["-c", "sandbox=true"], NARROW, 30);
        pty.wait("the question", |pty| flowed(pty).contains("Nothing is started before your answer"));
        assert!(flowed(&pty).contains("the container forbids Landlock"), "{}", pty.text());
        pty.send(b"hello\r");
        assert!(home.sessions().is_empty() && !home.alive().iter().any(|command| command.contains("mcp files")));
        pty.send(F2);
        pty.wait_for("No sandbox");
        pty.send(b"y");
        pty.wait_for("heard: hello");
        pty.wait("the header", |pty| pty.row(0).contains("sandbox missing"));
        pty.kill(Signal::TERM);
        pty.end();
        pty.assert_restored();
        home.assert_nothing_alive();
    });
}

#[test]
fn a_no_in_the_workbench_starts_nothing() {
    without_landlock(|| {
        let home = Home::new();
        let mut pty = home.workbench(&["tour", "--sandbox"], NARROW, 30);
        pty.wait("the question", |pty| flowed(pty).contains("Nothing is started before your answer"));
        pty.send(F2);
        pty.wait_for("No sandbox");
        pty.send(b"n");
        pty.wait("why not", |pty| flowed(pty).contains("Nothing was started"));
        assert!(home.sessions().is_empty());
        pty.kill(Signal::TERM);
        pty.end();
        pty.assert_restored();
        assert!(home.sessions().is_empty());
        home.assert_nothing_alive();
    });
}
