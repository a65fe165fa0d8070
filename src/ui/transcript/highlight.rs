//! Colouring code, off the drawing thread.
//!
//! A block that was never seen is drawn plain and handed to a worker; when the worker is done, `wake`
//! asks for a frame and the cells that wait are rendered again. Nothing here delays a frame.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use super::Mark;
use crate::ui::theme::Role;

/// A block longer than this stays plain: reading matters more than colour there.
const MAX_BYTES: usize = 256 * 1024;

/// Finished blocks kept.
const MAX_BLOCKS: usize = 256;

/// Marks for each line of a block.
pub type Coloured = Arc<Vec<Vec<Mark>>>;

type Wake = Box<dyn Fn() + Send + Sync>;

/// Colours for blocks of code.
pub struct Highlighter {
    shared: Arc<Shared>,
    work: OnceLock<Sender<Job>>,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Worker,
    /// At once, in place: for tests that must not depend on time.
    InPlace,
    Off,
}

#[derive(Default)]
struct Shared {
    blocks: Mutex<Blocks>,
    wake: OnceLock<Wake>,
}

#[derive(Default)]
struct Blocks {
    done: HashMap<u64, Coloured>,
    /// Asked for and not done.
    asked: HashMap<u64, ()>,
    finished: u64,
}

struct Job {
    key: u64,
    language: String,
    code: String,
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Highlighter")
    }
}

impl Default for Highlighter {
    fn default() -> Self {
        Self { shared: Arc::default(), work: OnceLock::new(), mode: Mode::Worker }
    }
}

impl Highlighter {
    /// Colours at once, on the calling thread.
    pub fn in_place() -> Self {
        Self { mode: Mode::InPlace, ..Self::default() }
    }

    /// No colours.
    pub fn off() -> Self {
        Self { mode: Mode::Off, ..Self::default() }
    }

    /// What to call when a block that was drawn plain can be drawn coloured.
    pub fn on_ready(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.shared.wake.set(Box::new(wake));
    }

    /// Blocks finished so far; cells that wait for colours look whether it grew.
    pub fn finished(&self) -> u64 {
        lock(&self.shared.blocks).finished
    }

    /// The colours of a block, when they are there. Asks for them otherwise.
    pub fn colours(&self, language: &str, code: &str) -> Colours {
        if self.mode == Mode::Off || code.len() > MAX_BYTES || !known(language) {
            return Colours::Plain;
        }
        let key = key(language, code);
        {
            let mut blocks = lock(&self.shared.blocks);
            if let Some(done) = blocks.done.get(&key) {
                return Colours::Ready(Arc::clone(done));
            }
            if self.mode == Mode::Worker && blocks.asked.insert(key, ()).is_some() {
                return Colours::Coming;
            }
        }
        let job = Job { key, language: language.to_owned(), code: code.to_owned() };
        if self.mode == Mode::InPlace {
            return Colours::Ready(self.shared.finish(job));
        }
        let work = self.work.get_or_init(|| start(Arc::clone(&self.shared)));
        if work.send(job).is_ok() { Colours::Coming } else { Colours::Plain }
    }
}

/// What [`Highlighter::colours`] found.
#[derive(Debug, Clone)]
pub enum Colours {
    Ready(Coloured),
    /// Being worked on; draw plain for now.
    Coming,
    /// There will be none.
    Plain,
}

impl Shared {
    fn finish(&self, job: Job) -> Coloured {
        let coloured: Coloured = Arc::new(colour(&job.language, &job.code));
        let mut blocks = lock(&self.blocks);
        if blocks.done.len() >= MAX_BLOCKS {
            blocks.done.clear();
        }
        blocks.done.insert(job.key, Arc::clone(&coloured));
        blocks.asked.remove(&job.key);
        blocks.finished += 1;
        coloured
    }
}

fn start(shared: Arc<Shared>) -> Sender<Job> {
    let (sender, jobs): (_, Receiver<Job>) = channel();
    let run = move || {
        while let Ok(job) = jobs.recv() {
            shared.finish(job);
            if let Some(wake) = shared.wake.get() {
                wake();
            }
        }
    };
    // Without a thread the channel is closed and code stays plain.
    let _ = std::thread::Builder::new().name("highlight".to_owned()).spawn(run);
    sender
}

