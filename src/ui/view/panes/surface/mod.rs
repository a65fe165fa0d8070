//! The Surface pane: what the model can call, by why it is there.

mod came;
pub mod handed;
mod server;

use crate::proto::{EncoderState, ServerView, SkillView};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::keys::Context;
use crate::ui::state::{State, children_shown, is_alive, static_servers};
use crate::ui::theme::Role;
use crate::ui::transcript::cell;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::list::Line;

pub use server::state_words;

use server::ended;

/// `11 tools · 2 310 tok/turn`
pub fn summary(state: &State) -> String {
    let (tools, tokens) = state.snapshot.surface();
    let noun = if tools == 1 { "tool" } else { "tools" };
    format!("{tools} {noun} · {} tok/turn", human::tokens(u64::from(tokens)))
}

/// Columns of the longest server's name, within reason.
fn name_columns<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    names.map(text::width).max().unwrap_or(0).clamp(6, 16)
}

/// Every row, in the order of `state::items`.
pub fn lines(state: &State, width: usize) -> Vec<Line> {
    let mut lines = Lines { state, width, lines: Vec::new(), item: 0 };
    lines.fixed();
    lines.came();
    let skills = skill_lines(&state.snapshot.skills, lines.item, width);
    lines.item += state.snapshot.skills.len();
    lines.lines.extend(skills);
    let handed = handed::lines(&state.snapshot, lines.item, width);
    lines.item += children_shown(&state.snapshot).len();
    lines.lines.extend(handed);
    lines.absent();
    let encoder = encoder_rows(&state.snapshot.encoder, width);
    if !encoder.is_empty() {
        lines.gap();
        lines.lines.extend(encoder.into_iter().map(Line::plain));
    }
    lines.lines
}

/// Rows as they come, numbered by the items they belong to.
struct Lines<'a> {
    state: &'a State,
    width: usize,
    lines: Vec<Line>,
    item: usize,
}

impl Lines<'_> {
    fn gap(&mut self) {
        self.lines.push(Line::plain(Row::blank()));
    }

    fn plain(&mut self, row: Row) {
        self.lines.push(Line::plain(row));
    }

    /// Rows of one item; the next ones belong to the next.
    fn item(&mut self, rows: impl IntoIterator<Item = Row>) {
        let item = self.item;
        self.lines.extend(rows.into_iter().map(|row| Line::of(item, row)));
        self.item += 1;
    }

    /// `DYNAMIC  2 of 4          most recent first`
    fn heading(&mut self, title: &str, words: &str, end: &str) {
        let line = Styled::new(title, Role::UiStrong).with("  ", Role::UiText).with(words, Role::UiDim);
        let fits = line.width() + 2 + text::width(end) <= self.width;
        let row = if fits { ended(line, end, self.width) } else { line.into_row(self.width) };
        self.plain(row);
    }

    /// A server, then its tools that are kept off, then those that a filter leaves out.
    fn kept_off_and_filtered(&mut self, server: &ServerView, columns: usize) {
        for tool in server.tools.iter().filter(|tool| tool.quarantine.is_some()) {
            self.item([server::kept_off(tool, columns, self.width)]);
        }
        let rows = server::filtered(server, columns, self.width);
        self.lines.extend(rows.into_iter().map(Line::plain));
    }

    /// The role's layer: its servers, each with the capabilities that own it.
    fn fixed(&mut self) {
        let snapshot = &self.state.snapshot;
        let role = text::sanitize_line(&snapshot.session.role).into_owned();
        self.heading("STATIC", &role, "");
        if snapshot.servers.is_empty() {
            let words = "  no servers: the model has no tools";
            self.plain(Styled::new(words, Role::UiDim).into_row(self.width));
        }
        let columns = name_columns(static_servers(snapshot).map(|(_, server)| server.name.as_str()));
        for (_, server) in static_servers(snapshot) {
            let mut rows = server::server_rows(server, columns, self.width, self.state);
            rows.extend(self.owners(&server.name, columns));
            self.item(rows);
            self.kept_off_and_filtered(server, columns);
        }
        for one in snapshot.surface.fixed.iter().filter(|one| one.servers.is_empty()) {
            let line = Styled::new("◆ ", Role::DecisionMark)
                .with(&text::sanitize_line(&one.name), Role::ToolName)
                .with("  needs no server", Role::UiDim);
            self.item([line.into_row(self.width)]);
        }
    }

    /// `of filesystem-read · shell`: the role's capabilities that ask for the server.
    fn owners(&self, server: &str, columns: usize) -> Vec<Row> {
        let asks = |servers: &[String]| servers.iter().any(|name| name == server);
        let owners = self.state.snapshot.surface.fixed.iter().filter(|one| asks(&one.servers));
        let names: Vec<String> = owners.map(|one| text::sanitize_line(&one.name).into_owned()).collect();
        // A capability that is named like its server tells nothing.
        if names.is_empty() || names == [server] {
            return Vec::new();
        }
        let indent = if server::is_below(columns, self.width) { 2 } else { columns + 3 };
        let rest = Styled::new(&" ".repeat(indent), Role::UiText);
        let lead = rest.clone().with("of ", Role::UiDim);
        let rest = rest.with("   ", Role::UiText);
        let lines = server::joined(&names, self.width.saturating_sub(indent + 3), Role::UiDim);
        let lead = |index: usize| if index == 0 { &lead } else { &rest };
        lines.iter().enumerate().map(|(index, line)| server::glued(lead(index), line).into_row(self.width)).collect()
    }

    /// How much is known and not here.
    fn absent(&mut self) {
        if !is_alive(&self.state.snapshot) {
            return;
        }
        self.gap();
        let contexts = [Context::Surface, Context::Pane, Context::Global];
        let key = self.state.keymap.key_for(&contexts, Action::Open);
        let count = self.state.snapshot.surface.absent.to_string();
        let line = Styled::new("ABSENT", Role::UiStrong).with("  ", Role::UiText).with(&count, Role::UiDim);
        // The count stands; the words are as long as there is room.
        let room = self.width.saturating_sub(line.width() + 1);
        let forms = key.map(|key| [format!("{key}: which, and why"), format!("{key}: why")]).unwrap_or_default();
        let words = forms.into_iter().find(|words| text::width(words) <= room).unwrap_or_default();
        self.item([ended(line, &words, self.width)]);
    }
}

