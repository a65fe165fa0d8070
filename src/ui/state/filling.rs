use super::{Layer, State, Table, Tabled};
use crate::proto::{Filled, FilledGroup, Filling, Purpose};

/// What the context overlay lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextSide {
    /// What the last request was made of.
    #[default]
    Parts,
    /// Every request with how much of it was cached.
    Requests,
}

impl ContextSide {
    pub fn other(self) -> Self {
        match self {
            Self::Parts => Self::Requests,
            Self::Requests => Self::Parts,
        }
    }
}

/// A row that opens to what it adds up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Folder {
    Group(FilledGroup),
    Server(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillWhat {
    Group(FilledGroup),
    Server(String),
    Part(Filled),
    Free,
}

/// A row of what fills the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillRow {
    pub what: FillWhat,
    pub group: Option<FilledGroup>,
    pub tokens: u64,
    pub depth: usize,
    /// Whether what it adds up is shown; `None` when it adds up nothing.
    pub open: Option<bool>,
}

impl State {
    /// What the last request of the agent was made of, if one went out.
    pub fn filling(&self) -> Option<&Filling> {
        self.snapshot.filling(Purpose::Main).map(|filling| &**filling)
    }

    /// What fills the context, by group, those that are open with their parts; what is free last.
    pub fn fill_rows(&self) -> Vec<FillRow> {
        let Some(filling) = self.filling() else { return Vec::new() };
        let mut rows = Vec::new();
        for group in FilledGroup::ALL {
            let mut parts: Vec<(&Filled, u64)> =
                filling.parts.iter().filter(|(what, _)| what.group() == group).map(|(what, n)| (what, *n)).collect();
            let tokens = parts.iter().map(|(_, tokens)| tokens).sum();
            if tokens == 0 {
                continue;
            }
            let single = matches!(parts.as_slice(), [(Filled::System | Filled::Own | Filled::Answers, _)])
                || matches!(parts.as_slice(), [(Filled::Thinking | Filled::Calls, _)])
                || group == FilledGroup::Memory;
            let open = self.opened.contains(&Folder::Group(group));
            rows.push(FillRow {
                what: FillWhat::Group(group),
                group: Some(group),
                tokens,
                depth: 0,
                open: (!single).then_some(open),
            });
            if single || !open {
                continue;
            }
            parts.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
            match group {
                FilledGroup::Tools => self.tool_rows(&parts, &mut rows),
                _ => rows.extend(parts.iter().map(|(what, tokens)| part_row(what, *tokens, 1))),
            }
        }
        if let Some(window) = filling.window {
            let tokens = window.saturating_sub(filling.tokens());
            rows.push(FillRow { what: FillWhat::Free, group: None, tokens, depth: 0, open: None });
        }
        rows
    }

    fn tool_rows(&self, parts: &[(&Filled, u64)], rows: &mut Vec<FillRow>) {
        let mut servers: Vec<(&str, u64)> = Vec::new();
        for (what, tokens) in parts {
            let Filled::Tool(server, _) = what else { continue };
            match servers.iter_mut().find(|(known, _)| known == server) {
                Some((_, sum)) => *sum += tokens,
                None => servers.push((server, *tokens)),
            }
        }
        servers.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
        for (server, tokens) in servers {
            let open = self.opened.contains(&Folder::Server(server.to_owned()));
            rows.push(FillRow {
                what: FillWhat::Server(server.to_owned()),
                group: Some(FilledGroup::Tools),
                tokens,
                depth: 1,
                open: Some(open),
            });
            if open {
                let of_server = |what: &Filled| matches!(what, Filled::Tool(name, _) if name == server);
                let mine = parts.iter().filter(|(what, _)| of_server(what));
                rows.extend(mine.map(|(what, tokens)| part_row(what, *tokens, 2)));
            }
        }
    }

    /// The marked row of what fills the context.
    pub fn marked_fill(&self) -> Option<FillRow> {
        let Some(Layer::Table(Table { of: Tabled::Context(ContextSide::Parts), selected, .. })) = self.layers.last()
        else {
            return None;
        };
        let rows = self.fill_rows();
        let at = (*selected).min(rows.len().saturating_sub(1));
        rows.into_iter().nth(at)
    }
}

fn part_row(what: &Filled, tokens: u64, depth: usize) -> FillRow {
    FillRow { what: FillWhat::Part(what.clone()), group: Some(what.group()), tokens, depth, open: None }
}
