//! Images drawn by the terminal itself: the kitty and the iTerm2 protocol.

use super::probe::Images;

/// Bytes of base64 in one sequence of the kitty protocol.
const CHUNK: usize = 4096;

/// Bytes of base64 that are drawn at most; larger ones are for the viewer.
pub const MOST: usize = 20 * 1024 * 1024;

/// A cell in pixels where the terminal does not tell.
const CELL: (u32, u32) = (9, 18);

/// Whether the terminal draws images of this type.
pub fn draws(how: Images, media_type: &str) -> bool {
    match how {
        Images::Never => false,
        Images::Kitty => media_type == "image/png",
        Images::Iterm => ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"].contains(&media_type),
    }
}

/// Columns and rows that an image takes within a room, its shape kept, never larger than it is.
pub fn fit(pixels: (usize, usize), cell: Option<(u32, u32)>, room: (u16, u16)) -> (u16, u16) {
    let cell = cell.filter(|(width, height)| *width > 0 && *height > 0).unwrap_or(CELL);
    let (width, height) = (pixels.0.max(1) as f64, pixels.1.max(1) as f64);
    let (columns, rows) = (width / f64::from(cell.0), height / f64::from(cell.1));
    let scale = (f64::from(room.0) / columns).min(f64::from(room.1) / rows).min(1.0);
    let whole = |cells: f64, most: u16| (cells * scale).round().clamp(1.0, f64::from(most.max(1))) as u16;
    (whole(columns, room.0), whole(rows, room.1))
}

/// Draws at a cell, counted from 0; the cursor stays where it was. Nothing but base64 goes in.
pub fn draw(how: Images, base64: &str, (x, y): (u16, u16), (columns, rows): (u16, u16)) -> Vec<u8> {
    let data: String =
        base64.chars().filter(|letter| letter.is_ascii_alphanumeric() || "+/=".contains(*letter)).collect();
    let mut out = format!("\x1b7\x1b[{};{}H", y + 1, x + 1);
    match how {
        Images::Never => return Vec::new(),
        Images::Kitty => {
            let mut chunks = data.as_bytes().chunks(CHUNK).peekable();
            // Answers are not asked for: they would arrive as keys.
            let mut head = format!("a=T,f=100,q=2,C=1,c={columns},r={rows},");
            while let Some(chunk) = chunks.next() {
                let more = u8::from(chunks.peek().is_some());
                out.push_str(&format!("\x1b_G{head}m={more};{}\x1b\\", String::from_utf8_lossy(chunk)));
                head.clear();
            }
        }
        Images::Iterm => out.push_str(&format!(
            "\x1b]1337;File=inline=1;width={columns};height={rows};preserveAspectRatio=1:{data}\x07"
        )),
    }
    out.push_str("\x1b8");
    out.into_bytes()
}

/// Takes away what was drawn. Where that is no sequence, the frame that follows is drawn whole.
pub fn clear(how: Images) -> &'static [u8] {
    match how {
        Images::Kitty => b"\x1b_Ga=d,q=2\x1b\\",
        Images::Iterm | Images::Never => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_is_kept_within_the_room() {
        assert_eq!(fit((900, 900), Some((9, 18)), (80, 20)), (40, 20));
        assert_eq!(fit((90, 36), Some((9, 18)), (80, 20)), (10, 2), "never larger than it is");
        assert_eq!(fit((4000, 10), None, (80, 20)), (80, 1));
        assert_eq!(fit((0, 0), Some((0, 0)), (0, 0)), (1, 1));
    }

    #[test]
    fn data_goes_out_in_chunks_and_cannot_end_the_sequence() {
        let data = "A".repeat(CHUNK + 4) + "\x1b\\\x07;";
        let kitty = String::from_utf8(draw(Images::Kitty, &data, (2, 3), (10, 5))).unwrap();
        assert!(kitty.starts_with("\x1b7\x1b[4;3H\x1b_Ga=T,f=100,q=2,C=1,c=10,r=5,m=1;AAAA"), "{kitty:.60}");
        assert!(kitty.ends_with("\x1b_Gm=0;AAAA\x1b\\\x1b8"), "{kitty}");
        let iterm = String::from_utf8(draw(Images::Iterm, &data, (0, 0), (10, 5))).unwrap();
        assert_eq!(iterm.matches('\x07').count(), 1);
        assert_eq!(draw(Images::Never, "AAAA", (0, 0), (1, 1)), b"");
        assert!(draws(Images::Kitty, "image/png") && !draws(Images::Kitty, "image/jpeg"));
        assert!(draws(Images::Iterm, "image/jpeg") && !draws(Images::Iterm, "image/svg+xml"));
    }
}
