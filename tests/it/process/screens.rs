//! Whole screens of the real binary, read back through a terminal emulator.

use super::home::Home;
use crate::workbench::pty::Pty;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

/// So narrow that one pane is shown at a time, and its text can be read on from line to line.
pub const NARROW: u16 = 78;

/// The text of a narrow screen without borders and line ends.
pub fn flowed(pty: &Pty) -> String {
    let text = pty.text().replace(['│', '┃'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What must hold of every screen: header, whole borders, nothing that is not a character.
#[track_caller]
pub fn assert_clean(pty: &Pty, columns: u16, rows: u16) {
    let text = pty.text();
    let stray = |letter: char| letter == '\u{fffd}' || (letter.is_control() && letter != '\n');
    assert!(!text.contains(stray), "{text:?}");
    assert!(pty.row(0).starts_with(" octomind"), "{text}");
    let screen = pty.screen();
    let edge =
        |row: u16, column: u16| screen.cell(row, column).map(|cell| cell.contents().to_owned()).unwrap_or_default();
    for row in 1..rows {
        let (left, right) = match row {
            1 => ("┌", "┐"),
            row if row == rows - 1 => ("└", "┘"),
            _ => ("│├", "│┤┃"),
        };
        let (first, last) = (edge(row, 0), edge(row, columns - 1));
        let whole = !first.is_empty() && left.contains(&first) && !last.is_empty() && right.contains(&last);
        assert!(whole, "row {row} of {columns}×{rows} runs from {first:?} to {last:?}\n{text}");
    }
    let composer = pty.row(rows - 2);
    assert!(composer.contains('›'), "the composer is in its place: {composer}\n{text}");
}

#[test]
fn the_tour_opens_whole_at_every_size() {
    let home = Home::new();
    for (columns, rows) in SIZES {
        let mut pty = home.workbench(&["tour"], columns, rows);
        pty.wait_for("compose a message");
        assert_clean(&pty, columns, rows);
        pty.send(b"hello\r");
        pty.wait("the greeting", |pty| pty.text().contains("script") || pty.text().contains("leaves"));
        assert_clean(&pty, columns, rows);
        pty.kill(rustix::process::Signal::TERM);
        pty.end();
        pty.assert_restored();
    }
    home.assert_nothing_alive();
}

#[test]
fn a_message_is_answered_and_a_tool_runs_for_real_at_every_size() {
    for (columns, rows) in SIZES {
        let home = Home::new();
        // No set of tools comes by itself between what is looked for.
        let mut pty = home.workbench(&["-c", "auto_capabilities=false"], columns, rows);
        if columns >= 80 {
            // Server, its state, its tools: the surface.
            pty.wait("the surface", |pty| pty.text().contains("● files") && pty.text().contains("view"));
        }
        pty.send(b"look here\r");
        pty.wait("the tool's answer in the reply", |pty| {
            let text = pty.text();
            text.contains("I saw:") && text.contains("poem.txt")
        });
        pty.wait("the composer is free", |pty| pty.text().contains("compose a message"));
        assert_clean(&pty, columns, rows);
        if columns >= 80 {
            let text = pty.text();
            assert!(text.contains("you  look here") && text.contains("files.list"), "{text}");
        }
        let session = home.sessions().pop().expect("a session");
        let results = home.recorded(&session, "tool_finished");
        assert!(results.len() == 1 && results[0]["outcome"] == "ok", "{results:?}");
        pty.kill(rustix::process::Signal::TERM);
        pty.end();
        pty.assert_restored();
        home.assert_nothing_alive();
    }
}

#[test]
fn too_small_a_terminal_is_told_so_and_growing_it_helps() {
    let home = Home::new();
    let mut pty = home.in_terminal(&[], &[], 80, 24);
    pty.resize(30, 8);
    pty.wait("a notice", |pty| !pty.text().contains('›') && pty.text().contains("40"));
    pty.resize(80, 24);
    pty.wait_for("compose a message");
    assert_clean(&pty, 80, 24);
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
    pty.assert_restored();
}
