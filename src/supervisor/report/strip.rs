//! Takes statuses out of a text while it streams.

use super::code::Code;
use super::json::Growing;

const OPEN: &str = "<sup>";
const CLOSE: &str = "</sup>";

/// Bytes that are held back at the most, a closing tag aside. What is longer is text.
pub const HOLD_MOST: usize = 8 * 1024;

/// The keys that a status may begin with.
const KEYS: [&str; 7] = ["state", "focus", "next", "carry", "plan", "memories", "behaviors"];

/// Gives the text of a reply without its statuses, piece by piece. How the reply is cut into pieces
/// makes no difference.
///
/// A status is `<sup>`, white space, a JSON object (or what was meant to be one) that names
/// `"state"`, and `</sup>`. Every other `<sup>` is text, and so is one in a code fence, or next to a
/// backtick of code within a line. What is no JSON is a status only without a blank line and without
/// another tag in it; what is not closed, only while it can still become JSON. White space is held
/// back until something visible follows it, because what stands before a status at the end goes with
/// it.
#[derive(Debug, Default)]
pub struct Stripper {
    /// White space, and from [`Stripper::from`] on what may be a status.
    held: String,
    from: usize,
    state: State,
    reports: Vec<String>,
    /// A status was taken out since the last visible text.
    removed: bool,
    /// There was visible text.
    shown: bool,
    code: Code,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// So many bytes of [`OPEN`].
    Tag(usize),
    /// White space after the tag, before the brace.
    Opened,
    /// White space after the brace, before the first key.
    Braced,
    Body(Body),
    /// Closed while code within the line is open: the next letter tells whether it is code.
    Closed,
}

/// How far into the object it is.
#[derive(Debug)]
struct Body {
    json: Growing,
    /// Where the object ended.
    complete: Option<usize>,
    /// End of the first closing tag that stands in a string. It counts if no other comes.
    quoted_close: Option<usize>,
    /// Where the first tag begins that stands in it.
    inner: Option<usize>,
}

impl Body {
    fn begun() -> Self {
        Self { json: Growing::in_first_key(), complete: None, quoted_close: None, inner: None }
    }

    /// At the end of the reply: it is more than the beginning of an object.
    fn is_settled(&self) -> bool {
        self.json.is_broken() || self.complete.or(self.quoted_close).or(self.inner).is_some()
    }
}

