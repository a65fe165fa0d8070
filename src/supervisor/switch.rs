//! What can be switched while a session runs: names, rules, and what is in force. Pure.

use std::path::Path;

use crate::config::schema::Config;
use crate::config::{Origin, Origins};
use crate::proto::{SwitchState, SwitchView, Switched, SwitchedHow};

pub const SUPERVISOR: &str = "supervisor.enabled";
pub const GATE: &str = "supervisor.gate.enabled";
pub const PLAN: &str = "supervisor.plan.enabled";
pub const CONDENSE: &str = "supervisor.condense.enabled";
pub const ADAPTIVE: &str = "supervisor.condense.adaptive";
pub const AUTHORIZER: &str = "supervisor.authorizer.enabled";
pub const EVOLUTION: &str = "supervisor.learning.evolution.enabled";
pub const SKILL_RULES: &str = "skills.auto_activation";
pub const CAPABILITIES: &str = "auto_capabilities";
pub const SANDBOX: &str = "sandbox";

/// Why a switch cannot be used yet.
const NOT_BUILT: &str = "it is not built in this version";

const NO_SWITCH: &str = "there is no such switch";

/// Whoever sits at the keyboard.
const PERSON: &str = "you";

/// One switch of the configuration.
#[derive(Debug)]
pub struct Known {
    /// The dotted key.
    pub key: &'static str,
    pub doc: &'static str,
    kind: Kind,
    read: fn(&Config) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Live,
    NotBuilt,
    ReadOnly(&'static str),
}

/// All of them, as they are listed.
pub static SWITCHES: &[Known] = &[
    live(SUPERVISOR, "all of it: status, detectors, notes and what follows here", |c| c.supervisor.enabled),
    live(GATE, "verifies every stop before it is accepted", |c| c.supervisor.gate.enabled),
    live(PLAN, "keeps the plan of a task that needs one", |c| c.supervisor.plan.enabled),
    live(CONDENSE, "narrows oversized results to what matters", |c| c.supervisor.condense.enabled),
    live(ADAPTIVE, "moves the threshold of condense by what it saves", |c| c.supervisor.condense.adaptive),
    live(AUTHORIZER, "checks tool calls against what you said before they run", |c| c.supervisor.authorizer.enabled),
    unbuilt("supervisor.learning.enabled", "lessons kept over sessions", |c| c.supervisor.learning.enabled),
    unbuilt(EVOLUTION, "makes skills of lessons; needs the gate", |c| c.supervisor.learning.evolution.enabled),
    unbuilt("supervisor.hindsight.enabled", "guesses whether you will correct a turn", |c| {
        c.supervisor.hindsight.enabled
    }),
    unbuilt("supervisor.evaluate.recall", "a calibrated model picks lessons", |c| c.supervisor.evaluate.recall),
    unbuilt("supervisor.evaluate.skills", "a calibrated model picks skills", |c| c.supervisor.evaluate.skills),
    unbuilt("supervisor.evaluate.capabilities", "a calibrated model picks sets of tools", |c| {
        c.supervisor.evaluate.capabilities
    }),
    unbuilt("supervisor.evaluate.authorizer", "a calibrated model lets harmless calls pass", |c| {
        c.supervisor.evaluate.authorizer
    }),
    unbuilt("supervisor.evaluate.condense", "a calibrated model narrows results", |c| c.supervisor.evaluate.condense),
    unbuilt("supervisor.evaluate.compression", "a calibrated model folds history", |c| {
        c.supervisor.evaluate.compression
    }),
    unbuilt("supervisor.evaluate.distill", "a calibrated model checks lessons", |c| c.supervisor.evaluate.distill),
    unbuilt("supervisor.evaluate.plan", "a calibrated model weighs plan signals", |c| c.supervisor.evaluate.plan),
    unbuilt("supervisor.evaluate.gate", "a calibrated model weighs the gate's findings", |c| {
        c.supervisor.evaluate.gate
    }),
    unbuilt("supervisor.evaluate.evolution", "a calibrated model judges trials", |c| c.supervisor.evaluate.evolution),
    live(SKILL_RULES, "skills come on by their rules", |c| c.skills.auto_activation),
    unbuilt("skills.auto_validation", "skills' own scripts check the outcome", |c| c.skills.auto_validation),
    live(CAPABILITIES, "sets of tools come on by what you say", |c| c.auto_capabilities),
    Known {
        key: SANDBOX,
        doc: "tools write in the working directory only",
        kind: Kind::ReadOnly("it is set at the start"),
        read: |c| c.sandbox,
    },
];

const fn live(key: &'static str, doc: &'static str, read: fn(&Config) -> bool) -> Known {
    Known { key, doc, kind: Kind::Live, read }
}

const fn unbuilt(key: &'static str, doc: &'static str, read: fn(&Config) -> bool) -> Known {
    Known { key, doc, kind: Kind::NotBuilt, read }
}

/// The name a person types: `gate` for `supervisor.gate.enabled`.
pub fn short(key: &str) -> &str {
    let name = key.strip_suffix(".enabled").unwrap_or(key);
    name.strip_prefix("supervisor.").unwrap_or(name)
}

/// The switch that a key, a short name or the last part of one means.
///
/// # Errors
/// What to write instead, one sentence.
pub fn find(name: &str) -> Result<&'static Known, String> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    let exact = |known: &&Known| known.key == wanted || short(known.key) == wanted;
    if let Some(known) = SWITCHES.iter().find(exact) {
        return Ok(known);
    }
    // The seams of evaluation are called like what they are a seam of.
    let last = |known: &&Known| {
        let name = short(known.key);
        !name.starts_with("evaluate.") && name.rsplit('.').next() == Some(&wanted)
    };
    if let Some(known) = SWITCHES.iter().find(last) {
        return Ok(known);
    }
    let names = SWITCHES.iter().map(|known| short(known.key));
    let ends = SWITCHES.iter().filter_map(|known| short(known.key).rsplit('.').next());
    let near = crate::config::nearest_name(&wanted, names.chain(ends));
    let advice = match near {
        Some(near) => format!("Did you mean {near}?"),
        None => "/supervisor lists them.".to_owned(),
    };
    Err(format!("There is no switch {:?}. {advice}", name.trim()))
}

