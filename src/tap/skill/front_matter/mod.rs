//! The header of a `SKILL.md`, read line by line.
//!
//! Owns: fences, keys, plain, quoted, folded and literal values, lists, and where each of them is.
//!
//! Does not own: which keys there are and what they mean.
//!
//! Invariant: never panics; takes what is found in the wild, strict YAML or not; nested blocks cost
//! nothing; every span lies inside the text.

mod block;
mod fence;
mod flow;
mod lines;
mod scan;
mod words;

use std::ops::Range;

use super::remark::Remark;

pub use fence::{Fences, fences};
pub use words::words;

/// What a key wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    List,
    /// Skipped with everything below it.
    Ignored,
}

/// A text and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// Bytes of the file.
    pub span: Range<usize>,
    /// Whether the text is exactly what the span holds, so that places in it can be told.
    pub exact: bool,
}

impl Piece {
    /// Where a part of the text stands in the file.
    pub fn place(&self, part: Range<usize>) -> Range<usize> {
        if self.exact { self.span.start + part.start..self.span.start + part.end } else { self.span.clone() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(Piece),
    List(Vec<Piece>),
    /// Of a key that is ignored, or nothing that the key could take.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub key: String,
    pub key_span: Range<usize>,
    pub value: Value,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// In order; each key once, the first one.
    pub fields: Vec<Field>,
    pub remarks: Vec<Remark>,
}

impl FrontMatter {
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// Reads the lines between the fences.
pub fn read(text: &str, header: Range<usize>, kind_of: &dyn Fn(&str) -> Kind) -> FrontMatter {
    scan::Scanner::new(text, header, kind_of).run()
}

#[cfg(test)]
mod tests;
