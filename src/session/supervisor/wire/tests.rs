use serde_json::json;

use super::*;
use crate::proto::Mechanic;

fn sent(request: u32, text: &str) -> Sent {
    let body = json!({"messages": [{"role": "user", "content": text}]});
    Sent { request: RequestId(request), purpose: Purpose::Main, model: "a:b".into(), body }
}

fn received(text: &str) -> Received {
    Received { text: text.into(), stop: Some(StopReason::End), ..Received::default() }
}

fn shown(wire: &mut Wire, session: &Path, request: u32) -> Shown {
    let (sender, shown) = channel();
    wire.show(session, &Mask::default(), RequestId(request), move |found| sender.send(found).unwrap());
    shown.recv().unwrap()
}

#[test]
fn what_was_sent_and_received_is_kept_masked_and_private() {
    let dir = tempfile::tempdir().unwrap();
    let mask = Mask::of(["hunter2hunter2".to_owned()]);
    let mut wire = Wire::default();
    wire.sent(dir.path(), &mask, sent(1, "the key is hunter2hunter2"));
    let (body, reply) = shown(&mut wire, dir.path(), 1);
    assert!(body.contains("the key is") && !body.contains("hunter2"), "{body}");
    assert_eq!(reply, "The reply is still coming.");
    wire.received(dir.path(), &mask, RequestId(1), received("I keep hunter2hunter2"));
    let (body, reply) = shown(&mut wire, dir.path(), 1);
    assert!(body.contains("\"role\": \"user\"") && !body.contains("hunter2"), "{body}");
    assert!(reply.contains("I keep [masked]") && reply.contains("\"stop\""), "{reply}");
    let other = Sent { purpose: Purpose::Supervisor(Mechanic::Gate), ..sent(2, "open") };
    wire.sent(dir.path(), &mask, other);
    wire.close();
    let path = dir.path().join(FOLDER).join("1.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
    assert!(!fs::read_to_string(path).unwrap().contains("hunter2"));
    let mut again = Wire::default();
    assert!(shown(&mut again, dir.path(), 1).1.contains("I keep"), "after a restart too");
    let (body, reply) = shown(&mut again, dir.path(), 2);
    assert!(body.contains("open") && reply.starts_with("octomind ended"), "{reply}");
    assert!(shown(&mut again, dir.path(), 3).0.starts_with("Not kept"));
    again.close();
}

#[test]
fn the_oldest_go_first() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(1000);
    let mut wire = Wire { most: Some(3000), ..Wire::default() };
    for request in [1, 2, 3, 10] {
        wire.sent(dir.path(), &Mask::default(), sent(request, &long));
        wire.received(dir.path(), &Mask::default(), RequestId(request), received("ok"));
    }
    wire.close();
    let kept = Files::of(&dir.path().join(FOLDER)).sizes;
    assert_eq!(kept.keys().copied().collect::<Vec<_>>(), [3, 10]);
    // What an earlier process left counts too.
    let mut wire = Wire { most: Some(3000), ..Wire::default() };
    wire.sent(dir.path(), &Mask::default(), sent(11, &long));
    wire.received(dir.path(), &Mask::default(), RequestId(11), received("ok"));
    wire.close();
    let kept = Files::of(&dir.path().join(FOLDER)).sizes;
    assert_eq!(kept.keys().copied().collect::<Vec<_>>(), [10, 11]);
}
