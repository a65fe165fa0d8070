//! Large bodies beside the journal, named by the SHA-256 of what they hold.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{create_private_folder, write_private};
use crate::proto::Content;

/// Bodies up to this many bytes stay in their event.
pub const INLINE_MAX: usize = 32 * 1024;

/// Bytes of a text body that its event keeps for showing.
const PREVIEW_BYTES: usize = 2 * 1024;

/// Ends the name of a blob that holds media: a line with the media type, then base64.
const MEDIA_SUFFIX: &str = ".media";

/// The `blobs` folder of one session.
#[derive(Debug, Clone)]
pub struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    pub fn new(session_folder: &Path) -> Self {
        Self { folder: session_folder.join("blobs") }
    }

    /// The content with every large body replaced by a reference to its blob, which is on disk when
    /// this returns.
    pub fn offload(&self, content: Content) -> io::Result<Content> {
        match content {
            Content::Text(text) if text.len() > INLINE_MAX => {
                let hash = self.put(text.as_bytes(), "")?;
                let preview = preview(&text).to_owned();
                Ok(Content::Blob { hash, bytes: text.len() as u64, preview })
            }
            Content::Media { media_type, base64 } if base64.len() > INLINE_MAX => {
                let bytes = base64.len() as u64 / 4 * 3;
                let hash = self.put(format!("{media_type}\n{base64}").as_bytes(), MEDIA_SUFFIX)?;
                Ok(Content::Blob {
                    hash,
                    bytes,
                    preview: format!("[{}]", crate::text::picture::label(&media_type, &base64)),
                })
            }
            Content::Parts(parts) => {
                Ok(Content::Parts(parts.into_iter().map(|part| self.offload(part)).collect::<io::Result<_>>()?))
            }
            small => Ok(small),
        }
    }

    fn put(&self, bytes: &[u8], suffix: &str) -> io::Result<String> {
        let name = format!("{}{suffix}", hex(bytes));
        let path = self.folder.join(&name);
        let there = fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64);
        if !there {
            create_private_folder(&self.folder)?;
            write_private(&path, bytes)?;
        }
        Ok(name)
    }

    /// What a blob holds; `None` when it is gone or damaged.
    pub fn get(&self, name: &str) -> Option<Content> {
        let digest = name.strip_suffix(MEDIA_SUFFIX).unwrap_or(name);
        // A name that is no hash never becomes a path.
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let bytes = fs::read(self.folder.join(name)).ok()?;
        if hex(&bytes) != digest {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        if digest.len() == name.len() {
            return Some(Content::Text(text));
        }
        let (media_type, base64) = text.split_once('\n')?;
        Some(Content::Media { media_type: media_type.to_owned(), base64: base64.to_owned() })
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The beginning of a text, cut at a line end if there is one in reach.
fn preview(text: &str) -> &str {
    let cut = &text[..text.floor_char_boundary(PREVIEW_BYTES)];
    cut.rfind('\n').map_or(cut, |end| &cut[..end])
}
