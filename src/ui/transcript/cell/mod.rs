//! One renderer for each kind of entry.

pub mod approval;
mod asked;
pub use asked::question;
pub mod assistant;
mod command;
mod decision;
mod fault;
pub mod matching;
mod notice;
mod rewound;
mod routing;
mod shell;
mod skill;
pub use skill::cause as skill_cause;
mod start_up;
pub mod supervisor;
mod surface;
pub use surface::cause as capability_cause;
mod thinking;
pub mod tool;
mod user;
pub use tool::picture_words;

use std::collections::BTreeSet;

use super::highlight::Highlighter;
use super::stream::Stream;
use super::{Break, Row, Styled, Tone};
use crate::proto::{Entry, EntryKind, StepState, Timestamp, ToolState, WELCOME};
use crate::text;
use crate::ui::theme::Role;

/// Whether an entry shows all it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    Folded,
    Open,
}

impl Fold {
    pub fn other(self) -> Self {
        match self {
            Self::Folded => Self::Open,
            Self::Open => Self::Folded,
        }
    }
}

/// Keys that a cell tells of; empty when none would do it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellKeys<'a> {
    /// Stops what runs.
    pub stop: &'a str,
    /// Stops a command of the person.
    pub stop_shell: &'a str,
    /// Takes the other provider that is offered.
    pub offer: &'a str,
    /// Goes to the open question.
    pub question: &'a str,
    /// Lists the agents.
    pub agents: &'a str,
}

/// What rendering depends on beside the entry.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    pub width: usize,
    pub fold: Fold,
    pub now: Timestamp,
    /// Spinners move.
    pub motion: bool,
    pub keys: CellKeys<'a>,
    pub highlighter: &'a Highlighter,
}

/// The fold an entry has until a person changes it. What went wrong stands open.
pub fn default_fold(kind: &EntryKind) -> Fold {
    match kind {
        EntryKind::Tool { state, .. } if tool::stands_open(state) => Fold::Open,
        EntryKind::Shell(view) if shell::stands_open(view) => Fold::Open,
        EntryKind::Thinking { .. }
        | EntryKind::Tool { .. }
        | EntryKind::Decision(_)
        | EntryKind::Skill { .. }
        | EntryKind::Shell(_)
        | EntryKind::Asked { .. }
        | EntryKind::Rewound(_)
        | EntryKind::Notice { .. } => Fold::Folded,
        EntryKind::StartUp { steps } if start_up::is_settled(steps) => Fold::Folded,
        _ => Fold::Open,
    }
}

/// What is opened and folded together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoldKind {
    Tools,
    Thoughts,
    Records,
    Commands,
}

impl FoldKind {
    /// By the name that keymaps use.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "tools" => Some(Self::Tools),
            "thoughts" => Some(Self::Thoughts),
            "records" => Some(Self::Records),
            "commands" => Some(Self::Commands),
            _ => None,
        }
    }

    /// `None` for what never folds.
    pub fn of(kind: &EntryKind) -> Option<Self> {
        match kind {
            EntryKind::Tool { .. } => Some(Self::Tools),
            EntryKind::Thinking { .. } => Some(Self::Thoughts),
            EntryKind::Shell(_) => Some(Self::Commands),
            EntryKind::Decision(_)
            | EntryKind::Skill { .. }
            | EntryKind::Asked { .. }
            | EntryKind::Notice { .. }
            | EntryKind::StartUp { .. } => Some(Self::Records),
            _ => None,
        }
    }
}

/// The fold of an entry that was not toggled by itself.
pub fn fold_of(kind: &EntryKind, unfold_all: bool, open_kinds: &BTreeSet<FoldKind>) -> Fold {
    let opened = FoldKind::of(kind).is_some_and(|kind| open_kinds.contains(&kind));
    if unfold_all || opened { Fold::Open } else { default_fold(kind) }
}

/// Whether the entry looks different as time passes.
pub fn ticks(kind: &EntryKind) -> bool {
    match kind {
        EntryKind::Thinking { streaming, .. } => *streaming,
        EntryKind::Tool { state, .. } => matches!(state, ToolState::Running { .. }),
        EntryKind::Shell(view) => view.state.is_running(),
        EntryKind::StartUp { steps } => steps.iter().any(|step| step.state == StepState::Running),
        _ => false,
    }
}

/// Whether the entry may still change.
pub fn unfinished(kind: &EntryKind) -> bool {
    match kind {
        EntryKind::Assistant { streaming, .. } | EntryKind::Thinking { streaming, .. } => *streaming,
        EntryKind::Tool { state, .. } => matches!(state, ToolState::Running { .. }),
        EntryKind::Shell(view) => view.state.is_running(),
        EntryKind::StartUp { steps } => steps.iter().any(|step| step.state == StepState::Running),
        EntryKind::Asked { answered, .. } => answered.is_none(),
        _ => false,
    }
}

