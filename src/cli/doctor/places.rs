//! Folders, files with secrets in them, sessions, taps.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Access, access};

use super::{Check, State};
use crate::config::{Config, Env, Paths};
use crate::session::checkpoint::bound;
use crate::session::store;
use crate::tap::TapKind;
use crate::tap::registry::{HOST_VARIABLE, Standing, Taps};
use crate::text::human;

pub fn checks(paths: &Paths, workdir: &Path) -> Vec<Check> {
    let mut checks = vec![data(&paths.data), secrets(paths, workdir), sessions(&paths.sessions)];
    checks.extend(space(&paths.data));
    checks.extend(trash(&paths.cache));
    checks.push(checkpoints(&paths.data.join("checkpoints")));
    checks
}

/// What a rewind puts back, and how long.
fn checkpoints(folder: &Path) -> Check {
    let held = bound::held(folder);
    let bound = format!("kept {} days after the last use, {} at most", bound::DAYS, human::bytes(bound::BYTES));
    let what = match held.as_slice() {
        [] => "none yet".to_owned(),
        held => {
            let bytes = held.iter().map(|one| one.bytes).sum();
            format!("of {}, {}", crate::proto::counted(held.len(), "folder"), human::bytes(bytes))
        }
    };
    Check::ok("checkpoints", format!("{what}; {bound}"))
}

/// The folder, or the nearest one above it that is there: asking makes nothing.
fn data(folder: &Path) -> Check {
    let name = "data";
    let shown = folder.display();
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    if access(there, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let advice = format!("make {} writable, or set OCTOMIND_DATA_DIR to a folder that is", there.display());
        return Check::error(name, format!("{shown} cannot be written"), advice);
    }
    match folder.metadata() {
        Err(_) => Check::ok(name, format!("{shown} is made by the first run")),
        Ok(found) if !found.is_dir() => {
            Check::error(name, format!("{shown} is no folder"), "move it away, or set OCTOMIND_DATA_DIR")
        }
        Ok(found) if mode(&found) & 0o002 != 0 => {
            let advice = format!("chmod 700 {shown}");
            Check::error(name, format!("everybody may write to {shown}"), advice)
        }
        Ok(found) => Check::ok(name, format!("{shown}, mode {:o}", mode(&found))),
    }
}

fn mode(found: &Metadata) -> u32 {
    found.permissions().mode() & 0o777
}

/// Files that hold keys and answers, and who else may read them.
fn secrets(paths: &Paths, workdir: &Path) -> Check {
    let name = "secrets";
    let there = hold_secrets(paths, workdir);
    let open = |bits: u32| -> Vec<String> {
        let readable = |file: &&PathBuf| reaches(file, bits);
        there.iter().filter(readable).map(|file| file.display().to_string()).collect()
    };
    let everybody = open(0o004);
    if !everybody.is_empty() {
        let what = format!("everybody on this machine may read {}", named(&everybody));
        return Check::error(name, what, closed(&everybody));
    }
    let group = open(0o040);
    if !group.is_empty() {
        return Check::warning(name, format!("your group may read {}", named(&group)), closed(&group));
    }
    match there.len() {
        0 => Check::ok(name, "no file holds any"),
        1 => Check::ok(name, format!("{} is yours alone", there[0].display())),
        many => Check::ok(name, format!("{many} files, yours alone")),
    }
}

/// Files looked at in one folder of ours.
const MOST_FILES: usize = 2_000;

/// Keys and answers, and what was said and run: a transcript holds what nobody thought of.
fn hold_secrets(paths: &Paths, workdir: &Path) -> Vec<PathBuf> {
    let mut all = vec![paths.env_file.clone(), paths.inputs_file.clone(), paths.config_file.clone()];
    all.extend([".env", ".env.local"].map(|name| workdir.join(name)));
    let within = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_FILES);
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    all.extend(
        within(&paths.config_folder).into_iter().filter(|file| file.extension().is_some_and(|end| end == "toml")),
    );
    all.extend(within(&paths.logs));
    all.extend(within(&paths.sessions).into_iter().map(|session| session.join("journal.jsonl")));
    all.sort();
    all.dedup();
    all.retain(|file| file.is_file());
    all
}

/// The first files of a list, the others counted.
fn named(files: &[String]) -> String {
    match files {
        [one, two, three, rest @ ..] if !rest.is_empty() => format!("{one}, {two}, {three} and {} more", rest.len()),
        few => few.join(", "),
    }
}

/// What to type for all of them.
fn closed(files: &[String]) -> String {
    let quoted = |file: &String| {
        if file.contains([' ', '\'', '"', '$']) { format!("'{}'", file.replace('\'', r"'\''")) } else { file.clone() }
    };
    let shown: Vec<String> = files.iter().take(3).map(quoted).collect();
    let more = if files.len() > 3 {
        ", and the others the same way; a data root of mode 700 closes all of its own"
    } else {
        ""
    };
    format!("chmod 600 {}{more}", shown.join(" "))
}

