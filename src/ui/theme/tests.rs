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

/// Contrast by the web's rule: 4.5 for what is read, 3 for what only stands around.
#[test]
fn text_is_readable_on_its_background() {
    for (name, ground) in [("dark", [0x15, 0x18, 0x1c]), ("light", [255, 255, 255]), ("high-contrast", [0, 0, 0])] {
        let theme = load(name, None, Depth::Full).theme.unwrap();
        for role in Role::ALL {
            let style = theme.style(*role);
            let Some(Color::Rgb(r, g, b)) = style.fg else { continue };
            let ground = match style.bg {
                Some(Color::Rgb(r, g, b)) => [r, g, b],
                _ => ground,
            };
            let decoration = matches!(role, Role::UiBorder | Role::UiScrollbar | Role::MarkdownRule);
            let least = if decoration { 1.6 } else { 4.5 };
            let contrast = contrast([r, g, b], ground);
            assert!(contrast >= least, "{name} {} has contrast {contrast:.2}", role.name());
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
