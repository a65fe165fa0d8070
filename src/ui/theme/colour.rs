use ratatui::style::{Color, Modifier, Style};

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// NO_COLOR, or a terminal without any.
    None,
    Sixteen,
    Indexed,
    Full,
}

/// Whether the terminal's background is dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shade {
    Dark,
    Light,
}

impl Shade {
    /// By the perceived lightness of a background colour.
    pub fn of(red: u8, green: u8, blue: u8) -> Self {
        let lightness = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
        if lightness > 127_500 { Self::Light } else { Self::Dark }
    }
}

/// Names of the sixteen colours, and what they usually look like.
const NAMED: &[(&str, Color, [u8; 3])] = &[
    ("black", Color::Black, [0, 0, 0]),
    ("red", Color::Red, [205, 0, 0]),
    ("green", Color::Green, [0, 205, 0]),
    ("yellow", Color::Yellow, [205, 205, 0]),
    ("blue", Color::Blue, [0, 0, 238]),
    ("magenta", Color::Magenta, [205, 0, 205]),
    ("cyan", Color::Cyan, [0, 205, 205]),
    ("white", Color::Gray, [229, 229, 229]),
    ("bright-black", Color::DarkGray, [127, 127, 127]),
    ("bright-red", Color::LightRed, [255, 0, 0]),
    ("bright-green", Color::LightGreen, [0, 255, 0]),
    ("bright-yellow", Color::LightYellow, [255, 255, 0]),
    ("bright-blue", Color::LightBlue, [92, 92, 255]),
    ("bright-magenta", Color::LightMagenta, [255, 0, 255]),
    ("bright-cyan", Color::LightCyan, [0, 255, 255]),
    ("bright-white", Color::White, [255, 255, 255]),
];

/// Names a theme file may use without a palette.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMED.iter().map(|(name, ..)| *name).chain(["none"])
}

/// `#rrggbb`, `#rgb`, a number from 0 to 255, `none` for the terminal's own, or a name.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        return hexadecimal(hex);
    }
    if text == "none" {
        return Some(Color::Reset);
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    NAMED.iter().find(|(name, ..)| *name == text).map(|(_, colour, _)| *colour)
}

fn hexadecimal(hex: &str) -> Option<Color> {
    if !hex.is_ascii() {
        return None;
    }
    let digit = |at: usize, len: usize| u8::from_str_radix(hex.get(at..at + len)?, 16).ok();
    match hex.len() {
        6 => Some(Color::Rgb(digit(0, 2)?, digit(2, 2)?, digit(4, 2)?)),
        3 => Some(Color::Rgb(digit(0, 1)? * 17, digit(1, 1)? * 17, digit(2, 1)? * 17)),
        _ => None,
    }
}

pub(super) fn modifier(text: &str) -> Option<Modifier> {
    Some(match text {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underlined" => Modifier::UNDERLINED,
        "reversed" => Modifier::REVERSED,
        "crossed-out" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}

pub(super) const MODIFIERS: &[&str] = &["bold", "dim", "italic", "underlined", "reversed", "crossed-out"];

/// The style as this terminal can show it.
pub(super) fn downgrade(style: Style, depth: Depth) -> Style {
    let near = |colour: Option<Color>| colour.and_then(|colour| nearest(colour, depth));
    let mut out = style;
    out.fg = near(style.fg);
    out.bg = near(style.bg);
    out.underline_color = near(style.underline_color);
    // With few colours two shades may become one; then the text would vanish.
    if depth == Depth::Sixteen && out.fg.is_some() && out.fg == out.bg && out.fg != Some(Color::Reset) {
        out.fg = style.bg.map(|background| match background {
            Color::Rgb(r, g, b) if Shade::of(r, g, b) == Shade::Light => Color::Black,
            _ => Color::White,
        });
    }
    out
}

fn nearest(colour: Color, depth: Depth) -> Option<Color> {
    match (depth, colour) {
        (Depth::None, _) => None,
        (Depth::Indexed, Color::Rgb(r, g, b)) => Some(Color::Indexed(indexed([r, g, b]))),
        (Depth::Sixteen, Color::Rgb(r, g, b)) => Some(sixteen([r, g, b])),
        (Depth::Sixteen, Color::Indexed(index)) => Some(sixteen(components(index))),
        _ => Some(colour),
    }
}

/// Steps of the 6×6×6 cube in the 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the cube and the greys.
fn indexed(wanted: [u8; 3]) -> u8 {
    (16..=255u8).min_by_key(|index| distance(components(*index), wanted)).unwrap_or(16)
}

fn components(index: u8) -> [u8; 3] {
    match index {
        0..16 => NAMED[usize::from(index)].2,
        16..232 => {
            let cube = index - 16;
            [STEPS[usize::from(cube / 36)], STEPS[usize::from(cube / 6 % 6)], STEPS[usize::from(cube % 6)]]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

/// The nearest of sixteen. A colour with a hue keeps its hue, however pale it is: hue carries the
/// meaning. The eight plain colours are used for dark shades, the bright ones for light shades.
fn sixteen(wanted: [u8; 3]) -> Color {
    let max = wanted.iter().max().copied().unwrap_or(0);
    let min = wanted.iter().min().copied().unwrap_or(0);
    if max - min <= 40 {
        let grey = |look: [u8; 3]| look[0] == look[1] && look[1] == look[2];
        let greys = NAMED.iter().filter(|(_, _, look)| grey(*look));
        return greys.min_by_key(|(_, _, look)| distance(*look, wanted)).map_or(Color::Reset, |(_, colour, _)| *colour);
    }
    let strong = |part: u8| u16::from(part - min) * 2 > u16::from(max - min);
    let bits = usize::from(strong(wanted[0])) + 2 * usize::from(strong(wanted[1])) + 4 * usize::from(strong(wanted[2]));
    let bright = if max > 160 { 8 } else { 0 };
    NAMED.get(bits + bright).map_or(Color::Reset, |(_, colour, _)| *colour)
}

/// Squared distance, weighted by how the eye sees the three.
fn distance(first: [u8; 3], second: [u8; 3]) -> u32 {
    let square = |at: usize| u32::from(first[at].abs_diff(second[at])).pow(2);
    2 * square(0) + 4 * square(1) + 3 * square(2)
}
