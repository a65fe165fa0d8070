use super::*;

#[test]
#[cfg(feature = "tui")]
fn the_interactivity_matrix() {
    use Format::{Jsonl, Plain};
    use Input::{Empty, Terminal, Text};
    let cases = [
        (Terminal, Screen::Terminal, None, Ok(Mode::Workbench)),
        (Text, Screen::Terminal, None, Ok(Mode::Headless(Plain))),
        (Text, Screen::Other, None, Ok(Mode::Headless(Plain))),
        (Text, Screen::Other, Some(Plain), Ok(Mode::Headless(Plain))),
        (Text, Screen::Terminal, Some(Jsonl), Ok(Mode::Headless(Jsonl))),
        (Text, Screen::Other, Some(Jsonl), Ok(Mode::Headless(Jsonl))),
        (Empty, Screen::Terminal, None, Err(ModeError::NoMessage)),
        (Empty, Screen::Other, Some(Plain), Err(ModeError::NoMessage)),
        (Empty, Screen::Other, Some(Jsonl), Err(ModeError::NoMessage)),
        (Terminal, Screen::Terminal, Some(Plain), Err(ModeError::FormatOnTerminal)),
        (Terminal, Screen::Other, Some(Jsonl), Err(ModeError::FormatOnTerminal)),
        (Terminal, Screen::Other, None, Err(ModeError::NoScreen)),
    ];
    for (input, screen, format, mode) in cases {
        assert_eq!(decide(input, screen, format), mode, "{input:?} {screen:?} {format:?}");
    }
}
