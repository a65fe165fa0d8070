use super::{Look, led};
use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Columns the first part of a table may take, in hundredths of the width.
const FIRST_SHARE: usize = 45;

pub fn render(line: &str, output: &str, look: &Look) -> Vec<Row> {
    let mut rows = led(Styled::new("› ", Role::ComposerPrompt), line, Role::UiStrong, look.width);
    let clean = text::sanitize(output.trim_end());
    if clean.is_empty() {
        return rows;
    }
    let lines: Vec<&str> = clean.lines().collect();
    for block in lines.chunk_by(|one, next| parts(one).is_some() == parts(next).is_some()) {
        block_rows(block, look.width, &mut rows);
    }
    rows
}

/// Name and words of a table's line: two columns that at least two spaces part.
fn parts(line: &str) -> Option<(&str, &str)> {
    let body = line.trim_start();
    let (name, words) = body.split_once("  ")?;
    Some((&line[..line.len() - body.len() + name.len()], words.trim_start()))
}

/// A table whose last column goes on under itself; a name that is too long stands alone.
fn block_rows(block: &[&str], width: usize, rows: &mut Vec<Row>) {
    let lead = Styled::new("  ", Role::UiText);
    let room = width.saturating_sub(lead.width());
    let fits = block.iter().all(|line| text::width(line) <= room);
    let names = block.iter().filter_map(|line| parts(line)).map(|(name, _)| text::width(name)).max().unwrap_or(0);
    let column = names.min(width * FIRST_SHARE / 100) + 2;
    for line in block {
        match parts(line).filter(|_| !fits) {
            None => rows.extend(Styled::new(line, Role::UiText).rows(width, Break::Words, &lead, &lead)),
            Some((name, words)) => {
                let rest = Styled::new(&" ".repeat(2 + column), Role::UiText);
                let mut first = lead.clone().with(name, Role::UiText);
                if text::width(name) + 2 > column {
                    rows.extend(Styled::new(name, Role::UiText).rows(width, Break::Words, &lead, &lead));
                    first = rest.clone();
                }
                first.pad_to(2 + column, Role::UiText);
                rows.extend(Styled::new(words, Role::UiDim).rows(width, Break::Words, &first, &rest));
            }
        }
    }
}
