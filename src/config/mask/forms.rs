//! The forms in which a value turns up. Pure.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};

use super::SHORTEST;

/// A longer value is looked for as it is, and in JSON, but not encoded.
const MOST_ENCODED: usize = 4 * 1024;

/// A line of a longer value, such as a key in PEM, is a secret of its own from this many bytes on.
const LINE: usize = 16;

/// The value, and how it looks in JSON, in a URL, in base64, in hexadecimal digits; its lines when it has several.
pub(super) fn of(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned(), in_json(value)];
    if value.len() <= MOST_ENCODED {
        forms.extend(in_address(value));
        forms.extend(in_base64(value));
        forms.extend(in_hex(value));
    }
    if value.contains('\n') {
        let lines = value.lines().map(str::trim);
        forms.extend(lines.filter(|line| line.len() >= LINE && !line.starts_with("-----")).map(str::to_owned));
    }
    let mut seen = std::collections::BTreeSet::new();
    forms.retain(|form| form.len() >= SHORTEST && seen.insert(form.clone()));
    forms
}

pub(super) fn in_json(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// As strict and as lax as programs encode, with capitals and without.
fn in_address(value: &str) -> Vec<String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let lax = |byte: u8| byte.is_ascii_graphic() && !b"\"<>`#?{}".contains(&byte);
    let mut forms = Vec::new();
    for strict in [percent(value, plain), percent(value, lax)] {
        for form in [strict.replace("%20", "+"), strict] {
            forms.push(lower_hex(&form));
            forms.push(form);
        }
    }
    forms
}

fn percent(value: &str, stays: impl Fn(u8) -> bool) -> String {
    let one = |byte: u8| if stays(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    value.bytes().map(one).collect()
}

fn lower_hex(encoded: &str) -> String {
    let mut parts = encoded.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hex, rest) = part.split_at(part.len().min(2));
        text.push('%');
        text.push_str(&hex.to_ascii_lowercase());
        text.push_str(rest);
    }
    text
}

/// Characters of a coded form that fit on one line of the programs that break lines. A longer form is
/// also looked for in pieces, since where it is broken depends on what stands before it.
const UNBROKEN: usize = 60;

/// Characters of such a piece: long enough not to be found by chance.
const PIECE: usize = 10;

fn in_pieces(form: &str) -> Vec<String> {
    if form.len() <= UNBROKEN {
        return Vec::new();
    }
    let starts = (0..form.len() - PIECE).step_by(PIECE);
    starts.filter_map(|start| form.get(start..start + PIECE)).map(str::to_owned).collect()
}

/// As dumps write bytes, in both cases.
fn in_hex(value: &str) -> Vec<String> {
    let lower: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let upper = lower.to_ascii_uppercase();
    [in_pieces(&lower), in_pieces(&upper), vec![lower, upper]].concat()
}

/// Alone with its padding, and what of it is the same whatever stands before and after it, as in the
/// `name:password` of a header.
fn in_base64(value: &str) -> Vec<String> {
    let mut forms = vec![STANDARD.encode(value), URL_SAFE.encode(value)];
    for before in 0..3 {
        let bytes = [vec![0; before], value.as_bytes().to_vec()].concat();
        for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            let (first, last) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
            // One character less than a whole secret's would be found elsewhere too easily.
            let form = text.get(first..last).filter(|form| form.len() > SHORTEST);
            forms.extend(form.map(in_pieces).unwrap_or_default());
            forms.extend(form.map(str::to_owned));
        }
    }
    forms
}