/// How a wish to flip was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// It is so from the next safe point on.
    Pending,
    /// It was pending the other way, and nothing changes now.
    Withdrawn,
    Refused(Switched),
}

/// All switches as they stand in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq)]
struct Row {
    key: &'static str,
    doc: &'static str,
    kind: Kind,
    on: bool,
    /// What holds without this session.
    saved: bool,
    origin: Origin,
    pending: Option<bool>,
    /// What keeps it from working, beside other switches.
    idle: Option<String>,
}

impl Row {
    /// As it will be after the next safe point.
    fn coming(&self) -> bool {
        self.pending.unwrap_or(self.on)
    }

    fn switched(&self, to: bool, what: SwitchedHow) -> Switched {
        Switched { key: self.key.to_owned(), from: self.on, to, by: PERSON.to_owned(), what }
    }
}

impl Board {
    pub fn new(config: &Config, origins: &Origins) -> Self {
        let row = |known: &Known| {
            let on = (known.read)(config);
            let (key, doc, kind) = (known.key, known.doc, known.kind);
            Row { key, doc, kind, on, saved: on, origin: origins.of(key), pending: None, idle: None }
        };
        Self { rows: SWITCHES.iter().map(row).collect() }
    }

    /// Whether the switch is on, whatever else keeps it from working.
    pub fn is_on(&self, key: &str) -> bool {
        self.row(key).is_some_and(|row| row.on)
    }

    /// Whether what it switches works now.
    pub fn works(&self, key: &str) -> bool {
        self.row(key).is_some_and(|row| row.on && row.kind != Kind::NotBuilt && self.held_by(row).is_none())
    }

