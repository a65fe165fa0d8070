//! As much of a shell's grammar as it takes to see what a command's exit status stands for.

use std::iter::Peekable;
use std::str::Chars;

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `;` or the end of a line.
    Next,
    And,
    Or,
    Pipe,
    Background,
}

/// Words without their quotes, and what follows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub words: Vec<String>,
    /// `None` at the end.
    pub link: Option<Link>,
}

/// The command without comments, and with one space between its words.
pub(in crate::supervisor) fn plain(command: &str) -> String {
    let mut out = String::with_capacity(command.len());
    let mut reader = Reader::new(command);
    while let Some(piece) = reader.piece() {
        match piece {
            Piece::Space if out.is_empty() || out.ends_with([' ', '\n']) => {}
            Piece::Space => out.push(' '),
            Piece::Word { source, .. } => out.push_str(&source),
            Piece::Link(Link::Next, "\n") => {
                out.truncate(out.trim_end_matches(' ').len());
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
            }
            Piece::Link(_, source) | Piece::Bracket(source) => out.push_str(source),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The commands one after the other; brackets around several are left out.
pub(super) fn simple(command: &str) -> Vec<Simple> {
    let mut commands: Vec<Simple> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut reader = Reader::new(command);
    let mut open = false;
    while let Some(piece) = reader.piece() {
        match piece {
            Piece::Space => open = false,
            Piece::Bracket(_) => open = false,
            Piece::Word { text, .. } => {
                match words.last_mut() {
                    Some(last) if open => last.push_str(&text),
                    _ => words.push(text),
                }
                open = true;
            }
            Piece::Link(link, _) => {
                open = false;
                match (words.is_empty(), commands.last_mut()) {
                    (false, _) => commands.push(Simple { words: std::mem::take(&mut words), link: Some(link) }),
                    // A bracket was closed right before.
                    (true, Some(last)) if link != Link::Next => last.link = Some(link),
                    (true, _) => {}
                }
            }
        }
    }
    match commands.last_mut() {
        _ if !words.is_empty() => commands.push(Simple { words, link: None }),
        Some(last) if last.link == Some(Link::Next) => last.link = None,
        _ => {}
    }
    commands
}

enum Piece {
    Space,
    /// As it stands, and without quotes.
    Word {
        source: String,
        text: String,
    },
    Link(Link, &'static str),
    Bracket(&'static str),
}

struct Reader<'text> {
    letters: Peekable<Chars<'text>>,
    /// Whether a `#` would begin a comment.
    fresh: bool,
}

impl<'text> Reader<'text> {
    fn new(command: &'text str) -> Self {
        Self { letters: command.chars().peekable(), fresh: true }
    }

    fn piece(&mut self) -> Option<Piece> {
        let letter = self.letters.next()?;
        let fresh = std::mem::replace(&mut self.fresh, true);
        Some(match letter {
            '\n' => Piece::Link(Link::Next, "\n"),
            letter if letter.is_whitespace() => Piece::Space,
            '#' if fresh => {
                while self.letters.next_if(|letter| *letter != '\n').is_some() {}
                Piece::Space
            }
            ';' => Piece::Link(Link::Next, ";"),
            '|' if self.letters.next_if_eq(&'|').is_some() => Piece::Link(Link::Or, "||"),
            '|' => {
                let both = self.letters.next_if_eq(&'&').is_some();
                Piece::Link(Link::Pipe, if both { "|&" } else { "|" })
            }
            '&' if self.letters.next_if_eq(&'&').is_some() => Piece::Link(Link::And, "&&"),
            // As in `&> file`.
            '&' if self.letters.peek() == Some(&'>') => self.word('&'),
            '&' => Piece::Link(Link::Background, "&"),
            '(' => Piece::Bracket("("),
            ')' => Piece::Bracket(")"),
            letter => {
                self.fresh = false;
                self.word(letter)
            }
        })
    }

    /// A run of letters that belong together, one pair of quotes at the most.
    fn word(&mut self, first: char) -> Piece {
        let (mut source, mut text) = (String::from(first), String::new());
        match first {
            '\'' | '"' | '`' => self.quoted(first, &mut source, &mut text),
            '\\' => self.escaped(&mut source, &mut text),
            '$' if self.letters.peek() == Some(&'(') => {
                text.push('$');
                self.substitution(&mut source, &mut text);
            }
            // As in `2>&1`.
            '>' | '<' if self.letters.peek() == Some(&'&') => {
                text.push(first);
                if let Some(letter) = self.letters.next() {
                    source.push(letter);
                    text.push(letter);
                }
            }
            first => text.push(first),
        }
        while let Some(letter) =
            self.letters.next_if(|letter| letter.is_alphanumeric() || "-_./=:,+@%".contains(*letter))
        {
            source.push(letter);
            text.push(letter);
        }
        Piece::Word { source, text }
    }

    fn escaped(&mut self, source: &mut String, text: &mut String) {
        if let Some(letter) = self.letters.next() {
            source.push(letter);
            // A line that goes on.
            text.extend((letter != '\n').then_some(letter));
        }
    }

    fn quoted(&mut self, quote: char, source: &mut String, text: &mut String) {
        while let Some(letter) = self.letters.next() {
            source.push(letter);
            match letter {
                '\\' if quote != '\'' => self.escaped(source, text),
                letter if letter == quote => return,
                letter => text.push(letter),
            }
        }
    }

    fn substitution(&mut self, source: &mut String, text: &mut String) {
        let mut depth = 0;
        while let Some(letter) = self.letters.next() {
            source.push(letter);
            text.push(letter);
            match letter {
                '(' => depth += 1,
                ')' if depth == 1 => return,
                ')' => depth -= 1,
                '\'' | '"' => {
                    let mut inside = String::new();
                    self.quoted(letter, source, &mut inside);
                    text.push_str(&inside);
                }
                _ => {}
            }
        }
    }
}
