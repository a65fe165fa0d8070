//! Where code stands in a Markdown text, as far as it is written.

/// Fewer letters open no fence.
const FENCE: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Code {
    fence: Option<Run>,
    line: Line,
    /// Backticks that opened the code within this line; none when there is none.
    span: usize,
    /// Backticks that were written last.
    ticks: usize,
}

/// The same letter several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    letter: char,
    count: usize,
}

impl Run {
    fn closes(self, open: Self) -> bool {
        self.letter == open.letter && self.count >= open.count
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Line {
    /// Nothing but white space and marks of a quotation.
    #[default]
    Begun,
    /// Then backticks or tildes.
    Run(Run),
    /// Then something else.
    After {
        run: Run,
        blank: bool,
    },
    Other,
}

impl Code {
    pub fn feed(&mut self, text: &str) {
        text.chars().for_each(|letter| self.letter(letter));
    }

    /// Whether a tag that begins here stands in a fence, or right after the backtick that begins code.
    pub fn has_tag(&self) -> bool {
        match (self.fence, self.line) {
            (Some(open), Line::Run(run) | Line::After { run, blank: true }) => !run.closes(open),
            (Some(_), _) => true,
            (None, _) => self.span == 0 && self.ticks > 0,
        }
    }

    /// Whether code within the line is open. A backtick alone opens it as well.
    pub fn is_open(&self) -> bool {
        self.fence.is_none() && self.span > 0 && self.ticks != self.span
    }

    fn letter(&mut self, letter: char) {
        if letter == '\n' {
            return self.end_line();
        }
        self.line = match (self.line, letter) {
            (Line::Begun, ' ' | '\t' | '>') => Line::Begun,
            (Line::Begun, '`' | '~') => Line::Run(Run { letter, count: 1 }),
            (Line::Run(run), _) if run.letter == letter => Line::Run(Run { letter, count: run.count + 1 }),
            (Line::Run(run), _) if run.count >= FENCE => Line::After { run, blank: letter.is_whitespace() },
            // What holds a backtick opens no fence of backticks.
            (Line::After { run, .. }, _) if run.letter == '`' && letter == '`' => Line::Other,
            (Line::After { run, blank }, _) => Line::After { run, blank: blank && letter.is_whitespace() },
            (Line::Begun | Line::Run(_) | Line::Other, _) => Line::Other,
        };
        match letter {
            '`' => self.ticks += 1,
            _ => self.end_ticks(),
        }
    }

    fn end_ticks(&mut self) {
        let ticks = std::mem::take(&mut self.ticks);
        if self.span == 0 {
            self.span = ticks;
        } else if self.span == ticks {
            self.span = 0;
        }
    }

    fn end_line(&mut self) {
        let (run, blank) = match self.line {
            Line::Run(run) if run.count >= FENCE => (Some(run), true),
            Line::After { run, blank } => (Some(run), blank),
            Line::Begun | Line::Run(_) | Line::Other => (None, false),
        };
        self.fence = match (self.fence, run) {
            (None, run) => run,
            (Some(open), Some(run)) if blank && run.closes(open) => None,
            (open, _) => open,
        };
        (self.line, self.span, self.ticks) = (Line::Begun, 0, 0);
    }
}
