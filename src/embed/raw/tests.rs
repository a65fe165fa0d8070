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
