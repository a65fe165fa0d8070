use super::*;

fn touch(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "").unwrap();
}

#[cfg(unix)]
fn library(prefix: &Path, python: &str, version: &str) -> PathBuf {
    let folder = prefix.join("lib").join(python).join("site-packages/onnxruntime/capi");
    let library = folder.join(format!("libonnxruntime.so.{version}"));
    touch(&library);
    touch(&folder.join("libonnxruntime_providers_shared.so"));
    library.canonicalize().unwrap()
}

#[test]
fn the_named_library_is_the_only_one_tried() {
    let folder = tempfile::tempdir().unwrap();
    let env = |value: &str| Env::from_pairs([("ORT_DYLIB_PATH", value), ("PATH", "/usr/bin")]);
    assert_eq!(libraries(&env("/some/lib.so")), [PathBuf::from("/some/lib.so")]);
    for name in ["libonnxruntime.so.1.24.1", "libonnxruntime.so.1.25.0", "libonnxruntime.so", "libother.so"] {
        touch(&folder.path().join(name));
    }
    let found = libraries(&env(&folder.path().display().to_string()));
    let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["libonnxruntime.so.1.25.0", "libonnxruntime.so.1.24.1", "libonnxruntime.so"]);
}

#[cfg(unix)]
#[test]
fn what_pip_installed_is_found_without_running_python() {
    let root = tempfile::tempdir().unwrap();
    let (base, venv, home) = (root.path().join("base"), root.path().join("venv"), root.path().join("home"));
    // An interpreter that would be noticed if it were run.
    touch(&base.join("bin/python3.12"));
    std::fs::create_dir_all(venv.join("bin")).unwrap();
    std::os::unix::fs::symlink(base.join("bin/python3.12"), venv.join("bin/python3")).unwrap();
    let of_venv = library(&venv, "python3.12", "1.25.1");
    let of_base = library(&base, "python3.12", "1.24.0");
    let of_home = library(&home.join(".local"), "python3.11", "1.24.2");
    let path = venv.join("bin").display().to_string();
    let home = home.display().to_string();
    let env = Env::from_pairs([("PATH", path.as_str()), ("HOME", home.as_str())]);
    let found: Vec<PathBuf> = libraries(&env).into_iter().filter(|found| !found.starts_with("/usr")).collect();
    assert_eq!(found, [of_venv.clone(), of_base, of_home]);
    let active = venv.display().to_string();
    let env = Env::from_pairs([("VIRTUAL_ENV", active.as_str())]);
    assert_eq!(libraries(&env).first(), Some(&of_venv));
}

#[test]
fn a_relative_folder_on_the_path_is_passed_by() {
    let env = Env::from_pairs([("PATH", ".:bin"), ("LD_LIBRARY_PATH", "."), ("VIRTUAL_ENV", "venv")]);
    assert!(libraries(&env).iter().all(|found| found.is_absolute()));
}
