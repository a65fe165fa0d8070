use super::csi;
use crate::ui::input::{Input, TerminalAnswer};
use crate::ui::keys::{Code, Key, Modifiers};
use crate::ui::theme::Shade;

const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Longest control string that is waited for.
const MAX_STRING: usize = 4096;

/// Turns bytes into inputs. Keeps what is not complete for the next feed.
#[derive(Debug, Default)]
pub struct Parser {
    buffer: Vec<u8>,
    /// What came of a paste that has not ended.
    paste: Option<Vec<u8>>,
}

/// What the head of the buffer is.
pub(super) enum Step {
    Input(Input, usize),
    /// Known and of no interest.
    Skip(usize),
    PasteBegins(usize),
    Incomplete,
}

impl Parser {
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut inputs = Vec::new();
        if let Some(paste) = &mut self.paste {
            // The end mark may have begun in the bytes before.
            let from = paste.len().saturating_sub(PASTE_END.len() - 1);
            paste.extend_from_slice(bytes);
            self.end_paste(from, &mut inputs);
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        self.run(&mut inputs);
        inputs
    }

    fn run(&mut self, inputs: &mut Vec<Input>) {
        let mut at = 0;
        while self.paste.is_none() && at < self.buffer.len() {
            match step(&self.buffer[at..]) {
                Step::Input(input, used) => {
                    inputs.push(input);
                    at += used;
                }
                Step::Skip(used) => at += used,
                Step::PasteBegins(used) => {
                    self.paste = Some(self.buffer.split_off(at + used));
                    self.buffer.clear();
                    at = 0;
                    self.end_paste(0, inputs);
                }
                Step::Incomplete => break,
            }
        }
        self.buffer.drain(..at);
    }

    /// Ends the paste at its end mark. A body may carry the mark itself: the last one before another
    /// paste begins counts, as far as the bytes have come.
    /// There is none before `from`: a paste that comes in many pieces is searched once.
    fn end_paste(&mut self, from: usize, inputs: &mut Vec<Input>) {
        let Some(paste) = &mut self.paste else { return };
        let Some(first) = find(&paste[from..], PASTE_END).map(|at| from + at) else { return };
        let next = find(&paste[first..], PASTE_BEGIN).map_or(paste.len(), |at| first + at);
        let mut end = first;
        while let Some(later) = find(&paste[end + PASTE_END.len()..next], PASTE_END) {
            end += PASTE_END.len() + later;
        }
        let rest = paste.split_off(end + PASTE_END.len());
        paste.truncate(end);
        inputs.push(Input::Paste(String::from_utf8_lossy(paste).into_owned()));
        self.paste = None;
        self.buffer.extend_from_slice(&rest);
    }

