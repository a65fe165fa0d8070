use super::*;

#[test]
fn every_width_of_registers_gives_the_same_bits() {
    let number = |seed: usize| ((seed * 7919 % 1000) as f32 - 500.0) / 317.0;
    for length in [0, 1, 31, 32, 33, 384, 385, 767] {
        let left: Vec<f32> = (0..length).map(number).collect();
        let right: Vec<f32> = (0..length).map(|place| number(place + 17)).collect();
        assert_eq!(dot(&left, &right).to_bits(), lanes(&left, &right).to_bits(), "{length}");
    }
}

#[test]
fn a_mapped_file_gives_only_what_lies_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("floats");
    std::fs::write(&path, [1.0_f32, 2.0, 3.0].map(f32::to_ne_bytes).concat()).unwrap();
    let file = MappedFile::open(&path).unwrap();
    assert_eq!(file.floats(4, 2), Some(&[2.0, 3.0][..]));
    assert_eq!(file.floats(4, 3), None, "past the end");
    assert_eq!(file.floats(2, 1), None, "not aligned");
    assert_eq!(file.floats(0, usize::MAX), None);
    assert_eq!(file.floats(usize::MAX, 1), None);
}

#[test]
fn only_a_library_that_is_new_enough_is_taken() {
    let needed = ort::sys::ORT_API_VERSION;
    for version in [format!("1.{needed}.0"), format!("1.{}.3", needed + 8), "2.0.0".to_owned()] {
        assert_eq!(require_version(&version), Ok(()), "{version}");
    }
    for version in ["1.9.0".to_owned(), format!("1.{}.9", needed - 1), "0.99.0".to_owned(), String::new()] {
        let error = require_version(&version).unwrap_err();
        assert!(error.contains(&format!("1.{needed} or later is needed")), "{error}");
    }
}

#[test]
fn what_is_no_library_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libonnxruntime.so");
    std::fs::write(&path, "no library").unwrap();
    assert!(load_runtime(&path).is_err());
    assert!(load_runtime(Path::new("/no/such/libonnxruntime.so")).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn only_whole_pages_that_are_a_file_s_as_it_is_are_given_back() {
    let maps = |access: &str, inode: u32, written: u32| {
        format!(
            "00400000-00402000 r-xp 00000000 08:01 7 /bin/it\nSize: 8 kB\nKernelPageSize: 4 kB\nAnonymous: 8 kB\n\
             VmFlags: rd ex\n00500000-00600000 {access} 00000000 08:01 {inode}    /bin/it\nSize: 1024 kB\n\
             KernelPageSize:        4 kB\nMMUPageSize: 4 kB\nAnonymous:           {written} kB\nVmFlags: rd mr\n\
             7ffc0000-7ffd0000 rw-p 00000000 00:00 0 [stack]\nKernelPageSize: 4 kB\nAnonymous: 0 kB\n"
        )
    };
    let range = |from: usize, to: usize| std::ptr::without_provenance(from)..std::ptr::without_provenance(to);
    let clean = maps("r--p", 7, 0);
    let cases = [
        (&clean, (0x500010, 0x504010), Some(0x501000..0x504000)),
        (&clean, (0x501000, 0x503000), Some(0x501000..0x503000)),
        (&clean, (0x501010, 0x501ff0), None),
        (&clean, (0x5fff00, 0x601000), None),
        (&clean, (0x400000, 0x402000), None),
        (&clean, (0x7ffc0000, 0x7ffd0000), None),
        (&clean, (0x100000, 0x200000), None),
        (&maps("rw-p", 7, 0), (0x501000, 0x503000), None),
        (&maps("r--s", 7, 0), (0x501000, 0x503000), None),
        (&maps("r--p", 0, 0), (0x501000, 0x503000), None),
        (&maps("r--p", 7, 4), (0x501000, 0x503000), None),
        (&"nonsense\n".to_owned(), (0x501000, 0x503000), None),
        (&String::new(), (0x501000, 0x503000), None),
    ];
    for (number, (maps, (from, to), expected)) in cases.into_iter().enumerate() {
        assert_eq!(droppable(maps, range(from, to)), expected, "{number}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_given_back_reads_the_same() {
    static BYTES: &[u8] = include_bytes!("../../../Cargo.lock");
    let before = BYTES.to_vec();
    assert!(let_go(BYTES), "the program's constants lie in a clean mapping of its file");
    assert!(BYTES == before);
    let leaked: &'static [u8] = vec![7; 1 << 20].leak();
    assert!(!let_go(leaked), "the heap is no file");
    assert!(leaked.iter().all(|byte| *byte == 7));
    trim();
}