/// Rows of the entry. Never empty, none wider than the width.
pub fn render(entry: &Entry, look: &Look) -> Vec<Row> {
    let mut rows = match &entry.kind {
        EntryKind::User { text, origin, attachments } => user::render(text, origin, attachments, look),
        EntryKind::Assistant { text, streaming, interrupted, scripted } => {
            let mut stream = Stream::default();
            stream.update(text, assistant::State::of(*streaming, *interrupted, *scripted), look);
            stream.into_rows()
        }
        EntryKind::Thinking { text, streaming, elapsed_ms } => {
            let elapsed = if *streaming { look.now.saturating_sub(entry.at) } else { *elapsed_ms };
            thinking::render(text, *streaming, elapsed, look)
        }
        EntryKind::Tool { server, tool, arguments, state, .. } => tool::render(server, tool, arguments, state, look),
        EntryKind::Decision(decision) => {
            let own = surface::render(decision, entry.at, look).or_else(|| supervisor::render(decision, look));
            let own = own.or_else(|| matching::render(decision, look));
            own.unwrap_or_else(|| decision::render(decision, look))
        }
        EntryKind::Notice { level, source, text, hint } => notice::render(*level, source, text, hint.as_deref(), look),
        EntryKind::Fault(fault) => fault::render(fault, look),
        EntryKind::StartUp { steps } => start_up::render(steps, entry.at, look),
        EntryKind::Skill { skill, forgotten } => skill::render(skill, *forgotten, look),
        EntryKind::Command { line, output } => command::render(line, output, look),
        EntryKind::Shell(view) => shell::render(view, look),
        EntryKind::Asked { kind, answered } => asked::render(kind, *answered, look),
        EntryKind::Rewound(rewound) => rewound::render(rewound, look),
    };
    if rows.is_empty() {
        rows.push(Row::blank());
    }
    rows
}

/// What a person gets when copying the entry, and what search looks through.
pub fn plain(entry: &Entry) -> std::borrow::Cow<'_, str> {
    match &entry.kind {
        EntryKind::User { text, .. } | EntryKind::Assistant { text, .. } | EntryKind::Thinking { text, .. } => {
            text::sanitize(text)
        }
        EntryKind::Tool { server, tool, arguments, state, .. } => tool::plain(server, tool, arguments, state).into(),
        EntryKind::Decision(decision) => decision.headline().2.into(),
        EntryKind::Notice { source, text, .. } if source == WELCOME => text::sanitize(text),
        EntryKind::Notice { source, text, hint, .. } => match hint {
            Some(hint) => format!("{source}: {text}\nhint: {hint}").into(),
            None => format!("{source}: {text}").into(),
        },
        EntryKind::Fault(fault) => format!("{}\n{}", fault.message, fault.advice).into(),
        EntryKind::StartUp { steps } => start_up::plain(steps).into(),
        EntryKind::Skill { skill, .. } => {
            text::sanitize(&format!("skill {}\n{}", skill.name, skill.description)).into_owned().into()
        }
        EntryKind::Command { line, output } => format!("{line}\n{output}").into(),
        EntryKind::Shell(view) => shell::plain(view).into(),
        EntryKind::Asked { kind, .. } => asked::question(kind).into(),
        EntryKind::Rewound(rewound) => rewound::plain(rewound).into(),
    }
}

/// Text of one tone with a lead on its first row and as much space on the others.
fn led(lead: Styled, content: &str, tone: impl Into<Tone>, width: usize) -> Vec<Row> {
    let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
    Styled::new(&text::sanitize(content), tone).rows(width, Break::Words, &lead, &rest)
}

/// A left part and a right part that ends at the last column; the left is cut to make room.
fn spread(mut left: Styled, right: &Styled, width: usize) -> Row {
    let room = width.saturating_sub(right.width() + 1);
    if right.is_empty() || room < 8 {
        return left.with("  ", Role::UiText).tap_append(right).into_row(width);
    }
    left.cut(room);
    left.pad_to(width.saturating_sub(right.width()), Role::UiText);
    left.tap_append(right).into_row(width)
}

impl Styled {
    fn tap_append(mut self, other: &Self) -> Self {
        self.append(other);
        self
    }
}

/// Milliseconds a look of the spinner stands.
pub const SPINNER_MS: u64 = 120;

/// The moving mark of something that runs; a still one without motion.
pub fn spinner(now: Timestamp, motion: bool) -> &'static str {
    const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
    if motion { FRAMES[(now / SPINNER_MS) as usize % FRAMES.len()] } else { "…" }
}
