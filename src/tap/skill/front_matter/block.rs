//! Folded (`>`) and literal (`|`) values.

use super::Piece;
use super::lines::Line;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Folded,
    Literal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chomp {
    /// `-`: no line break at the end.
    Strip,
    /// One.
    Clip,
    /// `+`: all there are.
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub style: Style,
    pub chomp: Chomp,
    /// How far the content is indented below its key, if it says so.
    pub indent: Option<usize>,
}

/// `|`, `>-`, `|2+`, with a comment after it.
pub fn header(value: &str) -> Option<Header> {
    let mut letters = value.chars();
    let style = match letters.next()? {
        '>' => Style::Folded,
        '|' => Style::Literal,
        _ => return None,
    };
    let mut header = Header { style, chomp: Chomp::Clip, indent: None };
    let rest = letters.as_str();
    let marks = rest.split([' ', '\t']).next().unwrap_or_default();
    let after = rest[marks.len()..].trim();
    if !(after.is_empty() || after.starts_with('#')) {
        return None;
    }
    for mark in marks.chars() {
        match mark {
            '-' if header.chomp == Chomp::Clip => header.chomp = Chomp::Strip,
            '+' if header.chomp == Chomp::Clip => header.chomp = Chomp::Keep,
            '1'..='9' if header.indent.is_none() => header.indent = mark.to_digit(10).map(|digit| digit as usize),
            _ => return None,
        }
    }
    Some(header)
}

/// The lines of the content: whole, the indentation of the block cut off.
fn contents<'a>(lines: &[Line<'a>], indent: usize) -> Vec<&'a str> {
    let strip = |line: &Line<'a>| line.text.get(indent.min(line.indent)..).unwrap_or_default();
    lines.iter().map(|line| if line.is_blank() { "" } else { strip(line) }).collect()
}

fn content_indent(header: Header, base: usize, lines: &[Line<'_>]) -> usize {
    let first = lines.iter().find(|line| !line.is_blank()).map_or(0, |line| line.indent);
    header.indent.map_or(first, |indent| base + indent)
}

/// The value; `lines` are those that belong to it, `base` the indentation of its key.
pub fn text(header: Header, base: usize, lines: &[Line<'_>]) -> String {
    let contents = contents(lines, content_indent(header, base, lines));
    let used = contents.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let (body, blank) = contents.split_at(used);
    let mut text = match header.style {
        Style::Literal => body.join("\n"),
        Style::Folded => fold(body),
    };
    match header.chomp {
        Chomp::Strip => {}
        Chomp::Clip if text.is_empty() => {}
        Chomp::Clip => text.push('\n'),
        Chomp::Keep => text.push_str(&"\n".repeat(blank.len() + usize::from(!text.is_empty()))),
    }
    text
}

/// Lines become one, a blank line becomes a line break, lines indented further stay as they are.
fn fold(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut blank = 0;
    let mut before: Option<bool> = None;
    for line in lines {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        let deeper = line.starts_with([' ', '\t']);
        match before {
            None => text.push_str(&"\n".repeat(blank)),
            Some(false) if !deeper && blank == 0 => text.push(' '),
            Some(false) if !deeper => text.push_str(&"\n".repeat(blank)),
            Some(_) => text.push_str(&"\n".repeat(blank + 1)),
        }
        text.push_str(line);
        before = Some(deeper);
        blank = 0;
    }
    text
}

/// A block where a list belongs: one item for each line, with or without a dash.
pub fn items(lines: &[Line<'_>]) -> Vec<Piece> {
    let dash = |content: &str| content.len() - content.strip_prefix('-').unwrap_or(content).trim_start().len();
    lines
        .iter()
        .filter(|line| !line.is_blank() && !line.is_comment())
        .map(|line| {
            let text = line.content().trim_end();
            let skip = dash(text).min(text.len());
            let start = line.start + line.indent + skip;
            Piece { text: text[skip..].to_owned(), span: start..start + text.len() - skip, exact: true }
        })
        .collect()
}
