use std::collections::BTreeMap;

use super::{Condition, Facts, Key, sequence};
use crate::ui::action::{Action, Call};

/// Where keys are looked up. Which apply, and in which order, is decided by the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Context {
    /// Everywhere, last.
    Global,
    /// Any pane but the composer.
    Pane,
    Transcript,
    Surface,
    Scores,
    Plan,
    Notes,
    Composer,
    /// The composer in normal mode, before its other keys.
    Normal,
    /// The completion list over the composer.
    Popup,
    /// A search being typed.
    Search,
    /// Help, palette and other lists with a filter.
    Overlay,
    /// A question in focus.
    Question,
}

impl Context {
    pub const ALL: &'static [Self] = &[
        Self::Global,
        Self::Pane,
        Self::Transcript,
        Self::Surface,
        Self::Scores,
        Self::Plan,
        Self::Notes,
        Self::Composer,
        Self::Normal,
        Self::Popup,
        Self::Search,
        Self::Overlay,
        Self::Question,
    ];

    /// The table's name in keymap files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Pane => "pane",
            Self::Transcript => "transcript",
            Self::Surface => "surface",
            Self::Scores => "scores",
            Self::Plan => "plan",
            Self::Notes => "notes",
            Self::Composer => "composer",
            Self::Normal => "normal",
            Self::Popup => "popup",
            Self::Search => "search",
            Self::Overlay => "overlay",
            Self::Question => "question",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|context| context.name() == name)
    }

    /// The orders in which contexts are asked, for each place of the screen.
    pub const ORDERS: &'static [&'static [Self]] = &[
        &[Self::Composer, Self::Global],
        &[Self::Normal, Self::Composer, Self::Global],
        &[Self::Popup, Self::Composer, Self::Global],
        &[Self::Transcript, Self::Pane, Self::Global],
        &[Self::Surface, Self::Pane, Self::Global],
        &[Self::Scores, Self::Pane, Self::Global],
        &[Self::Plan, Self::Pane, Self::Global],
        &[Self::Notes, Self::Pane, Self::Global],
        &[Self::Search, Self::Global],
        &[Self::Overlay, Self::Global],
        &[Self::Question, Self::Global],
    ];

    /// Whether letters are typed rather than looked up as commands.
    pub const fn types(self) -> bool {
        matches!(self, Self::Composer | Self::Popup | Self::Search | Self::Overlay)
    }
}

/// What one key does under one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub when: Condition,
    /// `None` is `noop`: the key does nothing, and no other context is asked.
    pub call: Option<Call>,
    /// The file's own words for it.
    pub desc: Option<String>,
}

impl Row {
    pub fn describe(&self) -> String {
        match (&self.desc, &self.call) {
            (Some(desc), _) => desc.clone(),
            (None, Some(call)) => call.describe(),
            (None, None) => "nothing".to_owned(),
        }
    }
}

/// A key's rows, or the keys that may follow it. Never both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    pub label: Option<String>,
    pub rows: Vec<Row>,
    pub children: BTreeMap<Key, Node>,
}

impl Node {
    /// For which-key: each next key and what it leads to, under these facts.
    pub fn hints(&self, facts: &Facts) -> Vec<(String, String)> {
        self.children
            .iter()
            .filter_map(|(key, node)| {
                let words = if node.children.is_empty() {
                    node.rows.iter().find(|row| row.when.holds(facts)).filter(|row| row.call.is_some())?.describe()
                } else {
                    format!("+{}", node.label.as_deref().unwrap_or("more"))
                };
                Some((key.to_string(), words))
            })
            .collect()
    }

    fn collect(&self, keys: &mut Vec<Key>, visit: &mut impl FnMut(&[Key], &Row)) {
        for row in &self.rows {
            visit(keys, row);
        }
        for (key, node) in &self.children {
            keys.push(*key);
            node.collect(keys, visit);
            keys.pop();
        }
    }
}

/// What a sequence of keys means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found<'a> {
    Nothing,
    /// More keys are expected.
    Prefix(&'a Node),
    Call(&'a Call),
    /// Bound to nothing on purpose.
    Noop,
}

/// A row as help, palette and docs show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpRow {
    pub context: Context,
    /// `g g`
    pub keys: String,
    pub words: String,
    /// The condition in its own words, empty for always.
    pub when: String,
    pub call: Call,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    pub name: String,
    pub(super) roots: BTreeMap<Context, Node>,
}

