use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::super::encoder::Identity;
use super::super::raw::MappedFile;
use super::format::{HEADER, record_length};
use super::*;

fn identity(hash: u8, backend: &str) -> Identity {
    Identity { name: "embedded".to_owned(), hash: [hash; 32], backend: backend.to_owned(), dimensions: 4 }
}

fn vector(seed: u8) -> Vector {
    Vector::new((0..4).map(|place| f32::from(seed * 7 % 11) - 3.0 + place as f32).collect()).unwrap()
}

fn entry(text: &str, seed: u8) -> (Key, Vector) {
    (of_text(text), vector(seed))
}

/// What the file has of everything, and what was said about it.
fn read(cache: &Cache) -> (Index, Option<String>) {
    let mut index = Index::default();
    let note = cache.read(&|_| true, &mut index);
    (index, note)
}

/// A cache with the vectors of "one", "two" and "three".
fn filled(folder: &Path) -> Cache {
    let cache = Cache::new(folder, &identity(1, "tract"));
    cache.append(&[entry("one", 1), entry("two", 2)]).unwrap();
    cache.append(&[entry("three", 3)]).unwrap();
    cache
}

#[test]
fn what_was_written_is_read_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(&folder.path().join("not/there/yet"));
    let (index, note) = read(&cache);
    assert_eq!(note, None);
    assert_eq!(index.get("one"), Some(&vector(1)));
    assert_eq!(index.get("three"), Some(&vector(3)));
    assert_eq!(index.get("four"), None);
    assert_eq!(index.all(["three", "four", "one"]), [vector(3), vector(1)]);
    let mut some = Index::default();
    let two = of_text("two");
    cache.read(&|key| *key == two, &mut some);
    assert_eq!((some.len(), some.get("two")), (1, Some(&vector(2))));
}

#[test]
fn a_missing_file_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    let (index, note) = read(&Cache::new(folder.path(), &identity(1, "tract")));
    assert!(index.is_empty() && note.is_none());
}

#[test]
fn models_and_backends_do_not_share_vectors_but_versions_of_a_backend_do() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    for other in [identity(2, "tract"), identity(1, "ONNX Runtime 1.25.0")] {
        assert!(read(&Cache::new(folder.path(), &other)).0.is_empty(), "{other:?}");
    }
    let newer = Cache::new(folder.path(), &identity(1, "ONNX Runtime 1.26.0"));
    let older = Cache::new(folder.path(), &identity(1, "ONNX Runtime 1.25.0"));
    assert_eq!(newer.path(), older.path());
}

/// Spoils the file, and says what is found of the three vectors and in which words.
fn spoilt(spoil: impl FnOnce(&mut Vec<u8>)) -> (Vec<&'static str>, String) {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    let mut bytes = fs::read(cache.path()).unwrap();
    spoil(&mut bytes);
    fs::write(cache.path(), bytes).unwrap();
    let (index, note) = read(&cache);
    let note = note.expect("the fault is named");
    assert!(note.starts_with(&cache.path().display().to_string()), "{note}");
    let (again, silence) = read(&cache);
    assert_eq!(silence, None, "the file was made anew");
    assert_eq!(again.len(), index.len());
    cache.append(&[entry("four", 4)]).unwrap();
    assert_eq!(read(&cache).0.get("four"), Some(&vector(4)), "and can be added to");
    let found = ["one", "two", "three"].into_iter().filter(|text| index.get(text).is_some()).collect();
    (found, note)
}

