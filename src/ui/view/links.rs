//! Links of rows on the screen.

use std::path::{Component, Path, PathBuf};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::text;
use crate::ui::term::Links;
use crate::ui::theme::tag;
use crate::ui::transcript::{Row, Target};

/// Has the cells of a drawn row carry where they lead.
pub fn mark(folder: &str, links: &Links, row: &Row, place: Rect, buffer: &mut Buffer) {
    for link in &row.links {
        let address = match &link.target {
            Target::Address(address) => address.to_string(),
            Target::File { path, .. } => file_address(links.host(), folder, path),
        };
        let (start, end) = (link.start as usize, link.end as usize);
        let (Some(number), Some(before), Some(shown)) =
            (links.number(&address), row.text.get(..start), row.text.get(start..end))
        else {
            continue;
        };
        let from = place.x.saturating_add(u16::try_from(text::width(before)).unwrap_or(u16::MAX));
        let to = from.saturating_add(u16::try_from(text::width(shown)).unwrap_or(u16::MAX));
        for x in from..to.min(place.right()) {
            if let Some(cell) = buffer.cell_mut((x, place.y)) {
                tag::put(cell, number);
            }
        }
    }
}

/// A file as an address: the host says whose file it is, as a terminal may show those of another machine.
fn file_address(host: &str, folder: &str, path: &str) -> String {
    let mut address = format!("file://{host}");
    for byte in absolute(folder, path).to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(byte))
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// The path from the folder, without `.` and `..`.
pub fn absolute(folder: &str, path: &str) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => drop(whole.pop()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_whole_and_by_its_machine() {
        for (path, wanted) in [
            ("src/a.rs", "file://here/w/src/a.rs"),
            ("./b/../c d.rs", "file://here/w/c%20d.rs"),
            ("/etc/x#y", "file://here/etc/x%23y"),
            ("../../../ä", "file://here/%C3%A4"),
        ] {
            assert_eq!(file_address("here", "/w", path), wanted);
        }
    }
}