    fn row(&self, key: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.key == key)
    }

    fn row_mut(&mut self, key: &str) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.key == key)
    }

    fn coming(&self, key: &str) -> bool {
        self.row(key).is_some_and(Row::coming)
    }

    /// Why a switch that is on does nothing.
    fn held_by(&self, row: &Row) -> Option<String> {
        let off = |key: &str, what: &str| (!self.is_on(key)).then(|| format!("{what} is off"));
        let above = row.key.starts_with("supervisor.") && row.key != SUPERVISOR;
        let above = if above { off(SUPERVISOR, "the supervisor") } else { None };
        let beside = match row.key {
            ADAPTIVE => off(CONDENSE, "condense"),
            EVOLUTION => off(GATE, "the gate"),
            _ => None,
        };
        above.or(beside).or_else(|| row.idle.clone())
    }

    /// What keeps a switch from working in this session, beside other switches. True when that is new.
    pub fn set_idle(&mut self, key: &str, why: Option<&str>) -> bool {
        let Some(row) = self.row_mut(key).filter(|row| row.idle.as_deref() != why) else { return false };
        row.idle = why.map(str::to_owned);
        true
    }

    /// Takes a wish of the person's; it comes true with [`Self::settle`].
    pub fn flip(&mut self, key: &str, to: bool) -> Taken {
        if let Some(why) = self.objection(key, to) {
            return Taken::Refused(self.refused(key, to, why));
        }
        let Some(row) = self.row_mut(key) else { return Taken::Withdrawn };
        row.pending = (row.on != to).then_some(to);
        if row.pending.is_some() { Taken::Pending } else { Taken::Withdrawn }
    }

    /// The record of a wish that is not granted.
    pub fn refused(&self, key: &str, to: bool, why: impl Into<String>) -> Switched {
        let from = self.row(key).map_or(!to, |row| row.on);
        let what = SwitchedHow::Refused { why: why.into() };
        Switched { key: key.to_owned(), from, to, by: PERSON.to_owned(), what }
    }

    fn objection(&self, key: &str, to: bool) -> Option<String> {
        let Some(row) = self.row(key) else { return Some(NO_SWITCH.to_owned()) };
        if let Kind::ReadOnly(why) = row.kind {
            return Some(why.to_owned());
        }
        if row.coming() == to {
            return Some(format!("it is {} already", word(to)));
        }
        if row.key == EVOLUTION && to && !self.coming(GATE) {
            return Some("it needs the gate, which is off; switch the gate on first".to_owned());
        }
        if row.key == GATE && !to && self.coming(EVOLUTION) {
            return Some("evolution is on and needs it; switch evolution off first".to_owned());
        }
        // What the file says can be gone back to.
        (row.kind == Kind::NotBuilt && to && !row.saved).then(|| NOT_BUILT.to_owned())
    }

    /// Whether anything is to become true at the next safe point.
    pub fn has_pending(&self) -> bool {
        self.rows.iter().any(|row| row.pending.is_some())
    }

    /// A safe point: what was wished is in force from here on.
    pub fn settle(&mut self) -> Vec<Switched> {
        let mut flipped = Vec::new();
        for row in &mut self.rows {
            if let Some(to) = row.pending.take() {
                flipped.push(row.switched(to, SwitchedHow::Flipped));
                row.on = to;
            }
        }
        flipped
    }

    /// Takes up how the session had it before it was left. What the command line says now is newer.
    pub fn restore(&mut self, key: &str, on: bool) {
        let restored = |row: &&mut Row| {
            !matches!(row.origin, Origin::CommandLine { .. }) && !matches!(row.kind, Kind::ReadOnly(_))
        };
        if let Some(row) = self.row_mut(key).filter(restored) {
            row.on = on;
        }
    }

    /// Those that the session has otherwise than what is saved. What needs another switch comes after it
    /// when it goes on, and before it when it goes off.
    pub fn flipped(&self) -> Vec<&'static str> {
        let of = |to: bool| {
            let wanted = move |row: &&Row| row.coming() == to && row.saved != to;
            self.rows.iter().filter(wanted).map(|row| row.key)
        };
        of(false).rev().chain(of(true)).collect()
    }

    /// The value that a save writes: the one that is wished.
    ///
    /// # Errors
    /// The refusal, when it may not be saved.
    pub fn to_save(&self, key: &str) -> Result<bool, Switched> {
        let Some(row) = self.row(key) else { return Err(self.refused(key, false, NO_SWITCH)) };
        let to = row.coming();
        let saved = |key: &str| self.row(key).is_some_and(|row| row.saved);
        let why = match (row.kind, &row.origin) {
            (Kind::ReadOnly(why), _) => Some(why.to_owned()),
            (_, Origin::Project { file, .. }) => {
                Some(format!("{file} of the project says so, which is not written from here"))
            }
            _ if key == GATE && !to && saved(EVOLUTION) => {
                Some("the file switches evolution on, which needs the gate; save evolution first".to_owned())
            }
            _ if key == EVOLUTION && to && !saved(GATE) => {
                Some("the file switches the gate off, which evolution needs; save the gate first".to_owned())
            }
            _ => None,
        };
        match why {
            Some(why) => Err(self.refused(key, to, why)),
            None => Ok(to),
        }
    }

    /// The value was written, and stands there now.
    pub fn saved(&mut self, key: &str, to: bool, file: &str, origin: Origin) -> Option<Switched> {
        let row = self.row_mut(key)?;
        let switched = Switched { from: row.saved, ..row.switched(to, SwitchedHow::Saved { file: file.to_owned() }) };
        row.saved = to;
        row.origin = origin;
        Some(switched)
    }

    pub fn view(&self) -> Vec<SwitchView> {
        self.rows.iter().map(|row| self.view_of(row)).collect()
    }

    fn view_of(&self, row: &Row) -> SwitchView {
        let state = match (row.kind, row.pending) {
            (Kind::ReadOnly(why), _) => SwitchState::ReadOnly { why: why.to_owned() },
            (_, Some(on)) => SwitchState::Pending { on },
            (Kind::NotBuilt, None) => SwitchState::NotBuilt,
            (Kind::Live, None) => match self.held_by(row).filter(|_| row.on) {
                Some(why) => SwitchState::Idle { why },
                None => SwitchState::Live,
            },
        };
        let own = row.on != row.saved;
        let origin = if own { "this session".to_owned() } else { origin_text(&row.origin) };
        let (key, doc) = (row.key.to_owned(), row.doc.to_owned());
        SwitchView { key, on: row.on, doc, origin, saved: own.then_some(row.saved), state }
    }
}

/// As in `config.toml:188`; the folder is the same for all of them.
pub fn origin_text(origin: &Origin) -> String {
    let name = |file: &str| {
        Path::new(file).file_name().map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
    };
    match origin {
        Origin::BuiltIn | Origin::Template => "built in".to_owned(),
        Origin::File { file, line } => format!("{}:{line}", name(file)),
        Origin::Project { file, line } => format!("project {}:{line}", name(file)),
        Origin::CommandLine { .. } => "command line".to_owned(),
        Origin::Session => "this session".to_owned(),
    }
}

pub fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

#[cfg(test)]
mod tests;
