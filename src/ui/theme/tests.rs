use ratatui::style::{Color, Modifier, Style};

use super::*;

fn own(source: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.toml"), source).unwrap();
    load("own", Some(folder.path()), Depth::Full)
}

#[test]
fn built_in_themes_have_no_problems() {
    for (name, _) in BUILT_IN {
        let loaded = load(name, None, Depth::Full);
        assert_eq!(loaded.problems, Vec::new(), "{name}");
        assert!(loaded.theme.is_some(), "{name}");
    }
}

#[test]
fn a_role_takes_what_it_does_not_say_from_its_parents() {
    let theme = own("\"ui\" = \"white\"\n\"ui.border\" = { fg = \"mine\", mods = [\"dim\"] }\n\"ui.border.focus\" = { bg = \"black\" }\n\"tool\" = \"#0af\"\n\"tool.error\" = \"red\"\n[palette]\nmine = \"#010203\"\n").theme.unwrap();
    let mine = Style::new().fg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::DIM);
    assert_eq!(theme.style(Role::UiBorder), mine);
    assert_eq!(theme.style(Role::UiBorderFocus), mine.bg(Color::Black));
    assert_eq!(theme.style(Role::ToolName), Style::new().fg(Color::Rgb(0, 170, 255)));
    assert_eq!(theme.style(Role::ToolError), Style::new().fg(Color::Red));
    assert_eq!(theme.style(Role::CodeText), Style::new().fg(Color::Gray));
}

#[test]
fn a_child_may_change_only_the_palette() {
    let theme = own("inherits = \"dark\"\n[palette]\nteal = \"#112233\"\n").theme.unwrap();
    assert_eq!(theme.style(Role::UiAccent).fg, Some(Color::Rgb(0x11, 0x22, 0x33)));
}

#[test]
fn each_fault_is_named() {
    let loaded = own(
        "\"ui.bordr\" = \"red\"\n\"tool\" = \"rde\"\n\"user\" = { fgg = \"red\" }\n\"code\" = { mods = [\"bald\"] }\n\"diff\" = 3\n[palette]\nx = \"#12\"\n",
    );
    let found: Vec<String> =
        loaded.problems.iter().map(|problem| problem.to_string().rsplit_once('/').unwrap().1.to_owned()).collect();
    let found = found.join("\n");
    for expected in [
        "own.toml:1: there is no role `ui.bordr` (hint: did you mean `ui.border`?)",
        "own.toml:2: there is no colour `rde` (hint: did you mean `red`?)",
        "own.toml:3: `fgg` cannot stand here (hint: did you mean `fg`?)",
        "own.toml:4: there is no modifier `bald` (hint: did you mean `bold`?)",
        "own.toml:5: this is no style",
        "own.toml:7: `x` is no colour",
    ] {
        assert!(found.contains(expected), "{expected}\nin\n{found}");
    }
    assert!(loaded.theme.is_some(), "one bad role does not cost the others");
}

#[test]
fn colours_come_down_to_what_the_terminal_shows() {
    let at = |depth| load("dark", None, depth).theme.unwrap();
    for role in Role::ALL {
        for colour in [at(Depth::Indexed).style(*role).fg, at(Depth::Indexed).style(*role).bg] {
            assert!(!matches!(colour, Some(Color::Rgb(..))), "{role:?}");
        }
        for colour in [at(Depth::Sixteen).style(*role).fg, at(Depth::Sixteen).style(*role).bg] {
            assert!(!matches!(colour, Some(Color::Rgb(..) | Color::Indexed(_))), "{role:?}");
        }
        let style = at(Depth::None).style(*role);
        assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
    }
    assert_eq!(at(Depth::Sixteen).style(Role::ToolError).fg, Some(Color::LightRed));
    assert!(at(Depth::None).style(Role::UiSelection).add_modifier.contains(Modifier::REVERSED));
    assert!(at(Depth::None).style(Role::ToolError).add_modifier.contains(Modifier::BOLD));
}

/// Lines, not text.
const DECORATION: [Role; 3] = [Role::UiBorder, Role::UiScrollbar, Role::MarkdownRule];

/// What a terminal shows where a theme leaves the background to it.
fn ground_of(name: &str) -> [u8; 3] {
    match name {
        "light" => [255, 255, 255],
        _ => [0x15, 0x18, 0x1c],
    }
}

fn components(colour: Option<Color>) -> Option<[u8; 3]> {
    match colour {
        Some(Color::Rgb(r, g, b)) => Some([r, g, b]),
        _ => None,
    }
}

/// Contrast by the web's rule: 4.5 for what is read, on the background, in overlays, on the marked row
/// and under a match; 1.6 for lines.
#[test]
fn text_is_readable_on_every_ground_it_can_stand_on() {
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| !["ansi16", "mono"].contains(name)) {
        let theme = load(name, None, Depth::Full).theme.unwrap();
        let plain = components(theme.style(Role::UiText).bg).unwrap_or(ground_of(name));
        for role in Role::ALL {
            let own = theme.style(*role);
            let least = if DECORATION.contains(role) { 1.6 } else { 4.5 };
            for ground in [Role::UiText, Role::UiOverlay, Role::UiCursorLine, Role::UiSelection, Role::UiMatch] {
                // As `view` lays them: an overlay's ground lies under the text, a mark over it.
                let over = theme.style(ground);
                let style = match ground {
                    Role::UiSelection | Role::UiMatch | Role::UiCursorLine => own.patch(over),
                    _ if own.bg.is_some() && own.bg != theme.style(Role::UiText).bg => own,
                    _ => own.bg(over.bg.unwrap_or(Color::Reset)),
                };
                let Some(text) = components(style.fg) else { panic!("{name} {} has no colour", role.name()) };
                let behind = components(style.bg).unwrap_or(plain);
                let found = contrast(text, behind);
                let (role, ground) = (role.name(), ground.name());
                assert!(found >= least, "{name}: {role} on {ground} has contrast {found:.2}, not {least}");
            }
        }
    }
}

/// The sixteen colours are the person's, so nothing may rest on how they look: text keeps the terminal's
/// own colours or stands on a ground that the theme set with it.
#[test]
fn themes_without_colours_of_their_own_never_set_a_ground_without_a_text_colour() {
    for name in ["ansi16", "mono"] {
        let theme = load(name, None, Depth::Full).theme.unwrap();
        for role in Role::ALL {
            let style = theme.style(*role);
            assert!(components(style.fg).is_none() && components(style.bg).is_none(), "{name} {}", role.name());
            let ground = style.bg.is_some_and(|ground| ground != Color::Reset);
            assert!(
                !ground || style.fg.is_some_and(|text| text != Color::Reset && Some(text) != style.bg),
                "{name} {}",
                role.name()
            );
        }
    }
}

fn contrast(first: [u8; 3], second: [u8; 3]) -> f64 {
    let part = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let light = |c: [u8; 3]| 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
    let (a, b) = (light(first), light(second));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn auto_follows_the_terminal() {
    assert_eq!(choose("auto", Depth::Full, None), "dark");
    assert_eq!(choose("auto", Depth::Indexed, Some(Shade::Light)), "light");
    assert_eq!(choose("auto", Depth::Sixteen, Some(Shade::Light)), "ansi16");
    assert_eq!(choose("auto", Depth::None, None), "mono");
    assert_eq!(choose("light", Depth::None, None), "light");
}
