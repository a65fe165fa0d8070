use super::{Fold, Look, led, spinner, spread};
use crate::proto::{StartStep, StepState, StepView, Timestamp};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Steps quicker than this say no time, milliseconds.
const WORTH_TELLING: u64 = 20;

/// Columns of a step's name with its mark.
const NAMES: usize = 15;

/// Columns from which the key that stops a step stands beside its time.
const WITH_KEY: usize = 56;

/// A line a step while something is going on. Afterwards one line for all, and one for each step
/// that is not as it should be; opened, every step again.
pub fn render(steps: &[StepView], at: Timestamp, look: &Look) -> Vec<Row> {
    let mut rows = Vec::new();
    let settled = is_settled(steps);
    // A step by itself that is not as it should be says it all.
    let alone = matches!(steps, [step] if is_trouble(&step.state));
    if settled && look.fold == Fold::Folded && !alone {
        rows.push(summary(steps, look.width));
    }
    for (index, step) in steps.iter().enumerate() {
        if settled && look.fold == Fold::Folded && !is_trouble(&step.state) {
            continue;
        }
        let since = at + total(&steps[..index]);
        rows.extend(step_rows(step, since, settled, look));
    }
    rows
}

/// The last step has been taken.
pub fn is_settled(steps: &[StepView]) -> bool {
    let over = |step: &StepView| step.step == StartStep::Servers && step.state != StepState::Running;
    steps.iter().any(over) && steps.iter().all(|step| step.state != StepState::Running)
}

fn is_trouble(state: &StepState) -> bool {
    matches!(state, StepState::Doubtful | StepState::Failed | StepState::Cancelled)
}

fn total(steps: &[StepView]) -> u64 {
    steps.iter().filter(|step| step.state != StepState::Running).map(|step| step.elapsed_ms).sum()
}

/// `developer:general ready · muvon/tap · 14 capabilities · 11 tools`
fn summary(steps: &[StepView], width: usize) -> Row {
    let of = |wanted: StartStep| {
        let step = steps.iter().find(|step| step.step == wanted && step.state != StepState::Skipped)?;
        let short = short(wanted, &text::sanitize_line(&step.detail));
        (!short.is_empty()).then_some(short)
    };
    let servers = steps.iter().find(|step| step.step == StartStep::Servers).map(|step| &step.state);
    let ready = !matches!(servers, Some(StepState::Failed | StepState::Cancelled));
    let (mark, role) = match (ready, steps.iter().any(|step| is_trouble(&step.state))) {
        (true, false) => ("✔ ", Role::ToolOk),
        (true, true) => ("! ", Role::NoticeWarning),
        (false, _) => ("✘ ", Role::ToolError),
    };
    let name = of(StartStep::Tag).unwrap_or_else(|| "the session".to_owned());
    let mut head = Styled::new(mark, role).with(&name, Role::UiStrong);
    head.push(if ready { " ready" } else { " not ready" }, Role::UiText);
    let time = time(total(steps));
    let words = if time.is_empty() { "" } else { " " };
    // There is more to it.
    let time = Styled::new("▸", Role::UiAccent).with(words, Role::UiDim).tap_append(&time);
    // What does not fit gives way whole.
    let told: [&[StartStep]; 4] = [
        &[StartStep::Tap, StartStep::Capabilities, StartStep::Servers],
        &[StartStep::Tap, StartStep::Servers],
        &[StartStep::Servers],
        &[],
    ];
    let lines = told.iter().map(|steps| {
        let mut line = head.clone();
        for words in steps.iter().filter_map(|step| of(*step)) {
            line.push(" · ", Role::UiDim);
            line.push(&words, Role::UiDim);
        }
        line
    });
    let mut fitting = lines.filter(|line| line.width() + time.width() < width);
    spread(fitting.next().unwrap_or_else(|| head.clone()), &time, width)
}

/// What a detail comes to without its particulars: the agent's name, the tap, how many capabilities
/// and tools.
fn short(step: StartStep, detail: &str) -> String {
    let clauses = || detail.split([',', ';', '·']).map(str::trim).filter(|clause| !clause.is_empty());
    let first = clauses().next().unwrap_or_default();
    let named = |noun: &str| clauses().find(|clause| clause.contains(noun)).map(str::to_owned);
    match step {
        StartStep::Tag => first.rsplit('→').next().unwrap_or(first).trim().to_owned(),
        StartStep::Capabilities => named("capabilit").unwrap_or_else(|| {
            let listed = detail.split(';').next().unwrap_or_default().split(',');
            match listed.filter(|name| !name.trim().is_empty()).count() {
                0 => String::new(),
                1 => "1 capability".to_owned(),
                many => format!("{many} capabilities"),
            }
        }),
        StartStep::Servers => named("tool").unwrap_or_else(|| first.to_owned()),
        _ => first.to_owned(),
    }
}

fn time(elapsed_ms: u64) -> Styled {
    let words = if elapsed_ms < WORTH_TELLING { String::new() } else { human::duration_ms(elapsed_ms) };
    Styled::new(&words, Role::UiDim)
}

