//! Whose answer a line is that is too deep or too long to be parsed. Pure; constant memory.

use rmcp::model::RequestId;

/// Bytes of a name or an id that are looked at.
const MOST: usize = 256;

/// Reads a JSON-RPC message byte by byte, only as far as its outermost fields.
#[derive(Debug, Default)]
pub struct Envelope {
    depth: u64,
    string: bool,
    escaped: bool,
    /// The name or value being read at the outermost level; quotes are left out.
    text: Vec<u8>,
    quoted: bool,
    key: Option<Vec<u8>>,
    id: Option<RequestId>,
    answer: bool,
    request: bool,
}

impl Envelope {
    pub fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    /// The request that this answers, if it is an answer.
    pub fn answers(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| self.answer && !self.request)
    }

    fn byte(&mut self, byte: u8) {
        if self.string {
            match byte {
                _ if std::mem::take(&mut self.escaped) => self.keep(byte),
                b'"' => self.string = false,
                b'\\' => {
                    self.escaped = true;
                    self.keep(byte);
                }
                _ => self.keep(byte),
            }
            return;
        }
        match byte {
            b'"' => {
                self.string = true;
                if self.depth == 1 {
                    self.text.clear();
                    self.quoted = true;
                }
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.value_ends();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.value_begins(),
            b',' => self.value_ends(),
            _ if self.key.is_some() && !byte.is_ascii_whitespace() => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.text.len() < MOST {
            self.text.push(byte);
        }
    }

    fn value_begins(&mut self) {
        let key = std::mem::take(&mut self.text);
        self.answer |= matches!(key.as_slice(), b"result" | b"error");
        self.request |= key == b"method";
        self.key = Some(key);
        self.quoted = false;
    }

    fn value_ends(&mut self) {
        if self.depth != 1 {
            return;
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
        if self.key.take().is_some_and(|key| key == b"id") {
            self.id = match self.quoted {
                true => Some(RequestId::String(text.into())),
                false => text.parse().ok().map(RequestId::Number),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(text: &str) -> Option<String> {
        let mut envelope = Envelope::default();
        text.as_bytes().chunks(3).for_each(|chunk| envelope.push(chunk));
        envelope.answers().map(ToString::to_string)
    }

    #[test]
    fn an_answer_names_its_request_however_deep_or_broken_it_is() {
        let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        for (text, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"id":9,"x":{deep}}}}}"#), Some("7")),
            (format!(r#"{{"result":{{"a\"}}":{deep},"id":9}},"id":"a-1"}}"#), Some("a-1")),
            (r#"{"id" : 3 , "result": {"text": "aaaa"#.to_owned(), Some("3")),
            (r#"{"id":3,"method":"ping","params":{"result":"#.to_owned(), None),
            (r#"{"result":{"id":3}}"#.to_owned(), None),
            (r#"[{"id":3,"result":1}]"#.to_owned(), None),
            ("Server started: \"id\": 3, result".to_owned(), None),
        ] {
            assert_eq!(answers(&text).as_deref(), id, "{}", &text[..text.len().min(60)]);
        }
    }
}