/// Columns that a skill's row needs to also tell how it came.
const WITH_CAUSE: usize = 36;

/// Active skills under a heading of their own; nothing when there is none.
fn skill_lines(skills: &[SkillView], first: usize, width: usize) -> Vec<Line> {
    if skills.is_empty() {
        return Vec::new();
    }
    let tokens: u64 = skills.iter().map(|skill| u64::from(skill.tokens)).sum();
    let words = format!("{} active · {} tok/turn", skills.len(), human::tokens(tokens));
    let heading = Styled::new("SKILLS", Role::UiStrong).with("  ", Role::UiText).with(&words, Role::UiDim);
    let mut lines = vec![Line::plain(Row::blank()), Line::plain(heading.into_row(width))];
    let names = skills.iter().map(|skill| text::width(&skill.name)).max().unwrap_or(0).clamp(6, 20).min(width / 2);
    for (index, skill) in skills.iter().enumerate() {
        let mut line = Styled::new("◆ ", Role::DecisionMark);
        let mut name = Styled::new(&text::sanitize_line(&skill.name), Role::ToolName);
        name.cut(names);
        name.pad_to(names + 1, Role::UiText);
        line.append(&name);
        if width >= WITH_CAUSE {
            line.push(&format!("by {}", cell::skill_cause(&skill.cause)), Role::UiDim);
        }
        let cost = format!("{} tok", human::tokens(skill.tokens.into()));
        lines.push(Line::of(first + index, ended(line, &cost, width)));
    }
    lines
}

/// What sentences are compared with, while it is on its way or when it did not arrive.
fn encoder_rows(encoder: &EncoderState, width: usize) -> Vec<Row> {
    match encoder {
        EncoderState::Idle | EncoderState::Ready { .. } => Vec::new(),
        EncoderState::Downloading { done, total, .. } => {
            let of = total.map(|total| format!(" of {}", human::bytes(total))).unwrap_or_default();
            let words = format!("encoder downloading {}{of}", human::bytes(*done));
            vec![Styled::new(&words, Role::UiDim).into_row(width)]
        }
        EncoderState::Loading { phrases_done, phrases, .. } => {
            let done = if *phrases > 0 { format!(" {phrases_done}/{phrases}") } else { String::new() };
            vec![Styled::new(&format!("encoder loading{done}"), Role::UiDim).into_row(width)]
        }
        // Why, and what to do, is in the notes.
        EncoderState::Failed { .. } => {
            let line = Styled::new("! ", Role::NoticeWarning).with("no sentence encoder", Role::UiText);
            let told = line.clone().with("  see the notes", Role::UiDim);
            vec![if told.width() <= width { told } else { line }.into_row(width)]
        }
    }
}
