//! Who has sessions open, and what a process left behind that did not come to its end.

use std::fs;
use std::path::Path;

use super::Check;
use crate::session::journal::holder_of;

/// Sessions that are named.
const NAMED: usize = 4;

pub fn check(sessions: &Path) -> Check {
    let mut held = Vec::new();
    let mut left = 0;
    let mut names: Vec<_> = fs::read_dir(sessions).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    names.sort();
    for folder in names {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match holder_of(&folder) {
            Some(holder) => held.push(format!("{name} by {holder}")),
            // Whoever let go of it left it empty.
            None if folder.join("lock").metadata().is_ok_and(|lock| lock.is_file() && lock.len() > 0) => left += 1,
            None => {}
        }
    }
    of(&held, left)
}

fn of(held: &[String], left: usize) -> Check {
    let mut what = match held.len() {
        0 => "no session is open".to_owned(),
        count => {
            let shown = held.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if count > NAMED { format!(", and {} more", count - NAMED) } else { String::new() };
            format!("open: {shown}{more}")
        }
    };
    match left {
        0 => {}
        1 => what.push_str("; 1 was left by a process that was killed, and is free"),
        many => what.push_str(&format!("; {many} were left by processes that were killed, and are free")),
    }
    Check::ok("locks", what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::journal::{Lock, Locked};

    #[test]
    fn what_is_held_and_what_was_left_is_told() {
        let root = tempfile::tempdir().unwrap();
        for name in ["free", "held", "killed"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        let Locked::Mine(lock) = Lock::take(&root.path().join("held")).unwrap() else { panic!("free") };
        fs::write(root.path().join("killed/lock"), "4194303\n").unwrap();
        fs::write(root.path().join("free/lock"), "").unwrap();
        let told = check(root.path()).what;
        let expected = format!("open: held by process {}; 1 was left by", std::process::id());
        assert!(told.starts_with(&expected), "{told}");
        drop(lock);
        fs::write(root.path().join("killed/lock"), "").unwrap();
        assert_eq!(check(root.path()).what, "no session is open");
        assert_eq!(check(&root.path().join("none")).what, "no session is open");
        let many: Vec<String> = (0..9).map(|number| format!("s{number} by process 1")).collect();
        assert!(
            of(&many, 2)
                .what
                .ends_with("s3 by process 1, and 5 more; 2 were left by processes that were killed, and are free")
        );
    }
}
