use tempfile::TempDir;

use super::*;

static SMALL: Dir<'static> = {
    const FILES: &[DirEntry<'static>] = &[
        DirEntry::File(File::new("README.md", b"read me")),
        DirEntry::Dir(Dir::new(
            "deps",
            &[DirEntry::Dir(Dir::new("deps/o", &[DirEntry::File(File::new("deps/o/t.sh", b"#!/bin/sh"))]))],
        )),
    ];
    Dir::new("", FILES)
};

static OTHER: Dir<'static> = {
    const FILES: &[DirEntry<'static>] = &[DirEntry::File(File::new("README.md", b"another"))];
    Dir::new("", FILES)
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn unpacked_once_with_programs_that_run() {
    let cache = TempDir::new().unwrap();
    let folder = cache.path().join("cache");
    let now = SystemTime::now();
    let root = in_folder(&folder, &SMALL, now).unwrap();
    assert_eq!(fs::read_to_string(root.join("README.md")).unwrap(), "read me");
    let mode = |path: &str| fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o111;
    assert_eq!((mode("README.md"), mode("deps/o/t.sh") & 0o100), (0, 0o100));
    let made = fs::metadata(root.join("README.md")).unwrap().ino();
    assert_eq!(in_folder(&folder, &SMALL, now).unwrap(), root);
    assert_eq!(fs::metadata(root.join("README.md")).unwrap().ino(), made, "not unpacked again");
    assert_eq!(names(&folder).len(), 2, "the folder and the mark of its use");
}

#[test]
fn a_damaged_one_is_mended() {
    let cache = TempDir::new().unwrap();
    let now = SystemTime::now();
    let root = in_folder(cache.path(), &SMALL, now).unwrap();
    fs::remove_file(root.join("deps/o/t.sh")).unwrap();
    in_folder(cache.path(), &SMALL, now).unwrap();
    assert!(root.join("deps/o/t.sh").is_file());
    fs::write(root.join("README.md"), "").unwrap();
    in_folder(cache.path(), &SMALL, now).unwrap();
    assert_eq!(fs::read_to_string(root.join("README.md")).unwrap(), "read me");
    assert_eq!(names(cache.path()).len(), 2);
}

#[test]
fn versions_that_nobody_uses_go() {
    let cache = TempDir::new().unwrap();
    let now = SystemTime::now();
    let old = in_folder(cache.path(), &SMALL, now).unwrap();
    fs::create_dir(cache.path().join("vectors")).unwrap();
    // Another version is started a day later: the old one may still run.
    let new = in_folder(cache.path(), &OTHER, now + DAY).unwrap();
    assert!(old.is_dir() && new.is_dir() && old != new);
    fs::remove_dir_all(&new).unwrap();
    in_folder(cache.path(), &OTHER, now + 5 * DAY).unwrap();
    assert!(!old.exists() && !mark(&old).exists());
    assert!(new.is_dir() && cache.path().join("vectors").is_dir());
}

#[test]
fn many_at_once() {
    let cache = TempDir::new().unwrap();
    let now = SystemTime::now();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| in_folder(cache.path(), &SMALL, now).unwrap());
        }
    });
    assert_eq!(names(cache.path()).len(), 2);
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let root = place(&file.join("cache")).unwrap();
    assert!(root.starts_with(std::env::temp_dir()) && root.join("README.md").is_file());
    let mode = fs::metadata(root.parent().unwrap()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "nobody else can put scripts there");
}

/// The compiler does not notice files that are new in the folder; this file then has to be touched.
#[test]
fn everything_of_the_folder_is_embedded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/tap");
    let mut on_disk = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => on_disk.push(path.strip_prefix(&root).unwrap().to_owned()),
            }
        }
    }
    on_disk.sort();
    let embedded: Vec<PathBuf> = files().into_iter().map(|(path, _)| path.to_owned()).collect();
    assert_eq!(embedded, on_disk);
}
