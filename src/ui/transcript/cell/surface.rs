//! Decisions about the tool surface: one line folded; opened, everything they rested on, in columns.

use super::{Fold, Look, routing};
use crate::proto::{
    Activation, Cause, Deactivation, Decision, Departure, LruPlace, Refusal, RefusalReason, ServerAction, ServerStep,
    Timestamp,
};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Rows of a decision about the surface; `None` for any other. `at` is when it was made.
pub fn render(decision: &Decision, at: Timestamp, look: &Look) -> Option<Vec<Row>> {
    let open = look.fold == Fold::Open;
    let (head, body) = match decision {
        Decision::Routed(one) => (routing::head(one), open.then(|| routing::body(one, look.width))),
        Decision::CapabilityActivated(one) => (came(one), open.then(|| fields(&activation(one), look.width))),
        Decision::CapabilityDeactivated(one) => (went(one), open.then(|| fields(&deactivation(one, at), look.width))),
        Decision::CapabilityRefused(one) => (stayed(one), open.then(|| fields(&refusal(one), look.width))),
        _ => return None,
    };
    let mut rows = vec![head.into_row(look.width)];
    rows.extend(body.into_iter().flatten());
    Some(rows)
}

/// What a value is called, and the value.
pub type Field = (&'static str, Styled);

/// Values under each other, wrapped beside their names; a name that repeats is said once.
pub fn fields(fields: &[Field], width: usize) -> Vec<Row> {
    let names = fields.iter().map(|(name, _)| text::width(name)).max().unwrap_or(0);
    let mut rows = Vec::new();
    let mut before = "";
    for (name, value) in fields {
        let mut lead = Styled::new("│ ", Role::UiDim).with(if *name == before { "" } else { name }, Role::UiDim);
        lead.pad_to(names + 4, Role::UiText);
        let mut rest = Styled::new("│", Role::UiDim);
        rest.pad_to(names + 4, Role::UiText);
        rows.extend(value.rows(width, Break::Words, &lead, &rest));
        before = name;
    }
    rows
}

fn clean(words: &str) -> String {
    text::sanitize_line(words).into_owned()
}

fn plain(words: &str) -> Styled {
    Styled::new(&clean(words), Role::DecisionText)
}

fn mark(word: &str) -> Styled {
    Styled::new("◆ ", Role::DecisionMark).with(word, Role::DecisionMark).with("  ", Role::UiText)
}

/// `by you`, `by the model`, `by skill rust`; for a routing its numbers.
pub fn cause(cause: &Cause, score: Option<f32>) -> String {
    match (cause, score) {
        (Cause::Auto, Some(score)) => format!("auto {score:.2}"),
        (Cause::Auto, None) => "auto".to_owned(),
        (Cause::Role, _) => "by the role".to_owned(),
        (Cause::Model, _) => "by the model".to_owned(),
        (Cause::Person | Cause::Environment | Cause::Skill { .. }, _) => format!("by {}", clean(&cause.word())),
    }
}

fn came(one: &Activation) -> Styled {
    let mut line = mark("on").with(&clean(&one.capability), Role::UiText);
    if let Some(failed) = &one.back_for {
        line.push(&format!(" · again, for {} did not work", clean(failed)), Role::DecisionText);
        return line;
    }
    line.push(&format!(" · {}", cause(&one.cause, one.score)), Role::DecisionText);
    if let Some(gone) = &one.evicted {
        line.push(&format!(" · {} went", clean(gone)), Role::DecisionText);
    }
    line
}

fn activation(one: &Activation) -> Vec<Field> {
    let mut rows = vec![("what", plain(if one.title.is_empty() { &one.capability } else { &one.title }))];
    let margin = one.margin.map(|margin| format!(" · Δ {margin:.2}")).unwrap_or_default();
    rows.push(("asked for", plain(&format!("{}{margin}", cause(&one.cause, one.score)))));
    let provider = if one.provider.is_empty() { String::new() } else { format!(" · provider {}", one.provider) };
    rows.push(("from", plain(&format!("{}{provider}", one.tap))));
    rows.extend(servers(&one.servers));
    rows.extend(one.deps.iter().map(|dep| ("ran", plain(dep))));
    if let Some(gone) = &one.evicted {
        rows.push(("evicted", plain(&format!("{gone}, the least recently used of four"))));
    }
    rows
}

/// What happened to each server, in columns.
fn servers(steps: &[ServerStep]) -> impl Iterator<Item = Field> {
    let names = steps.iter().map(|step| text::width(&clean(&step.server))).max().unwrap_or(0);
    steps.iter().map(move |step| ("servers", server(step, names)))
}

fn server(step: &ServerStep, names: usize) -> Styled {
    let words = match &step.action {
        ServerAction::Started => "started".to_owned(),
        ServerAction::Extended => "the role's; more of its tools are shown".to_owned(),
        ServerAction::Shared { with } => format!("runs already, for {}", with.join(", ")),
        ServerAction::Narrowed => "the role's; its tools are again what the role asks for".to_owned(),
        ServerAction::Kept { by } => format!("stays, for {}", by.join(", ")),
        ServerAction::Stopped => "stopped: nobody refers to it any more".to_owned(),
        ServerAction::NeverRan => "never came up".to_owned(),
    };
    let mut line = Styled::new(&clean(&step.server), Role::ToolName);
    line.pad_to(names + 2, Role::UiText);
    line.push(&clean(&words), Role::DecisionText);
    if !step.tools.is_empty() {
        line.push("  ", Role::UiText);
        line.push(&clean(&step.tools.join(" · ")), Role::CodeText);
    }
    line
}

fn went(one: &Deactivation) -> Styled {
    let failed = matches!(one.why, Departure::Failed { .. });
    let role = if failed { Role::NoticeWarning } else { Role::DecisionText };
    let why = match &one.why {
        Departure::Evicted { newcomer, .. } => format!("made way for {newcomer}"),
        Departure::Person => "by you".to_owned(),
        Departure::Model => "by the model".to_owned(),
        Departure::RoleChanged { role, .. } => format!("the role is {role} now"),
        Departure::SkillForgotten { skill } => format!("skill {skill} is forgotten"),
        Departure::Failed { why } => why.clone(),
    };
    mark("off").with(&clean(&one.capability), Role::UiText).with(&format!(" · {}", clean(&why)), role)
}

fn deactivation(one: &Deactivation, at: Timestamp) -> Vec<Field> {
    let mut rows = Vec::new();
    match &one.why {
        Departure::Evicted { newcomer, order } => {
            let words = format!("the least recently used of four, and {newcomer} came");
            rows.push(("why", plain(&words)));
            let names = order.iter().map(|place| text::width(&clean(&place.capability))).max().unwrap_or(0);
            rows.extend(order.iter().enumerate().map(|(index, place)| ("order", lru(index, place, names, at))));
        }
        Departure::Person => rows.push(("why", plain("you turned it off"))),
        Departure::Model => rows.push(("why", plain("the model turned it off"))),
        Departure::RoleChanged { role, why, .. } => rows.push(("why", plain(&format!("{role}: {why}")))),
        Departure::SkillForgotten { skill } => {
            rows.push(("why", plain(&format!("skill {skill} held it and is forgotten"))));
        }
        Departure::Failed { why } => rows.push(("why", plain(why))),
    }
    rows.extend(servers(&one.servers));
    rows
}

/// A place in the order of eviction: the one that goes first in front.
fn lru(index: usize, place: &LruPlace, names: usize, at: Timestamp) -> Styled {
    let mut line = Styled::new(&format!("{} ", index + 1), Role::UiDim).with(&clean(&place.capability), Role::ToolName);
    line.pad_to(names + 4, Role::UiText);
    let ago = |since: Timestamp| match at.saturating_sub(since) / 1000 {
        short @ 0..60 => format!("{short} s"),
        long => human::duration_ms(long * 1000),
    };
    let words = match place.used {
        Some(used) => format!("used {} before", ago(used)),
        None => format!("never used, came {} before", ago(place.activated)),
    };
    line.push(&words, Role::DecisionText);
    if place.pinned {
        line.push("  pinned", Role::ScoreGate);
    }
    line
}

fn stayed(one: &Refusal) -> Styled {
    // Someone wanted it gone, and it stays.
    let stays = matches!(one.why, RefusalReason::NotDynamic { .. } | RefusalReason::HeldBySkill { .. });
    let words = match &one.why {
        RefusalReason::Unknown { .. } => "no tap has it".to_owned(),
        RefusalReason::Stage(stage) => stage.sentence(),
        RefusalReason::AllPinned { .. } => "all four places are pinned".to_owned(),
        RefusalReason::Failed { why, .. } => why.clone(),
        RefusalReason::NotDynamic { owned_by_role: true } => "it is of the role".to_owned(),
        RefusalReason::NotDynamic { owned_by_role: false } => "it is not on".to_owned(),
        RefusalReason::HeldBySkill { skills } => format!("held by {}", skills.join(", ")),
    };
    let verb = match &one.why {
        RefusalReason::Stage(_) => " ",
        RefusalReason::NotDynamic { owned_by_role: false } => " is not turned off · ",
        _ if stays => " stays on · ",
        _ => " stays off · ",
    };
    mark("refused")
        .with(&clean(&one.capability), Role::UiText)
        .with(verb, Role::NoticeWarning)
        .with(&clean(&words), Role::NoticeWarning)
}

fn refusal(one: &Refusal) -> Vec<Field> {
    let mut rows = vec![("asked for", plain(&cause(&one.cause, None)))];
    let hint = |words: &str| Styled::new(&clean(words), Role::NoticeHint);
    match &one.why {
        RefusalReason::Unknown { nearest } if nearest.is_empty() => {
            rows.push(("hint", hint("the catalogue lists what taps have")))
        }
        RefusalReason::Unknown { nearest } => rows.push(("nearest", plain(&nearest.join(" · ")))),
        RefusalReason::Stage(stage) => rows.push(("why", plain(&format!("it {}", stage.sentence())))),
        RefusalReason::AllPinned { pinned } => {
            rows.push(("pinned", plain(&pinned.join(" · "))));
            rows.push(("hint", hint("unpin one of them, or turn one off")));
        }
        RefusalReason::Failed { why, advice } => {
            rows.push(("why", plain(why)));
            if !advice.is_empty() {
                rows.push(("hint", hint(advice)));
            }
        }
        RefusalReason::NotDynamic { owned_by_role: true } => {
            rows.push(("why", plain("the role names it; only what came while the session runs can be turned off")));
        }
        RefusalReason::NotDynamic { owned_by_role: false } => rows.push(("why", plain("it was not on"))),
        RefusalReason::HeldBySkill { skills } => {
            rows.push(("why", plain(&format!("{} declares it", skills.join(", ")))));
            rows.push(("hint", hint("forget the skill, and it goes")));
        }
    }
    rows
}
