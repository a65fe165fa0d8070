//! The status line, and what is said where there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas;
use super::composer::waiting;
use super::hints::Hints;
use super::layout::{Layout, Shape};
use super::over;
use crate::proto::{Mechanic, RunState};
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{Item, Pane, Search, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::cell::spinner;
use crate::ui::transcript::{Cache, Styled};

/// Mode, what runs, and the keys that matter now, on the bottom border.
pub fn status(state: &State, layout: &Layout, cache: &Cache, buffer: &mut Buffer, theme: &Theme) {
    let area = layout.status;
    let room = area.width.saturating_sub(4) as usize;
    let mut line = Styled::new(" ", Role::UiBorder).with(state.mode(), Role::UiStrong);
    let unfinished = state.unfinished();
    if !unfinished.is_empty() {
        line.push(" ", Role::UiText);
        line.push(&unfinished, Role::UiAccent);
    }
    line.push("  ", Role::UiText);
    let mut first = true;
    for part in status_parts(state, &layout.hints, cache, room) {
        let extra = if first { 0 } else { 3 };
        if line.width() + extra + part.width() + 1 > room {
            break;
        }
        if !first {
            line.push(" · ", Role::UiDim);
        }
        line.append(&part);
        first = false;
    }
    line.push(" ", Role::UiBorder);
    canvas::put_styled(buffer, area.x + 1, area.y, area.width.saturating_sub(2), line, theme);
}

/// What is searched for, and which match is in sight of how many.
fn search_parts(search: &Search, cache: &Cache) -> [Styled; 2] {
    let caret = if search.editing { "▏" } else { "" };
    let found = match (search.query.is_empty(), cache.matches(), cache.match_number()) {
        (true, ..) => "type to search".to_owned(),
        (false, 0, _) => "nothing found".to_owned(),
        (false, 1, _) => "1 match".to_owned(),
        (false, many, None) => format!("{many} matches"),
        (false, many, Some(number)) => format!("{number} of {many}"),
    };
    let query = text::sanitize_line(&search.query).into_owned();
    let typed = Styled::new("/", Role::UiStatusKey).with(&query, Role::UiStrong).with(caret, Role::UiAccent);
    [typed, Styled::new(&found, Role::UiStatus)]
}

fn status_parts(state: &State, hints: &Hints, cache: &Cache, room: usize) -> Vec<Styled> {
    let mut parts = Vec::new();
    let key = |action: Action, words: &str| {
        let key = hints.key(state, action)?;
        Some(Styled::new(key, Role::UiStatusKey).with(" ", Role::UiStatus).with(words, Role::UiStatus))
    };
    if let Some(words) = activity(state, room) {
        let mark = spinner(state.now, state.settings.motion);
        parts.push(Styled::new(mark, Role::ToolRunning).with(" ", Role::UiText).with(&words, Role::UiText));
        let stopping = state.interrupting == Some(state.snapshot.turn);
        if stopping {
            parts.push(Styled::new("stopping", Role::NoticeWarning));
        } else {
            parts.extend(key(Action::Interrupt, "stops"));
        }
    }
    if state.focus == Pane::Transcript
        && state.layers.is_empty()
        && let Some(search) = state.transcript.search.as_ref()
    {
        parts.extend(search_parts(search, cache));
        if !search.editing {
            parts.extend(key(Action::SearchNext, "next"));
            parts.extend(key(Action::SearchPrevious, "before"));
            parts.extend(key(Action::SearchClear, "ends it"));
        }
    }
    if state.quit_armed.is_some_and(|until| until > state.now) {
        parts.push(Styled::new("press again to leave", Role::NoticeWarning));
    }
    if !state.snapshot.asks.is_empty() && state.question.is_none() {
        let told = matches!(state.snapshot.run, RunState::Approving { .. });
        let words = match state.snapshot.asks.len() {
            1 if told => None,
            1 => Some("1 question waits".to_owned()),
            many => Some(format!("{many} questions wait")),
        };
        parts.extend(words.map(|words| Styled::new(&words, Role::NoticeWarning)));
        parts.extend(key(Action::FocusQuestion, "answer"));
    }
    let queued = waiting(state).count();
    if queued > 0 {
        parts.push(Styled::new(&format!("{queued} queued"), Role::UiStatus));
        parts.extend(key(Action::EditQueued, "edit"));
    }
    parts.extend(keys_now(state).into_iter().filter_map(|(action, words)| key(action, words)));
    parts
}

/// The keys that matter most where the focus is.
fn keys_now(state: &State) -> Vec<(Action, &'static str)> {
    if let Some(layer) = state.layers.last() {
        return over::keys(state, layer).to_vec();
    }
    if state.question_takes_text() {
        return vec![(Action::AnswerText, "save"), (Action::Close, "later")];
    }
    if state.approval_in_question().is_some() {
        return over::APPROVAL_KEYS.to_vec();
    }
    if state.question.is_some() {
        return vec![(Action::AnswerYes, "yes"), (Action::AnswerNo, "no"), (Action::Close, "later")];
    }
    let general = [(Action::Zoom, "zoom"), (Action::Help, "keys"), (Action::Palette, "palette")];
    let fold = if state.marked_is_folded() { "open" } else { "fold" };
    let own: &[(Action, &'static str)] = match state.focus {
        Pane::Composer if state.composer.chip_at_caret().is_some() => {
            &[(Action::ExpandPaste, "open the paste"), (Action::FocusNext, "pane")]
        }
        Pane::Composer if state.composer.opened_at_caret().is_some() => {
            &[(Action::ExpandPaste, "fold the paste"), (Action::FocusNext, "pane")]
        }
        Pane::Composer => &[(Action::FocusNext, "pane")],
        Pane::Transcript => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::ToggleFold, fold),
            (Action::Search, "search"),
            (Action::Switches, "switches"),
        ],
        Pane::Surface => surface_keys(state),
        Pane::Scores => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "why"),
            (Action::EnableCapability, "turn on"),
            (Action::WhatIf, "what if"),
        ],
        Pane::Plan | Pane::Notes => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "show"),
            (Action::Switches, "switches"),
            (Action::Wire, "wire"),
        ],
    };
    // Who types has keys of functions alone: that one is told last.
    let last = (state.focus == Pane::Composer).then_some((Action::Switches, "switches"));
    own.iter().copied().chain(general).chain(last).collect()
}

