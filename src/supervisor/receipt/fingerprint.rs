use std::hash::{DefaultHasher, Hash, Hasher};

/// Units after a number that make it a duration.
const UNITS: [&str; 15] =
    ["ns", "us", "µs", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "h", "hour", "hours"];

/// Of a result without durations, times of day, dates and addresses in memory, which differ each time
/// the same is done. Errors and successes of the same text are told apart by their outcome, not here.
#[must_use]
pub fn fingerprint(result: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let bytes = result.as_bytes();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit() && (at == 0 || !is_word(bytes[at - 1]));
        let end = if starts { moment_end(result, at) } else { None };
        match end {
            Some(end) => {
                hasher.write(&bytes[done..at]);
                hasher.write(b"\0t");
                (done, at) = (end, end);
            }
            None => at += 1,
        }
    }
    bytes[done..].hash(&mut hasher);
    hasher.finish()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Where the duration, time, date or address that begins here ends.
fn moment_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    address(rest).or_else(|| clock(rest)).or_else(|| duration(rest)).map(|len| at + len)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `0x7f3a90c0`.
fn address(text: &str) -> Option<usize> {
    let hex = text.strip_prefix("0x")?.bytes().take_while(u8::is_ascii_hexdigit).count();
    (hex >= 6).then_some(hex + 2)
}

/// `12:30:01.25`, `2026-11-30`, `2026-11-30T12:30:01Z`.
fn clock(text: &str) -> Option<usize> {
    let fields = |text: &str, sign: char, lens: [usize; 3]| {
        let mut at = 0;
        for (number, len) in lens.into_iter().enumerate() {
            at += if number > 0 { text[at..].strip_prefix(sign).map(|_| 1)? } else { 0 };
            at += (digits(&text[at..]) == len).then_some(len)?;
        }
        Some(at)
    };
    let time = |text: &str| {
        let mut end = fields(text, ':', [2, 2, 2])?;
        if let Some(fraction) = text[end..].strip_prefix(['.', ',']).map(digits).filter(|len| *len > 0) {
            end += fraction + 1;
        }
        Some(end)
    };
    let Some(date) = fields(text, '-', [4, 2, 2]) else { return time(text) };
    let spaced = text[date..].strip_prefix(['T', ' ']).and_then(time);
    Some(date + spaced.map_or(0, |time| time + 1))
}

/// `0.03s`, `12 ms`.
fn duration(text: &str) -> Option<usize> {
    let mut end = digits(text);
    if let Some(fraction) = text[end..].strip_prefix('.').map(digits).filter(|len| *len > 0) {
        end += fraction + 1;
    }
    let spaced = text[end..].strip_prefix(' ').map_or(end, |_| end + 1);
    let unit: usize = text[spaced..].chars().take_while(|letter| letter.is_alphabetic()).map(char::len_utf8).sum();
    let after = text[spaced + unit..].bytes().next();
    let whole = !after.is_some_and(is_word);
    (whole && UNITS.contains(&&text[spaced..spaced + unit])).then_some(spaced + unit)
}
