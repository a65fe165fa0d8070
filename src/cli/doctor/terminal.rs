//! What the terminal can do, as far as it can be known without asking it: the workbench asks, and does
//! not wait.

use std::io::IsTerminal as _;

use super::{Check, Look};
use crate::config::Env;

pub fn checks(env: &Env, look: Look) -> Vec<Check> {
    let mut checks = vec![screen(env, look)];
    if std::io::stdout().is_terminal() {
        checks.push(letters(env));
        checks.extend(copying(env));
    }
    checks
}

/// Lines and marks are no ASCII.
fn letters(env: &Env) -> Check {
    let name = "letters";
    // The first that is set counts.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| Some((*name, env.get(name)?)));
    match locale {
        Some((variable, value)) => {
            let upper = value.to_ascii_uppercase();
            if upper.contains("UTF-8") || upper.contains("UTF8") {
                return Check::ok(name, format!("{variable}={value}"));
            }
            let what = format!("{variable}={value} is no UTF-8; programs that are run may write question marks");
            Check::warning(name, what, format!("set {variable} to one that ends in .UTF-8, as in C.UTF-8"))
        }
        None => {
            let what = "no locale is set; programs that are run may write question marks";
            Check::warning(name, what, "export LANG=C.UTF-8")
        }
    }
}

/// How text is copied out of the workbench and how it calls for attention.
#[cfg(feature = "tui")]
fn copying(env: &Env) -> Option<Check> {
    let around = crate::ui::term::probe::Surroundings::from_env(|name| env.get(name).map(str::to_owned));
    let mut ways = Vec::new();
    let native = [(around.wayland, "wl-copy"), (around.x11, "xclip or xsel"), (around.mac, "pbcopy")];
    if !around.ssh {
        ways.extend(native.iter().filter(|(there, _)| *there).map(|(_, program)| *program));
    }
    if around.tmux {
        ways.push("tmux");
    }
    ways.push("the terminal (OSC 52, which it may not allow)");
    let calls = if around.osc9 { "a notification" } else { "the bell" };
    Some(Check::ok("copying", format!("by {}; attention is called for by {calls}", ways.join(", else "))))
}

#[cfg(not(feature = "tui"))]
fn copying(_env: &Env) -> Option<Check> {
    None
}

fn screen(env: &Env, look: Look) -> Check {
    let term = env.get("TERM").unwrap_or("not set");
    if !std::io::stdout().is_terminal() {
        return Check::ok("terminal", format!("standard output is none; TERM is {term}"));
    }
    let rows = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(0, |size| size.ws_row);
    let mut facts = vec![format!("{}×{rows}", look.columns), format!("TERM={term}"), colours(env).to_owned()];
    facts.extend(abilities(env).iter().map(|fact| (*fact).to_owned()));
    for (variable, name) in [("TMUX", "tmux"), ("STY", "screen"), ("SSH_CONNECTION", "ssh"), ("SSH_TTY", "ssh")] {
        if env.get(variable).is_some() && !facts.iter().any(|fact| fact == name) {
            facts.push(name.to_owned());
        }
    }
    let facts = facts.join(", ");
    if look.columns < LEAST_COLUMNS || rows < LEAST_ROWS {
        let advice = format!("the workbench wants {LEAST_COLUMNS}×{LEAST_ROWS} or more");
        return Check::warning("terminal", facts, advice);
    }
    if !cfg!(feature = "tui") {
        return Check::warning("terminal", facts, "this build has no workbench; pipe messages in");
    }
    Check::ok("terminal", facts)
}

/// The smallest screen that the workbench is drawn for.
const LEAST_COLUMNS: usize = 40;
const LEAST_ROWS: u16 = 12;

#[cfg(feature = "tui")]
fn colours(env: &Env) -> &'static str {
    use crate::ui::theme::Depth;
    match crate::ui::term::probe::depth(|name| env.get(name).map(str::to_owned)) {
        Depth::None => "no colours",
        Depth::Sixteen => "16 colours",
        Depth::Indexed => "256 colours",
        Depth::Full => "16 million colours",
    }
}

/// What the workbench takes the terminal to have beside colours.
#[cfg(feature = "tui")]
fn abilities(env: &Env) -> Vec<&'static str> {
    use crate::ui::term::probe::{Images, Surroundings};
    let get = |name: &str| env.get(name).map(str::to_owned);
    if crate::ui::linear::is_wanted(&crate::config::schema::Ui::default(), false, get) {
        return vec!["plain lines instead of the full screen"];
    }
    let around = Surroundings::from_env(get);
    let links = if around.links { "links" } else { "no links" };
    let images = match around.images {
        Images::Never => "no images",
        Images::Kitty => "images as kitty",
        Images::Iterm => "images as iTerm2",
    };
    vec![links, images]
}

#[cfg(not(feature = "tui"))]
fn abilities(_env: &Env) -> Vec<&'static str> {
    Vec::new()
}

#[cfg(not(feature = "tui"))]
fn colours(_env: &Env) -> &'static str {
    "colours unknown"
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn letters_are_known_by_the_first_variable_that_is_set() {
        for (variables, state) in [
            (&[("LANG", "de_DE.UTF-8")][..], State::Ok),
            (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], State::Warning),
            (&[("LC_CTYPE", "C.utf8"), ("LANG", "C")], State::Ok),
            (&[], State::Warning),
        ] {
            let env = Env::from_pairs(variables.iter().copied());
            let check = letters(&env);
            assert_eq!((check.state, check.advice.is_some()), (state, state != State::Ok), "{variables:?}");
        }
    }

    #[cfg(feature = "tui")]
    #[test]
    fn far_away_nothing_of_this_machine_copies() {
        let of = |names: &[&str]| {
            let env = Env::from_pairs(names.iter().map(|name| (*name, "1")));
            copying(&env).unwrap().what
        };
        assert!(of(&["DISPLAY"]).starts_with("by xclip or xsel, else the terminal"));
        assert!(of(&["DISPLAY", "SSH_TTY", "TMUX"]).starts_with("by tmux, else the terminal"));
    }
}
