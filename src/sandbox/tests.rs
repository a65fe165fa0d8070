use super::level::of_landlock;
use super::*;

#[test]
fn each_answer_of_the_kernel_has_its_words() {
    for (answer, part) in [
        (Ok(7), "complete, by Landlock 7"),
        (Ok(3), "complete"),
        (Ok(2), "partial, by Landlock 2: files outside can still be emptied"),
        (Ok(1), "none can be moved"),
        (Ok(0), "not available"),
        (Err(1), "the container forbids"),
        (Err(38), "came with Linux 5.13"),
        (Err(95), "switched off at boot"),
        (Err(7), "error 7"),
    ] {
        let words = of_landlock(answer).words();
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn without_a_sandbox_nothing_is_forbidden_or_explained() {
    assert!(!is_on());
    assert_eq!(permits(Path::new("/etc/x")), Ok(()));
    assert_eq!(explain("/etc/x: Permission denied"), None);
}
