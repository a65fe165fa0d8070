use crate::config::schema::Ability;
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
    /// OSC 8 makes a link there.
    pub links: bool,
    pub images: Images,
}

/// How a terminal draws images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Images {
    #[default]
    Never,
    /// PNG alone.
    Kitty,
    /// Whatever the system can read.
    Iterm,
}

impl Surroundings {
    /// How images are drawn when a person wishes so; one who wishes them on where nothing is known has
    /// a terminal that speaks as iTerm2 does.
    pub fn drawn(self, wish: Ability) -> Images {
        match (wish, self.images) {
            (Ability::Off, _) => Images::Never,
            (Ability::On, Images::Never) => Images::Iterm,
            (_, known) => known,
        }
    }

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
            links: links(&get, &program, &term),
            images: images(&get, &program, &term),
        }
    }
}

/// Whether the terminal is one of those known to make links. Others would at best show nothing of it.
fn links(get: &impl Fn(&str) -> Option<String>, program: &str, term: &str) -> bool {
    let number = |name: &str| get(name).and_then(|value| value.parse::<u32>().ok()).unwrap_or(0);
    if program == "tmux" || get("TMUX").is_some_and(|value| !value.is_empty()) {
        let version = get("TERM_PROGRAM_VERSION").unwrap_or_default();
        return program == "tmux" && at_least(&version, (3, 4));
    }
    if term == "dumb" || term == "linux" || term.starts_with("screen") {
        return false;
    }
    ["iTerm.app", "WezTerm", "ghostty", "vscode", "Tabby", "rio", "Hyper"].contains(&program)
        || ["kitty", "ghostty", "foot", "alacritty", "wezterm", "contour"].iter().any(|name| term.contains(name))
        || get("WT_SESSION").is_some_and(|value| !value.is_empty())
        || number("VTE_VERSION") >= 5_002
        || number("KONSOLE_VERSION") >= 201_200
}

/// How images are drawn; a multiplexer between would keep none of them in its place.
fn images(get: &impl Fn(&str) -> Option<String>, program: &str, term: &str) -> Images {
    let set = |name: &str| get(name).is_some_and(|value| !value.is_empty());
    if set("TMUX") || set("STY") || set("ZELLIJ") || term.starts_with("screen") || term.starts_with("tmux") {
        return Images::Never;
    }
    match program {
        "iTerm.app" | "WezTerm" => Images::Iterm,
        _ if term.contains("kitty") || term.contains("ghostty") || program == "ghostty" => Images::Kitty,
        _ => Images::Never,
    }
}

/// `3.4`, `3.5a` and kin.
fn at_least(version: &str, wanted: (u32, u32)) -> bool {
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let mut parts = version.split('.').map(|part| part[..digits(part)].parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_images_only_where_the_terminal_is_known_to_have_them() {
        use Images::{Iterm, Kitty, Never};
        for (environment, links, images) in [
            ("TERM=xterm-256color", false, Never),
            ("", false, Never),
            ("TERM=dumb TERM_PROGRAM=WezTerm", false, Iterm),
            ("TERM=linux", false, Never),
            ("TERM=xterm-kitty", true, Kitty),
            ("TERM=xterm-256color TERM_PROGRAM=iTerm.app", true, Iterm),
            ("TERM=xterm-256color VTE_VERSION=7600", true, Never),
            ("TERM=xterm-256color VTE_VERSION=4200", false, Never),
            ("TERM=foot", true, Never),
            ("TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.5a", true, Never),
            ("TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a", false, Never),
            ("TERM=xterm-kitty TMUX=/tmp/x TERM_PROGRAM=ghostty", false, Never),
            ("TERM=screen-256color STY=1", false, Never),
        ] {
            let get = |name: &str| {
                let mut pairs = environment.split(' ').filter_map(|pair| pair.split_once('='));
                pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
            };
            let around = Surroundings::from_env(get);
            assert_eq!((around.links, around.images), (links, images), "{environment}");
        }
    }

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
