use crate::ui::theme::Depth;

/// Asks for dark or light, for the background colour, for the kitty keyboard protocol, and for the device
/// attributes, which every terminal answers and answers last. Nobody waits: answers arrive as input,
/// late or never. The background comes after dark or light, as it is what is really there.
pub const QUERIES: &[u8] = b"\x1b[?996n\x1b]11;?\x1b\\\x1b[?u\x1b[c";

/// Asks for the background colour alone, after the terminal told that it turned dark or light.
pub const BACKGROUND: &[u8] = b"\x1b]11;?\x1b\\";

/// How many colours to use, from the environment alone.
pub fn depth(get: impl Fn(&str) -> Option<String>) -> Depth {
    let set = |name: &str| get(name).filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_default();
    if set("NO_COLOR").is_some() || term == "dumb" || term.ends_with("-m") || term.starts_with("vt1") {
        return Depth::None;
    }
    let colorterm = set("COLORTERM").unwrap_or_default();
    let direct = ["kitty", "alacritty", "ghostty", "wezterm", "foot"].iter().any(|name| term.contains(name));
    if colorterm == "truecolor" || colorterm == "24bit" || term.ends_with("-direct") || direct {
        return Depth::Full;
    }
    if term.contains("256color") {
        return Depth::Indexed;
    }
    Depth::Sixteen
}

/// Where the terminal stands, as far as copying and notifying goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surroundings {
    pub tmux: bool,
    pub ssh: bool,
    pub wayland: bool,
    pub x11: bool,
    pub mac: bool,
    /// xterm's way to tell modified keys apart may be asked for.
    pub other_keys: bool,
    /// OSC 9 shows a notification there.
    pub osc9: bool,
}

impl Surroundings {
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| get(name).is_some_and(|value| !value.is_empty());
        let program = get("TERM_PROGRAM").unwrap_or_default();
        let term = get("TERM").unwrap_or_default();
        Self {
            tmux: set("TMUX"),
            ssh: set("SSH_CONNECTION") || set("SSH_TTY"),
            wayland: set("WAYLAND_DISPLAY"),
            x11: set("DISPLAY"),
            other_keys: set("TMUX") || ["xterm", "tmux", "screen"].iter().any(|name| term.starts_with(name)),
            mac: cfg!(target_os = "macos"),
            osc9: ["iTerm.app", "WezTerm", "ghostty"].contains(&program.as_str())
                || ["kitty", "ghostty", "foot"].iter().any(|name| term.contains(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_by_the_environment() {
        for (term, colorterm, no_color, expected) in [
            ("xterm-256color", "truecolor", "", Depth::Full),
            ("xterm-256color", "", "", Depth::Indexed),
            ("xterm", "", "", Depth::Sixteen),
            ("xterm-kitty", "", "", Depth::Full),
            ("xterm-256color", "truecolor", "1", Depth::None),
            ("dumb", "truecolor", "", Depth::None),
            ("", "", "", Depth::Sixteen),
        ] {
            let env = |name: &str| {
                let value = match name {
                    "TERM" => term,
                    "COLORTERM" => colorterm,
                    "NO_COLOR" => no_color,
                    _ => return None,
                };
                Some(value.to_owned())
            };
            assert_eq!(depth(env), expected, "{term} {colorterm} {no_color}");
        }
    }
}
