//! Servers: how each stands, and the marked one in full.

use ratatui::layout::Rect;

use super::Panel;
use super::picker::Place;
use super::reader;
use super::table::{self, Tabular};
use crate::proto::{ServerState, ServerView};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{State, Table};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::panes::surface;

pub const KEYS: &[(Action, &str)] = &[
    (Action::RestartServer, "restart"),
    (Action::DisableServer, "turn off"),
    (Action::Accept, "all of it"),
    (Action::Close, "close"),
];

/// Columns a name takes at most.
const NAMES: usize = 28;

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let servers = &state.snapshot.servers;
    let place = Place::shared_for(area, servers.len());
    let width = place.columns();
    table.selected = table.selected.min(servers.len().saturating_sub(1));
    let longest = servers.iter().map(|server| text::width(&text::sanitize_line(&server.name))).max().unwrap_or(0);
    let names = longest.min(NAMES).min(width / 2);
    let made = Tabular::plain(title(servers), servers.len(), "this role has no servers", |at| {
        servers.get(at).map(|server| row(state, server, names, width)).unwrap_or_else(Row::blank)
    });
    let side = match (place.side, servers.get(table.selected)) {
        (Some(outline), Some(server)) => {
            let room = outline.height.saturating_sub(2) as usize;
            preview(state, server, outline.width.saturating_sub(4) as usize, room)
        }
        _ => Vec::new(),
    };
    let foot = hints.fitting(state, KEYS, usize::from(place.outline.width.saturating_sub(6)));
    table::panel(table, place, made, side, foot)
}

/// `Servers · 4 ready · 1 starting · 1 failed`
fn title(servers: &[ServerView]) -> String {
    let mut counts: [(&str, usize); 5] = [("ready", 0), ("starting", 0), ("waiting", 0), ("failed", 0), ("off", 0)];
    for server in servers {
        let at = match server.state {
            ServerState::Ready { .. } => 0,
            ServerState::Starting { .. } => 1,
            ServerState::Waiting { .. } | ServerState::NeedsSignIn { .. } => 2,
            ServerState::Failed { .. } => 3,
            ServerState::Disabled { .. } | ServerState::Stopped => 4,
        };
        counts[at].1 += 1;
    }
    let told = counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!(" · {count} {word}"));
    format!("Servers{}", told.collect::<String>())
}

fn row(state: &State, server: &ServerView, names: usize, width: usize) -> Row {
    let (mark, role, words) = surface::state_words(server, state);
    let mut line = Styled::new(mark, role).with(" ", Role::UiText);
    let mut name = Styled::new(&text::sanitize_line(&server.name), Role::ToolName);
    name.cut(names);
    name.pad_to(names + 2, Role::UiText);
    line.append(&name);
    match words {
        Some(words) => line.push(&words, role),
        None => line.push(&ready(server), Role::UiDim),
    }
    line.into_row(width)
}

/// `4 tools · 1 kept off · 1 240 tok`
fn ready(server: &ServerView) -> String {
    let exposed = server.tools.iter().filter(|tool| tool.exposed()).count();
    let kept = server.tools.iter().filter(|tool| tool.quarantine.is_some()).count();
    let kept = if kept > 0 { format!(" · {kept} kept off") } else { String::new() };
    let noun = if exposed == 1 { "tool" } else { "tools" };
    format!("{exposed} {noun}{kept} · {} tok", human::tokens(u64::from(server.tokens())))
}

/// As much of the marked server as there is room for. In little room its last words matter more than the
/// tools of one that is up.
fn preview(state: &State, server: &ServerView, width: usize, room: usize) -> Vec<Row> {
    let whole = reader::server_rows(server, state, width);
    let up = matches!(server.state, ServerState::Ready { .. });
    if whole.len() <= room || up {
        return whole;
    }
    let mut rows = reader::server_state(server, state, width);
    let words = reader::server_words(server, width);
    // The newest stand last.
    let hidden = words.len().saturating_sub(room.saturating_sub(rows.len()));
    rows.extend(words.into_iter().skip(hidden));
    rows
}
