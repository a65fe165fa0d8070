//! A JSON object that comes letter by letter: whether it is whole, or cannot become one any more.

use super::strip::is_space;

/// How far an object is whose brace and first quotation mark are there.
#[derive(Debug)]
pub(super) struct Growing {
    /// What is open, the innermost last.
    open: Vec<Holder>,
    at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Object,
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before a value.
    Value,
    /// After the bracket of a list.
    FirstItem,
    /// After the brace of an object.
    FirstKey,
    Key,
    Colon,
    AfterValue,
    Text {
        is_key: bool,
        escape: Escape,
    },
    Number,
    /// What must follow of `true`, `false` or `null`.
    Word(&'static str),
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    No,
    Begun,
    /// So many hexadecimal digits are to come.
    Digits(u8),
}

impl Growing {
    pub fn in_first_key() -> Self {
        Self { open: vec![Holder::Object], at: At::Text { is_key: true, escape: Escape::No } }
    }

    pub fn is_broken(&self) -> bool {
        self.at == At::Broken
    }

    pub fn is_in_text(&self) -> bool {
        matches!(self.at, At::Text { .. })
    }

    /// Nothing more belongs to it.
    pub fn is_whole(&self) -> bool {
        self.open.is_empty()
    }

    pub fn push(&mut self, letter: char) {
        self.at = match (self.at, letter) {
            (At::Broken, _) => At::Broken,
            (At::Text { is_key, escape }, _) => in_text(is_key, escape, letter),
            (At::Word(rest), _) => match rest.strip_prefix(letter) {
                Some("") => At::AfterValue,
                Some(rest) => At::Word(rest),
                None => At::Broken,
            },
            (At::Number, '0'..='9' | '+' | '-' | '.' | 'e' | 'E') => At::Number,
            (At::Number | At::AfterValue, ',' | ']' | '}') => self.after_value(letter),
            (At::Number, _) if is_space(letter) => At::AfterValue,
            (at, _) if is_space(letter) => at,
            (At::FirstItem, ']') | (At::FirstKey, '}') => self.after_value(letter),
            (At::FirstKey | At::Key, '"') => At::Text { is_key: true, escape: Escape::No },
            (At::Colon, ':') => At::Value,
            (At::Value | At::FirstItem, _) => self.value(letter),
            _ => At::Broken,
        };
    }

    fn value(&mut self, letter: char) -> At {
        match letter {
            '{' => {
                self.open.push(Holder::Object);
                At::FirstKey
            }
            '[' => {
                self.open.push(Holder::List);
                At::FirstItem
            }
            '"' => At::Text { is_key: false, escape: Escape::No },
            't' => At::Word("rue"),
            'f' => At::Word("alse"),
            'n' => At::Word("ull"),
            '-' | '0'..='9' => At::Number,
            _ => At::Broken,
        }
    }

    fn after_value(&mut self, letter: char) -> At {
        match (self.open.last(), letter) {
            (Some(Holder::Object), ',') => At::Key,
            (Some(Holder::List), ',') => At::Value,
            (Some(Holder::Object), '}') | (Some(Holder::List), ']') => {
                self.open.pop();
                At::AfterValue
            }
            _ => At::Broken,
        }
    }
}

fn in_text(is_key: bool, escape: Escape, letter: char) -> At {
    let escape = match (escape, letter) {
        (Escape::No, '"') => return if is_key { At::Colon } else { At::AfterValue },
        (Escape::No, '\\') => Escape::Begun,
        (Escape::No, letter) if letter.is_control() => return At::Broken,
        (Escape::Begun, 'u') => Escape::Digits(4),
        (Escape::No, _) | (Escape::Begun, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => Escape::No,
        (Escape::Digits(1), letter) if letter.is_ascii_hexdigit() => Escape::No,
        (Escape::Digits(left), letter) if letter.is_ascii_hexdigit() => Escape::Digits(left - 1),
        (Escape::Begun | Escape::Digits(_), _) => return At::Broken,
    };
    At::Text { is_key, escape }
}