impl Keymap {
    /// Asks the contexts in their order; the first that knows the keys answers.
    pub fn find(&self, contexts: &[Context], keys: &[Key], facts: &Facts) -> Found<'_> {
        for context in contexts {
            let Some(node) = self.walk(*context, keys) else { continue };
            if !node.children.is_empty() {
                return Found::Prefix(node);
            }
            match node.rows.iter().find(|row| row.when.holds(facts)) {
                Some(Row { call: Some(call), .. }) => return Found::Call(call),
                Some(Row { call: None, .. }) => return Found::Noop,
                None => {}
            }
        }
        Found::Nothing
    }

    /// Whether the composer has a normal mode here: some key leads to it.
    pub fn is_modal(&self) -> bool {
        self.roots.get(&Context::Composer).is_some_and(|root| {
            let mut leads = false;
            root.collect(&mut Vec::new(), &mut |_, row| {
                leads |= row.call.as_ref().is_some_and(|call| call.action == Action::NormalMode);
            });
            leads
        })
    }

    /// Whether some place has a sequence of keys that leads to this call: nothing before it in the order
    /// of lookup takes its keys away.
    pub fn reaches(&self, wanted: impl Fn(&Call) -> bool) -> bool {
        self.rows().iter().filter(|row| wanted(&row.call)).any(|row| {
            let Ok(keys) = Key::parse_sequence(&row.keys) else { return false };
            let places = Context::ORDERS.iter().filter(|order| order.contains(&row.context));
            places.into_iter().any(|order| {
                let before = order.iter().take_while(|context| **context != row.context);
                !before.into_iter().any(|context| self.takes(*context, &keys))
            })
        })
    }

    /// Whether a context answers these keys, or their beginning, whatever the state.
    fn takes(&self, context: Context, keys: &[Key]) -> bool {
        let Some(mut node) = self.roots.get(&context) else { return false };
        for key in keys {
            let Some(next) = node.children.get(key) else { return false };
            if next.rows.iter().any(|row| row.when.is_always()) {
                return true;
            }
            node = next;
        }
        !node.children.is_empty()
    }

    fn walk(&self, context: Context, keys: &[Key]) -> Option<&Node> {
        keys.iter().try_fold(self.roots.get(&context)?, |node, key| node.children.get(key))
    }

    /// Every row with an action, context by context.
    pub fn rows(&self) -> Vec<HelpRow> {
        let mut rows = Vec::new();
        for (context, root) in &self.roots {
            root.collect(&mut Vec::new(), &mut |keys, row| {
                if let Some(call) = &row.call {
                    rows.push(HelpRow {
                        context: *context,
                        keys: sequence(keys),
                        words: row.describe(),
                        when: row.when.text().to_owned(),
                        call: call.clone(),
                    });
                }
            });
        }
        rows
    }

    /// The key to show for an action: that of the first of these contexts that binds it, the
    /// shortest one there.
    pub fn key_for(&self, contexts: &[Context], action: Action) -> Option<String> {
        contexts.iter().find_map(|context| {
            let mut best: Option<String> = None;
            self.roots.get(context)?.collect(&mut Vec::new(), &mut |keys, row| {
                if row.call.as_ref().is_some_and(|call| call.action == action) {
                    let keys = sequence(keys);
                    // Of two as short the one without shift.
                    let effort = |keys: &str| (keys.chars().count(), keys.chars().any(char::is_uppercase));
                    if best.as_ref().is_none_or(|best| effort(&keys) < effort(best)) {
                        best = Some(keys);
                    }
                }
            });
            best
        })
    }

    /// All keys for an action in any context.
    pub fn keys_for(&self, call: &Call) -> Vec<String> {
        let mut keys = self.keys_by_action().remove(&call.action).unwrap_or_default();
        let at = keys.iter().position(|(of, _)| of == call);
        at.map(|at| keys.swap_remove(at).1).unwrap_or_default()
    }

    /// All keys of all actions in any context, for the palette: each call of an action with its keys.
    pub fn keys_by_action(&self) -> BTreeMap<Action, Vec<(Call, Vec<String>)>> {
        let mut found: BTreeMap<Action, Vec<(Call, Vec<String>)>> = BTreeMap::new();
        for HelpRow { call, keys, .. } in self.rows() {
            let calls = found.entry(call.action).or_default();
            match calls.iter_mut().find(|(known, _)| *known == call) {
                Some((_, known)) if known.contains(&keys) => {}
                Some((_, known)) => known.push(keys),
                None => calls.push((call, vec![keys])),
            }
        }
        found
    }

    pub(super) fn node_mut(&mut self, context: Context, keys: &[Key]) -> &mut Node {
        let root = self.roots.entry(context).or_default();
        keys.iter().fold(root, |node, key| node.children.entry(*key).or_default())
    }
}
