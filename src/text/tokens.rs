//! Token counts without a tokenizer.
//!
//! A real one was measured first (tiktoken-rs 0.12, 2 cores, optimised): cl100k_base takes 70 ms to
//! load and 24 MB of memory, o200k_base 155 ms and 46 MB, either of them more than the whole program
//! may take at start, to be right for one family of models only. The estimate is corrected per model
//! by what providers report, so what matters is that its error is small and steady.

/// Thousandths of a token per feature, fitted by least squares to o200k_base over 460 pieces of
/// prose, Rust, Python, JavaScript, C, JSON, TOML, Chinese, Japanese, Korean and Russian (standard
/// deviation of the error 5 %; cl100k_base differs from o200k_base by 3 % on Latin text and counts a
/// third more on CJK).
mod cost {
    /// A word, or a part of one that `camelCase` sets apart; the space before it is included.
    pub const WORD: u64 = 944;
    /// Letters a word costs nothing extra for, and each one after them.
    pub const SHORT_WORD: usize = 7;
    pub const LONG_WORD_LETTER: u64 = 270;
    /// Three digits or less.
    pub const DIGITS: u64 = 965;
    pub const PUNCTUATION: u64 = 848;
    /// Each further sign of a run.
    pub const PUNCTUATION_MORE: u64 = 32;
    /// Two and more spaces or tabs, or one that no word follows.
    pub const SPACES: u64 = 753;
    pub const NEWLINES: u64 = 656;
    pub const IDEOGRAPH: u64 = 735;
    pub const KANA: u64 = 721;
    pub const HANGUL: u64 = 700;
    /// Accented Latin letters.
    pub const ACCENTED: u64 = 1127;
    /// Greek, Cyrillic, Hebrew, Arabic, Indic letters.
    pub const ALPHABET: u64 = 269;
    /// Symbols, emoji, the rest.
    pub const OTHER: u64 = 1257;
}

/// Tokens that `text` costs a model. Linear in the text, allocates nothing.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut thousandths = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (end, cost) = if bytes[at].is_ascii() { ascii_run(bytes, at) } else { foreign_letter(text, at) };
        thousandths += cost;
        at = end;
    }
    thousandths.div_ceil(1000)
}

/// The run of one class that begins at `at`: its end and its cost.
fn ascii_run(bytes: &[u8], at: usize) -> (usize, u64) {
    let run = |class: fn(&u8) -> bool| at + bytes[at..].iter().take_while(|byte| class(byte)).count();
    match bytes[at] {
        b'a'..=b'z' | b'A'..=b'Z' => {
            let end = word_end(bytes, at);
            let long = (end - at).saturating_sub(cost::SHORT_WORD) as u64;
            (end, cost::WORD + long * cost::LONG_WORD_LETTER)
        }
        b'0'..=b'9' => {
            let end = run(u8::is_ascii_digit);
            (end, cost::DIGITS * (end - at).div_ceil(3) as u64)
        }
        b'\n' | b'\r' => (run(|byte| matches!(byte, b'\n' | b'\r')), cost::NEWLINES),
        b' ' | b'\t' => {
            let end = run(|byte| matches!(byte, b' ' | b'\t'));
            let joins = end - at == 1 && bytes.get(end).is_some_and(|next| *next > b' ' && !next.is_ascii_digit());
            (end, if joins { 0 } else { cost::SPACES })
        }
        _ => {
            let end = run(is_sign);
            (end, cost::PUNCTUATION + (end - at - 1) as u64 * cost::PUNCTUATION_MORE)
        }
    }
}

fn is_sign(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'\n' | b'\r' | b' ' | b'\t')
}

/// `HTTPServer` is two words, `camelCase` too.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let count = |from: usize, class: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| class(byte)).count();
    let upper = count(at, u8::is_ascii_uppercase);
    let lower = count(at + upper, u8::is_ascii_lowercase);
    if upper > 1 && lower > 0 { at + upper - 1 } else { at + upper + if upper > 1 { 0 } else { lower } }
}

fn foreign_letter(text: &str, at: usize) -> (usize, u64) {
    let Some(letter) = text[at..].chars().next() else { return (text.len(), 0) };
    let cost = match letter {
        '\u{c0}'..='\u{24f}' => cost::ACCENTED,
        '\u{370}'..='\u{fff}' => cost::ALPHABET,
        '\u{3040}'..='\u{30ff}' => cost::KANA,
        '\u{ac00}'..='\u{d7af}' => cost::HANGUL,
        '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => {
            cost::IDEOGRAPH
        }
        '\u{20000}'..='\u{3ffff}' => cost::IDEOGRAPH,
        _ => cost::OTHER,
    };
    (at + letter.len_utf8(), cost)
}

#[cfg(test)]
mod tests;