impl Stripper {
    /// What of the text can be shown by now.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        self.feed(piece, &mut out);
        out
    }

    /// The rest of the visible text, and the statuses with their tags, first to last. One that was
    /// not closed has no closing tag.
    #[must_use]
    pub fn finish(mut self) -> (String, Vec<String>) {
        let mut out = String::new();
        loop {
            match &self.state {
                State::Closed => self.take_report(),
                State::Body(body) if body.is_settled() => {
                    // A closing tag that was cut short goes with its status.
                    let whole = body.complete.filter(|end| CLOSE.starts_with(self.held[*end..].trim()));
                    if let Some(end) = whole.filter(|end| names_state(&self.held[self.from..*end])) {
                        self.held.truncate(end);
                    }
                    self.give_up(&mut out);
                }
                _ => break,
            }
        }
        if self.is_cut_status() {
            self.take_report();
        }
        match self.state {
            State::Text if self.removed => {}
            _ => out.push_str(&self.held),
        }
        (out, self.reports)
    }

    fn feed(&mut self, piece: &str, out: &mut String) {
        let mut rest = piece;
        while let Some(letter) = rest.chars().next() {
            let used = match self.state {
                State::Text => self.text(rest, out),
                State::Body(_) => self.body(letter, out),
                State::Closed => self.after_close(letter, out),
                _ => self.opening(letter, out),
            };
            rest = &rest[used..];
        }
    }

    /// Up to the next tag. Bytes used.
    fn text(&mut self, rest: &str, out: &mut String) -> usize {
        let end = rest.find('<').unwrap_or(rest.len());
        self.show(&rest[..end], out);
        if end == rest.len() {
            return end;
        }
        if self.code.has_tag() {
            self.show("<", out);
        } else {
            self.from = self.held.len();
            self.held.push('<');
            self.state = State::Tag(1);
        }
        end + 1
    }

    fn show(&mut self, text: &str, out: &mut String) {
        self.code.feed(text);
        let visible = trim_end(text);
        if !visible.is_empty() {
            out.push_str(&self.held);
            out.push_str(visible);
            self.held.clear();
            (self.removed, self.shown) = (false, true);
        }
        self.held.push_str(&text[visible.len()..]);
        while self.held.len() > HOLD_MOST {
            let most = self.held.floor_char_boundary(HOLD_MOST);
            out.extend(self.held.drain(..most));
        }
    }

    /// From the tag to the first key. Bytes used; none when it is text after all.
    fn opening(&mut self, letter: char, out: &mut String) -> usize {
        let next = match (&self.state, letter) {
            (State::Tag(matched), _) if OPEN[*matched..].starts_with(letter) => {
                let matched = matched + 1;
                Some(if matched == OPEN.len() { State::Opened } else { State::Tag(matched) })
            }
            (State::Opened, '{') => Some(State::Braced),
            (State::Braced, '"') => Some(State::Body(Body::begun())),
            (State::Opened, letter) if is_space(letter) => Some(State::Opened),
            (State::Braced, letter) if is_space(letter) => Some(State::Braced),
            _ => None,
        };
        match next {
            Some(state) if self.held.len() - self.from < HOLD_MOST => {
                self.held.push(letter);
                self.state = state;
                letter.len_utf8()
            }
            _ => {
                self.release(out);
                0
            }
        }
    }

    /// Bytes used; none when it is over.
    fn body(&mut self, letter: char, out: &mut String) -> usize {
        let State::Body(body) = &mut self.state else { return 0 };
        let after = body.complete.map(|end| &self.held[end..]);
        // What is complete is given the room that its closing tag takes.
        let closes = after.is_some_and(|after| CLOSE.starts_with(after));
        let full = self.held.len() - self.from >= HOLD_MOST && !closes;
        if full || after.is_some_and(|after| letter.is_alphanumeric() && !goes_on(after, letter)) {
            self.give_up(out);
            return 0;
        }
        let (was_in_text, was_broken, before) = (body.json.is_in_text(), body.json.is_broken(), self.held.len());
        self.held.push(letter);
        if body.complete.is_none() {
            body.json.push(letter);
            body.complete = body.json.is_whole().then_some(self.held.len());
        }
        if letter == '>' && self.held.ends_with(OPEN) {
            body.inner.get_or_insert(self.held.len() - OPEN.len());
        }
        let broken = body.json.is_broken();
        if letter == '>' && self.held.ends_with(CLOSE) {
            if was_in_text {
                body.quoted_close.get_or_insert(self.held.len());
            } else {
                self.close(out);
            }
        } else if (broken && (body.inner.or(body.quoted_close).is_some()))
            || (was_broken && letter == '\n' && ends_line(&self.held[..before]))
        {
            self.give_up(out);
        }
        letter.len_utf8()
    }

    /// The closing tag is there.
    fn close(&mut self, out: &mut String) {
        if !names_state(&self.held[self.from..]) {
            self.release(out);
        } else if self.code.is_open() {
            self.state = State::Closed;
        } else {
            self.take_report();
        }
    }

    /// No bytes are used.
    fn after_close(&mut self, letter: char, out: &mut String) -> usize {
        match letter {
            '`' => self.release(out),
            _ => self.take_report(),
        }
        0
    }

    /// It is a status up to where that can have ended, or text up to the next tag; what follows is looked
    /// at anew.
    fn give_up(&mut self, out: &mut String) {
        let State::Body(body) = &self.state else { return };
        let closed = body.quoted_close.filter(|end| body.inner.is_none_or(|inner| inner > *end));
        let ended = body.complete.or(closed);
        let rest = match ended.or(body.inner) {
            Some(end) => self.held.split_off(end),
            None => String::new(),
        };
        let is_code = self.code.is_open() && rest.starts_with('`');
        if ended.is_some() && !is_code && names_state(&self.held[self.from..]) {
            self.take_report();
        } else {
            self.release(out);
        }
        self.feed(&rest, out);
    }

    fn take_report(&mut self) {
        self.reports.push(self.held.split_off(self.from));
        self.removed = true;
        self.state = State::Text;
    }

    /// What is held is text; white space at its end stays held.
    fn release(&mut self, out: &mut String) {
        self.code.feed(&self.held[self.from..]);
        let visible = trim_end(&self.held).len();
        out.extend(self.held.drain(..visible));
        (self.removed, self.shown) = (false, true);
        self.state = State::Text;
    }

    /// At the end of the reply: whether what is held is the beginning of a status.
    fn is_cut_status(&self) -> bool {
        match &self.state {
            State::Text | State::Closed => false,
            State::Tag(matched) => *matched > 1 && self.is_line_start(),
            State::Opened => self.is_line_start(),
            State::Braced => true,
            State::Body(_) => begins_with_key(&self.held[self.from..]),
        }
    }

    fn is_line_start(&self) -> bool {
        self.held[..self.from].contains('\n') || !self.shown
    }
}

pub(super) fn is_space(letter: char) -> bool {
    letter.is_whitespace()
}

fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

fn names_state(report: &str) -> bool {
    report.contains("\"state\"")
}

/// Whether the letter is the next one of a closing tag.
fn goes_on(text: &str, letter: char) -> bool {
    let begun = text.rfind('<').map(|at| &text[at..]);
    begun.and_then(|begun| CLOSE.strip_prefix(begun)).is_some_and(|rest| rest.starts_with(letter))
}

/// Whether nothing but white space follows the last end of a line.
fn ends_line(text: &str) -> bool {
    text.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
}

/// Whether the first key is one of a status, or the beginning of one.
fn begins_with_key(begun: &str) -> bool {
    let Some((_, keyed)) = begun.split_once('"') else { return false };
    match keyed.split_once('"') {
        Some((key, _)) => KEYS.contains(&key),
        None => KEYS.iter().any(|key| key.starts_with(keyed)),
    }
}
