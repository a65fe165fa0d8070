//! Server-sent events by the rules, and past them where servers stray.

/// What a piece of the stream turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// `name` is empty when the event has none.
    Event { name: String, data: String },
    /// Something that only shows the connection lives.
    Comment,
    /// Lines that are no event stream at all, given once at the end.
    Stray(String),
}

/// The longest line that is kept, bytes. Far above any real event; stops a server that never ends
/// a line from filling memory.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// How a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Framing {
    #[default]
    Events,
    /// Each line is an event of its own.
    Lines,
}

/// How much of a body that is no event stream is kept, bytes.
const MOST_STRAY: usize = 8 * 1024 * 1024;

/// Cuts bytes into events, wherever the chunks were cut: inside a character, between CR and LF.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    framing: Framing,
    line: Vec<u8>,
    after_carriage_return: bool,
    started: bool,
    name: String,
    data: String,
    has_data: bool,
    stray: String,
}

impl Reader {
    pub(crate) fn new(framing: Framing) -> Self {
        Self { framing, ..Self::default() }
    }

    /// False when a line is longer than any real one.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<Item>) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_carriage_return) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                Some(end) => {
                    self.line.extend_from_slice(&rest[..end]);
                    self.after_carriage_return = rest[end] == b'\r';
                    rest = &rest[end + 1..];
                    self.end_line(out);
                }
                None => {
                    self.line.extend_from_slice(rest);
                    return self.line.len() <= LONGEST_LINE;
                }
            }
        }
        true
    }

    /// The bytes are over: an event without its closing empty line still counts.
    pub(crate) fn finish(&mut self, out: &mut Vec<Item>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
        self.dispatch(out);
        if !self.stray.trim().is_empty() {
            out.push(Item::Stray(std::mem::take(&mut self.stray)));
        }
    }

    fn end_line(&mut self, out: &mut Vec<Item>) {
        let bytes = std::mem::take(&mut self.line);
        let mut bytes = bytes.as_slice();
        if !std::mem::replace(&mut self.started, true) {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        let line = String::from_utf8_lossy(bytes);
        if self.framing == Framing::Lines {
            if !line.trim().is_empty() {
                out.push(Item::Event { name: String::new(), data: line.into_owned() });
            }
        } else if line.is_empty() {
            self.dispatch(out);
        } else if line.starts_with(':') {
            out.push(Item::Comment);
        } else {
            self.field(&line, out);
        }
    }

    fn field(&mut self, line: &str, out: &mut Vec<Item>) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => value.trim_end().clone_into(&mut self.name),
            "id" | "retry" => out.push(Item::Comment),
            _ if self.stray.len() < MOST_STRAY => {
                self.stray.push_str(line);
                self.stray.push('\n');
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, out: &mut Vec<Item>) {
        let name = std::mem::take(&mut self.name);
        if std::mem::take(&mut self.has_data) {
            out.push(Item::Event { name, data: std::mem::take(&mut self.data) });
        } else if !name.is_empty() {
            out.push(Item::Comment);
        }
    }
}
