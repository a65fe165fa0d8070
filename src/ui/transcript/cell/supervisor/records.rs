//! A record with everything it has.

use super::{Sheet, clean, gate, heads, plain};
use crate::proto::{
    Authorized, Condensed, CondensedResult, Decision, Detection, DetectionAction, Detector, Keep, PhaseState,
    PlanDecision, PlanSignal, PlanTrigger, Recitation, Reported, Signal, Switched, SwitchedHow,
};
use crate::text::{self, human};
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;

pub fn record(decision: &Decision, sheet: &mut Sheet) {
    match decision {
        Decision::Reported(one) => reported(one, sheet),
        Decision::Detected(one) => detected(one, sheet),
        Decision::Recited(one) => recited(one, sheet),
        Decision::Gate(verdict) => gate::record(verdict, sheet),
        Decision::Planned(one) => planned(one, sheet),
        Decision::Condensed(one) => condensed(one, sheet),
        Decision::Authorized(one) => authorized(one, sheet),
        Decision::Switched(one) => switched(one, sheet),
        _ => {}
    }
}

fn reported(one: &Reported, sheet: &mut Sheet) {
    match &one.report {
        Some(report) => {
            sheet.told("state", report.state.word(), Role::UiText);
            sheet.told("focus", &report.focus, Role::DecisionText);
            sheet.told("next", &report.next, Role::DecisionText);
            if let Some(signal) = &report.plan {
                sheet.told("plan", &signal_words(signal), Role::DecisionText);
            }
            for carried in &report.carry {
                sheet.told("carry", carried, Role::DecisionText);
            }
            sheet.told("memories", &report.memories.join(" · "), Role::DecisionText);
            sheet.told("behaviours", &report.behaviors.join(" · "), Role::DecisionText);
        }
        None => sheet.told("state", "the reply gave none", Role::UiText),
    }
    sheet.told("trouble", one.trouble.as_deref().unwrap_or_default(), Role::NoticeWarning);
    for why in &one.dropped {
        sheet.told("dropped", why, Role::NoticeWarning);
    }
    sheet.told("call", &format!("#{}", one.request.0), Role::UiDim);
    sheet.blank();
    sheet.prose(&Styled::new("What the agent says of itself is a claim, never evidence.", Role::UiDim));
}

fn signal_words(signal: &PlanSignal) -> String {
    let word = match signal.signal {
        Signal::Request => "asks for a plan",
        Signal::PhaseComplete => "says the phase is complete",
        Signal::Reassess => "asks to think the plan over",
    };
    if signal.note.trim().is_empty() { word.to_owned() } else { format!("{word}: {}", signal.note) }
}

fn detected(one: &Detection, sheet: &mut Sheet) {
    let (what, noun) = match one.detector {
        Detector::Loop => ("the same calls brought the same results again", "rounds"),
        Detector::NoProgress => ("nothing new was learnt and nothing was changed", "rounds"),
        Detector::Recovery => ("commands keep failing, and none of them worked since", "failures"),
    };
    sheet.told("seen", what, Role::UiText);
    sheet.told("counted", &format!("{} {noun}; it takes {}", one.count, one.threshold), Role::DecisionText);
    match &one.action {
        DetectionAction::Noted { .. } => {
            sheet.told("then", "the agent was told, and is free to go on", Role::DecisionText)
        }
        DetectionAction::Suppressed { why } => sheet.told("then", &format!("not told: {why}"), Role::DecisionText),
        DetectionAction::BackedOff { rounds } => {
            let noun = if *rounds == 1 { "round" } else { "rounds" };
            sheet.told("then", &format!("told before; again in {rounds} {noun}"), Role::DecisionText);
        }
    }
    if !one.calls.is_empty() {
        sheet.part("Rests on");
        for line in &one.calls {
            sheet.item("·", Role::UiDim, &Styled::new(&clean(line), Role::CodeText));
        }
    }
    if let DetectionAction::Noted { text } = &one.action {
        sheet.part("The agent was told");
        sheet.block(text, Role::DecisionText);
    }
}

fn recited(one: &Recitation, sheet: &mut Sheet) {
    sheet.told("why", &one.why, Role::DecisionText);
    sheet.told("goal", &one.goal, Role::UiText);
    for line in &one.plan {
        sheet.told("plan", line, Role::DecisionText);
    }
    for line in &one.prohibitions {
        sheet.told("you said", &format!("“{line}”"), Role::DecisionText);
    }
    sheet.told("policy", &one.policy, Role::DecisionText);
    sheet.told("costs", &format!("{} tok", human::tokens(one.tokens)), Role::DecisionText);
    sheet.part("The agent reads");
    sheet.block(&one.text, Role::DecisionText);
}

fn planned(one: &PlanDecision, sheet: &mut Sheet) {
    let because = match &one.trigger {
        PlanTrigger::Signal(signal) => format!("the agent {}", signal_words(signal)),
        PlanTrigger::Broken { assumption } => format!("`{assumption}` does not hold any more"),
        PlanTrigger::Gate => "the gate accepted the stop".to_owned(),
        PlanTrigger::NewGoal => "another task began".to_owned(),
    };
    sheet.told("because", &because, Role::DecisionText);
    match &one.trouble {
        Some(trouble) => sheet.told("trouble", &format!("{trouble}; the plan stays as it is"), Role::NoticeWarning),
        None => sheet.told("decided", heads::plan_word(one.action), Role::UiText),
    }
    sheet.told("reason", &one.reason, Role::DecisionText);
    if let Some(request) = one.request {
        sheet.told("call", &format!("#{}", request.0), Role::UiDim);
    }
    let plan = one.plan.as_ref().filter(|plan| !plan.phases.is_empty());
    if let Some(plan) = plan {
        sheet.part(&format!("The plan from here on, revision {}", plan.revision));
        for (number, phase) in (1..).zip(&plan.phases) {
            let state = match &phase.state {
                PhaseState::Open => "open".to_owned(),
                PhaseState::Active => "worked on".to_owned(),
                PhaseState::Done => "done".to_owned(),
                PhaseState::Held { why } => format!("held: {why}"),
                PhaseState::Closed { why } => format!("closed: {why}"),
            };
            sheet.told(&format!("phase {number}"), &format!("{} ({state})", phase.title), Role::UiText);
            sheet.told("done when", &phase.done_when, Role::DecisionText);
            phase.assumptions.iter().for_each(|one| sheet.told("assumes", &one.text, Role::DecisionText));
        }
    }
}

