use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::notify::passed;
use super::probe::Surroundings;

/// How a copy was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// A program that took the text and said so.
    pub by: Option<&'static str>,
    /// The text is also in a tmux buffer.
    pub tmux: bool,
    /// An escape sequence to send; nobody ever confirms it.
    pub sequence: Option<String>,
}

/// Longer texts are not sent as a sequence: terminals cut or drop them.
const MAX_SEQUENCE: usize = 100_000;
const PATIENCE: Duration = Duration::from_secs(2);

/// Programs that reach the clipboard of the screen in front of the person, best first.
fn programs(around: Surroundings) -> Vec<(&'static str, &'static [&'static str])> {
    let mut programs: Vec<(&'static str, &'static [&'static str])> = Vec::new();
    // Over ssh they would fill the clipboard of the far machine.
    if around.ssh {
        return programs;
    }
    if around.mac {
        programs.push(("pbcopy", &[]));
    }
    if around.wayland {
        programs.push(("wl-copy", &[]));
    }
    if around.x11 {
        programs.push(("xclip", &["-selection", "clipboard"]));
        programs.push(("xsel", &["--clipboard", "--input"]));
    }
    programs
}

/// Copies by every way that may arrive: a native program, the tmux buffer, OSC 52.
pub async fn copy(text: &str, around: Surroundings) -> Copied {
    let mut copied = Copied::default();
    for (program, arguments) in programs(around) {
        if feed(program, arguments, text).await {
            copied.by = Some(program);
            break;
        }
    }
    if around.tmux {
        copied.tmux = feed("tmux", &["load-buffer", "-w", "-"], text).await;
    }
    if copied.by.is_none() && text.len() <= MAX_SEQUENCE {
        copied.sequence = Some(sequence(text, around));
    }
    copied
}

/// OSC 52, wrapped for tmux.
pub fn sequence(text: &str, around: Surroundings) -> String {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    passed(&format!("\x1b]52;c;{encoded}\x07"), around)
}

async fn feed(program: &str, arguments: &[&str], text: &str) -> bool {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn();
    let Ok(mut child) = child else { return false };
    let whole = async {
        let mut input = child.stdin.take()?;
        input.write_all(text.as_bytes()).await.ok()?;
        drop(input);
        child.wait().await.ok()
    };
    matches!(tokio::time::timeout(PATIENCE, whole).await, Ok(Some(status)) if status.success())
}

impl Copied {
    /// What to tell the person: which way, and what is not known.
    pub fn describe(&self, what: &str) -> Result<String, String> {
        let mut ways = Vec::new();
        if let Some(program) = self.by {
            ways.push(format!("by {program}"));
        }
        if self.tmux {
            ways.push("to the tmux buffer".to_owned());
        }
        if self.sequence.is_some() {
            ways.push("by OSC 52, which the terminal does not confirm".to_owned());
        }
        if ways.is_empty() {
            return Err(format!("{what} was not copied: no clipboard program works and it is too long for OSC 52"));
        }
        Ok(format!("copied {what} {}", ways.join(" and ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_tell_the_way_and_what_is_not_known() {
        let by = |by, tmux, sequence: bool| Copied { by, tmux, sequence: sequence.then(String::new) }.describe("it");
        assert_eq!(by(Some("wl-copy"), false, false).unwrap(), "copied it by wl-copy");
        assert_eq!(
            by(None, true, true).unwrap(),
            "copied it to the tmux buffer and by OSC 52, which the terminal does not confirm"
        );
        assert!(by(None, false, false).is_err());
    }

    #[test]
    fn over_ssh_only_the_terminal_reaches_the_person() {
        let here = Surroundings { wayland: true, x11: true, ..Surroundings::default() };
        assert_eq!(programs(here).iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["wl-copy", "xclip", "xsel"]);
        assert_eq!(programs(Surroundings { ssh: true, ..here }), []);
    }

    #[tokio::test]
    async fn without_any_program_the_sequence_is_left_and_long_texts_are_refused() {
        let copied = copy("hi", Surroundings::default()).await;
        assert_eq!(copied.sequence.as_deref(), Some("\x1b]52;c;aGk=\x07"));
        let long = copy(&"x".repeat(MAX_SEQUENCE + 1), Surroundings::default()).await;
        assert!(long.describe("it").is_err());
    }
}