/// The keys of the marked row: what is there decides what can be done with it.
fn surface_keys(state: &State) -> &'static [(Action, &'static str)] {
    match state.marked_item() {
        Some(Item::Dynamic(_)) => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "why"),
            (Action::DisableCapability, "turn off"),
            (Action::PinCapability, "pin"),
            (Action::RestartServer, "restart"),
            (Action::WhatIf, "what if"),
        ],
        Some(Item::Fixed(_) | Item::Held(_) | Item::Absent | Item::Skill(_) | Item::Child(_) | Item::Tool { .. })
        | None => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "why"),
            (Action::WhatIf, "what if"),
        ],
        Some(Item::Server(_)) => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "show"),
            (Action::RestartServer, "restart"),
            (Action::DisableServer, "turn off"),
        ],
    }
}

/// Columns below which what runs is told in few words, so that the key that stops it has room.
const FEW_WORDS: usize = 56;

/// `9 s`, `2:05`: a time in few columns.
fn clock(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        short @ 0..60 => format!("{short} s"),
        long => format!("{}:{:02}", long / 60, long % 60),
    }
}

/// What runs, and for how long.
fn activity(state: &State, room: usize) -> Option<String> {
    let short = room < FEW_WORDS;
    let run = &state.snapshot.run;
    let elapsed = |since: u64| match state.now.saturating_sub(since) {
        passed if short => clock(passed),
        passed => human::duration_ms(passed / 100 * 100),
    };
    Some(match run {
        RunState::Idle => return None,
        RunState::Waiting { since } if short => format!("waiting {}", elapsed(*since)),
        RunState::Waiting { since } => format!("waiting for the model {}", elapsed(*since)),
        RunState::Thinking { since } => format!("thinking {}", elapsed(*since)),
        RunState::Answering { since } => format!("answering {}", elapsed(*since)),
        RunState::Forming { since, .. } if short => format!("writing {}", elapsed(*since)),
        RunState::Forming { since, tool, argument_bytes } => {
            let tool = text::sanitize_line(tool);
            format!("writing a call of {tool}, {} {}", human::bytes(*argument_bytes), elapsed(*since))
        }
        RunState::Tools { since, running: 1 } if short => format!("1 tool {}", elapsed(*since)),
        RunState::Tools { since, running } if short => format!("{running} tools {}", elapsed(*since)),
        RunState::Tools { since, running: 1 } => format!("1 tool runs {}", elapsed(*since)),
        RunState::Tools { since, running } => format!("{running} tools run {}", elapsed(*since)),
        RunState::Approving { since } if short => format!("your yes {}", elapsed(*since)),
        RunState::Approving { since } => format!("a call waits for your yes {}", elapsed(*since)),
        RunState::Checking { since, mechanic } if short => format!("{} {}", mechanic.word(), elapsed(*since)),
        RunState::Checking { since, mechanic } => format!("{} {}", checking(*mechanic), elapsed(*since)),
        RunState::Retrying { until, attempt, of, reason, .. } => {
            let left = human::duration_ms(until.saturating_sub(state.now).div_ceil(1000) * 1000);
            if short {
                let left = clock(until.saturating_sub(state.now) + 999);
                return Some(format!("try {attempt}/{of} in {left}"));
            }
            format!("{}: try {attempt} of {of} in {left}", text::sanitize_line(reason).trim_end_matches('.'))
        }
    })
}

/// What the supervisor is waited for.
fn checking(mechanic: Mechanic) -> &'static str {
    match mechanic {
        Mechanic::Gate => "the gate verifies the stop",
        Mechanic::Refute => "the gate takes a second look",
        Mechanic::Plan => "the plan is worked out",
        Mechanic::Condense => "large results are condensed",
        Mechanic::Authorizer => "the calls are authorized",
    }
}

/// How things stand, where there is room for nothing else.
fn standing_words(state: &State, room: usize) -> Vec<String> {
    let run = activity(state, room).unwrap_or_else(|| "nothing runs".to_owned());
    let asks = match state.snapshot.asks.len() {
        0 => None,
        1 => Some("1 question waits".to_owned()),
        many => Some(format!("{many} questions wait")),
    };
    std::iter::once(run).chain(asks).collect()
}

/// Says that there is no room.
pub fn notice(state: &State, shape: Shape, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    if shape != Shape::TooSmall || area.height == 0 {
        return;
    }
    let mut words = vec![format!("{} × {} is too small", area.width, area.height), "octomind needs 40 × 12".to_owned()];
    words.extend(standing_words(state, area.width as usize));
    for (line, y) in words.iter().zip(area.y + area.height.saturating_sub(words.len() as u16) / 2..area.bottom()) {
        let styled = Styled::new(&text::truncate(line, area.width as usize), Role::UiText);
        let x = area.x + area.width.saturating_sub(styled.width() as u16) / 2;
        canvas::put_styled(buffer, x, y, area.width, styled, theme);
    }
}
