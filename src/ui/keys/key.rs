use std::fmt;

/// Which key, without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Tab,
    Backspace,
    Delete,
    Insert,
    Esc,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Function(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Modifiers {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
    pub logo: bool,
}

/// A key press, normalised: a shifted character is the character itself without `shift`, so that
/// `shift-a` and `A` are one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub code: Code,
    pub modifiers: Modifiers,
}

/// Names of keys in files and on screen. The first of several names for one key is shown.
const NAMES: &[(&str, Code)] = &[
    ("enter", Code::Enter),
    ("ret", Code::Enter),
    ("return", Code::Enter),
    ("tab", Code::Tab),
    ("backspace", Code::Backspace),
    ("bs", Code::Backspace),
    ("del", Code::Delete),
    ("delete", Code::Delete),
    ("ins", Code::Insert),
    ("insert", Code::Insert),
    ("esc", Code::Esc),
    ("escape", Code::Esc),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("space", Code::Char(' ')),
    ("minus", Code::Char('-')),
];

impl Key {
    pub fn new(code: Code, modifiers: Modifiers) -> Self {
        Self { code, modifiers }.normalised()
    }

    pub fn plain(code: Code) -> Self {
        Self::new(code, Modifiers::default())
    }

    fn normalised(mut self) -> Self {
        if let Code::Char(letter) = self.code {
            if self.modifiers.shift {
                let mut upper = letter.to_uppercase();
                if let (Some(upper), None) = (upper.next(), upper.next()) {
                    // Control has no case: ctrl-shift-a stays apart from ctrl-a by its modifier.
                    if !self.modifiers.ctrl {
                        self.code = Code::Char(upper);
                    }
                }
                self.modifiers.shift = self.modifiers.ctrl;
            }
            if self.modifiers.ctrl && letter.is_ascii_uppercase() {
                self.code = Code::Char(letter.to_ascii_lowercase());
                self.modifiers.shift = true;
            }
        }
        self
    }

    /// The character this key types, if it types one.
    pub fn printable(self) -> Option<char> {
        match self.code {
            Code::Char(letter) if !self.modifiers.ctrl && !self.modifiers.alt && !self.modifiers.logo => Some(letter),
            _ => None,
        }
    }

    /// Reads `ctrl-shift-enter`, `g`, `A`, `f1`, `-`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut modifiers = Modifiers::default();
        let mut rest = text;
        let split =
            |text: &'_ str| text.split_once('-').is_some_and(|(word, more)| !word.is_empty() && !more.is_empty());
        while split(rest)
            && let Some((word, more)) = rest.split_once('-')
        {
            let flag = match word.to_ascii_lowercase().as_str() {
                "ctrl" | "c" => &mut modifiers.ctrl,
                "alt" | "a" | "meta" => &mut modifiers.alt,
                "shift" | "s" => &mut modifiers.shift,
                "super" | "cmd" => &mut modifiers.logo,
                _ => return Err(format!("`{word}` is no modifier; there are ctrl, alt, shift and super")),
            };
            if *flag {
                return Err(format!("`{word}` is there twice"));
            }
            *flag = true;
            rest = more;
        }
        Ok(Self::new(parse_code(rest)?, modifiers))
    }

    /// Reads keys separated by spaces.
    pub fn parse_sequence(text: &str) -> Result<Vec<Self>, String> {
        text.split_whitespace().map(Self::parse).collect()
    }

    /// Why a terminal without the kitty protocol cannot send this key, if it cannot.
    pub fn unsendable(self) -> Option<&'static str> {
        let Modifiers { ctrl, shift, logo, .. } = self.modifiers;
        match self.code {
            _ if logo => Some("a terminal rarely sends the super key"),
            Code::Char('i') if ctrl => Some("ctrl-i is tab in most terminals"),
            Code::Char('m') if ctrl => Some("ctrl-m is enter in most terminals"),
            Code::Char('[') if ctrl => Some("ctrl-[ is esc in most terminals"),
            Code::Char(_) if ctrl && shift => Some("most terminals send ctrl-shift with a letter as ctrl alone"),
            Code::Char(letter) if ctrl && !(letter.is_ascii_lowercase() || " \\]^_/@".contains(letter)) => {
                Some("most terminals cannot send ctrl with this character")
            }
            Code::Tab | Code::Backspace if ctrl => Some("most terminals send this as the key without ctrl"),
            Code::Enter if ctrl => Some("ctrl-enter is enter in most terminals"),
            Code::Esc if ctrl || shift => Some("most terminals send this as esc"),
            _ => None,
        }
    }
}

fn parse_code(text: &str) -> Result<Code, String> {
    let mut letters = text.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        return Ok(Code::Char(letter));
    }
    let lower = text.to_ascii_lowercase();
    if let Some((_, code)) = NAMES.iter().find(|(name, _)| *name == lower) {
        return Ok(*code);
    }
    if let Some(number) = lower.strip_prefix('f').and_then(|number| number.parse::<u8>().ok())
        && (1..=24).contains(&number)
    {
        return Ok(Code::Function(number));
    }
    let meant = crate::ui::problem::meant(&lower, NAMES.iter().map(|(name, _)| *name));
    Err(format!("`{text}` is no key{}", meant.map(|meant| format!("; {meant}")).unwrap_or_default()))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Modifiers { ctrl, alt, shift, logo } = self.modifiers;
        for (set, name) in [(logo, "super-"), (ctrl, "ctrl-"), (alt, "alt-"), (shift, "shift-")] {
            if set {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::Function(number) => write!(f, "f{number}"),
            Code::Char('-') if *self == Self::plain(self.code) => f.write_str("-"),
            code => match (NAMES.iter().find(|(_, named)| *named == code), code) {
                (Some((name, _)), _) => f.write_str(name),
                (None, Code::Char(letter)) => write!(f, "{letter}"),
                (None, _) => Ok(()),
            },
        }
    }
}

/// Keys as one reads them: `g g`.
pub fn sequence(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}
