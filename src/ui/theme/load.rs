use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use ratatui::style::{Color, Modifier, Style};
use serde_spanned::Spanned;
use toml::de::{DeTable, DeValue};

use super::colour::{self, Depth, Shade};
use super::{Role, Theme};
use crate::ui::files::{self, Document};
use crate::ui::problem::{Problem, meant};

/// Themes that come along, by name.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("ember", include_str!("../../../themes/ember.toml")),
    ("paper", include_str!("../../../themes/paper.toml")),
    ("ansi16", include_str!("../../../themes/ansi16.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// `None` when nothing usable was found: keep what there was.
    pub theme: Option<Theme>,
    pub problems: Vec<Problem>,
}

/// The theme `auto` stands for. `shade` is `None` while the terminal has not told.
pub fn choose(setting: &str, depth: Depth, shade: Option<Shade>) -> &str {
    match (setting, depth, shade) {
        ("auto", Depth::None, _) => "mono",
        ("auto", Depth::Sixteen, _) => "ansi16",
        ("auto", _, Some(Shade::Light)) => "light",
        ("auto", _, _) => "dark",
        (name, ..) => name,
    }
}

/// Reads a theme by name, from `folder/<name>.toml` or the built-in ones, for this many colours.
///
/// Without colours every theme looks as `mono` does: it is the one made to be read by weight alone.
pub fn load(name: &str, folder: Option<&Path>, depth: Depth) -> Loaded {
    let chain = files::chain(name, folder, "theme", BUILT_IN);
    let mut problems = chain.problems;
    if chain.documents.is_empty() {
        return Loaded { theme: None, problems };
    }
    let mut reader = Reader::default();
    for document in &chain.documents {
        reader.palette(document);
    }
    for document in &chain.documents {
        reader.roles(document);
    }
    problems.append(&mut reader.problems);
    let mut theme = Theme { name: name.to_owned(), styles: reader.resolve(depth) };
    if depth == Depth::Sixteen {
        theme.tell_marks_apart();
    }
    if depth == Depth::None
        && name != "mono"
        && let Some(mono) = load("mono", None, depth).theme
    {
        theme.styles = mono.styles;
    }
    Loaded { theme: Some(theme), problems }
}

impl Theme {
    /// With few colours the ground of a mark may become that of plain text; then the mark is reversed.
    fn tell_marks_apart(&mut self) {
        let plain = self.style(Role::UiText).bg;
        for role in [Role::UiSelection, Role::UiMatch] {
            let style = self.style(role);
            let told = style.bg != plain || style.add_modifier.contains(Modifier::REVERSED);
            if let Some(own) = self.styles.get_mut(role as usize).filter(|_| !told) {
                *own = style.add_modifier(Modifier::REVERSED);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Reader {
    palette: BTreeMap<String, Color>,
    /// By dotted name; only what the files say.
    styles: BTreeMap<String, Style>,
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, document: &Document, span: Range<usize>, message: String, hint: Option<String>) {
        self.problems.push(Problem::at(&document.file, &document.source, span, message).hint(hint));
    }

    fn palette(&mut self, document: &Document) {
        let Ok(table) = DeTable::parse(&document.source) else { return };
        let palette = table.get_ref().iter().find(|(name, _)| name.get_ref().as_ref() == "palette");
        let Some((_, value)) = palette else { return };
        let DeValue::Table(entries) = value.get_ref() else {
            self.problem(document, value.span(), "`palette` is a table of names and colours".to_owned(), None);
            return;
        };
        for (name, value) in entries {
            match value.get_ref() {
                DeValue::String(text) if colour::parse(text).is_some() => {
                    let _ =
                        self.palette.insert(name.get_ref().to_string(), colour::parse(text).unwrap_or(Color::Reset));
                }
                _ => {
                    let hint = Some("write `#rrggbb`, one of the sixteen names, or `none`".to_owned());
                    self.problem(document, value.span(), format!("`{}` is no colour", name.get_ref()), hint);
                }
            }
        }
    }

    fn roles(&mut self, document: &Document) {
        let Ok(table) = DeTable::parse(&document.source) else { return };
        for (name, value) in table.get_ref() {
            let role = name.get_ref().as_ref();
            if role == "inherits" || role == "palette" {
                continue;
            }
            if !known(role) {
                let hint = meant(role, Role::ALL.iter().map(|role| role.name()));
                self.problem(document, name.span(), format!("there is no role `{role}`"), hint);
                continue;
            }
            if let Some(style) = self.style(document, value) {
                self.styles.insert(role.to_owned(), style);
            }
        }
    }

    fn style(&mut self, document: &Document, value: &Spanned<DeValue<'_>>) -> Option<Style> {
        match value.get_ref() {
            DeValue::String(text) => Some(Style::new().fg(self.colour(document, text, value.span())?)),
            DeValue::Table(table) => {
                let mut style = Style::new();
                for (name, value) in table {
                    match (name.get_ref().as_ref(), value.get_ref()) {
                        ("fg", DeValue::String(text)) => style.fg = self.colour(document, text, value.span()),
                        ("bg", DeValue::String(text)) => style.bg = self.colour(document, text, value.span()),
                        ("mods", DeValue::Array(_)) => style = style.add_modifier(self.modifiers(document, value)),
                        (field, _) => {
                            let hint = meant(field, ["fg", "bg", "mods"]);
                            self.problem(document, name.span(), format!("`{field}` cannot stand here"), hint);
                        }
                    }
                }
                Some(style)
            }
            _ => {
                let hint = Some("write a colour or `{ fg, bg, mods }`".to_owned());
                self.problem(document, value.span(), "this is no style".to_owned(), hint);
                None
            }
        }
    }

    fn colour(&mut self, document: &Document, text: &str, span: Range<usize>) -> Option<Color> {
        let found = self.palette.get(text).copied().or_else(|| colour::parse(text));
        if found.is_none() {
            let hint =
                meant(text, self.palette.keys().map(String::as_str).chain(colour::names().map(|name| name as &str)));
            self.problem(document, span, format!("there is no colour `{text}`"), hint);
        }
        found
    }

    fn modifiers(&mut self, document: &Document, value: &Spanned<DeValue<'_>>) -> Modifier {
        let DeValue::Array(list) = value.get_ref() else { return Modifier::empty() };
        let mut modifiers = Modifier::empty();
        for value in list.iter() {
            match value.get_ref() {
                DeValue::String(text) if colour::modifier(text).is_some() => {
                    modifiers |= colour::modifier(text).unwrap_or_default();
                }
                DeValue::String(text) => {
                    let hint = meant(text, colour::MODIFIERS.iter().copied());
                    self.problem(document, value.span(), format!("there is no modifier `{text}`"), hint);
                }
                _ => self.problem(document, value.span(), "a modifier is a name in quotes".to_owned(), None),
            }
        }
        modifiers
    }

    /// Each role: `ui`, then every dotted part of its name, the later over the earlier.
    fn resolve(&self, depth: Depth) -> Vec<Style> {
        let base = self.styles.get("ui").copied().unwrap_or_default();
        let one = |role: &Role| {
            let name = role.name();
            let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
            ends.map(|end| &name[..end])
                .filter(|part| *part != "ui")
                .filter_map(|part| self.styles.get(part))
                .fold(base, |style, more| style.patch(*more))
        };
        Role::ALL.iter().map(|role| colour::downgrade(one(role), depth)).collect()
    }
}

/// A role, or the part before a dot of one.
fn known(name: &str) -> bool {
    Role::ALL
        .iter()
        .any(|role| role.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}
