//! `/rewind` in words.

use crate::proto::{ByHand, RewindTo, RewindView, RewindWhat, TurnId, counted};
use crate::session::actor::slash::table;

/// Prompts that are listed.
const LISTED: usize = 20;

/// Characters of a prompt in the list.
const PROMPT: usize = 60;

pub enum Asked {
    List,
    Go { to: RewindTo, what: RewindWhat, by_hand: ByHand },
}

pub fn parse(arguments: &str) -> Result<Asked, String> {
    let mut words = arguments.split_whitespace();
    let Some(first) = words.next() else { return Ok(Asked::List) };
    let to = match (first, first.trim_start_matches('t').parse()) {
        ("undo", _) => RewindTo::Before,
        (_, Ok(turn)) => RewindTo::Turn(TurnId(turn)),
        (other, Err(_)) => return Err(format!("{other:?} is no turn. {USE}")),
    };
    let (mut what, mut by_hand) = (RewindWhat::Both, ByHand::Leave);
    for word in words {
        match word {
            "conversation" => what = RewindWhat::Conversation,
            "files" => what = RewindWhat::Files,
            "both" => what = RewindWhat::Both,
            "all" => by_hand = ByHand::Restore,
            other => return Err(format!("{other:?} is not understood. {USE}")),
        }
    }
    Ok(Asked::Go { to, what, by_hand })
}

const USE: &str = "/rewind lists the prompts; /rewind TURN [conversation|files|both] [all] goes back to before one \
                   (all: files changed by hand too); /rewind undo takes it back.";

pub fn list(view: &RewindView) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    if let Some(before) = &view.before {
        let words = format!("takes the last rewind ({}) back", before.what.word());
        rows.push(vec!["undo".to_owned(), words]);
    }
    for point in view.prompts().take(LISTED) {
        let line = point.prompt.lines().next().unwrap_or_default();
        let prompt: String = line.chars().take(PROMPT).collect();
        let mut paths: Vec<&str> = view
            .changes_from(point.turn)
            .filter(|change| !change.is_folder())
            .map(|change| change.path.as_str())
            .collect();
        paths.sort_unstable();
        paths.dedup();
        let files = match paths.len() {
            0 => String::new(),
            count => format!("  ({} changed since)", counted(count, "file")),
        };
        rows.push(vec![point.turn.0.to_string(), format!("{prompt}{files}")]);
    }
    if rows.is_empty() {
        return "There is no prompt to go back to yet.".to_owned();
    }
    format!("{}\n\n{USE}", table(&rows))
}
