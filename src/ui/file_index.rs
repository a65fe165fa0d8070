//! The project's files for `@`: walked and matched beside the loop, so that typing never waits for either.
//!
//! Owns: one walk at a time, the newest question, the best answers.
//!
//! Invariant: of several questions only the newest is answered, and answered again while the walk finds
//! more.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::composer::Found;

/// Files that are offered, known, and looked for at most, and for how long.
const BEST: usize = 50;
const MOST: usize = 400_000;
const WALK_WITHIN: Duration = Duration::from_secs(30);

/// Paths handed over in one piece, or after so long.
const PIECE: usize = 2_000;
const PIECE_WITHIN: Duration = Duration::from_millis(100);

/// A list is used so long before the folder is walked again.
const FRESH: Duration = Duration::from_secs(5);

type Pieces = Vec<Arc<[String]>>;

#[derive(Clone)]
pub struct FileIndex {
    workdir: PathBuf,
    shared: Arc<Mutex<Shared>>,
    tell: Arc<dyn Fn(Found) + Send + Sync>,
}

#[derive(Default)]
struct Shared {
    pieces: Pieces,
    /// What a walk that runs has found, while an older list is used.
    coming: Pieces,
    walking: bool,
    walked: Option<Instant>,
    /// The newest question and its number.
    asked: (u64, String),
}

impl std::fmt::Debug for FileIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileIndex").field("workdir", &self.workdir).finish_non_exhaustive()
    }
}

impl FileIndex {
    /// `tell` is called from other threads.
    pub fn new(workdir: &Path, tell: impl Fn(Found) + Send + Sync + 'static) -> Self {
        Self { workdir: workdir.to_owned(), shared: Arc::default(), tell: Arc::new(tell) }
    }

    /// Asks for the files that fit; returns at once.
    pub fn find(&self, query: String) {
        let walk = {
            let mut shared = self.shared();
            shared.asked = (shared.asked.0 + 1, query);
            let stale = shared.walked.is_none_or(|walked| walked.elapsed() > FRESH);
            let walk = stale && !shared.walking;
            shared.walking |= walk;
            walk
        };
        self.beside(Self::answer);
        if walk && !self.beside(Self::walk) {
            self.shared().walking = false;
        }
    }

