//! Something to say about a place of a text, before it is known whose text it is.

use std::ops::Range;

use crate::config::{Problem, Source};
use crate::tap::{Finding, Part, Severity};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub severity: Severity,
    /// Bytes of the text.
    pub span: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

impl Remark {
    pub fn error(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), hint: None }
    }

    pub fn warning(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn finding(self, source: &Source, part: &Part, tap: &str) -> Finding {
        let problem = Problem::at(source, self.span, self.message);
        let problem = match self.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        };
        Finding { severity: self.severity, part: part.clone(), tap: tap.to_owned(), problem }
    }
}
