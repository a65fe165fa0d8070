use super::parser::Step;
use crate::ui::input::{Input, Mouse, MouseKind, TerminalAnswer};
use crate::ui::keys::{Code, Key, Modifiers};
use crate::ui::theme::Shade;

/// Longest control sequence that is waited for.
const MAX_SEQUENCE: usize = 64;

/// `ESC [` … final byte.
pub(super) fn step(bytes: &[u8]) -> Step {
    match bytes {
        [_, _, b'M', rest @ ..] => return old_mouse(rest),
        // The Linux console's function keys.
        [_, _, b'[', letter @ b'A'..=b'E', ..] => {
            return key(Code::Function(letter - b'A' + 1), Modifiers::default(), 4);
        }
        [_, _, b'['] => return Step::Incomplete,
        _ => {}
    }
    let Some(end) = bytes.iter().skip(2).position(|byte| (0x40..=0x7e).contains(byte)).map(|at| at + 2) else {
        return if bytes.len() > MAX_SEQUENCE { Step::Skip(2) } else { Step::Incomplete };
    };
    // A byte that cannot stand in a sequence ends it: what follows is read afresh.
    if let Some(bad) = bytes[2..end].iter().position(|byte| !(0x20..=0x3f).contains(byte)) {
        return Step::Skip(bad + 2);
    }
    let text = std::str::from_utf8(&bytes[2..end]).unwrap_or_default();
    finish(text, bytes[end], end + 1)
}

fn finish(text: &str, last: u8, used: usize) -> Step {
    if let Some(rest) = text.strip_prefix('<') {
        return mouse(rest, last, used);
    }
    match (text.strip_prefix('?'), last) {
        (Some(_), b'u') => return Step::Input(Input::Answer(TerminalAnswer::KittyKeyboard), used),
        // `CSI ? 997 ; 1 n` is dark, `; 2 n` is light: asked for once, and told when it changes.
        (Some(report), b'n') => return scheme(report, used),
        (Some(_), b'c') => return Step::Input(Input::Answer(TerminalAnswer::Attributes), used),
        (Some(_), _) => return Step::Skip(used),
        (None, _) => {}
    }
    let parameters = Parameters::parse(text);
    if parameters.released() {
        return Step::Skip(used);
    }
    let modifiers = modifiers(parameters.get(1));
    let code = match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'P'..=b'S' => Code::Function(last - b'P' + 1),
        b'Z' => return key(Code::Tab, Modifiers { shift: true, ..modifiers }, used),
        b'I' => return Step::Input(Input::Focus(true), used),
        b'O' => return Step::Input(Input::Focus(false), used),
        b'u' => return unicode(&parameters, used),
        b'~' => return tilde(&parameters, used),
        _ => return Step::Skip(used),
    };
    key(code, modifiers, used)
}

fn scheme(report: &str, used: usize) -> Step {
    let shade = match report {
        "997;1" => Shade::Dark,
        "997;2" => Shade::Light,
        _ => return Step::Skip(used),
    };
    Step::Input(Input::Answer(TerminalAnswer::Scheme(shade)), used)
}

fn key(code: Code, modifiers: Modifiers, used: usize) -> Step {
    Step::Input(Input::Key(Key::new(code, modifiers)), used)
}

fn tilde(parameters: &Parameters, used: usize) -> Step {
    let number = parameters.get(0);
    let code = match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::Function(number as u8 - 10),
        17..=21 => Code::Function(number as u8 - 11),
        23 | 24 => Code::Function(number as u8 - 12),
        25 | 26 => Code::Function(number as u8 - 12),
        28 | 29 => Code::Function(number as u8 - 13),
        31..=34 => Code::Function(number as u8 - 14),
        // xterm's way to tell modified keys apart.
        27 => {
            return match code_of(parameters.get(2)) {
                Some(code) => key(code, modifiers(parameters.get(1)), used),
                None => Step::Skip(used),
            };
        }
        200 => return Step::PasteBegins(used),
        _ => return Step::Skip(used),
    };
    key(code, modifiers(parameters.get(1)), used)
}

/// The kitty protocol's form: code point, modifiers and kind of event, text.
fn unicode(parameters: &Parameters, used: usize) -> Step {
    match code_of(parameters.get(0)) {
        Some(code) => key(code, modifiers(parameters.get(1)), used),
        None => Step::Skip(used),
    }
}

/// A key by its code point or by its number in the private use area.
fn code_of(number: u32) -> Option<Code> {
    Some(match number {
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57399..=57408 => Code::Char(char::from_digit(number - 57399, 10)?),
        57409 => Code::Char('.'),
        57410 => Code::Char('/'),
        57411 => Code::Char('*'),
        57412 => Code::Char('-'),
        57413 => Code::Char('+'),
        57415 => Code::Char('='),
        57417 => Code::Left,
        57418 => Code::Right,
        57419 => Code::Up,
        57420 => Code::Down,
        57421 => Code::PageUp,
        57422 => Code::PageDown,
        57423 => Code::Home,
        57424 => Code::End,
        57425 => Code::Insert,
        57426 => Code::Delete,
        // Modifiers by themselves, media keys and the like.
        57344..=63743 => return None,
        _ => Code::Char(char::from_u32(number).filter(|letter| !letter.is_control())?),
    })
}

/// One more than the bits: shift, alt, ctrl, super. Locks do not count.
fn modifiers(parameter: u32) -> Modifiers {
    let bits = parameter.saturating_sub(1);
    Modifiers { shift: bits & 1 != 0, alt: bits & 2 != 0 || bits & 32 != 0, ctrl: bits & 4 != 0, logo: bits & 8 != 0 }
}

#[derive(Debug, Default)]
struct Parameters {
    first: Vec<u32>,
    /// The part of the second parameter after its colon: the kind of key event.
    event: u32,
}

impl Parameters {
    fn parse(text: &str) -> Self {
        let mut out = Self::default();
        for (index, parameter) in text.split(';').enumerate() {
            let mut parts = parameter.split(':');
            out.first.push(parts.next().and_then(|part| part.parse().ok()).unwrap_or(0));
            if index == 1 {
                out.event = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
            }
        }
        out
    }

    fn get(&self, index: usize) -> u32 {
        self.first.get(index).copied().unwrap_or(0)
    }

    fn released(&self) -> bool {
        self.event == 3
    }
}

/// `ESC [ < button ; column ; row M` for a press, `m` for a release.
fn mouse(text: &str, last: u8, used: usize) -> Step {
    let parameters = Parameters::parse(text);
    let [button, column, row] = [0, 1, 2].map(|at| parameters.get(at));
    let kind = match (button & !0b1_1100, last) {
        (64, _) => MouseKind::WheelUp,
        (65, _) => MouseKind::WheelDown,
        (0, b'm') => MouseKind::Release,
        (0, _) => MouseKind::Press,
        (32, b'M') => MouseKind::Drag,
        _ => return Step::Skip(used),
    };
    let cell = |value: u32| u16::try_from(value.saturating_sub(1)).unwrap_or(u16::MAX);
    let modifiers = Modifiers { shift: button & 4 != 0, alt: button & 8 != 0, ctrl: button & 16 != 0, logo: false };
    Step::Input(Input::Mouse(Mouse { kind, column: cell(column), row: cell(row), modifiers }), used)
}

/// `ESC [ M` and three bytes: terminals without the newer form.
fn old_mouse(rest: &[u8]) -> Step {
    match rest {
        [_, _, _, ..] => Step::Skip(6),
        _ => Step::Incomplete,
    }
}