    /// Whether it could be begun; without a thread there is no list.
    fn beside(&self, work: fn(&Self)) -> bool {
        let this = self.clone();
        std::thread::Builder::new().name("files".to_owned()).spawn(move || work(&this)).is_ok()
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the newest question as far as the files are known; gives up when there is a newer one.
    fn answer(&self) {
        let (number, query, pieces) = {
            let shared = self.shared();
            (shared.asked.0, shared.asked.1.clone(), shared.pieces.clone())
        };
        let current = || self.shared().asked.0 == number;
        if let Some(paths) = best(&pieces, &query, current).filter(|_| current()) {
            (self.tell)(Found { query, paths: Arc::new(paths) });
        }
    }

    fn walk(&self) {
        let begun = Instant::now();
        let walk = crate::config::walk(&self.workdir).hidden(true).build();
        let mut paths = walk
            .take_while(|_| begun.elapsed() < WALK_WITHIN)
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .filter_map(|entry| Some(entry.path().strip_prefix(&self.workdir).ok()?.to_str()?.to_owned()))
            .filter(|path| !path.chars().any(char::is_control))
            .take(MOST);
        let mut piece = Vec::new();
        let mut handed = Instant::now();
        loop {
            let path = paths.next();
            let over = path.is_none();
            piece.extend(path);
            if over || piece.len() >= PIECE || handed.elapsed() >= PIECE_WITHIN {
                handed = Instant::now();
                if self.take(std::mem::take(&mut piece), over) {
                    self.answer();
                }
            }
            if over {
                return;
            }
        }
    }

    /// Takes found paths over; whether there is more to offer now.
    fn take(&self, piece: Vec<String>, over: bool) -> bool {
        let mut shared = self.shared();
        let first = shared.walked.is_none();
        if !piece.is_empty() {
            let list = if first { &mut shared.pieces } else { &mut shared.coming };
            list.push(piece.into());
        }
        if over {
            if !first {
                shared.pieces = std::mem::take(&mut shared.coming);
            }
            shared.walking = false;
            shared.walked = Some(Instant::now());
        }
        first || over
    }
}

/// The files that fit best; without a query those that lie highest. `None` when it is not wanted any more.
pub fn best(pieces: &[Arc<[String]>], query: &str, wanted: impl Fn() -> bool) -> Option<Vec<String>> {
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut buffer = Vec::new();
    let mut found: Vec<(std::cmp::Reverse<u32>, usize, &str)> = Vec::new();
    for piece in pieces {
        if !wanted() {
            return None;
        }
        for path in piece.iter() {
            let depth = path.bytes().filter(|byte| *byte == b'/').count();
            if let Some(score) = pattern.score(Utf32Str::new(path, &mut buffer), &mut matcher) {
                found.push((std::cmp::Reverse(score), depth, path));
            }
        }
        // Only the best are kept in order; the others go before they are many.
        if found.len() > 64 * BEST {
            found.select_nth_unstable(BEST);
            found.truncate(BEST);
        }
    }
    found.sort_unstable();
    found.truncate(BEST);
    Some(found.into_iter().map(|(_, _, path)| path.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    fn index(folder: &Path) -> (FileIndex, Receiver<Found>) {
        let (tell, told) = channel();
        let tell = Mutex::new(tell);
        let index = FileIndex::new(folder, move |found| {
            let _ = tell.lock().unwrap().send(found);
        });
        (index, told)
    }

    /// The first answer to this question that names so many files.
    fn answer(told: &Receiver<Found>, query: &str, count: usize) -> Vec<String> {
        loop {
            let found = told.recv_timeout(Duration::from_secs(20)).expect("an answer");
            if found.query == query && found.paths.len() == count {
                return found.paths.to_vec();
            }
        }
    }

    #[test]
    fn files_obey_ignore_rules_and_come_highest_first() {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir_all(project.path().join(".git")).unwrap();
        fs::create_dir_all(project.path().join("src/deep")).unwrap();
        for path in ["b.rs", "a.rs", "src/deep/c.rs", "skip.log"] {
            fs::write(project.path().join(path), "").unwrap();
        }
        fs::write(project.path().join(".gitignore"), "*.log\n").unwrap();
        let (index, told) = index(project.path());
        index.find(String::new());
        assert_eq!(answer(&told, "", 3), ["a.rs", "b.rs", "src/deep/c.rs"]);
        index.find("c".to_owned());
        assert_eq!(answer(&told, "c", 1), ["src/deep/c.rs"]);
    }

    #[test]
    fn an_ignore_file_that_is_a_pipe_holds_nothing_up() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("a.rs"), "").unwrap();
        for name in [".ignore", ".gitignore"] {
            mknodat(CWD, project.path().join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        }
        let (index, told) = index(project.path());
        index.find(String::new());
        assert_eq!(answer(&told, "", 1), ["a.rs"]);
    }

    #[test]
    fn a_list_that_is_old_is_made_again_and_used_until_then() {
        let project = tempfile::tempdir().unwrap();
        fs::write(project.path().join("a.rs"), "").unwrap();
        let (index, told) = index(project.path());
        index.find(String::new());
        assert_eq!(answer(&told, "", 1), ["a.rs"]);
        while index.shared().walking {
            std::thread::yield_now();
        }
        fs::write(project.path().join("new.rs"), "").unwrap();
        index.shared().walked = Instant::now().checked_sub(FRESH * 2);
        index.find("n".to_owned());
        assert_eq!(answer(&told, "n", 1), ["new.rs"]);
    }

    #[test]
    fn among_a_hundred_thousand_the_best_come_first_and_an_old_question_is_given_up() {
        let pieces: Pieces = (0..50)
            .map(|piece| (0..2_000).map(|file| format!("crates/part{piece}/src/module_{file}.rs")).collect())
            .collect();
        let found = best(&pieces, "part7 module_1999", || true).unwrap();
        assert_eq!(found[0], "crates/part7/src/module_1999.rs");
        assert_eq!(best(&pieces, "", || true).unwrap().len(), BEST);
        assert_eq!(best(&pieces, "module", || false), None);
    }
}
