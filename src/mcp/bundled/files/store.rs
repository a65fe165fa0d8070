//! Reading text files and replacing them atomically.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Refusal;
use super::document::{Document, NotText};
use super::limits::TEXT_FILE_BYTES;
use super::place::Root;

/// A text file and the bytes it was read from.
#[derive(Debug)]
pub struct Loaded {
    pub document: Document,
    pub bytes: Vec<u8>,
}

/// Reads a text file; a folder, a device, binary or oversized content is refused with its size.
pub fn load(root: &Root, path: &Path) -> Result<Loaded, Refusal> {
    let shown = root.show(path);
    let meta = fs::metadata(path).map_err(|error| failed("read", &shown, &error))?;
    if meta.is_dir() {
        return Err(Refusal::new(format!("{shown} is a folder. Use list to see what is in it.")));
    }
    if !meta.is_file() {
        return Err(Refusal::new(format!("{shown} is not a regular file.")));
    }
    if meta.len() > TEXT_FILE_BYTES {
        return Err(Refusal::new(format!(
            "{shown} has {} bytes, more than is read at once. Use search, or shell with sed -n or tail.",
            meta.len()
        )));
    }
    let bytes = read_ordinary(path, TEXT_FILE_BYTES).map_err(|error| failed("read", &shown, &error))?;
    let document = Document::parse(&bytes).map_err(|why| not_text(&shown, bytes.len(), why))?;
    Ok(Loaded { document, bytes })
}

/// Opens a regular file that is on a disk. What the kernel makes up while it is read may have no end
/// or keep a reader waiting.
pub fn open_ordinary(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if meta.len() == 0 && (path.starts_with("/proc") || path.starts_with("/sys")) {
        return Err(io::Error::other("it is made by the kernel while it is read; use shell with head -c"));
    }
    Ok(file)
}

/// All of such a file, if it has no more than `most` bytes.
pub fn read_ordinary(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_ordinary(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

fn not_text(shown: &str, bytes: usize, why: NotText) -> Refusal {
    Refusal::new(match why {
        NotText::Binary => {
            format!("{shown} is binary ({bytes} bytes). Use shell with file, xxd or strings to look into it.")
        }
        NotText::Utf16 => format!("{shown} is UTF-16 text ({bytes} bytes). Use shell: iconv -f utf-16 -t utf-8."),
        NotText::Encoding { line, byte } => format!(
            "{shown} is not UTF-8: byte 0x{byte:02x} in line {line} ({bytes} bytes in all). \
             If it is Latin-1, use shell: iconv -f latin1 -t utf-8."
        ),
    })
}

/// Replaces the content of a file that had `before`, or creates it when that is `None`.
///
/// Written beside it and renamed, so that a reader sees the old or the new file whole. Permissions
/// are kept. Refused when the file is write-protected or has changed meanwhile.
pub fn replace(root: &Root, path: &Path, before: Option<&[u8]>, after: &[u8]) -> Result<(), Refusal> {
    let shown = root.show(path);
    let mode = match (before, fs::metadata(path)) {
        (Some(before), Ok(meta)) => {
            if meta.permissions().mode() & 0o222 == 0 {
                return Err(Refusal::new(format!("{shown} is write-protected. Use shell with chmod u+w first.")));
            }
            if read_ordinary(path, u64::MAX - 1).map_err(|error| failed("read", &shown, &error))? != before {
                return Err(Refusal::new(format!("{shown} changed while it was edited. View it again.")));
            }
            Some(meta.permissions())
        }
        (None, Ok(_)) => return Err(Refusal::new(format!("{shown} appeared meanwhile. View it first."))),
        (Some(_), Err(error)) => return Err(failed("write", &shown, &error)),
        (None, Err(_)) => None,
    };
    crate::sandbox::permits(path).map_err(|why| Refusal::new(format!("Cannot write {shown}: {why}.")))?;
    let folder = path.parent().unwrap_or(root.path());
    fs::create_dir_all(folder).map_err(|error| failed("make the folder of", &shown, &error))?;
    swap(folder, path, mode, after).map_err(|error| failed("write", &shown, &error))
}

static COUNTER: AtomicU64 = AtomicU64::new(0);

fn swap(folder: &Path, path: &Path, mode: Option<fs::Permissions>, after: &[u8]) -> io::Result<()> {
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".octomind-{}-{number}.tmp", std::process::id()));
    let written = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        if mode.is_some() {
            options.mode(0o600);
        }
        let mut file: File = options.open(&aside)?;
        file.write_all(after)?;
        if let Some(mode) = mode {
            file.set_permissions(mode)?;
        }
        file.sync_all()?;
        fs::rename(&aside, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

fn failed(what: &str, shown: &str, error: &io::Error) -> Refusal {
    let advice = match error.kind() {
        io::ErrorKind::PermissionDenied => " Check its permissions.",
        io::ErrorKind::StorageFull => " Free some space first.",
        _ => "",
    };
    Refusal::new(format!("Cannot {what} {shown}: {error}.{advice}"))
}
