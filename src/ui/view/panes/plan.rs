//! The plan, as the supervisor keeps it.

use crate::proto::{Assumption, AssumptionState, PhaseState, PhaseView, PlanView};
use crate::text;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::cell::supervisor::Sheet;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// `1 of 3`; nothing while there is no plan.
pub fn summary(plan: &PlanView) -> Option<String> {
    let closed = match plan.closed() {
        0 => String::new(),
        count => format!(", {count} closed"),
    };
    (!plan.phases.is_empty()).then(|| format!("{} of {}{closed}", plan.done(), plan.phases.len()))
}

/// Its phases; of the one that is worked on also what it ends with and what keeps it.
pub fn lines(state: &State, width: usize) -> Vec<Line> {
    let plan = &state.snapshot.supervisor.plan;
    if plan.phases.is_empty() {
        return none(state, width);
    }
    let phases = plan.phases.iter().enumerate();
    phases.flat_map(|(index, phase)| rows(phase, width).into_iter().map(move |row| Line::of(index, row))).collect()
}

fn none(state: &State, width: usize) -> Vec<Line> {
    let off = state.switch("supervisor.plan.enabled").is_some_and(|switch| !switch.on);
    let words = if off {
        "no plan: planning is off"
    } else {
        "no plan. Most tasks need none; the agent asks for one where it helps."
    };
    let none = Styled::default();
    Styled::new(words, Role::UiDim).rows(width, Break::Words, &none, &none).into_iter().map(Line::plain).collect()
}

/// Sign, its role, and the role of the title.
fn sign(state: &PhaseState) -> (&'static str, Role, Role) {
    match state {
        PhaseState::Done => ("✔", Role::ScorePass, Role::UiDim),
        PhaseState::Active => ("▸", Role::UiAccent, Role::UiStrong),
        PhaseState::Held { .. } => ("!", Role::NoticeWarning, Role::UiStrong),
        PhaseState::Closed { .. } => ("○", Role::UiDim, Role::UiDim),
        PhaseState::Open => ("·", Role::UiDim, Role::UiText),
    }
}

fn rows(phase: &PhaseView, width: usize) -> Vec<Row> {
    let (mark, role, title) = sign(&phase.state);
    let lead = Styled::new(mark, role).with(" ", Role::UiText);
    let rest = Styled::new("  ", Role::UiText);
    let clean = |words: &str| text::sanitize_line(words).into_owned();
    let mut rows = Styled::new(&clean(&phase.title), title).rows(width, Break::Words, &lead, &rest);
    let mut below = |words: &str, role: Role| {
        rows.extend(Styled::new(&clean(words), role).rows(width, Break::Words, &rest, &rest));
    };
    if phase.state == PhaseState::Active && !phase.done_when.trim().is_empty() {
        below(&format!("done when {}", phase.done_when), Role::UiDim);
    }
    if let PhaseState::Held { why } = &phase.state {
        below(&format!("held: {why}"), Role::NoticeWarning);
    }
    if matches!(phase.state, PhaseState::Closed { .. }) {
        below("closed, not shown to be done", Role::UiDim);
    }
    if !phase.state.is_over() {
        let broken = phase.assumptions.iter().filter(|one| one.state == AssumptionState::Broken);
        broken.for_each(|one| below(&format!("✘ {}", one.text), Role::NoticeWarning));
    }
    rows
}

/// The whole plan, for a reader.
pub fn record(plan: &PlanView, width: usize) -> Vec<Row> {
    let mut sheet = Sheet::bare(width);
    sheet.told("goal", &plan.goal, Role::UiStrong);
    sheet.told("why so", &plan.reason, Role::DecisionText);
    let revision = if plan.revision > 1 { format!(", revision {}", plan.revision) } else { String::new() };
    let closed = match plan.closed() {
        0 => String::new(),
        count => format!(", {count} closed without evidence"),
    };
    sheet.told(
        "stands",
        &format!("{} of {} phases done{closed}{revision}", plan.done(), plan.phases.len()),
        Role::DecisionText,
    );
    for (index, phase) in plan.phases.iter().enumerate() {
        sheet.blank();
        let (mark, role, title) = sign(&phase.state);
        let name = format!("{} {}", index + 1, text::sanitize_line(&phase.title));
        sheet.item(mark, role, &Styled::new(&name, title));
        sheet.told("  done when", &phase.done_when, Role::DecisionText);
        if let PhaseState::Held { why } = &phase.state {
            sheet.told("  held", why, Role::NoticeWarning);
        }
        if let PhaseState::Closed { why } = &phase.state {
            sheet.told("  closed", &format!("{why}; nothing of its own shows that it is done"), Role::DecisionText);
        }
        for shown in &phase.evidence {
            sheet.told("  shown by", shown, Role::CodeText);
        }
        for one in &phase.assumptions {
            sheet.field("  assumes", &assumption(one));
        }
    }
    sheet.into_rows()
}

fn assumption(one: &Assumption) -> Styled {
    let (mark, role, words) = match &one.state {
        AssumptionState::Holds => ("✔", Role::ScorePass, String::new()),
        AssumptionState::Broken => ("✘", Role::NoticeWarning, "  does not hold any more".to_owned()),
        AssumptionState::Unknown { why } => ("?", Role::UiDim, format!("  not known: {}", text::sanitize_line(why))),
    };
    let line = Styled::new(mark, role).with(" ", Role::UiText).with(&text::sanitize_line(&one.text), Role::CodeText);
    line.with(&words, role)
}