fn key(language: &str, code: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (language, code).hash(&mut hasher);
    hasher.finish()
}

/// Words that name no language; asking the syntax set about them would load it for nothing.
fn known(language: &str) -> bool {
    !matches!(language, "" | "text" | "txt" | "plain" | "plaintext" | "output" | "console" | "log")
}

fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    SET.get_or_init(SyntaxSet::load_defaults_newlines)
}

/// Names that people write and the syntax set does not know.
fn alias(language: &str) -> &str {
    match language {
        "typescript" | "ts" | "tsx" | "jsx" | "mjs" => "js",
        "shell" | "zsh" | "fish" => "sh",
        "c++" => "cpp",
        "golang" => "go",
        "jsonc" | "json5" => "json",
        "toml" | "ini" | "cfg" => "properties",
        other => other,
    }
}

fn colour(language: &str, code: &str) -> Vec<Vec<Mark>> {
    let set = syntaxes();
    let Some(syntax) = set.find_syntax_by_token(alias(language)) else { return Vec::new() };
    let mut state = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut lines = Vec::new();
    for line in code.split_inclusive('\n') {
        let Ok(ops) = state.parse_line(line, set) else { return lines };
        let length = line.trim_end_matches('\n').len();
        let mut marks = Vec::new();
        let mut at = 0;
        for (offset, op) in ops {
            push_mark(&mut marks, at, offset.min(length), &stack);
            at = at.max(offset.min(length));
            if stack.apply(&op).is_err() {
                return lines;
            }
        }
        push_mark(&mut marks, at, length, &stack);
        lines.push(marks);
    }
    lines
}

fn push_mark(marks: &mut Vec<Mark>, start: usize, end: usize, stack: &ScopeStack) {
    if end <= start {
        return;
    }
    let tone = role(stack).into();
    let bytes = (end - start) as u32;
    match marks.last_mut() {
        Some(last) if last.tone == tone => last.bytes += bytes,
        _ => marks.push(Mark { bytes, tone }),
    }
}

/// The role of the innermost scope that has one.
fn role(stack: &ScopeStack) -> Role {
    static TABLE: OnceLock<Vec<(Scope, Role)>> = OnceLock::new();
    let table = TABLE
        .get_or_init(|| SCOPES.iter().filter_map(|(scope, role)| Some((Scope::new(scope).ok()?, *role))).collect());
    let found = stack
        .as_slice()
        .iter()
        .rev()
        .find_map(|scope| table.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, role)| *role));
    found.unwrap_or(Role::CodeText)
}

/// Longer prefixes before shorter ones.
const SCOPES: &[(&str, Role)] = &[
    ("comment", Role::CodeComment),
    ("punctuation.definition.comment", Role::CodeComment),
    ("punctuation.definition.string", Role::CodeString),
    ("string", Role::CodeString),
    ("constant.numeric", Role::CodeNumber),
    ("constant.language", Role::CodeNumber),
    ("constant.character.escape", Role::CodeNumber),
    ("keyword.operator.word", Role::CodeKeyword),
    ("keyword.operator", Role::CodeOperator),
    ("keyword", Role::CodeKeyword),
    ("storage.type.function", Role::CodeKeyword),
    ("storage", Role::CodeKeyword),
    ("entity.name.function", Role::CodeFunction),
    ("support.function", Role::CodeFunction),
    ("variable.function", Role::CodeFunction),
    ("meta.function-call", Role::CodeText),
    ("entity.name.type", Role::CodeType),
    ("entity.name.class", Role::CodeType),
    ("entity.name.struct", Role::CodeType),
    ("entity.name.enum", Role::CodeType),
    ("entity.name.tag", Role::CodeKeyword),
    ("entity.other.attribute-name", Role::CodeType),
    ("support.type", Role::CodeType),
    ("support.class", Role::CodeType),
    ("markup.inserted", Role::DiffPlus),
    ("markup.deleted", Role::DiffMinus),
];

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
