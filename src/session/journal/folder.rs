//! Folders and files that only their owner can read, whatever the umask.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};

/// Creates the folder and what is missing above it, each 0700. A folder that was there before
/// keeps its mode unless it is the last one.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path)?;
    #[cfg(unix)]
    if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Opens for reading and appending, creates with 0600; an existing file is brought to 0600. A link is
/// an error: what it leads to is nobody's to change.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    let file = options.open(path).map_err(|error| match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => io::Error::other(format!("{} is a link; it is not followed", path.display())),
        _ => error,
    })?;
    #[cfg(unix)]
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a whole file with 0600 so that it is there complete or not at all.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = (|| {
        let mut file = open_private(&part)?;
        file.set_len(0)?;
        file.write_all(bytes)?;
        fs::rename(&part, path)
    })();
    if written.is_err() {
        // The part is of no use to anyone; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&part);
    }
    written
}
