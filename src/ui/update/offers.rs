//! What the composer asks for while a command is typed that names turns, themes or sessions.

use crate::proto::{Command, SessionRow, ShelfCommand};
use crate::text;
use crate::ui::composer::{Offer, Offered};
use crate::ui::effect::Effect;
use crate::ui::state::State;

/// Turns that are offered, the latest first.
const TURNS: usize = 100;

/// Columns of the words beside a name.
const WORDS: usize = 48;

/// Tells the composer what there is; what has to be read first is asked for once a visit.
pub(super) fn offer(state: &mut State) -> Option<Effect> {
    let wanted = state.composer.wants_offer();
    if wanted != Some(Offer::Sessions) {
        state.shelf.offering = false;
    }
    let offered = match wanted? {
        Offer::Turns => {
            let turn = |point: &crate::proto::RewindPoint| offered(&point.turn.0.to_string(), &point.prompt);
            state.snapshot.rewind.prompts().take(TURNS).map(turn).collect()
        }
        Offer::Themes => state.themes.rows.iter().map(|row| offered(&row.name, &row.words)).collect(),
        Offer::Sessions => {
            let here = &state.snapshot.session.name;
            let others = state.shelf.rows().iter().filter(|row| row.name != *here && is_one_word(row));
            others.map(|row| offered(&row.name, &row.title)).collect()
        }
    };
    if let Some(wanted) = wanted {
        state.composer.offer(wanted, offered);
    }
    let asks = wanted == Some(Offer::Sessions) && !std::mem::replace(&mut state.shelf.offering, true);
    asks.then_some(Effect::Send(Command::Shelf(ShelfCommand::List)))
}

fn is_one_word(row: &SessionRow) -> bool {
    !row.name.contains(char::is_whitespace) && text::sanitize_line(&row.name) == row.name
}

fn offered(name: &str, words: &str) -> Offered {
    let words = text::sanitize_line(words.lines().next().unwrap_or_default()).into_owned();
    Offered { name: name.to_owned(), title: text::truncate(&words, WORDS).into_owned() }
}
