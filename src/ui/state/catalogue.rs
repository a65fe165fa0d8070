use super::fuzzy::{Words, named_or_told};
use super::{Noun, State, Subject};
use crate::proto::{CatalogueItem, CatalogueProblem, CatalogueView, WITH_PROGRAM};

/// A list of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shelf {
    Taps,
    Agents,
    Capabilities,
    Skills,
    Plugins,
    /// Every finding of every part, errors first.
    Problems,
}

impl Shelf {
    pub const ALL: &'static [Self] =
        &[Self::Taps, Self::Agents, Self::Capabilities, Self::Skills, Self::Plugins, Self::Problems];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Taps => "taps",
            Self::Agents => "agents",
            Self::Capabilities => "capabilities",
            Self::Skills => "skills",
            Self::Plugins => "plugins",
            Self::Problems => "problems",
        }
    }

    /// One of them.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Taps => "tap",
            Self::Agents => "agent",
            Self::Capabilities => "capability",
            Self::Skills => "skill",
            Self::Plugins => "plugin",
            Self::Problems => "problem",
        }
    }

    /// The list so many further on, round at the ends.
    pub fn turned(self, by: isize) -> Self {
        let here = Self::ALL.iter().position(|shelf| *shelf == self).unwrap_or(0).cast_signed();
        let to = (here + by).rem_euclid(Self::ALL.len().cast_signed());
        Self::ALL.get(to.unsigned_abs()).copied().unwrap_or(self)
    }

    pub fn items(self, view: &CatalogueView) -> &[CatalogueItem] {
        match self {
            Self::Taps => &view.taps,
            Self::Agents => &view.agents,
            Self::Capabilities => &view.capabilities,
            Self::Skills => &view.skills,
            Self::Plugins => &view.plugins,
            Self::Problems => &[],
        }
    }
}

/// A row of a list of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShelfRow<'a> {
    Part(Shelf, &'a CatalogueItem),
    /// A finding, and the part it is about if it is about one.
    Finding(&'a CatalogueProblem, Option<(Shelf, &'a CatalogueItem)>),
}

impl ShelfRow<'_> {
    /// What a reader shows of it.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Part(shelf, item) | Self::Finding(_, Some((shelf, item))) => {
                Subject::Part { shelf: *shelf, name: item.name.clone(), file: item.file.clone() }
            }
            Self::Finding(problem, None) => {
                Subject::Finding { place: problem.place.clone(), message: problem.message.clone() }
            }
        }
    }

    /// The file to look into, and the line in it.
    pub fn source(&self) -> (&str, Option<u32>) {
        match self {
            Self::Part(_, item) => source_of(item),
            Self::Finding(problem, item) => match split_place(&problem.place) {
                ("", _) => (item.map_or("", |(_, item)| item.file.as_str()), None),
                place => place,
            },
        }
    }
}

/// The file that declares a part, at its gravest finding there.
fn source_of(item: &CatalogueItem) -> (&str, Option<u32>) {
    let here = item.problems.iter().filter(|problem| split_place(&problem.place).0 == item.file);
    let gravest = here.min_by_key(|problem| (!problem.error, problem.note));
    (&item.file, gravest.and_then(|problem| split_place(&problem.place).1))
}

/// File and line of `file:line:column`; also of `file:line` and of a file alone.
fn split_place(place: &str) -> (&str, Option<u32>) {
    let number = |text: &str| text.parse::<u32>().ok();
    let Some((before, last)) = place.rsplit_once(':').filter(|(_, last)| number(last).is_some()) else {
        return (place, None);
    };
    match before.rsplit_once(':').map(|(file, line)| (file, number(line))) {
        Some((file, Some(line))) => (file, Some(line)),
        _ => (before, number(last)),
    }
}

/// Errors and doubts; notes are neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Findings {
    pub errors: usize,
    pub doubts: usize,
}

impl Findings {
    pub fn of<'a>(problems: impl IntoIterator<Item = &'a CatalogueProblem>) -> Self {
        let mut findings = Self::default();
        for problem in problems.into_iter().filter(|problem| !problem.note) {
            if problem.error {
                findings.errors += 1;
            } else {
                findings.doubts += 1;
            }
        }
        findings
    }
}

