//! Where a shared library of ONNX Runtime may lie.

use std::path::{Path, PathBuf};

use crate::config::Env;

/// Libraries to try, the likeliest first, each once. `ORT_DYLIB_PATH` alone is tried when it is set:
/// a file, or a folder to look in. Nothing is run.
pub fn libraries(env: &Env) -> Vec<PathBuf> {
    if let Some(named) = env.get("ORT_DYLIB_PATH") {
        let named = PathBuf::from(named);
        return if named.is_dir() { in_folder(&named) } else { vec![named] };
    }
    let folders = python_folders(env).into_iter().chain(system_folders(env));
    let mut found: Vec<PathBuf> = Vec::new();
    for library in folders.filter(|folder| folder.is_absolute()).flat_map(|folder| in_folder(&folder)) {
        let real = library.canonicalize().unwrap_or(library);
        if !found.contains(&real) {
            found.push(real);
        }
    }
    found
}

/// The newest name first: `libonnxruntime.so.1.25.0` before `libonnxruntime.so.1.24.1`.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_library(name))
        .collect();
    names.sort_by_key(|name| std::cmp::Reverse(version_of(name)));
    names.into_iter().map(|name| folder.join(name)).collect()
}

fn is_library(name: &str) -> bool {
    let versioned = name.strip_prefix("libonnxruntime.so");
    versioned.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        || name == "onnxruntime.dll"
        || (name.starts_with("libonnxruntime.") && name.ends_with(".dylib"))
}

fn version_of(name: &str) -> Vec<u32> {
    name.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn system_folders(env: &Env) -> Vec<PathBuf> {
    let listed = if cfg!(windows) {
        "PATH"
    } else if cfg!(target_os = "macos") {
        "DYLD_LIBRARY_PATH"
    } else {
        "LD_LIBRARY_PATH"
    };
    let mut folders: Vec<PathBuf> =
        env.get(listed).map(|list| std::env::split_paths(list).collect()).unwrap_or_default();
    if cfg!(unix) {
        let triple = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
        let usual = ["/usr/local/lib", "/usr/lib", &triple, "/usr/lib64", "/opt/homebrew/lib", "/opt/onnxruntime/lib"];
        folders.extend(usual.map(PathBuf::from));
    }
    folders
}

/// `onnxruntime/capi` of every Python that the person would reach by name.
fn python_folders(env: &Env) -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = env.get("VIRTUAL_ENV").map(PathBuf::from).into_iter().collect();
    for folder in env.get("PATH").map(std::env::split_paths).into_iter().flatten() {
        let names = if cfg!(windows) { ["python.exe", "python3.exe"] } else { ["python3", "python"] };
        let Some(program) = names.iter().map(|name| folder.join(name)).find(|file| file.is_file()) else { continue };
        let real = program.canonicalize().ok();
        // A virtual environment's interpreter is a link to the one it was made from; both count.
        prefixes.extend([Some(program), real].into_iter().flatten().filter_map(|program| prefix_of(&program)));
    }
    prefixes.extend(env.get("HOME").map(|home| Path::new(home).join(".local")));
    prefixes.dedup();
    prefixes
        .iter()
        .flat_map(|prefix| packages_under(prefix))
        .map(|packages| packages.join("onnxruntime/capi"))
        .collect()
}

fn prefix_of(program: &Path) -> Option<PathBuf> {
    let folder = program.parent()?;
    let prefix = if cfg!(windows) { folder } else { folder.parent()? };
    Some(prefix.to_path_buf())
}

fn packages_under(prefix: &Path) -> Vec<PathBuf> {
    if cfg!(windows) {
        return vec![prefix.join("Lib").join("site-packages")];
    }
    let mut found = Vec::new();
    for library in ["lib", "lib64"] {
        let library = prefix.join(library);
        let Ok(entries) = std::fs::read_dir(&library) else { continue };
        let mut versions: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with("python3"))
            .collect();
        versions.sort_by_key(|name| std::cmp::Reverse(version_of(name)));
        let folders = ["site-packages", "dist-packages"];
        found.extend(versions.iter().flat_map(|version| folders.map(|folder| library.join(version).join(folder))));
    }
    found
}

#[cfg(test)]
mod tests;
