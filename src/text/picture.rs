//! What an image is, told from its first bytes.

use base64::Engine as _;

/// Base64 looked at for the dimensions: they may stand behind a photo's own notes.
const LOOKED_AT: usize = 256 * 1024;

/// `image/png, 640 × 480`; the type alone where the dimensions cannot be told.
pub fn label(media_type: &str, base64: &str) -> String {
    let media_type = super::sanitize_line(media_type);
    match dimensions(base64) {
        Some((width, height)) => format!("{media_type}, {width} × {height}"),
        None => media_type.into_owned(),
    }
}

/// Columns and rows of pixels of an image that is given in base64.
pub fn dimensions(base64: &str) -> Option<(usize, usize)> {
    let mut head = base64.get(..base64.len().min(LOOKED_AT))?;
    if head.len() < base64.len() {
        head = &head[..head.len() / 4 * 4];
    }
    let bytes = base64::engine::general_purpose::STANDARD.decode(head).ok()?;
    let size = imagesize::blob_size(&bytes).ok()?;
    Some((size.width, size.height))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG of 3 × 2 pixels as far as its header goes.
    fn png(width: u32, height: u32) -> String {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
        base64::engine::general_purpose::STANDARD.encode(bytes)
    }

    #[test]
    fn dimensions_come_from_the_header_and_nothing_else_is_believed() {
        assert_eq!(label("image/png", &png(640, 480)), "image/png, 640 × 480");
        assert_eq!(label("image/\u{1b}[31mpng", "QUJD"), "image/png");
        for base64 in ["", "=", "!!!!", "QUJD", &png(3, 2)[..12], "é"] {
            assert_eq!(dimensions(base64), None, "{base64}");
        }
        let long = png(3, 2) + &"A".repeat(3 * LOOKED_AT);
        assert_eq!(dimensions(&long.replace('=', "A")), Some((3, 2)));
    }
}
