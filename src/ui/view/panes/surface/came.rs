//! What came while the session runs: by the gate, a person or the model, and what skills hold.

use super::Lines;
use super::server::{self, Holder};
use crate::proto::{DynamicCapability, ServerState, ServerView, SurfaceView};
use crate::text;
use crate::ui::state::{brought, dynamic_order, is_alive, own_servers};
use crate::ui::theme::Role;
use crate::ui::transcript::cell;
use crate::ui::transcript::{Row, Styled};

/// Places for what comes while the session runs.
const PLACES: usize = 4;

/// Columns of the longest name that tools still stand beside.
const NAMES: usize = 20;

impl Lines<'_> {
    pub(super) fn came(&mut self) {
        if !is_alive(&self.state.snapshot) {
            return;
        }
        let surface = &self.state.snapshot.surface;
        self.gap();
        self.heading("DYNAMIC", &places(surface), in_order(surface));
        if surface.dynamic.is_empty() {
            let words = "  nobody yet: a message that fits brings one";
            self.plain(Styled::new(words, Role::UiDim).into_row(self.width));
        }
        let next = surface.dynamic.iter().position(|one| !one.pinned);
        let columns = columns_of(&surface.dynamic);
        // Where each takes several rows, the last one may be out of sight.
        if let Some(one) = next.map(|next| &surface.dynamic[next]).filter(|_| server::is_below(columns, self.width)) {
            let line = Styled::new("  next out ", Role::UiDim).with(&text::sanitize_line(&one.name), Role::ScoreGate);
            self.plain(line.into_row(self.width));
        }
        for (rank, index) in dynamic_order(surface).enumerate() {
            let end = match (surface.dynamic[index].pinned, next == Some(index)) {
                (true, _) => "pinned",
                (false, true) => "◂ next out",
                (false, false) => "",
            };
            self.capability(&surface.dynamic[index], &(rank + 1).to_string(), end, columns);
        }
        if surface.held.is_empty() {
            return;
        }
        self.gap();
        self.heading("HELD", "by skills, outside the four places", "");
        let columns = columns_of(&surface.held);
        for one in &surface.held {
            self.capability(one, " ", "", columns);
        }
    }

    fn capability(&mut self, one: &DynamicCapability, rank: &str, end: &str, columns: usize) {
        let snapshot = &self.state.snapshot;
        let asked = |name: &String| snapshot.servers.iter().find(|server| server.name == *name);
        let servers: Vec<&ServerView> = one.servers.iter().filter_map(|(name, _)| asked(name)).collect();
        let troubled = servers.iter().find(|server| !matches!(server.state, ServerState::Ready { .. }));
        let (mark, role, words) = match (troubled, servers.first(), one.servers.first()) {
            (Some(server), ..) | (None, Some(server), _) => server::state_words(server, self.state),
            (None, None, Some((name, _))) => ("○", Role::ServerOff, Some(format!("{name} is not there"))),
            (None, None, None) => ("◆", Role::DecisionMark, None),
        };
        let tools = brought(snapshot, one);
        let holder = Holder {
            lead: Styled::new(rank, Role::UiDim).with(" ", Role::UiText).with(mark, role).with(" ", Role::UiText),
            name: text::sanitize_line(&one.name).into_owned(),
            tokens: tools.iter().map(|tool| tool.tokens).sum(),
            tools: tools.iter().map(|tool| text::sanitize_line(&tool.name).into_owned()).collect(),
            words: words.map(|words| (text::sanitize_line(&words).into_owned(), role)),
            empty: if one.servers.is_empty() { "needs no server" } else { "no tools" },
        };
        let mut rows = holder.rows(columns, self.width);
        rows.extend(self.history(one, end));
        self.item(rows);
        for (_, server) in own_servers(snapshot, one) {
            self.kept_off_and_filtered(server, columns + 2);
        }
    }

    /// How it came, when it was used, what it ran: a row of its own below the name.
    fn history(&self, one: &DynamicCapability, end: &str) -> Vec<Row> {
        let mut words = vec![cell::capability_cause(&one.cause, one.score)];
        words.push(match one.used.map(|used| self.state.turn_at(used)) {
            Some(Some(turn)) => format!("used t{turn}"),
            Some(None) => "used".to_owned(),
            None => "not used yet".to_owned(),
        });
        let fixed = &self.state.snapshot.surface.fixed_servers;
        let lent = one.servers.iter().map(|(name, _)| name).filter(|name| fixed.contains(name));
        words.extend(lent.map(|name| format!("in {name}")));
        words.extend(self.shared(one));
        words.extend(one.deps.iter().map(|dep| format!("ran {dep}")));
        let words: Vec<String> = words.iter().map(|words| text::sanitize_line(words).into_owned()).collect();
        let indent = Styled::new("    ", Role::UiText);
        let taken = if end.is_empty() { 4 } else { text::width(end) + 5 };
        let lines = server::joined(&words, self.width.saturating_sub(taken), Role::UiDim);
        let row = |(index, line): (usize, &Styled)| {
            let mut line = server::glued(&indent, line);
            if index == 0 && !end.is_empty() {
                line.pad_to(self.width.saturating_sub(text::width(end)), Role::UiText);
                line.push(end, Role::ScoreGate);
            }
            line.into_row(self.width)
        };
        lines.iter().enumerate().map(row).collect()
    }
}

impl Lines<'_> {
    /// `shares pg with reports`: a server's tools stand in both rows and are counted once.
    fn shared(&self, one: &DynamicCapability) -> Vec<String> {
        let surface = &self.state.snapshot.surface;
        let others = || surface.dynamic.iter().chain(&surface.held).filter(|other| other.name != one.name);
        let asks = |other: &DynamicCapability, server: &str| other.servers.iter().any(|(name, _)| name == server);
        let with = |server: &str| {
            let names: Vec<&str> =
                others().filter(|other| asks(other, server)).map(|other| other.name.as_str()).collect();
            (!names.is_empty()).then(|| format!("shares {server} with {}, counted once", names.join(", ")))
        };
        one.servers.iter().filter_map(|(server, _)| with(server)).collect()
    }
}

fn columns_of(capabilities: &[DynamicCapability]) -> usize {
    let longest = capabilities.iter().map(|one| text::width(&one.name)).max().unwrap_or(0);
    longest.clamp(6, NAMES)
}

/// How they are ordered, where there is an order.
fn in_order(surface: &SurfaceView) -> &'static str {
    match surface.dynamic.as_slice() {
        [] | [_] => "",
        several if several.iter().any(|one| one.pinned) => "pinned, then most recent",
        _ => "most recent first",
    }
}

/// `2 of 4`, and whether nothing could come any more.
fn places(surface: &SurfaceView) -> String {
    let taken = surface.dynamic.len();
    let pinned = surface.dynamic.iter().filter(|one| one.pinned).count();
    if pinned >= PLACES { format!("{taken} of {PLACES}, all pinned") } else { format!("{taken} of {PLACES}") }
}