    /// Something waits for more bytes.
    pub fn is_pending(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// What waits can only be the begin of a sequence or of an answer: on a slow line the rest may come
    /// much later, and must not be taken for what somebody typed.
    pub fn in_sequence(&self) -> bool {
        match self.buffer.as_slice() {
            [0x1b, b'[' | b'O', _, ..] | [0x1b, b']' | b'P' | b'_' | b'^' | b'X', _, ..] => true,
            [first, ..] => *first >= 0x80,
            [] => false,
        }
    }

    pub fn in_paste(&self) -> bool {
        self.paste.is_some()
    }

    /// No more bytes came: what waits is taken for what it is so far.
    pub fn flush(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        if let Some(paste) = self.paste.take() {
            inputs.push(Input::Paste(String::from_utf8_lossy(&paste).into_owned()));
        }
        let buffer = std::mem::take(&mut self.buffer);
        match buffer.as_slice() {
            [0x1b] => inputs.push(Input::Key(Key::plain(Code::Esc))),
            [0x1b, letter @ 0x20..0x7f] => {
                let modifiers = Modifiers { alt: true, ..Modifiers::default() };
                inputs.push(Input::Key(Key::new(Code::Char(char::from(*letter)), modifiers)));
            }
            _ => {}
        }
        inputs
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == wanted[0]) {
        if bytes[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

fn step(bytes: &[u8]) -> Step {
    match bytes {
        [0x1b] => Step::Incomplete,
        [0x1b, b'[', ..] => csi::step(bytes),
        [0x1b, b'O', rest @ ..] => single_shift(rest),
        [0x1b, b']', ..] => operating_system(bytes),
        [0x1b, b'P' | b'_' | b'^' | b'X', ..] => match string_end(bytes) {
            Some((_, end)) => Step::Skip(end),
            None if bytes.len() > MAX_STRING => Step::Skip(2),
            None => Step::Incomplete,
        },
        // Two presses of escape in one read, unless a whole sequence follows: then that with alt.
        [0x1b, 0x1b, b'[' | b'O', ..] => with_alt(step(&bytes[1..])),
        [0x1b, 0x1b, ..] => Step::Input(Input::Key(Key::plain(Code::Esc)), 1),
        [0x1b, rest @ ..] => with_alt(plain(rest)),
        _ => plain(bytes),
    }
}

fn with_alt(step: Step) -> Step {
    match step {
        Step::Input(Input::Key(key), used) => {
            let modifiers = Modifiers { alt: true, ..key.modifiers };
            Step::Input(Input::Key(Key::new(key.code, modifiers)), used + 1)
        }
        Step::Input(input, used) => Step::Input(input, used + 1),
        Step::Skip(used) => Step::Skip(used + 1),
        Step::PasteBegins(used) => Step::PasteBegins(used + 1),
        Step::Incomplete => Step::Incomplete,
    }
}

/// A character or a control byte.
fn plain(bytes: &[u8]) -> Step {
    let key = |code, used| Step::Input(Input::Key(Key::plain(code)), used);
    let control = |letter: char| {
        let modifiers = Modifiers { ctrl: true, ..Modifiers::default() };
        Step::Input(Input::Key(Key::new(Code::Char(letter), modifiers)), 1)
    };
    match bytes[0] {
        b'\r' => key(Code::Enter, 1),
        b'\t' => key(Code::Tab, 1),
        0x7f => key(Code::Backspace, 1),
        0 => control(' '),
        byte @ 1..=0x1a => control(char::from(byte - 1 + b'a')),
        byte @ 0x1b..=0x1f => control(char::from(byte + 0x40)),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Step {
    let len = match bytes[0] {
        0x00..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..=0xf7 => 4,
        _ => return Step::Skip(1),
    };
    let Some(whole) = bytes.get(..len) else { return Step::Incomplete };
    match std::str::from_utf8(whole).ok().and_then(|text| text.chars().next()) {
        Some(letter) => Step::Input(Input::Key(Key::plain(Code::Char(letter))), len),
        None => Step::Skip(1),
    }
}

/// `ESC O` and a letter: keys of older terminals.
fn single_shift(rest: &[u8]) -> Step {
    let Some(letter) = rest.first() else { return Step::Incomplete };
    let code = match letter {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'M' => Code::Enter,
        b'P'..=b'S' => Code::Function(letter - b'P' + 1),
        _ => return Step::Skip(3),
    };
    Step::Input(Input::Key(Key::plain(code)), 3)
}

/// Content and end of a control string.
fn string_end(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = bytes.iter().skip(2).position(|byte| *byte == 0x07 || *byte == 0x1b)? + 2;
    match (bytes[end], bytes.get(end + 1)) {
        (0x07, _) => Some((&bytes[2..end], end + 1)),
        (_, Some(b'\\')) => Some((&bytes[2..end], end + 2)),
        // Cut short by another sequence.
        (_, Some(_)) => Some((&bytes[2..end], end)),
        (_, None) => None,
    }
}

fn operating_system(bytes: &[u8]) -> Step {
    let Some((content, end)) = string_end(bytes) else {
        return if bytes.len() > MAX_STRING { Step::Skip(2) } else { Step::Incomplete };
    };
    let background = std::str::from_utf8(content).ok().and_then(|text| text.strip_prefix("11;")).and_then(shade);
    match background {
        Some(shade) => Step::Input(Input::Answer(TerminalAnswer::Background(shade)), end),
        None => Step::Skip(end),
    }
}

/// `rgb:1d1d/2020/2424`, with one to four digits each, or `rgba:` the same.
fn shade(colour: &str) -> Option<Shade> {
    let parts = colour.strip_prefix("rgb:").or_else(|| colour.strip_prefix("rgba:"))?;
    let mut bytes = parts.split('/').map(|part| {
        let value = u32::from_str_radix(part, 16).ok()?;
        let most = 16_u32.checked_pow(u32::try_from(part.len()).ok()?)? - 1;
        u8::try_from((value * 255).checked_div(most)?).ok()
    });
    Some(Shade::of(bytes.next()??, bytes.next()??, bytes.next()??))
}