impl State {
    /// A list of the catalogue under a filter. Without one, what does not work stands first, but for
    /// taps, whose order is their priority.
    pub fn shelf_rows(&self, shelf: Shelf, filter: &str) -> Vec<ShelfRow<'_>> {
        let view = &*self.snapshot.catalogue;
        let rows = match shelf {
            Shelf::Problems => every_problem(view),
            Shelf::Taps => view.taps.iter().map(|item| ShelfRow::Part(shelf, item)).collect(),
            _ => {
                let mut items: Vec<&CatalogueItem> = shelf.items(view).iter().collect();
                items.sort_by_key(|item| Findings::of(&item.problems).errors == 0);
                items.into_iter().map(|item| ShelfRow::Part(shelf, item)).collect()
            }
        };
        named_or_told(rows, filter, words_of)
    }

    /// Findings of a list.
    pub fn shelf_findings(&self, shelf: Shelf) -> Findings {
        let view = &*self.snapshot.catalogue;
        match shelf {
            Shelf::Problems => {
                let all = every_problem(view);
                Findings::of(all.iter().filter_map(|row| match row {
                    ShelfRow::Finding(problem, _) => Some(*problem),
                    ShelfRow::Part(..) => None,
                }))
            }
            _ => Findings::of(shelf.items(view).iter().flat_map(|item| &item.problems)),
        }
    }

    /// The part of the catalogue that a reader shows.
    pub fn part(&self, shelf: Shelf, name: &str, file: &str) -> Option<&CatalogueItem> {
        shelf.items(&self.snapshot.catalogue).iter().find(|item| item.name == name && item.file == file)
    }

    /// A finding that belongs to no part.
    pub fn finding(&self, place: &str, message: &str) -> Option<&CatalogueProblem> {
        let problems = self.snapshot.catalogue.problems.iter();
        problems.into_iter().find(|problem| problem.place == place && problem.message == message)
    }

    /// The capability or skill of this name; of those that taps name alike the one that counts.
    fn item_named(&self, noun: Noun, name: &str) -> Option<&CatalogueItem> {
        let items = match noun {
            Noun::Tool => return None,
            Noun::Capability => &self.snapshot.catalogue.capabilities,
            Noun::Skill => &self.snapshot.catalogue.skills,
        };
        items.iter().find(|item| item.name == name)
    }

    /// The file that the topmost overlay or the marked row of a pane comes from.
    pub fn source(&self) -> Option<(String, Option<u32>)> {
        use super::{Layer, Listing, Reader};
        let own = |(file, line): (&str, Option<u32>)| (!file.is_empty()).then(|| (file.to_owned(), line));
        match self.layers.last()? {
            Layer::Picker(picker) => match picker.of {
                Listing::Agents => own(source_of(self.agent_rows(&picker.filter).get(picker.selected)?.item?)),
                Listing::Catalogue(shelf) => own(self.shelf_rows(shelf, &picker.filter).get(picker.selected)?.source()),
                Listing::Help
                | Listing::Palette
                | Listing::History
                | Listing::Prompts
                | Listing::Waiting
                | Listing::Code
                | Listing::Leads
                | Listing::Why(_) => None,
            },
            Layer::Reader(Reader { subject, .. }) => match subject {
                Subject::Part { shelf, name, file } => own(source_of(self.part(*shelf, name, file)?)),
                Subject::Finding { place, .. } => own(split_place(place)),
                Subject::Skill(name) => {
                    let skill = self.snapshot.skills.iter().find(|skill| skill.name == *name)?;
                    own((&skill.file, None))
                }
                Subject::Why(noun, name) => own(source_of(self.item_named(*noun, name)?)),
                Subject::Entry(_)
                | Subject::Note(_)
                | Subject::Plan
                | Subject::Switch(_)
                | Subject::Wire(..)
                | Subject::Server(_)
                | Subject::Child(_)
                | Subject::Picture(_)
                | Subject::Tool { .. } => None,
            },
            Layer::WhatIf(_) | Layer::Table(_) => None,
        }
    }

    /// Whether what is changed in this file is put back at the next start.
    pub fn is_put_back(&self, path: &str) -> bool {
        let mut taps = self.snapshot.catalogue.taps.iter().filter(|tap| tap.title == WITH_PROGRAM);
        taps.any(|tap| std::path::Path::new(path).starts_with(&tap.file))
    }

    /// Whether the topmost overlay lists what has a file of its own.
    pub fn has_sources(&self) -> bool {
        use super::{Layer, Listing, Picker, Reader};
        match self.layers.last() {
            Some(Layer::Picker(Picker { of, .. })) => matches!(of, Listing::Agents | Listing::Catalogue(_)),
            Some(Layer::Reader(Reader { subject: Subject::Why(noun, name), .. })) => {
                self.item_named(*noun, name).is_some()
            }
            Some(Layer::Reader(Reader { subject, .. })) => {
                matches!(
                    subject,
                    Subject::Part { .. } | Subject::Finding { .. } | Subject::Skill(_) | Subject::Picture(_)
                )
            }
            Some(Layer::WhatIf(_) | Layer::Table(_)) | None => false,
        }
    }
}