fn step_rows(step: &StepView, since: Timestamp, settled: bool, look: &Look) -> Vec<Row> {
    let running = step.state == StepState::Running;
    let (mark, role) = mark(&step.state, look);
    let mut lead = Styled::new(mark, role).with(" ", role).with(name(step.step), Role::UiDim);
    lead.pad_to(NAMES, Role::UiText);
    let right = if running {
        let elapsed = look.now.saturating_sub(since).max(step.elapsed_ms);
        let words = human::duration_ms(elapsed / 100 * 100);
        let key = if look.width >= WITH_KEY { stop_words(step, look) } else { Styled::default() };
        let mut right = key;
        right.push(if right.is_empty() { "" } else { "  " }, Role::UiText);
        right.with(&words, Role::ToolRunning)
    } else if settled && look.fold == Fold::Open && !(step.state == StepState::Cancelled && step.elapsed_ms == 0) {
        Styled::new(&human::duration_ms(step.elapsed_ms), Role::UiDim)
    } else {
        time(step.elapsed_ms)
    };
    let detail = text::sanitize(&step.detail);
    let role = if step.state == StepState::Skipped { Role::UiDim } else { Role::UiText };
    let mut rows = if is_trouble(&step.state) || settled {
        wrapped(&lead, &detail, role, &right, look.width)
    } else {
        let words = text::sanitize_line(&detail).into_owned();
        let room = look.width.saturating_sub(NAMES + right.width() + 1);
        let words = if step.step == StartStep::Manifest { path_end(&words, room) } else { words };
        vec![spread(lead.with(&words, role), &right, look.width)]
    };
    if running || is_trouble(&step.state) || settled {
        let bar = || Styled::new("  │ ", Role::UiDim);
        let role = if step.state == StepState::Failed { Role::ToolError } else { Role::ToolOutput };
        rows.extend(step.output.iter().flat_map(|line| led(bar(), line, role, look.width)));
    }
    let key = stop_words(step, look);
    if running && look.width < WITH_KEY && !key.is_empty() {
        let mut row = Styled::new("  ", Role::UiText);
        row.append(&key);
        rows.push(row.into_row(look.width));
    }
    rows
}

/// A path cut at its beginning: the file's name is what one looks for.
fn path_end(path: &str, room: usize) -> String {
    if text::width(path) <= room || !path.starts_with('/') {
        return path.to_owned();
    }
    let ends = path.match_indices('/').map(|(at, _)| format!("…{}", &path[at..]));
    ends.into_iter().find(|end| text::width(end) <= room).unwrap_or_else(|| path.to_owned())
}

/// `esc stops`, where a key does.
fn stop_words(step: &StepView, look: &Look) -> Styled {
    let stops = step.step == StartStep::Deps && !look.keys.stop.is_empty();
    if !stops {
        return Styled::default();
    }
    Styled::new(look.keys.stop, Role::UiStatusKey).with(" stops", Role::UiDim)
}

/// A detail in full beside its name, the time at the end of its first row.
fn wrapped(lead: &Styled, detail: &str, role: Role, right: &Styled, width: usize) -> Vec<Row> {
    let room = width.saturating_sub(right.width() + 1);
    if room < NAMES + 12 {
        let rest = Styled::new("    ", Role::UiText);
        let mut rows = vec![spread(lead.clone(), right, width)];
        rows.extend(Styled::new(detail, role).rows(width, Break::Words, &rest, &rest));
        return rows;
    }
    let columns = room.saturating_sub(NAMES).max(1);
    let mut rows = Vec::new();
    for (index, range) in text::wrap(detail, columns).into_iter().enumerate() {
        let words = detail.get(range).unwrap_or_default();
        if index == 0 {
            rows.push(spread(lead.clone().with(words, role), right, width));
        } else {
            rows.push(Styled::new(&" ".repeat(NAMES), Role::UiText).with(words, role).into_row(width));
        }
    }
    rows
}

fn mark(state: &StepState, look: &Look) -> (&'static str, Role) {
    match state {
        StepState::Running => (spinner(look.now, look.motion), Role::ToolRunning),
        StepState::Done => ("✔", Role::ToolOk),
        StepState::Doubtful => ("!", Role::NoticeWarning),
        StepState::Failed => ("✘", Role::ToolError),
        StepState::Skipped => ("·", Role::UiDim),
        StepState::Cancelled => ("■", Role::NoticeWarning),
    }
}

pub fn name(step: StartStep) -> &'static str {
    match step {
        StartStep::Tag => "tag",
        StartStep::Tap => "tap",
        StartStep::Manifest => "manifest",
        StartStep::Capabilities => "capabilities",
        StartStep::Placeholders => "placeholders",
        StartStep::Deps => "deps",
        StartStep::Servers => "servers",
        StartStep::Triggers => "triggers",
    }
}

pub fn plain(steps: &[StepView]) -> String {
    let lines = steps.iter().flat_map(|step| {
        let head = format!("{}: {}", name(step.step), step.detail);
        std::iter::once(head).chain(step.output.iter().map(|line| format!("  {line}")))
    });
    text::sanitize(&lines.collect::<Vec<_>>().join("\n")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::path_end;

    #[test]
    fn a_path_keeps_its_end() {
        assert_eq!(path_end("/a/b/c.toml", 20), "/a/b/c.toml");
        assert_eq!(path_end("/taps/ada/agents/slow/input.toml", 20), "…/slow/input.toml");
        assert_eq!(path_end("/taps/a_very_long_name.toml", 10), "/taps/a_very_long_name.toml");
        assert_eq!(path_end("agents/developer/general.toml", 10), "agents/developer/general.toml");
    }
}
