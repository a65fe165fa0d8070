//! The machine as rules see it, looked at within bounds.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, SearcherBuilder, sinks};

use super::{Seen, Surroundings};
use crate::config::{self, Env};

/// How far is looked for one message.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files of the working directory.
    pub files: usize,
    /// Of text, for all `grep()` together.
    pub bytes: u64,
    /// From the first look on.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 20_000, bytes: 32 * 1024 * 1024, time: Duration::from_millis(400) }
    }
}

/// A file larger than this is data, not text that a rule means.
const MAX_FILE: u64 = 1024 * 1024;

/// Looks once for each message: what it found is kept as long as it lives.
pub struct Machine {
    workdir: PathBuf,
    path: Option<String>,
    limits: Limits,
    started: OnceCell<Instant>,
    /// Every file that is not ignored, below the working directory.
    files: OnceCell<Walked>,
    read: std::cell::Cell<u64>,
}

#[derive(Default)]
struct Walked {
    /// Relative, with their sizes.
    files: Vec<(PathBuf, u64)>,
    /// Not all there are.
    cut: bool,
}

impl Machine {
    pub fn new(workdir: &Path, env: &Env) -> Self {
        Self::within(workdir, env, Limits::default())
    }

    pub fn within(workdir: &Path, env: &Env, limits: Limits) -> Self {
        Self {
            workdir: workdir.to_owned(),
            path: env.get("PATH").map(str::to_owned),
            limits,
            started: OnceCell::new(),
            files: OnceCell::new(),
            read: std::cell::Cell::new(0),
        }
    }

    fn late(&self) -> bool {
        self.started.get_or_init(Instant::now).elapsed() >= self.limits.time
    }

    fn files(&self) -> &Walked {
        self.files.get_or_init(|| self.walk(None))
    }

    /// Ignored files and `.git` aside; links are not followed.
    fn walk(&self, depth: Option<usize>) -> Walked {
        let mut walked = Walked::default();
        for entry in config::walk(&self.workdir).max_depth(depth).build().flatten() {
            if walked.files.len() >= self.limits.files || self.late() {
                walked.cut = true;
                break;
            }
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Ok(relative) = entry.path().strip_prefix(&self.workdir)
            {
                let size = entry.metadata().map(|metadata| metadata.len()).unwrap_or_default();
                walked.files.push((relative.to_owned(), size));
            }
        }
        walked
    }

    fn glob(&self, glob: &str, matcher: &GlobMatcher) -> Seen {
        // Without `**` a glob says how deep it looks.
        let shallow;
        let walked = if glob.contains("**") {
            self.files()
        } else {
            shallow = self.walk(Some(glob.split('/').count()));
            &shallow
        };
        match walked.files.iter().find(|(file, _)| matcher.is_match(file)) {
            Some((file, _)) => Seen::yes(format!("{} is there", file.display())),
            None => Seen::no(format!("no such file{}", walked.bound())),
        }
    }
}

impl Walked {
    fn bound(&self) -> String {
        if self.cut { format!(" among the first {} looked at", self.files.len()) } else { String::new() }
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(glob).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| format!("it is no glob: {}", error.kind()))
}

impl Surroundings for Machine {
    /// A plain path is looked up as it is; a glob finds what is not ignored, `*` within one folder.
    fn file(&self, glob: &str) -> Seen {
        if !glob.contains(['*', '?', '[', '{', '\\']) {
            return if self.workdir.join(glob).exists() {
                Seen::yes(format!("{glob} is there"))
            } else {
                Seen::no("no such file")
            };
        }
        match matcher(glob) {
            Ok(matcher) => self.glob(glob, &matcher),
            Err(why) => Seen::no(why),
        }
    }

    /// A glob without `/` is matched against names, at any depth.
    fn grep(&self, pattern: &str, glob: Option<&str>) -> Seen {
        let Ok(regex) = RegexMatcher::new_line_matcher(pattern) else { return Seen::no("it is no regular expression") };
        let wanted = match glob.map(matcher).transpose() {
            Ok(wanted) => wanted,
            Err(why) => return Seen::no(why),
        };
        let by_name = glob.is_some_and(|glob| !glob.contains('/'));
        let mut searcher = SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).build();
        let walked = self.files();
        let mut looked = 0usize;
        for (file, size) in &walked.files {
            let named = if by_name { file.file_name().map(Path::new) } else { Some(file.as_path()) };
            let is_wanted = wanted.as_ref().is_none_or(|wanted| named.is_some_and(|named| wanted.is_match(named)));
            if !is_wanted || *size > MAX_FILE {
                continue;
            }
            self.read.set(self.read.get() + size);
            if self.read.get() > self.limits.bytes || self.late() {
                return Seen::no(format!("not in the first {looked} files; the search was stopped there"));
            }
            looked += 1;
            let mut found = None;
            let sink = sinks::Lossy(|line, _| {
                found = Some(line);
                Ok(false)
            });
            // A file that cannot be read has no match.
            let _ = searcher.search_path(&regex, self.workdir.join(file), sink);
            if let Some(line) = found {
                return Seen::yes(format!("{}:{line}", file.display()));
            }
        }
        Seen::no(format!("no match in {looked} files{}", walked.bound()))
    }

    fn bin(&self, name: &str) -> Seen {
        if name.contains(['/', '\\']) {
            return Seen::no("this is a path, not the name of a program");
        }
        let folders = self.path.iter().flat_map(std::env::split_paths);
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        match folders.map(|folder| folder.join(&file)).find(|path| is_program(path)) {
            Some(path) => Seen::yes(path.display().to_string()),
            None => Seen::no("not on PATH"),
        }
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests;