#[test]
fn a_faulty_file_is_named_and_made_anew_with_what_is_whole() {
    let length = record_length(4);
    type Case = (&'static str, Box<dyn FnOnce(&mut Vec<u8>)>, &'static [&'static str]);
    let cases: Vec<Case> = vec![
        ("its last vector is incomplete", Box::new(|bytes| bytes.truncate(bytes.len() - 3)), &["one", "two"]),
        ("its last vector is incomplete", Box::new(|bytes| bytes.extend([0; 9])), &["one", "two", "three"]),
        ("1 of its vectors are damaged", Box::new(move |bytes| bytes[HEADER + length + 20] ^= 1), &["one", "three"]),
        ("1 of its vectors are damaged", Box::new(move |bytes| bytes[HEADER + length + 26] ^= 64), &["one", "three"]),
        ("its header is damaged", Box::new(|bytes| bytes[20] ^= 1), &[]),
        ("its header is damaged", Box::new(|bytes| bytes[60] ^= 1), &[]),
        ("it is no file of vectors", Box::new(|bytes| bytes[0] = b'X'), &[]),
        ("with the other byte order", Box::new(|bytes| bytes[8..12].reverse()), &[]),
        ("it is no file of vectors", Box::new(Vec::clear), &[]),
        ("it is no file of vectors", Box::new(|bytes| bytes.truncate(10)), &[]),
        ("it is no file of vectors", Box::new(|bytes| *bytes = vec![b'\n'; 4096]), &[]),
        (
            "it was made by another model",
            Box::new(|bytes| *bytes = encode_vectors(&[9; 32], 4, [("one", &vector(1))])),
            &[],
        ),
    ];
    for (number, (expected, spoil, kept)) in cases.into_iter().enumerate() {
        let (found, note) = spoilt(spoil);
        assert!(note.contains(expected), "{number}: {note:?} does not say {expected:?}");
        assert_eq!(found, kept, "{number}: {note}");
    }
}

#[test]
fn a_vector_that_is_not_of_length_one_is_damage_too() {
    let (found, note) = spoilt(|bytes| {
        let odd = format::record(&of_text("odd"), &[9.0, 9.0, 9.0, 9.0]);
        bytes.extend(odd);
    });
    assert_eq!(found, ["one", "two", "three"]);
    assert!(note.contains("1 of its vectors are damaged"), "{note}");
}

#[test]
fn a_mapped_vector_outlives_the_file_s_replacement() {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    let (index, _) = read(&cache);
    fs::write(folder.path().join("other"), "x").unwrap();
    fs::rename(folder.path().join("other"), cache.path()).unwrap();
    assert_eq!(index.get("two"), Some(&vector(2)));
}

#[test]
fn nothing_is_added_behind_a_torn_vector() {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    let bytes = fs::read(cache.path()).unwrap();
    fs::write(cache.path(), &bytes[..bytes.len() - 1]).unwrap();
    let error = cache.append(&[entry("four", 4)]).unwrap_err();
    assert!(error.contains("its last vector is incomplete"), "{error}");
}

#[test]
fn vectors_that_come_along_are_used_where_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let fitting = identity(1, "tract");
    let bytes: &'static [u8] = encode_vectors(&fitting.key(), 4, [("come", &vector(5)), ("along", &vector(6))]).leak();
    let take = |identity: &Identity, bytes: &'static [u8]| {
        let mut index = Index::default();
        index.insert(of_text("along"), vector(9));
        Cache::new(folder.path(), identity).read_precomputed(bytes, &|key| *key != of_text("other"), &mut index);
        index
    };
    let index = take(&fitting, bytes);
    assert_eq!(index.get("come"), Some(&vector(5)));
    assert_eq!(index.get("along"), Some(&vector(9)), "what is there already stays");
    assert_eq!(take(&identity(2, "tract"), bytes).len(), 1);
    assert_eq!(take(&fitting, &[]).len(), 1);
    assert_eq!(take(&fitting, &bytes[..HEADER + 7]).len(), 1);
}

#[test]
fn a_mapped_file_and_its_copy_agree() {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    let mapped = Arc::new(MappedFile::open(cache.path()).unwrap());
    let mut seen = 0;
    let fault = format::mapped(&mapped, 4, |_, found| {
        seen += 1;
        assert_eq!(found, vector(seen));
    });
    assert_eq!((fault, seen), (None, 3));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_file_s_place_is_named_and_replaced() {
    use rustix::fs::{CWD, Mode, mkfifoat};
    let pipe = |path: &Path| {
        drop(fs::remove_file(path));
        mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).unwrap();
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    pipe(cache.path());
    let refused = cache.append(&[entry("four", 4)]).unwrap_err();
    assert!(refused.contains("it is not an ordinary file"), "{refused}");
    pipe(&cache.path().with_added_extension("part"));
    let (index, note) = read(&cache);
    assert!(index.is_empty() && note.unwrap().contains("made anew, with 0 vectors kept: it is not an ordinary file"));
    cache.append(&[entry("four", 4)]).unwrap();
    assert_eq!(read(&cache).0.get("four"), Some(&vector(4)));
    pipe(&cache.path().with_added_extension("lock"));
    let refused = cache.append(&[entry("five", 5)]).unwrap_err();
    assert!(refused.contains(".lock is not an ordinary file"), "{refused}");
}

#[test]
fn a_file_that_is_far_too_large_is_replaced_unread() {
    let folder = tempfile::tempdir().unwrap();
    let cache = filled(folder.path());
    fs::OpenOptions::new().write(true).open(cache.path()).unwrap().set_len(4 << 30).unwrap();
    let (index, note) = read(&cache);
    assert!(index.is_empty() && note.unwrap().contains("it is far too large"));
    assert_eq!(fs::metadata(cache.path()).unwrap().len(), HEADER as u64);
}

#[test]
fn two_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let writers: Vec<_> = (0..3_u8)
        .map(|writer| {
            let cache = Cache::new(folder.path(), &identity(1, "tract"));
            std::thread::spawn(move || {
                for number in 0..16 {
                    cache.append(&[entry(&format!("{writer} {number}"), writer + number)]).unwrap();
                    let (_, note) = read(&cache);
                    assert_eq!(note, None, "nobody sees a half of another's");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(read(&Cache::new(folder.path(), &identity(1, "tract"))).0.len(), 48);
}