/// Every finding, errors first and notes last, else in the order of the lists.
fn every_problem(view: &CatalogueView) -> Vec<ShelfRow<'_>> {
    let mut rows: Vec<ShelfRow> = view.problems.iter().map(|problem| ShelfRow::Finding(problem, None)).collect();
    for shelf in Shelf::ALL {
        for item in shelf.items(view) {
            rows.extend(item.problems.iter().map(|problem| ShelfRow::Finding(problem, Some((*shelf, item)))));
        }
    }
    rows.sort_by_key(|row| match row {
        ShelfRow::Finding(problem, _) => (!problem.error, problem.note),
        ShelfRow::Part(..) => (true, true),
    });
    rows
}

fn words_of(row: &ShelfRow) -> Words {
    match row {
        ShelfRow::Part(_, item) => Words {
            name: item.name.clone(),
            title: item.title.clone(),
            whole: format!("{} {}", item.domains.join(" "), item.tap),
            told: format!("{} {} {}", item.description, item.detail, item.file),
        },
        ShelfRow::Finding(problem, item) => Words {
            name: item.map_or_else(String::new, |(_, item)| item.name.clone()),
            title: String::new(),
            whole: problem.place.clone(),
            told: format!("{} {}", problem.message, problem.hint.as_deref().unwrap_or_default()),
        },
    }
}

/// What an item-less finding is about, in few words: the end of its file's path.
pub fn about(problem: &CatalogueProblem) -> String {
    let (file, _) = split_place(&problem.place);
    let mut parts: Vec<&str> = file.rsplit('/').filter(|part| !part.is_empty()).take(2).collect();
    parts.reverse();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_and_a_line() {
        assert_eq!(split_place("/a/b.toml:14:3"), ("/a/b.toml", Some(14)));
        assert_eq!(split_place("/a/b.toml:14"), ("/a/b.toml", Some(14)));
        assert_eq!(split_place("/a/b.toml"), ("/a/b.toml", None));
        assert_eq!(split_place("C:/a:b/c:2:1"), ("C:/a:b/c", Some(2)));
        assert_eq!(split_place(""), ("", None));
    }

    #[test]
    fn a_finding_is_named_by_the_end_of_its_path() {
        let of = |place: &str| {
            let (message, hint) = (String::new(), None);
            about(&CatalogueProblem { error: true, note: false, place: place.to_owned(), message, hint })
        };
        assert_eq!(of("/taps/me/tools/capabilities/foo/default.toml:14:3"), "foo/default.toml");
        assert_eq!(of("plugin.json:1:1"), "plugin.json");
        assert_eq!(of("/taps/me/tools/capabilities/foo/"), "capabilities/foo");
        assert_eq!(of(""), "");
    }

    #[test]
    fn a_note_is_no_problem() {
        let of = |error, note| {
            let (place, message) = (String::new(), String::new());
            CatalogueProblem { error, note, place, message, hint: None }
        };
        let all = [of(false, true), of(true, false), of(false, false), of(false, true)];
        assert_eq!(Findings::of(&all), Findings { errors: 1, doubts: 1 });
    }

    #[test]
    fn lists_turn_round() {
        assert_eq!(Shelf::Taps.turned(-1), Shelf::Problems);
        assert_eq!(Shelf::Problems.turned(1), Shelf::Taps);
        assert_eq!(Shelf::Agents.turned(1), Shelf::Capabilities);
    }
}
