use super::fuzzy::filtered;
use super::{Lead, State, Subject};
use crate::proto::slash::{self, Slash};
use crate::proto::{Order, QueueId};
use crate::ui::action::{Action, Arguments, Call, Category};
use crate::ui::keys::{Context, HelpRow};

/// What the marked row of a picker does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    Call(Call),
    Slash(&'static Slash),
    /// Puts a message sent before into the composer.
    TakeUp(String),
    /// Goes to an entry of the transcript.
    Jump(Order),
    /// Takes a waiting message back.
    EditWaiting(QueueId),
    CopyCode(String),
    Follow(Lead),
    /// Takes on an agent or role.
    Role(String),
    /// Shows a record in full.
    Read(Subject),
}

/// A row of help or palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuRow {
    /// The heading it stands under.
    pub section: &'static str,
    pub words: String,
    /// Every key that does it there.
    pub keys: Vec<String>,
    /// The condition in its own words, empty for always.
    pub when: String,
    pub deed: Deed,
}

impl MenuRow {
    fn slash(section: &'static str, command: &'static Slash) -> Self {
        let name = std::iter::once(command.name).chain(command.aliases.iter().copied());
        let names = name.map(|name| format!("/{name}")).collect::<Vec<_>>().join(", ");
        let words = format!("{} {}", command.doc, command.arguments).trim_end().to_owned();
        Self { section, words, keys: vec![names], when: String::new(), deed: Deed::Slash(command) }
    }

    fn action(&self) -> Option<Action> {
        match &self.deed {
            Deed::Call(call) => Some(call.action),
            _ => None,
        }
    }

    /// What the person calls it by.
    fn name(&self) -> &'static str {
        match &self.deed {
            Deed::Call(call) => call.action.id(),
            Deed::Slash(command) => command.name,
            _ => "",
        }
    }
}

const USEFUL: &str = "First of all";
const COMMANDS: &str = "Commands";
const MOTIONS: &str = "Moving and deleting in the message";

/// What is needed on the first day, in this order.
const FIRST: [Action; 16] = [
    Action::Submit,
    Action::SubmitQueue,
    Action::Interrupt,
    Action::Newline,
    Action::FocusNext,
    Action::LeaveComposer,
    Action::Compose,
    Action::Palette,
    Action::PickAgent,
    Action::Catalogue,
    Action::WhatIf,
    Action::Why,
    Action::Switches,
    Action::Help,
    Action::CopyAnswer,
    Action::QuitTwice,
];

/// Commands that the palette shows before all others.
const FIRST_COMMANDS: [&str; 7] = ["new", "model", "role", "effort", "mcp", "context", "help"];

impl State {
    /// The help overlay's rows under its filter: what is needed first, the commands, then the keys of
    /// the present place and of all others. Keys that do the same stand in one row.
    pub fn help_rows(&self, filter: &str) -> Vec<MenuRow> {
        let here = self.base_contexts();
        let order = |context: Context| here.iter().position(|one| *one == context).unwrap_or(here.len());
        let mut keyed: Vec<(usize, MenuRow)> = Vec::new();
        for row in self.keymap.rows() {
            let section = section(&row);
            let rank = match section {
                USEFUL => FIRST.iter().position(|action| *action == row.call.action).unwrap_or(0),
                MOTIONS => 900,
                _ => 100 + order(row.context) * 20 + row.context as usize,
            };
            let same = |(_, known): &&mut (usize, MenuRow)| {
                known.section == section
                    && known.when == row.when
                    && known.words == row.words
                    && known.deed == Deed::Call(row.call.clone())
            };
            match keyed.iter_mut().find(same) {
                Some((_, known)) if known.keys.contains(&row.keys) => {}
                Some((_, known)) => known.keys.push(row.keys),
                None => {
                    let HelpRow { keys, words, when, call, .. } = row;
                    keyed.push((rank, MenuRow { section, words, keys: vec![keys], when, deed: Deed::Call(call) }));
                }
            }
        }
        keyed.extend(slash::COMMANDS.iter().map(|command| (50, MenuRow::slash(COMMANDS, command))));
        keyed.sort_by_key(|(rank, _)| *rank);
        best(keyed.into_iter().map(|(_, row)| row).collect(), filter)
    }

