use std::sync::atomic::Ordering;
use std::time::Instant;

use super::server::{Manner, Server, backend};
use super::*;

const PATH: &str = "o/octomind-r.git";

fn failed(manner: Manner, bounds: Bounds) -> GitFault {
    let origin = Origin::with_agent();
    let server = Server::start(origin.root(), manner);
    let mut attempt = Attempt::new();
    attempt.bounds = bounds;
    attempt.run(&server.address(PATH), None).unwrap_err()
}

fn short() -> Bounds {
    Bounds { time: Duration::from_secs(20), silence: Duration::from_millis(300), ..Bounds::default() }
}

#[test]
fn a_shallow_clone_and_its_update() {
    if backend().is_none() {
        return;
    }
    let origin = Origin::new();
    origin.commit(&[("agents/a.toml", "old")]);
    let first = origin.commit(&[("agents/a.toml", "one"), ("deps/o/t.sh", "x")]);
    let server = Server::start(origin.root(), Manner::Serves);
    let address = server.address(PATH);
    let attempt = Attempt::new();
    assert_eq!(attempt.run(&address, None).unwrap(), new(&first));
    assert_eq!(attempt.text("agents/a.toml"), "one");
    assert!(Repository::open(attempt.target()).unwrap().is_shallow());
    assert_eq!(changes(&attempt.target(), &["agents"]).unwrap(), Changes::None);
    let before = server.requests.load(Ordering::SeqCst);
    assert_eq!(Attempt::new().run(&address, Some(&first)).unwrap(), Fetched::Unchanged);
    assert_eq!(server.requests.load(Ordering::SeqCst), before + 1, "one request tells that nothing changed");
    let second = origin.commit(&[("agents/a.toml", "two")]);
    let attempt = Attempt::new();
    assert_eq!(attempt.run(&address, Some(&first)).unwrap(), new(&second));
    assert_eq!(attempt.text("agents/a.toml"), "two");
}

#[test]
fn a_password_is_never_asked_for() {
    for status in [401, 403, 407] {
        let fault = failed(Manner::Status(status), short());
        assert!(matches!(&fault, GitFault::Password { address } if address.ends_with(PATH)), "{fault}");
        assert!(fault.to_string().contains("wants a password"), "{fault}");
    }
}

#[test]
fn answers_that_are_no_repository() {
    assert!(matches!(failed(Manner::Status(404), short()), GitFault::Missing { .. }));
    assert!(matches!(failed(Manner::Status(503), short()), GitFault::Server { status: 503, .. }));
    for manner in [Manner::Page, Manner::Elsewhere, Manner::Circles] {
        let fault = failed(manner, short());
        assert!(matches!(fault, GitFault::NoRepository { .. }), "{manner:?}: {fault}");
    }
}

#[test]
fn a_repository_that_moved_is_followed() {
    if backend().is_none() {
        return;
    }
    let origin = Origin::new();
    let commit = origin.commit(&[("agents/a.toml", "one")]);
    let server = Server::start(origin.root(), Manner::Moved);
    assert_eq!(Attempt::new().run(&server.address("old/octomind-r.git"), None).unwrap(), new(&commit));
}

#[test]
fn a_mute_server_is_left() {
    let start = Instant::now();
    assert!(matches!(failed(Manner::Mute, short()), GitFault::Silent { .. }));
    let bounds = Bounds { time: Duration::from_millis(300), ..Bounds::default() };
    assert_eq!(failed(Manner::Mute, bounds), GitFault::Slow { seconds: 1 });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_transfer_that_breaks_off_is_no_clone() {
    if backend().is_none() {
        return;
    }
    assert!(matches!(failed(Manner::Stalls, short()), GitFault::Silent { .. }));
    assert!(matches!(failed(Manner::HangsUp, short()), GitFault::Unreachable { .. }));
}

#[test]
fn received_bytes_are_bounded() {
    if backend().is_none() {
        return;
    }
    let bounds = Bounds { received: 100, ..Bounds::default() };
    assert_eq!(failed(Manner::Serves, bounds), GitFault::Large { limit: 100 });
}

#[test]
fn a_list_without_end_is_bounded_before_all_else() {
    let start = Instant::now();
    let bounds = Bounds { listed: 100_000, ..Bounds::default() };
    assert_eq!(failed(Manner::Lists, bounds), GitFault::Listed { host: "127.0.0.1".into(), limit: 100_000 });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_mute_server_can_be_stopped() {
    let origin = Origin::with_agent();
    let server = Server::start(origin.root(), Manner::Mute);
    let attempt = Attempt::new();
    let start = Instant::now();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| attempt.run(&server.address(PATH), None));
        while server.requests.load(Ordering::SeqCst) == 0 {
            assert!(start.elapsed() < Duration::from_secs(10), "no request came");
            std::thread::yield_now();
        }
        attempt.stop.cancel();
        assert_eq!(running.join().unwrap(), Err(GitFault::Stopped));
    });
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn nobody_is_there() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = Address::parse(&format!("http://127.0.0.1:{port}/{PATH}")).unwrap();
    let fault = Attempt::new().run(&address, None).unwrap_err();
    assert!(matches!(&fault, GitFault::Unreachable { host, .. } if host == "127.0.0.1"), "{fault}");
}

#[tokio::test]
async fn it_may_be_called_within_a_runtime() {
    // A runtime within another one would panic.
    let origin = Origin::with_agent();
    let server = Server::start(origin.root(), Manner::Status(401));
    assert!(matches!(Attempt::new().run(&server.address(PATH), None), Err(GitFault::Password { .. })));
}
