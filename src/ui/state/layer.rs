use super::{ContextSide, LogFloor, Noun, Part, Picture, Reach, Shelf, State, WhatIf};
use crate::proto::{Order, RequestId, Seq};

/// An overlay.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    Picker(Picker),
    /// One record in full.
    Reader(Reader),
    /// A message that is tried and not sent.
    WhatIf(WhatIf),
    /// A list without a filter, so that letters are keys.
    Table(Table),
}

impl Layer {
    pub fn picker(of: Listing) -> Self {
        Self::Picker(Picker { of, filter: String::new(), selected: 0, offset: 0 })
    }

    /// Whether both are overlays of one kind, whatever they show at the moment.
    pub fn same_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Picker(one), Self::Picker(two)) => {
                std::mem::discriminant(&one.of) == std::mem::discriminant(&two.of)
            }
            (Self::Reader(_), Self::Reader(_)) | (Self::WhatIf(_), Self::WhatIf(_)) => true,
            (Self::Table(one), Self::Table(two)) => std::mem::discriminant(&one.of) == std::mem::discriminant(&two.of),
            (Self::Picker(_) | Self::Reader(_) | Self::WhatIf(_) | Self::Table(_), _) => false,
        }
    }
}

/// A list with a filter that is typed, and one thing to do with the marked row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picker {
    pub of: Listing,
    pub filter: String,
    pub selected: usize,
    pub offset: usize,
}

impl Picker {
    /// From the first row again: the list is another one now.
    pub fn rewind(&mut self) {
        self.selected = 0;
        self.offset = 0;
    }
}

/// A list whose rows are marked: letters are keys, unless something is being typed into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub of: Tabled,
    pub selected: usize,
    pub offset: usize,
    /// What rows must match, in those that can be filtered.
    pub filter: String,
    pub typing: Option<Typing>,
}

/// What is being typed into a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typing {
    Filter,
    /// A new name for what is marked.
    Name(String),
}

impl Table {
    pub fn new(of: Tabled) -> Self {
        Self { of, selected: 0, offset: 0, filter: String::new(), typing: None }
    }

    /// From the first row again: the list is another one now.
    pub fn rewind(&mut self) {
        self.selected = 0;
        self.offset = 0;
    }

    /// Where typed letters go, if they do.
    pub fn typed(&mut self) -> Option<&mut String> {
        match &mut self.typing {
            Some(Typing::Filter) => Some(&mut self.filter),
            Some(Typing::Name(name)) => Some(name),
            None => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tabled {
    Switches,
    /// Model calls of all purposes.
    Calls,
    Context(ContextSide),
    Servers,
    Sessions,
    /// The events of the session: the marked one is what every pane shows.
    Time,
    Log(LogFloor),
    Themes,
    /// Prompts to go back to.
    Rewind,
}

impl Tabled {
    /// Whether rows can be found by what is typed.
    pub fn is_filtered(self) -> bool {
        match self {
            Self::Sessions | Self::Log(_) => true,
            Self::Switches
            | Self::Calls
            | Self::Context(_)
            | Self::Servers
            | Self::Time
            | Self::Themes
            | Self::Rewind => false,
        }
    }
}

/// What a picker lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Help,
    Palette,
    /// Messages sent before.
    History,
    /// Own messages of this session.
    Prompts,
    Waiting,
    /// Blocks of code of an entry.
    Code,
    /// Where entries lead.
    Leads,
    /// Agents and roles that the session can take on.
    Agents,
    Catalogue(Shelf),
    /// Everything that can be asked about.
    Why(Reach),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    pub subject: Subject,
    /// Lines scrolled down; `view::prepare` clamps it.
    pub offset: usize,
}

/// What a reader shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Entry(Order),
    /// The note that was made of this event.
    Note(Seq),
    /// The plan as it stands.
    Plan,
    /// By its dotted key.
    Switch(String),
    /// One side of a model call.
    Wire(RequestId, Part),
    Server(String),
    Tool {
        server: String,
        wire_name: String,
    },
    /// An active skill.
    Skill(String),
    /// Work that was handed to another agent, by its id.
    Child(String),
    Picture(Picture),
    /// Why it is here or is not; a tool goes by its name on the wire.
    Why(Noun, String),
    /// A part of the catalogue; the file tells apart what taps name alike.
    Part {
        shelf: Shelf,
        name: String,
        file: String,
    },
    /// A finding of the catalogue that belongs to no part.
    Finding {
        place: String,
        message: String,
    },
}

impl State {
    /// Messages sent before under a filter, the latest first, each once.
    pub fn history_rows(&self, filter: &str) -> Vec<&str> {
        let mut seen = std::collections::BTreeSet::new();
        let latest = self.composer.history.entries().iter().rev().map(String::as_str);
        super::filtered(latest.filter(|entry| seen.insert(*entry)).collect(), filter, |row| (*row).to_owned())
    }
}