    /// The palette's rows under its filter: what is needed first, moving the caret last.
    pub fn palette_rows(&self, filter: &str) -> Vec<MenuRow> {
        let command = |name: &str| slash::COMMANDS.iter().find(|command| command.name == name);
        let first = FIRST_COMMANDS.iter().filter_map(|name| command(name));
        let others = slash::COMMANDS.iter().filter(|command| !FIRST_COMMANDS.contains(&command.name));
        let commands = first.chain(others).map(|command| MenuRow::slash("Command", command));
        let mut keys = self.keymap.keys_by_action();
        let mut keys_of = |call: &Call| {
            let same = keys.get_mut(&call.action).into_iter().flatten().filter(|(of, _)| of == call);
            same.map(|(_, keys)| std::mem::take(keys)).next().unwrap_or_default()
        };
        let actions = calls().map(|call| MenuRow {
            words: call.describe(),
            section: call.action.category().title(),
            keys: keys_of(&call),
            when: String::new(),
            deed: Deed::Call(call),
        });
        let mut rows: Vec<MenuRow> = commands.chain(actions).collect();
        rows.sort_by_key(|row| row.action().map_or(10, palette_rank));
        best(rows, filter)
    }
}

/// Sending and stopping stand before the commands, all else behind them.
fn palette_rank(action: Action) -> usize {
    match action {
        Action::Submit => 0,
        Action::Interrupt => 1,
        _ if FIRST.contains(&action) => 20,
        _ if moves_caret(action) => 90,
        _ => {
            30 + match action.category() {
                Category::Session => 0,
                Category::Overlays => 1,
                Category::Supervisor => 2,
                Category::Surface => 3,
                Category::Questions => 4,
                Category::Focus => 5,
                Category::Scroll => 6,
                Category::Lists => 7,
                Category::Terminal => 8,
                Category::Composer => 9,
            }
        }
    }
}

fn moves_caret(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::CursorLeft
            | A::CursorRight
            | A::CursorUp
            | A::CursorDown
            | A::WordLeft
            | A::WordRight
            | A::LineStart
            | A::LineEnd
            | A::TextStart
            | A::TextEnd
            | A::DeleteLeft
            | A::DeleteRight
            | A::DeleteWordLeft
            | A::DeleteWordRight
            | A::DeleteToLineStart
            | A::DeleteToLineEnd
    )
}

fn section(row: &HelpRow) -> &'static str {
    match row.context {
        Context::Composer | Context::Global | Context::Pane if FIRST.contains(&row.call.action) => USEFUL,
        Context::Composer if moves_caret(row.call.action) => MOTIONS,
        Context::Global => "Everywhere",
        Context::Pane => "In every pane",
        Context::Transcript => "Transcript",
        Context::Surface => "Surface",
        Context::Scores => "Scores",
        Context::Plan => "Plan",
        Context::Notes => "Notes",
        Context::Composer => "Composer",
        Context::Normal => "Message, in normal mode",
        Context::Popup => "Completion list",
        Context::Search => "Search",
        Context::Overlay => "Overlays",
        Context::Question => "Questions",
    }
}

/// The rows that match, those whose name begins so first.
fn best(rows: Vec<MenuRow>, filter: &str) -> Vec<MenuRow> {
    let text = |row: &MenuRow| format!("{} {} {} {}", row.keys.join(" "), row.words, row.name(), row.section);
    let mut rows = filtered(rows, filter, text);
    let start = filter.trim().trim_start_matches('/').to_lowercase();
    if !start.is_empty() {
        rows.sort_by_key(|row| !row.name().starts_with(&start));
    }
    rows
}

/// Every action with every argument it can have.
fn calls() -> impl Iterator<Item = Call> {
    // A digit and a command of normal mode mean nothing without their keys.
    let told = Action::ALL.iter().filter(|action| !matches!(action, Action::Count | Action::Vi));
    told.flat_map(|action| match action.arguments() {
        Arguments::OneOf(names) => names.iter().map(|name| Call::with(*action, name)).collect::<Vec<_>>(),
        Arguments::None | Arguments::Count => vec![Call::new(*action)],
    })
}
