//! A value that lists words.

use super::Piece;

/// The words of a piece: separated by white space or commas outside parentheses, up to a comment.
pub fn words(piece: &Piece) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut start: Option<usize> = None;
    let text = piece.text.as_str();
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let last = at == text.len();
        let gap = last || (depth == 0 && (letter.is_whitespace() || letter == ','));
        match (gap, start) {
            (false, None) if letter == '#' => return found,
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                let word = text[from..at].trim_end().trim_matches(['"', '\'']);
                if !word.is_empty() {
                    found.push(Piece { text: word.to_owned(), span: piece.place(from..at), exact: false });
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}