/// Whether others (`0o004`) or the group (`0o040`) may read the file, its folders included.
fn reaches(file: &Path, bits: u32) -> bool {
    let enter = bits >> 2;
    let open = |path: &Path, bits: u32| path.metadata().is_ok_and(|found| mode(&found) & bits != 0);
    open(file, bits)
        && file.ancestors().skip(1).filter(|folder| folder.parent().is_some()).all(|folder| open(folder, enter))
}

fn sessions(folder: &Path) -> Check {
    let name = "sessions";
    let found = match store::list(folder) {
        Ok(found) => found,
        Err(error) => {
            let advice = format!("make {} readable", folder.display());
            return Check::error(name, format!("{}: {error}", folder.display()), advice);
        }
    };
    if found.is_empty() {
        return Check::ok(name, "none yet");
    }
    let bytes = found.iter().map(|session| session.bytes).sum();
    let count = crate::proto::counted(found.len(), "session");
    let what = format!("{count}, {}", human::bytes(bytes));
    if access(folder, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let advice = format!("make {} writable; nothing can be kept there", folder.display());
        return Check::error(name, format!("{what}, and the folder cannot be written"), advice);
    }
    let unreadable: Vec<&str> =
        found.iter().filter(|session| session.updated == 0).map(|session| session.name.as_str()).collect();
    match unreadable.as_slice() {
        [] => Check::ok(name, what),
        [first, ..] => {
            let told = format!("{what}; {} cannot be read, the first is {first}", unreadable.len());
            let advice = format!("look at {}; the others are not touched by it", folder.join(first).display());
            Check::warning(name, told, advice)
        }
    }
}

fn space(folder: &Path) -> Option<Check> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let found = rustix::fs::statvfs(there).ok()?;
    Some(space_left(folder, found.f_bavail.saturating_mul(found.f_frsize)))
}

/// Bytes with which a session can go on for long, and those with which it can hardly begin.
const AMPLE: u64 = 1 << 30;
const SCARCE: u64 = 32 << 20;

pub fn space_left(folder: &Path, free: u64) -> Check {
    let what = format!("{} free for {}", human::bytes(free), folder.display());
    let advice = "make room, or set OCTOMIND_DATA_DIR to a folder on another disk";
    match free {
        free if free < SCARCE => Check::error("space", what, advice),
        free if free < AMPLE => Check::warning("space", what, advice),
        _ => Check::ok("space", what),
    }
}

/// A cache that cannot be written makes every start slow.
fn trash(cache: &Path) -> Option<Check> {
    let found = cache.metadata().ok()?;
    let usable = found.is_dir() && access(cache, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    (!usable).then(|| {
        let advice =
            format!("make it writable or remove it; it holds nothing that cannot be made again: {}", cache.display());
        Check::warning("cache", "cannot be written; triggers are then compared anew at each start", advice)
    })
}

pub fn taps(paths: &Paths, env: &Env, config: &Config, now: SystemTime) -> Vec<Check> {
    let listing = Taps::open(paths).hosted_at(env.get(HOST_VARIABLE)).listing(now);
    let mut checks: Vec<Check> = listing
        .problems
        .iter()
        .map(|problem| Check::error("taps", problem.headline(), "the other lines are read; mend or remove this one"))
        .collect();
    let due = Duration::from_secs(config.registry.cache_ttl_hours.saturating_mul(60 * 60));
    checks.extend(listing.taps.iter().map(|standing| tap(standing, now, due)));
    checks
}

fn tap(standing: &Standing, now: SystemTime, due: Duration) -> Check {
    let tap = &standing.tap;
    let of = match &tap.kind {
        TapKind::Clone { .. } => "",
        TapKind::Linked => " (linked)",
        TapKind::BuiltIn { .. } => " (built in)",
        TapKind::Starter => " (comes with the program)",
    };
    let name = "tap";
    if let Some(why) = &tap.unavailable {
        let advice = match tap.kind {
            TapKind::BuiltIn { .. } => "fetched when there is a network; the starter tap stands in until then",
            TapKind::Linked => "put the folder back, or disconnect the tap: octomind untap",
            TapKind::Clone { .. } => "try again with a network: octomind tap --refresh",
            TapKind::Starter => "make the cache folder writable",
        };
        let state = if matches!(tap.kind, TapKind::BuiltIn { .. }) { State::Warning } else { State::Error };
        return Check { name, state, what: format!("{}{of}: {why}", tap.name), advice: Some(advice.to_owned()) };
    }
    if let Some(stale) = standing.stale(now) {
        return Check::warning(name, format!("{}{of}: {stale}", tap.name), "it is tried again at the next start");
    }
    let shown = |age: Duration| human::ago(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
    match standing.age(now) {
        Some(age) if age > due => {
            let what = format!("{}{of}: fetched {}", tap.name, shown(age));
            Check::ok(name, format!("{what}, due at the next start"))
        }
        Some(age) => Check::ok(name, format!("{}{of}: fetched {}", tap.name, shown(age))),
        None => Check::ok(name, format!("{}{of}: {}", tap.name, tap.root.display())),
    }
}
