//! Foreign text made safe for a terminal cell, and honest about what it holds.

use std::{borrow::Cow, fmt::Write as _, iter::Peekable, str::CharIndices};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::width::cluster_width;

/// Columns between tab stops.
const TAB_STOP: usize = 4;

/// Marks that may stack on one letter before the rest is dropped. Fully pointed Hebrew and Tibetan
/// stay below it; text that climbs over its neighbours' rows does not.
const MARKS_PER_LETTER: usize = 8;

/// `text` with everything removed that could steer a terminal or hide from a reader.
///
/// Out go escape sequences (with the payload of string sequences), control characters, bidi
/// controls, zero-width, tag and filler characters, and variation selectors or joiners where they
/// join nothing. Newlines stay, `\r\n` and the Unicode line ends become `\n`, tabs become spaces up
/// to the next tab stop, and a line that a lone `\r` rewrote keeps its last state.
///
/// Sanitise whole texts, not chunks of a stream: a sequence split over two chunks would be missed.
#[must_use]
pub fn sanitize(text: &str) -> Cow<'_, str> {
    let Some(first) = first_unsafe(text) else { return Cow::Borrowed(text) };
    let line = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let mut writer = Writer::new(&text[..line], text.len());
    let mut rest = text[line..].char_indices().peekable();
    while let Some((_, character)) = rest.next() {
        match kind(character) {
            Kind::Plain => writer.visible(character),
            Kind::Newline => writer.newline(),
            Kind::Return => writer.carriage_return(),
            Kind::Tab => writer.tab(),
            Kind::Escape => skip_escape(&mut rest),
            Kind::Control(introducer) => skip_sequence(introducer, &mut rest),
            Kind::Extending => {
                let next = rest.peek().map(|(_, next)| *next);
                writer.extending(character, next);
            }
            Kind::Hidden => {}
        }
    }
    Cow::Owned(writer.out)
}

/// [`sanitize`] for places with one row: newlines become spaces, the ends are trimmed.
#[must_use]
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    match sanitize(text) {
        Cow::Borrowed(clean) if !clean.contains('\n') => Cow::Borrowed(clean.trim()),
        clean => Cow::Owned(clean.trim().replace('\n', " ")),
    }
}

/// `text` with everything that [`sanitize`] would drop spelt out as `⟨U+200B⟩`.
///
/// For places where a person decides on the text (approvals, tool descriptions): what is shown is
/// what is sent. Only `\n` and `\r\n` end a line; a lone `\r` is spelt out too, since it can hide
/// what stands before it. Tabs become spaces.
#[must_use]
pub fn reveal(text: &str) -> Cow<'_, str> {
    if first_unsafe(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut writer = Writer::new("", text.len());
    let mut rest = text.char_indices().peekable();
    while let Some((_, character)) = rest.next() {
        let next = rest.peek().map(|(_, next)| *next);
        match kind(character) {
            Kind::Plain => writer.visible(character),
            Kind::Newline if character == '\n' => writer.newline(),
            Kind::Return if next == Some('\n') => {}
            Kind::Tab => writer.tab(),
            Kind::Extending if writer.extending(character, next) => {}
            _ => writer.spelt(character),
        }
    }
    Cow::Owned(writer.out)
}

/// Bytes of the head of `text` that [`sanitize`] leaves as they are whatever follows.
///
/// For streams: the head can be shown at once, the rest when its line is complete.
#[must_use]
pub fn clean_prefix(text: &str) -> usize {
    first_unsafe(text).unwrap_or(text.len())
}

enum Kind {
    /// Shown as it is.
    Plain,
    Newline,
    Return,
    Tab,
    Escape,
    /// A C1 control; some open a sequence as `ESC` and a letter would.
    Control(char),
    /// Changes the letter before it or joins two: kept where it does that.
    Extending,
    /// Never shown and never needed.
    Hidden,
}

fn kind(character: char) -> Kind {
    match character {
        ' '..='~' => Kind::Plain,
        '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Kind::Newline,
        '\r' => Kind::Return,
        '\t' => Kind::Tab,
        '\u{1b}' => Kind::Escape,
        '\u{80}'..='\u{9f}' => Kind::Control(character),
        _ if is_hidden(character) => Kind::Hidden,
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Kind::Extending,
        _ if character.width() == Some(0) => Kind::Extending,
        _ => Kind::Plain,
    }
}

/// Controls, bidi controls, and the default-ignorable code points that no script needs for its text.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}' // C0 and DEL (newline, tab, return and ESC are taken before)
        | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Where `text` first holds something that is not simply shown. `None` for nearly all text, at the
/// cost of one pass over its bytes.
fn first_unsafe(text: &str) -> Option<usize> {
    let ascii = text.bytes().position(|byte| !matches!(byte, b' '..=b'~' | b'\n'))?;
    text[ascii..]
        .char_indices()
        .find(|(_, character)| !matches!(kind(*character), Kind::Plain) && *character != '\n')
        .map(|(at, _)| ascii + at)
}

