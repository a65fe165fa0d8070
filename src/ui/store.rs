//! What the workbench keeps of sent messages on disk: bounded, off the loop.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::composer::keep_masked;
use crate::config::Mask;

/// Bytes of history that are read; what is older is let go.
const MAX_HISTORY_BYTES: u64 = 512 * 1024;

/// Longer messages are not kept for later runs, only in this one.
const MAX_ENTRY_BYTES: usize = 32 * 1024;

/// A name for what belongs to one folder.
pub fn folder_name(workdir: &Path) -> String {
    let digest = Sha256::digest(workdir.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The messages sent in one project, one JSON string a line, readable by the person alone.
#[derive(Debug, Clone)]
pub struct HistoryFile {
    path: PathBuf,
}

impl HistoryFile {
    pub fn new(data: &Path, workdir: &Path) -> Self {
        Self { path: data.join("history").join(format!("{}.jsonl", folder_name(workdir))) }
    }

    /// Oldest first. A line that cannot be read is left out; a missing file is an empty history.
    pub fn load(&self) -> Vec<String> {
        let Ok(mut file) = File::open(&self.path) else { return Vec::new() };
        let len = file.metadata().map_or(0, |meta| meta.len());
        let start = len.saturating_sub(MAX_HISTORY_BYTES);
        let mut bytes = Vec::new();
        if file.seek(SeekFrom::Start(start)).is_err() || file.take(MAX_HISTORY_BYTES).read_to_end(&mut bytes).is_err() {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.split('\n');
        if start > 0 {
            let _ = lines.next();
        }
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Adds one message. A file that has grown far past what is read is cut down first.
    pub fn append(&self, text: &str) -> io::Result<()> {
        if text.len() > MAX_ENTRY_BYTES {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|meta| meta.len() > 2 * MAX_HISTORY_BYTES) {
            self.shorten()?;
        }
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        file.write_all(format!("{}\n", serde_json::Value::from(text)).as_bytes())
    }

    /// Masks a value that turned out to be a secret.
    pub fn mask(&self, value: &str) -> io::Result<()> {
        let before = self.load();
        let mut entries = before.clone();
        let mask = Mask::of([value.to_owned()]);
        entries.retain_mut(|entry| keep_masked(entry, value, &mask));
        if entries == before { Ok(()) } else { self.replace(&entries) }
    }

    fn shorten(&self) -> io::Result<()> {
        self.replace(&self.load())
    }

    fn replace(&self, entries: &[String]) -> io::Result<()> {
        let kept: String = entries.iter().map(|text| format!("{}\n", serde_json::Value::from(text.as_str()))).collect();
        let aside = self.path.with_extension("new");
        let _ = fs::remove_file(&aside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
        file.write_all(kept.as_bytes())?;
        fs::rename(&aside, &self.path)
    }
}

/// A body kept beside a session's journal. A name that is no hash never becomes a path.
pub fn blob(folder: &Path, hash: &str) -> Option<String> {
    let name = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.then(|| std::fs::read_to_string(folder.join(hash)).ok()).flatten()
}

/// Type and base64 of an image that is kept beside the journal.
pub fn media(folder: &Path, name: &str) -> Option<(String, String)> {
    let hash = name.strip_suffix(".media")?;
    let fits = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let text = fits.then(|| std::fs::read_to_string(folder.join(name)).ok()).flatten()?;
    let (media_type, base64) = text.split_once('\n')?;
    Some((media_type.to_owned(), base64.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_private_and_comes_back() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let history = HistoryFile::new(data.path(), Path::new("/project"));
        assert_eq!(history.load(), Vec::<String>::new());
        history.append("one\ntwo \u{2028} three").unwrap();
        history.append("four").unwrap();
        let mut file = OpenOptions::new().append(true).open(&history.path).unwrap();
        file.write_all(b"{\"torn\n\"five\"\n").unwrap();
        assert_eq!(history.load(), ["one\ntwo \u{2028} three", "four", "five"]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&history.path), mode(history.path.parent().unwrap())), (0o600, 0o700));
        assert_ne!(history.path, HistoryFile::new(data.path(), Path::new("/other")).path);
    }

    #[test]
    fn a_giant_history_is_read_from_its_end_and_cut_down() {
        let data = tempfile::tempdir().unwrap();
        let history = HistoryFile::new(data.path(), Path::new("/project"));
        history.append("first").unwrap();
        let line = format!("\"{}\"\n", "x".repeat(1000));
        let mut file = OpenOptions::new().append(true).open(&history.path).unwrap();
        file.write_all(line.repeat(1200).as_bytes()).unwrap();
        history.append("last").unwrap();
        let entries = history.load();
        assert_eq!(entries.last().map(String::as_str), Some("last"));
        assert!(!entries.contains(&"first".to_owned()));
        assert!(fs::metadata(&history.path).unwrap().len() <= MAX_HISTORY_BYTES + 2000);
    }

    #[test]
    fn a_secret_is_masked_in_the_history() {
        let data = tempfile::tempdir().unwrap();
        let history = HistoryFile::new(data.path(), Path::new("/project"));
        history.mask("tok-12345678").unwrap();
        assert!(!history.path.exists(), "there is nothing to mask");
        for text in ["one", "tok-12345678", "use tok-12345678 twice: tok-12345678", "last"] {
            history.append(text).unwrap();
        }
        history.mask("tok-12345678").unwrap();
        assert_eq!(history.load(), ["one", "use [masked] twice: [masked]", "last"]);
        history.mask("a").unwrap();
        assert_eq!(history.load().len(), 3, "a short value is masked only where it stands alone");
        assert!(!fs::read_to_string(&history.path).unwrap().contains("tok-"));
    }
}
