use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::editor;
use super::probe::Surroundings;

/// How long a program may take to say that it cannot; one that still runs then is at work.
const REFUSES_WITHIN: Duration = Duration::from_secs(3);

/// What opens addresses: the person's browser, else the system's own way. `None` where neither would
/// show anything to the person.
pub fn browser(get: impl Fn(&str) -> Option<String>, around: Surroundings) -> Option<Vec<String>> {
    let own = get("BROWSER").unwrap_or_default();
    // A list is tried from the first; what is in it may name where the address goes.
    let words = editor::split(own.split(':').next().unwrap_or_default());
    if !words.is_empty() {
        return Some(words);
    }
    viewer(around)
}

/// What opens files as the system would. Over ssh it would open them where nobody looks.
pub fn viewer(around: Surroundings) -> Option<Vec<String>> {
    match (around.ssh, around.mac, around.wayland || around.x11) {
        (true, ..) => None,
        (false, true, _) => Some(vec!["open".to_owned()]),
        (false, false, true) => Some(vec!["xdg-open".to_owned()]),
        (false, false, false) => None,
    }
}

/// Starts the program with what it shall show, away from our terminal.
///
/// # Errors
/// It cannot be started, or ended at once with an error.
pub async fn open(words: &[String], what: impl AsRef<Path>) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Err("there is no program for it".to_owned()) };
    let mut command = Command::new(program);
    let placed = arguments.iter().any(|word| word.contains("%s"));
    let what = what.as_ref().to_string_lossy();
    command.args(arguments.iter().map(|word| word.replace("%s", &what)));
    if !placed {
        command.arg(what.as_ref());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("{program} cannot be started: {error}"))?;
    match tokio::time::timeout(REFUSES_WITHIN, child.wait()).await {
        Ok(Ok(status)) if !status.success() => Err(format!("{program} could not open it ({status})")),
        Ok(Err(error)) => Err(format!("{program} could not be waited for: {error}")),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persons_browser_comes_first_and_nothing_opens_on_a_far_screen() {
        let set = |value: &'static str| move |name: &str| (name == "BROWSER").then(|| value.to_owned());
        let none = |_: &str| None;
        let here = Surroundings { x11: true, ..Surroundings::default() };
        let far = Surroundings { ssh: true, ..here };
        assert_eq!(browser(none, here), Some(vec!["xdg-open".to_owned()]));
        assert_eq!(browser(none, far), None);
        assert_eq!(browser(none, Surroundings::default()), None);
        assert_eq!(browser(set("w3m -o 'a b'"), far).unwrap(), ["w3m", "-o", "a b"]);
        assert_eq!(browser(set("firefox:w3m"), here).unwrap(), ["firefox"]);
    }

    #[tokio::test]
    async fn the_address_is_one_argument_whatever_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said");
        let script = format!("echo \"$1\" > '{}'", file.display());
        let words = ["sh", "-c", &script, "sh"].map(str::to_owned);
        let address = "https://a.example/?q=$(touch%20x)&b=';c";
        open(&words, address).await.unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), format!("{address}\n"));
        let fails = open(&["sh".to_owned(), "-c".to_owned(), "exit 3".to_owned()], "x").await;
        assert!(fails.unwrap_err().contains("sh could not open it"));
        assert!(open(&["no-such-program-uc".to_owned()], "x").await.is_err());
    }
}
