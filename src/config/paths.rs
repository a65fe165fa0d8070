//! The places on disk.

use std::path::{Path, PathBuf};

use super::env::Env;

/// Where everything of ours lies. Nothing is created by asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `OCTOMIND_DATA_DIR`, else `$XDG_DATA_HOME/octomind`, else `~/.local/share/octomind`.
    pub data: PathBuf,
    /// `OCTOMIND_CONFIG_PATH`, else `<data>/config/config.toml`.
    pub config_file: PathBuf,
    /// The folder whose other `*.toml` files are read too, and that holds keymaps and themes.
    pub config_folder: PathBuf,
    /// False when `OCTOMIND_CONFIG_PATH` names one file: its neighbours are then none of our business.
    pub reads_folder: bool,
    /// `<data>/config/.env`.
    pub env_file: PathBuf,
    pub sessions: PathBuf,
    pub logs: PathBuf,
    pub taps: PathBuf,
    /// Which taps are connected.
    pub taps_file: PathBuf,
    pub learning: PathBuf,
    /// What can be made again: vectors, spilled results, downloaded models.
    pub cache: PathBuf,
    /// Manifests fetched from taps.
    pub agents: PathBuf,
    /// Answers to `{{INPUT:KEY}}`.
    pub inputs_file: PathBuf,
    /// What was trusted, by content.
    pub trust_file: PathBuf,
}

impl Paths {
    /// Reads only what the process was started with; a `.env` file cannot move the places.
    /// A relative `XDG_DATA_HOME` is ignored, as its specification says.
    pub fn from_env(env: &Env) -> Self {
        let home = env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from);
        let data = env
            .get("OCTOMIND_DATA_DIR")
            .map(|path| expand_home(path, home.as_deref()))
            .or_else(|| {
                let shared = env.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
                shared.map(|path| path.join("octomind"))
            })
            .or_else(|| home.as_ref().map(|home| home.join(".local/share/octomind")))
            .unwrap_or_else(|| std::env::temp_dir().join("octomind"));
        let override_file = env.get("OCTOMIND_CONFIG_PATH").map(|path| expand_home(path, home.as_deref()));
        Self::new(absolute(&data), override_file.map(|path| absolute(&path)))
    }

    /// From a data root, and a configuration file elsewhere if there is one.
    pub fn new(data: PathBuf, override_file: Option<PathBuf>) -> Self {
        let reads_folder = override_file.is_none();
        let config_file = override_file.unwrap_or_else(|| data.join("config").join("config.toml"));
        Self {
            config_folder: config_file.parent().map_or_else(|| data.join("config"), Path::to_path_buf),
            config_file,
            reads_folder,
            env_file: data.join("config").join(".env"),
            sessions: data.join("sessions"),
            logs: data.join("logs"),
            taps: data.join("taps"),
            taps_file: data.join("taps.toml"),
            learning: data.join("learning"),
            cache: data.join("cache"),
            agents: data.join("agents"),
            inputs_file: data.join("inputs.toml"),
            trust_file: data.join("trust.jsonl"),
            data,
        }
    }

    /// The configuration a project brings along.
    pub fn project_file(workdir: &Path) -> PathBuf {
        workdir.join(".agents").join("octomind.toml")
    }
}

fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Absolute without touching the disk, so that a later change of folder moves nothing.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests;