fn condensed(one: &Condensed, sheet: &mut Sheet) {
    sheet.told("trouble", one.trouble.as_deref().unwrap_or_default(), Role::NoticeWarning);
    if one.trouble.is_none() {
        sheet.told("saved", &format!("{} tok", human::tokens(one.saved())), Role::UiText);
    }
    let threshold = format!("above {} tok, × {:.2}", human::tokens(one.threshold), one.multiplier);
    sheet.told("looked at", &threshold, Role::DecisionText);
    if (one.multiplier - one.multiplier_after).abs() > 0.004 {
        sheet.told("next", &format!("× {:.2}", one.multiplier_after), Role::DecisionText);
    }
    if let Some(request) = one.request {
        sheet.told("call", &format!("#{}", request.0), Role::UiDim);
    }
    if one.results.is_empty() {
        return;
    }
    sheet.part("Results");
    let names = one.results.iter().map(|result| text::width(&clean(&result.tool))).max().unwrap_or(0).min(24);
    for result in &one.results {
        condensed_result(result, names, sheet);
    }
}

fn condensed_result(one: &CondensedResult, names: usize, sheet: &mut Sheet) {
    let mut words = Styled::new(&clean(&one.tool), Role::ToolName);
    words.cut(names);
    words.pad_to(names + 2, Role::UiText);
    match one.after < one.before {
        true => words.push(&format!("{} → {} tok", human::tokens(one.before), human::tokens(one.after)), Role::UiText),
        false => words.push(&format!("{} tok", human::tokens(one.before)), Role::UiText),
    }
    let (sign, kept) = match (&one.trouble, &one.keep) {
        (Some(trouble), _) => ("!", format!("whole: {}", clean(trouble))),
        (None, Keep::All) => ("=", "whole".to_owned()),
        (None, Keep::None) => ("○", "nothing of it".to_owned()),
        (None, Keep::Lines(ranges)) => ("◐", format!("lines {}", range_words(ranges))),
    };
    words.push(&format!("  {kept}"), Role::DecisionText);
    match one.error_lines {
        0 => {}
        1 => words.push(" + 1 error line", Role::DecisionText),
        lines => words.push(&format!(" + {lines} error lines"), Role::DecisionText),
    }
    sheet.item(sign, if one.trouble.is_some() { Role::NoticeWarning } else { Role::UiDim }, &words);
    if let Some(spill) = &one.spill {
        sheet.below(&Styled::new("whole in ", Role::UiDim).with(&clean(spill), Role::CodeText));
    }
}

fn range_words(ranges: &[(u32, u32)]) -> String {
    let words = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn authorized(one: &Authorized, sheet: &mut Sheet) {
    let noun = if one.checked == 1 { "call" } else { "calls" };
    sheet.told("looked at", &format!("{} {noun}", one.checked), Role::DecisionText);
    if one.cached {
        sheet.told("answer", "known from before", Role::DecisionText);
    }
    let unavailable = one.unavailable.as_deref().map(|why| format!("{why}; the calls ran"));
    sheet.told("trouble", &unavailable.unwrap_or_default(), Role::NoticeWarning);
    let calls: Vec<String> = one.requests.iter().map(|request| format!("#{}", request.0)).collect();
    sheet.told("calls", &calls.join(", "), Role::UiDim);
    if !one.blocked.is_empty() {
        sheet.part("Blocked: two looks agreed");
        heads::blocked(one, sheet);
    }
    if !one.dropped.is_empty() {
        sheet.part("Not counted: it rests on nothing");
        for words in &one.dropped {
            sheet.item("·", Role::UiDim, &plain(words));
        }
    }
    if !one.unconfirmed.is_empty() {
        sheet.part("Allowed: the second look did not agree");
        for words in &one.unconfirmed {
            sheet.item("·", Role::UiDim, &plain(words));
        }
    }
}

fn switched(one: &Switched, sheet: &mut Sheet) {
    let value = |on: bool| if on { "on" } else { "off" };
    sheet.told("switch", &one.key, Role::UiText);
    match &one.what {
        SwitchedHow::Flipped => {
            sheet.told("was", value(one.from), Role::DecisionText);
            sheet.told("is", &format!("{}, for this session", value(one.to)), Role::UiText);
        }
        SwitchedHow::Saved { file } => {
            sheet.told("is", value(one.to), Role::UiText);
            sheet.told("saved in", file, Role::CodeText);
        }
        SwitchedHow::Refused { why } => {
            sheet.told("asked for", value(one.to), Role::DecisionText);
            sheet.told("stays", value(one.from), Role::UiText);
            sheet.told("why", why, Role::NoticeWarning);
        }
    }
    sheet.told("by", &one.by, Role::DecisionText);
}
