use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The editor to run, from the environment: program and arguments.
pub fn command(get: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let set = |name: &str| get(name).filter(|value| !value.trim().is_empty());
    let line = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let words = split(&line);
    if words.is_empty() { vec!["vi".to_owned()] } else { words }
}

/// What shows a text, from the environment: the pager, else the editor.
pub fn pager(get: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let line = get("PAGER").unwrap_or_default();
    let mut words = split(&line);
    let Some(program) = words.first() else { return command(get) };
    if Path::new(program).file_name().is_some_and(|name| name == "less") {
        // With `-F` of the person's own it would show a short text and be gone at once.
        words.push("-+F".to_owned());
    }
    words
}

/// Words of a command line, with quotes and backslashes as a shell reads them.
pub(super) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            ('\'' | '"', None) => {
                quote = Some(letter);
                let _ = word.get_or_insert_default();
            }
            (space, None) if space.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// A file that only we can read, in a folder that nobody else can guess or enter.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
    path: PathBuf,
}

impl Scratch {
    pub fn new(name: &str, text: &str) -> io::Result<Self> {
        Self::of_bytes(name, text.as_bytes())
    }

    pub fn of_bytes(name: &str, bytes: &[u8]) -> io::Result<Self> {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        let nanos =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let folder = std::env::temp_dir().join(format!("octomind-{}-{nanos}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let path = folder.join(name);
        let scratch = Self { folder, path };
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&scratch.path)?;
        file.write_all(bytes)?;
        Ok(scratch)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it now.
    pub fn read(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        let _ = std::fs::File::open(&self.path)?.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The command that shows a file at a line, in the way this editor takes one.
pub fn at(mut command: Vec<String>, path: &Path, line: Option<u32>) -> Vec<String> {
    let program = command.first().map(Path::new).and_then(Path::file_stem).and_then(|name| name.to_str());
    let file = path.to_string_lossy().into_owned();
    match (program.unwrap_or_default(), line) {
        (
            "vi" | "vim" | "nvim" | "gvim" | "view" | "nano" | "emacs" | "emacsclient" | "micro" | "kak" | "joe",
            Some(line),
        ) => {
            command.extend([format!("+{line}"), file]);
        }
        ("hx" | "helix" | "subl" | "zed", Some(line)) => command.push(format!("{file}:{line}")),
        ("code" | "codium" | "cursor" | "windsurf", Some(line)) => {
            command.extend(["--goto".to_owned(), format!("{file}:{line}")]);
        }
        _ => command.push(file),
    }
    command
}

/// Runs the editor with the terminal as it was found.
///
/// # Errors
/// One sentence when it cannot be run or says that it failed.
pub async fn run(command: &[String]) -> Result<(), String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("no editor is set; set $VISUAL or $EDITOR".to_owned());
    };
    let status = tokio::process::Command::new(program)
        .args(arguments)
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .status()
        .await;
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` ended with {status}")),
        Err(error) => Err(format!("`{program}` could not be run ({error}); set $VISUAL or $EDITOR")),
    }
}

#[cfg(test)]
mod tests {
    use super::pager as pager_of;
    use super::*;

    #[test]
    fn the_editor_comes_with_its_arguments() {
        let with = |visual: &'static str, editor: &'static str| {
            command(|name| match name {
                "VISUAL" => Some(visual.to_owned()),
                "EDITOR" => Some(editor.to_owned()),
                _ => None,
            })
        };
        assert_eq!(with("code --wait", "vi"), ["code", "--wait"]);
        assert_eq!(with("", "nano -w"), ["nano", "-w"]);
        assert_eq!(with("", " "), ["vi"]);
        assert_eq!(
            with("'/opt/my editor/bin' -c \"set ft=md\" a\\ b", ""),
            ["/opt/my editor/bin", "-c", "set ft=md", "a b"]
        );
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        let shown = |editor: &str, line| at(split(editor), Path::new("/a b/c.toml"), line).join(" ");
        assert_eq!(shown("/usr/bin/nvim -n", Some(7)), "/usr/bin/nvim -n +7 /a b/c.toml");
        assert_eq!(shown("hx", Some(7)), "hx /a b/c.toml:7");
        assert_eq!(shown("code --wait", Some(7)), "code --wait --goto /a b/c.toml:7");
        assert_eq!(shown("ed", Some(7)), "ed /a b/c.toml");
        assert_eq!(shown("vi", None), "vi /a b/c.toml");
    }

    #[test]
    fn the_pager_comes_before_the_editor_and_stays_open() {
        let with = |pager: &'static str| {
            pager_of(move |name| match name {
                "PAGER" => Some(pager.to_owned()),
                "EDITOR" => Some("nano".to_owned()),
                _ => None,
            })
        };
        assert_eq!(with("less -R"), ["less", "-R", "-+F"]);
        assert_eq!(with("/usr/bin/less"), ["/usr/bin/less", "-+F"]);
        assert_eq!(with("bat --paging always"), ["bat", "--paging", "always"]);
        assert_eq!(with(" "), ["nano"]);
    }

    #[test]
    fn the_scratch_file_is_ours_alone_and_goes_away() {
        use std::os::unix::fs::PermissionsExt as _;
        let scratch = Scratch::new("message.md", "hello").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(scratch.path()), 0o600);
        assert_eq!(mode(scratch.path().parent().unwrap()), 0o700);
        assert_eq!(scratch.read().unwrap(), "hello");
        let folder = scratch.path().parent().unwrap().to_owned();
        drop(scratch);
        assert!(!folder.exists());
    }
}