type Rest<'a> = Peekable<CharIndices<'a>>;

/// After `ESC`: the rest of the sequence it opens.
fn skip_escape(rest: &mut Rest<'_>) {
    match rest.peek().map(|(_, next)| *next) {
        Some(introducer @ '@'..='_') => {
            rest.next();
            let c1 = char::from_u32(u32::from(introducer) + 0x40).unwrap_or(introducer);
            skip_sequence(c1, rest);
        }
        Some(' '..='/') => {
            while rest.next_if(|(_, next)| matches!(next, ' '..='/')).is_some() {}
            rest.next_if(|(_, next)| matches!(next, '0'..='~'));
        }
        Some('`'..='~' | '0'..='?') => {
            rest.next();
        }
        _ => {}
    }
}

/// After a C1 control (or `ESC` and its letter): parameters and final byte of CSI, payload of OSC,
/// DCS, SOS, PM and APC. A payload that is never closed ends with its line, so that it cannot
/// swallow the text after it.
fn skip_sequence(introducer: char, rest: &mut Rest<'_>) {
    match introducer {
        '\u{9b}' => {
            while rest.next_if(|(_, next)| matches!(next, ' '..='?')).is_some() {}
            rest.next_if(|(_, next)| matches!(next, '@'..='~'));
        }
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
            while let Some((_, next)) = rest.next_if(|(_, next)| !matches!(next, '\n' | '\r' | '\u{1b}')) {
                if matches!(next, '\u{7}' | '\u{18}' | '\u{1a}' | '\u{9c}') {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// The output, and the state of its last line.
struct Writer {
    out: String,
    /// Where the last line begins in `out`.
    line: usize,
    /// Up to where columns are counted, and how many there were.
    counted: usize,
    columns: usize,
    /// A lone `\r` came: the next visible character begins the line anew.
    returned: bool,
    /// The last character kept on this line, and the marks that followed its letter.
    last: Option<char>,
    marks: usize,
}

impl Writer {
    fn new(head: &str, capacity: usize) -> Self {
        let mut out = String::with_capacity(capacity);
        out.push_str(head);
        let line = out.len();
        Self { out, line, counted: line, columns: 0, returned: false, last: None, marks: 0 }
    }

    fn visible(&mut self, character: char) {
        if self.returned {
            self.out.truncate(self.line);
            self.begin_line();
        }
        self.out.push(character);
        self.last = Some(character);
        self.marks = 0;
    }

    fn newline(&mut self) {
        self.out.push('\n');
        self.begin_line();
    }

    fn begin_line(&mut self) {
        self.line = self.out.len();
        self.counted = self.line;
        self.columns = 0;
        self.returned = false;
        self.last = None;
        self.marks = 0;
    }

    fn carriage_return(&mut self) {
        self.returned = true;
    }

    fn tab(&mut self) {
        if self.returned {
            self.out.truncate(self.line);
            self.begin_line();
        }
        self.columns += self.out[self.counted..].graphemes(true).map(cluster_width).sum::<usize>();
        let spaces = TAB_STOP - self.columns % TAB_STOP;
        self.out.extend(std::iter::repeat_n(' ', spaces));
        self.columns += spaces;
        self.counted = self.out.len();
        self.last = Some(' ');
        self.marks = 0;
    }

    /// Keeps the character where it does its work, and tells whether it did.
    fn extending(&mut self, character: char, next: Option<char>) -> bool {
        let Some(last) = self.last.filter(|last| *last != ' ' && !self.returned) else { return false };
        let kept = self.marks < MARKS_PER_LETTER
            && match character {
                '\u{200c}' | '\u{200d}' => joins(last) && next.is_some_and(joins_on),
                '\u{fe0e}' | '\u{fe0f}' => has_presentations(last),
                '\u{fe00}'..='\u{fe0d}' => !last.is_ascii() && !is_selector(last),
                '\u{e0100}'..='\u{e01ef}' => is_ideograph(last),
                _ => true,
            };
        if kept {
            self.out.push(character);
            self.last = Some(character);
            self.marks += 1;
        }
        kept
    }

    fn spelt(&mut self, character: char) {
        let _ = write!(self.out, "⟨U+{:04X}⟩", u32::from(character));
        self.last = Some('⟩');
        self.marks = 0;
    }
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// A joiner may follow letters of other scripts, emoji, their skin tones and their selector.
fn joins(last: char) -> bool {
    !last.is_ascii() && !matches!(last, '\u{200c}' | '\u{200d}' | '⟩')
}

fn joins_on(next: char) -> bool {
    !next.is_ascii() && matches!(kind(next), Kind::Plain)
}

/// Text or picture: keycap bases and symbols.
fn has_presentations(last: char) -> bool {
    matches!(last, '0'..='9' | '#' | '*' | '©' | '®' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_ideograph(last: char) -> bool {
    matches!(last, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests;
