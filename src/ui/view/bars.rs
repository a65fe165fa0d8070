//! The header line and the status line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas;
use super::composer::waiting;
use super::hints::Hints;
use super::layout::{Layout, Shape};
use super::over;
use crate::proto::RunState;
use crate::text::{self, human};
use crate::ui::action::Action;
use crate::ui::state::{Item, Pane, Search, State};
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::cell::spinner;
use crate::ui::transcript::{Cache, Styled};

pub fn header(state: &State, layout: &Layout, buffer: &mut Buffer, theme: &Theme) {
    let area = layout.header;
    let session = &state.snapshot.session;
    let (mark, role) = match (&state.snapshot.run, session.ended) {
        (_, true) => ("■", Role::UiDim),
        (RunState::Idle, _) => ("●", Role::ServerReady),
        (RunState::Retrying { .. }, _) => ("↻", Role::NoticeWarning),
        _ => ("●", Role::ToolRunning),
    };
    let name = session.title.as_deref().unwrap_or(&session.name);
    let name = Styled::new(&text::truncate(&text::sanitize_line(name), 28), Role::UiDim);
    let ends = |name: Styled| {
        let gap = if name.is_empty() { "" } else { "  " };
        name.with(gap, Role::UiText).with(mark, role)
    };
    let (named, bare) = (ends(if area.width < 60 { Styled::default() } else { name }), ends(Styled::default()));
    let room = |right: &Styled| area.width.saturating_sub(right.width() as u16 + 4) as usize;
    let facts = facts(state);
    let (with_name, without) = facts.split_at(WITH_NAME);
    let fitting = |lines: &[Styled], right: &Styled| lines.iter().find(|line| line.width() <= room(right)).cloned();
    let (left, right) = match fitting(with_name, &named) {
        Some(left) => (left, named),
        None => (fitting(without, &bare).unwrap_or_default(), bare),
    };
    canvas::put_styled(buffer, area.x + 1, area.y, area.width.saturating_sub(2), left, theme);
    let columns = right.width() as u16;
    canvas::put_styled(buffer, area.right().saturating_sub(columns + 1), area.y, columns, right, theme);
}

/// So many of the header's forms stand beside the session's name.
const WITH_NAME: usize = 4;

/// So many forms still have the role; then the program's own name gives way before it.
const LEAST: usize = 7;

/// The header's facts in ever fewer words. Who one talks to and how full the context is stay longest:
/// the provider's name gives way first, then that the model is scripted, how large its context is, the
/// session's name, the cost, the model.
fn facts(state: &State) -> Vec<Styled> {
    let session = &state.snapshot.session;
    let clean = |text: &str| text::sanitize_line(text).into_owned();
    let (role, model) = (clean(&session.role), clean(&session.model.name));
    let short = model.split_once(':').map_or(model.clone(), |(_, name)| name.to_owned());
    let (whole, share, cost) = (Some(context(state, Window::Told)), Some(context(state, Window::Left)), cost(state));
    let some = |words: &str| (!words.is_empty()).then(|| (words.to_owned(), Role::UiText));
    let (role, model, short) = (some(&role), some(&model), some(&short));
    let held = session
        .read_only
        .as_ref()
        .map(|holder| (format!("read only, held by {}", text::sanitize_line(holder)), Role::NoticeWarning));
    let scripted = session.model.scripted.then(|| ("scripted".to_owned(), Role::AssistantScripted));
    let none = None::<(String, Role)>;
    let forms = [
        [&role, &model, &whole, &cost, &held, &scripted],
        [&role, &short, &whole, &cost, &held, &scripted],
        [&role, &short, &whole, &cost, &held, &none],
        [&role, &short, &share, &cost, &held, &none],
        [&role, &short, &share, &cost, &held, &none],
        [&role, &short, &share, &none, &held, &none],
        [&role, &none, &share, &none, &held, &none],
        [&none, &none, &share, &none, &held, &none],
        [&none, &none, &share, &none, &none, &none],
    ];
    let line = |program: &str, parts: &[&Option<(String, Role)>; 6]| {
        let mut line = Styled::new(program, Role::UiStrong);
        for (index, (words, role)) in parts.iter().copied().flatten().enumerate() {
            let gap = if line.is_empty() { "" } else { "  " };
            line.push(if index == 0 { gap } else { " · " }, Role::UiDim);
            line.push(words, *role);
        }
        line
    };
    let (told, least) = forms.split_at(LEAST);
    let nameless = told.last().map(|parts| line("", parts));
    let lines = |forms: &[[&Option<(String, Role)>; 6]]| forms.iter().map(|parts| line("octomind", parts)).collect();
    let (mut all, rest): (Vec<Styled>, Vec<Styled>) = (lines(told), lines(least));
    all.extend(nameless.into_iter().chain(rest));
    all
}

/// Whether the size of the context is told beside how full it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Window {
    Told,
    Left,
}

/// How full the context is.
fn context(state: &State, told: Window) -> (String, Role) {
    let used = state.snapshot.totals.context_tokens;
    match state.snapshot.session.model.context_window {
        Some(window) if window > 0 => {
            let share = (used * 100).div_ceil(window);
            let role = if share > 80 { Role::NoticeWarning } else { Role::UiText };
            let of = if told == Window::Told { format!(" of {}", window_words(window)) } else { String::new() };
            (format!("ctx {share} %{of}"), role)
        }
        _ => (format!("ctx {} tok", human::tokens(used)), Role::UiText),
    }
}

/// What the session cost, when prices are known.
fn cost(state: &State) -> Option<(String, Role)> {
    let totals = &state.snapshot.totals;
    let spent = match (totals.main.cost, totals.auxiliary.cost) {
        (None, None) => return None,
        (main, auxiliary) => main.unwrap_or(0.0) + auxiliary.unwrap_or(0.0),
    };
    Some((human::dollars(spent), Role::UiText))
}

/// `200k`, `1M`: windows are round numbers.
fn window_words(window: u64) -> String {
    match window {
        1_000_000.. => format!("{}M", (window as f64 / 100_000.0).round() / 10.0),
        1000.. => format!("{}k", window / 1000),
        _ => window.to_string(),
    }
}

/// Mode, what runs, and the keys that matter now, on the bottom border.
pub fn status(state: &State, layout: &Layout, cache: &Cache, buffer: &mut Buffer, theme: &Theme) {
    let area = layout.status;
    let room = area.width.saturating_sub(4) as usize;
    let mut line = Styled::new(" ", Role::UiBorder).with(state.mode(), Role::UiStrong).with("  ", Role::UiText);
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
        let words = match state.snapshot.asks.len() {
            1 => "1 question waits".to_owned(),
            many => format!("{many} questions wait"),
        };
        parts.push(Styled::new(&words, Role::NoticeWarning));
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
        ],
        Pane::Surface => surface_keys(state),
        Pane::Scores => &[
            (Action::Compose, "compose"),
            (Action::FocusNext, "pane"),
            (Action::Open, "why"),
            (Action::EnableCapability, "turn on"),
            (Action::WhatIf, "what if"),
        ],
        Pane::Notes => &[(Action::Compose, "compose"), (Action::FocusNext, "pane"), (Action::Open, "show")],
    };
    own.iter().copied().chain(general).collect()
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
        Some(Item::Fixed(_) | Item::Held(_) | Item::Absent | Item::Skill(_) | Item::Tool { .. }) | None => &[
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
