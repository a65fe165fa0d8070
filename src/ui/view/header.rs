//! The header line.

use ratatui::buffer::Buffer;

use super::canvas;
use super::layout::Layout;
use super::over;
use crate::proto::{ApprovalMode, Held, RunState, SwitchState, SwitchView};
use crate::text::{self, human};
use crate::ui::state::State;
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::Styled;

pub fn header(state: &State, layout: &Layout, buffer: &mut Buffer, theme: &Theme) {
    let area = layout.header;
    if let Some(line) = past(state, usize::from(area.width.saturating_sub(2))) {
        canvas::put_styled(buffer, area.x + 1, area.y, area.width.saturating_sub(2), line, theme);
        return;
    }
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
    let (with_name, without) = facts(state);
    let fitting = |lines: &[Styled], right: &Styled| lines.iter().find(|line| line.width() <= room(right)).cloned();
    let (left, right) = match fitting(&with_name, &named) {
        Some(left) => (left, named),
        None => (fitting(&without, &bare).unwrap_or_default(), bare),
    };
    canvas::put_styled(buffer, area.x + 1, area.y, area.width.saturating_sub(2), left, theme);
    let columns = right.width() as u16;
    canvas::put_styled(buffer, area.right().saturating_sub(columns + 1), area.y, columns, right, theme);
}

/// That one looks at the past, at which moment, and how to come back.
fn past(state: &State, width: usize) -> Option<Styled> {
    let moment = state.time.moment.as_ref().filter(|_| state.in_past())?;
    let (turn, turns) = state.time.turn();
    let when = if turn == 0 { "before the first turn".to_owned() } else { format!("turn {turn} of {turns}") };
    let clock = over::time::clock(moment.at);
    let forms = [
        format!(" · {when} · {clock} · esc comes back to now"),
        format!(" · {when} · esc comes back to now"),
        format!(" · turn {turn} · esc: now"),
    ];
    let lead = Styled::new("◂ the past", Role::NoticeWarning);
    let fits = |words: &&String| lead.width() + text::width(words) <= width;
    let words = forms.iter().find(fits).or(forms.last())?;
    Some(lead.clone().with(words, Role::UiStrong))
}

/// So many of the header's forms stand beside the session's name.
const WITH_NAME: usize = 4;

/// So many forms have what watches the session beside them; all of them when a sandbox holds it.
const WATCHED: usize = 3;

/// So many forms still have the role; then the program's own name gives way before it.
const LEAST: usize = 7;

/// The header's facts in ever fewer words. Who one talks to and how full the context is stay longest:
/// the provider's name gives way first, then that the model is scripted, how large its context is, the
/// session's name, the cost, the model. What watches the session stands beside all of it or not at all.
/// First the forms that stand beside the session's name.
fn facts(state: &State) -> (Vec<Styled>, Vec<Styled>) {
    let session = &state.snapshot.session;
    let clean = |text: &str| text::sanitize_line(text).into_owned();
    let (role, model) = (clean(&session.role), clean(&session.model.name));
    let short = model.split_once(':').map_or(model.clone(), |(_, name)| name.to_owned());
    let (whole, share, cost) = (Some(context(state, Window::Told)), Some(context(state, Window::Left)), cost(state));
    let some = |words: &str| (!words.is_empty()).then(|| (words.to_owned(), Role::UiText));
    let (role, model, short) = (some(&role), some(&model), some(&short));
    let held = less(state);
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
    let watched = watch(state).into_iter().flat_map(|watch| {
        let forms = [
            [&role, &model, &whole, &cost, &held, &scripted],
            [&role, &short, &whole, &cost, &held, &scripted],
            [&role, &short, &share, &cost, &held, &none],
            [&role, &short, &share, &none, &held, &none],
            [&role, &none, &share, &none, &held, &none],
        ];
        let many = if is_held(state) { forms.len() } else { WATCHED };
        let told = forms.into_iter().take(many);
        told.map(|parts| line("octomind", &parts).with(" · ", Role::UiDim).with(&watch, Role::UiText))
            .collect::<Vec<_>>()
    });
    let (told, least) = forms.split_at(LEAST);
    let nameless = told.last().map(|parts| line("", parts));
    let lines = |forms: &[[&Fact; FACTS]]| forms.iter().map(|parts| line("octomind", parts)).collect();
    let (mut all, rest): (Vec<Styled>, Vec<Styled>) = (lines(told), lines(least));
    all.extend(nameless.into_iter().chain(rest));
    let watched: Vec<Styled> = watched.collect();
    if is_held(state) {
        // That it is held is worth more than the session's name.
        let without = watched.iter().cloned().chain(all).collect();
        return (watched, without);
    }
    let without = all.split_off(WITH_NAME);
    (watched.into_iter().chain(all).collect(), without)
}

