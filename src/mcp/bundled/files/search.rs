//! `search`: a regex over the files of a folder, results with line ids.

use std::fs;
use std::path::Path;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ignore::overrides::OverrideBuilder;
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::document::Document;
use super::limits::{SEARCH_BYTES, SEARCH_CONTEXT_MOST, SEARCH_MATCHES, SEARCH_MATCHES_MOST, TEXT_FILE_BYTES};
use super::{Answer, PATH, Refusal, Tools, list, store, view};

pub fn run(tools: &Tools, args: &mut Args, cancel: &CancellationToken) -> Result<Answer, Refusal> {
    let pattern = args.required(&["pattern", "query", "regex"])?;
    let given = args.text(PATH)?.unwrap_or_else(|| ".".into());
    let glob = args.text(&["glob", "include", "file_pattern"])?;
    let context = args.number(&["context", "context_lines"])?.unwrap_or(0).min(SEARCH_CONTEXT_MOST);
    let most = args.number(&["max", "max_results", "limit"])?.unwrap_or(SEARCH_MATCHES).clamp(1, SEARCH_MATCHES_MOST);
    let files_only = args.flag(&["files_only", "files_with_matches"])?;
    let matcher = matcher(&pattern)?;
    let path = tools.root.existing(&given)?;
    let mut walk = list::walk(&path);
    if let Some(glob) = glob.as_deref().filter(|glob| !glob.is_empty()) {
        let base = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let wrong = |error: ignore::Error| Refusal::new(format!("`glob` {glob} is not a glob: {error}."));
        let mut overrides = OverrideBuilder::new(base);
        overrides.add(glob).map_err(wrong)?;
        walk.overrides(overrides.build().map_err(wrong)?);
    }
    let mut hunt = Hunt { tools, matcher, context: context as usize, most, files_only, found: Found::default() };
    for entry in walk.build() {
        if cancel.is_cancelled() {
            return Err(Refusal::new("The search was cancelled."));
        }
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => hunt.file(entry.path()),
            Ok(_) => {}
            Err(error) => hunt.found.problems.push(error.to_string()),
        }
        if hunt.found.full {
            break;
        }
    }
    Ok(Answer::text(hunt.found.report(&pattern, glob.as_deref(), most)))
}

fn matcher(pattern: &str) -> Result<RegexMatcher, Refusal> {
    RegexMatcherBuilder::new().case_smart(true).crlf(true).build(pattern).map_err(|error| {
        let escaped = regex::escape(pattern);
        Refusal::new(format!("`pattern` is not a valid regex: {error}\nTo find this exact text, use: {escaped}"))
    })
}

struct Hunt<'a> {
    tools: &'a Tools,
    matcher: RegexMatcher,
    context: usize,
    most: u64,
    files_only: bool,
    found: Found,
}

#[derive(Default)]
struct Found {
    out: String,
    matches: u64,
    files: usize,
    searched: usize,
    /// A limit was reached; there may be more.
    full: bool,
    problems: Vec<String>,
}

impl Hunt<'_> {
    fn file(&mut self, path: &Path) {
        let left = if self.files_only { 1 } else { self.most - self.found.matches };
        let mut lines = Lines::default();
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .line_terminator(LineTerminator::crlf())
            .binary_detection(BinaryDetection::quit(0))
            .before_context(self.context)
            .after_context(self.context)
            .max_matches(Some(left))
            .build();
        self.found.searched += 1;
        if let Err(error) = searcher.search_path(&self.matcher, path, &mut lines) {
            self.found.problems.push(format!("{}: {error}", self.tools.root.show(path)));
            return;
        }
        if lines.matches == 0 || lines.binary {
            return;
        }
        let shown = self.tools.root.show(path);
        let text = if self.files_only { format!("{shown}\n") } else { lines.print(&shown, path, self.context > 0) };
        if self.found.out.len() + text.len() > SEARCH_BYTES && self.found.files > 0 {
            self.found.full = true;
            return;
        }
        self.found.out.push_str(cut(&text));
        self.found.full |= text.len() > SEARCH_BYTES;
        self.found.files += 1;
        self.found.matches += lines.matches;
        self.found.full |= self.found.matches >= self.most;
    }
}

/// At most [`SEARCH_BYTES`], ending with a whole line.
fn cut(text: &str) -> &str {
    if text.len() <= SEARCH_BYTES {
        return text;
    }
    let head = text.get(..text.floor_char_boundary(SEARCH_BYTES)).unwrap_or_default();
    head.rfind('\n').and_then(|at| head.get(..=at)).unwrap_or(head)
}

impl Found {
    fn report(mut self, pattern: &str, glob: Option<&str>, most: u64) -> String {
        if self.matches == 0 {
            let glob = glob.map(|glob| format!(" matching {glob}")).unwrap_or_default();
            self.out = format!(
                "No match for {pattern} in {} files{glob}. Ignored and binary files are not searched.\n",
                self.searched
            );
        } else if self.full {
            self.out.push_str(&format!(
                "[stopped at {} matches in {} files (max {most}); there may be more: narrow with path or glob]\n",
                self.matches, self.files
            ));
        } else {
            self.out.push_str(&format!("[{} matches in {} files]\n", self.matches, self.files));
        }
        for problem in self.problems.iter().take(5) {
            self.out.push_str(&format!("[not searched: {problem}]\n"));
        }
        self.out
    }
}

/// Line numbers found in one file, from 1.
#[derive(Default)]
struct Lines {
    lines: Vec<(usize, Kind, String)>,
    matches: u64,
    binary: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Match,
    Context,
    Break,
}

impl Lines {
    fn add(&mut self, number: Option<u64>, kind: Kind, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.lines.push((number.unwrap_or(0) as usize, kind, text.trim_end_matches(['\r', '\n']).to_owned()));
    }

    /// The file's name, then its lines. With context, matching lines are marked by `>`.
    fn print(&self, shown: &str, path: &Path, mark_matches: bool) -> String {
        let small = fs::metadata(path).is_ok_and(|meta| meta.len() <= TEXT_FILE_BYTES);
        let bytes = if small { store::read_ordinary(path, TEXT_FILE_BYTES).ok() } else { None };
        let document = bytes.and_then(|bytes| Document::parse(&bytes).ok());
        let marks = document.as_ref().map(Document::marks).unwrap_or_default();
        let mut out = format!("{shown}\n");
        for (number, kind, text) in &self.lines {
            if *kind == Kind::Break {
                out.push_str("--\n");
                continue;
            }
            if mark_matches {
                out.push(if *kind == Kind::Match { '>' } else { ' ' });
            }
            let text = view::shorten(text);
            match marks.get(number.saturating_sub(1)) {
                Some(mark) => out.push_str(&format!("{number}:{mark}|{text}\n")),
                None => out.push_str(&format!("{number}|{text}\n")),
            }
        }
        out
    }
}

impl Sink for Lines {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.matches += 1;
        self.add(found.line_number(), Kind::Match, found.bytes());
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, Self::Error> {
        self.add(context.line_number(), Kind::Context, context.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.lines.push((0, Kind::Break, String::new()));
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, Self::Error> {
        self.binary = true;
        Ok(false)
    }
}