/// Whether the sandbox that was asked for really holds all that runs.
fn is_held(state: &State) -> bool {
    state.snapshot.sandbox.as_ref().is_some_and(|told| told.held != Held::No && !told.is_less())
}

/// What this session may not, or is not protected by, though it was asked for: it gives way last.
fn less(state: &State) -> Fact {
    let holder = state.snapshot.session.read_only.as_ref();
    let holder = holder.map(|holder| format!("read only, held by {}", text::sanitize_line(holder)));
    let sandbox = state.snapshot.sandbox.as_ref().filter(|sandbox| sandbox.is_less());
    let sandbox = sandbox.map(|sandbox| format!("sandbox {}", sandbox.word()));
    let words: Vec<String> = holder.into_iter().chain(sandbox).collect();
    (!words.is_empty()).then(|| (words.join(" · "), Role::NoticeWarning))
}

/// Words and what they mean; nothing where there is nothing to tell.
type Fact = Option<(String, Role)>;

/// Facts of a form, the program's name aside.
const FACTS: usize = 6;

fn line(program: &str, parts: &[&Fact; FACTS]) -> Styled {
    let mut line = Styled::new(program, Role::UiStrong);
    for (index, (words, role)) in parts.iter().copied().flatten().enumerate() {
        let gap = if line.is_empty() { "" } else { "  " };
        line.push(if index == 0 { gap } else { " · " }, Role::UiDim);
        line.push(words, *role);
    }
    line
}

/// `approval writes · gate on · sandbox full`, as far as the session told; then one of them alone, the sandbox
/// if there is one.
fn watch(state: &State) -> Vec<String> {
    let value = |name: &str, switch: &SwitchView| {
        let word = |on: bool| if on { "on" } else { "off" };
        match switch.state {
            SwitchState::Pending { on } => format!("{name} {} → {}", word(switch.on), word(on)),
            _ => format!("{name} {}", word(switch.on)),
        }
    };
    let all = state.switch("supervisor.enabled").filter(|all| !all.on).map(|all| value("supervisor", all));
    let gate = all.or_else(|| state.switch("supervisor.gate.enabled").map(|gate| value("gate", gate)));
    // What is so, not what was asked for.
    let sandbox = match &state.snapshot.sandbox {
        Some(told) if told.is_less() => None,
        Some(told) => Some(format!("sandbox {}", told.word())),
        None => state.switch("sandbox").map(|sandbox| value("sandbox", sandbox)),
    };
    let asks = &state.snapshot.approval.standing.mode;
    let asks = (*asks != ApprovalMode::Off).then(|| format!("approval {}", asks.word()));
    let words: Vec<String> = asks.into_iter().chain(gate).chain(sandbox).collect();
    match words.as_slice() {
        [] => Vec::new(),
        [only] => vec![only.clone()],
        [first, .., sandbox] => {
            vec![words.join(" · "), if is_held(state) { sandbox.clone() } else { first.clone() }]
        }
    }
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
    let spent = state.snapshot.totals.all().cost?;
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
