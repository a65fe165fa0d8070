//! A record in one line.

use super::{Sheet, clean, gate, place, plain, quoted};
use crate::proto::{
    Authorized, Condensed, Decision, Detection, DetectionAction, PlanAction, PlanDecision, Reported, Switched,
    SwitchedHow,
};
use crate::text::human;
use crate::ui::state::short_name;
use crate::ui::theme::Role;
use crate::ui::transcript::Styled;

/// A record in one line.
pub struct Head {
    /// Who speaks.
    pub source: &'static str,
    /// Tells the outcome without colour, where there is one to tell.
    pub mark: Option<(&'static str, Role)>,
    pub words: Styled,
}

/// `None` for what is not the supervisor's.
pub fn head(decision: &Decision) -> Option<Head> {
    let (source, words) = words(decision)?;
    let mark = match decision {
        Decision::Gate(verdict) => Some(gate::mark(verdict.outcome)),
        _ => None,
    };
    Some(Head { source, mark, words })
}

impl Head {
    /// `gate  ✔ pass · verified`
    pub fn line(&self) -> Styled {
        let mut line = Styled::new(self.source, Role::DecisionMark).with("  ", Role::UiText);
        if let Some((sign, role)) = self.mark {
            line.push(sign, role);
            line.push(" ", Role::UiText);
        }
        line.append(&self.words);
        line
    }
}

fn words(decision: &Decision) -> Option<(&'static str, Styled)> {
    Some(match decision {
        Decision::Reported(one) => ("status", reported(one)),
        Decision::Detected(one) => ("steer", detected(one)),
        Decision::Recited(one) => {
            let tokens = format!(" · {} tok", human::tokens(one.tokens));
            ("recite", Styled::new(&clean(&one.why), Role::DecisionText).with(&tokens, Role::UiDim))
        }
        Decision::Gate(verdict) => ("gate", gate::words(verdict)),
        Decision::Planned(one) => ("plan", planned(one)),
        Decision::Condensed(one) => ("condense", condensed(one)),
        Decision::Authorized(one) => ("authorizer", authorized(one)),
        Decision::Switched(one) => ("switch", switched(one)),
        _ => return None,
    })
}

fn reported(one: &Reported) -> Styled {
    let Some(report) = &one.report else {
        let why = one.trouble.as_deref().unwrap_or("none was given");
        return Styled::new(&clean(&format!("none: {why}")), Role::UiDim);
    };
    let mut line = Styled::new(report.state.word(), Role::UiText);
    if !report.focus.trim().is_empty() {
        line.push(" · ", Role::UiDim);
        line.push(&clean(&report.focus), Role::DecisionText);
    }
    line
}

fn detected(one: &Detection) -> Styled {
    let what = format!("{} ×{}", one.detector.word(), one.count);
    let (role, then) = match &one.action {
        DetectionAction::Noted { .. } => (Role::NoticeWarning, "the agent was told".to_owned()),
        DetectionAction::Suppressed { why } => (Role::DecisionText, format!("not told: {}", clean(why))),
        DetectionAction::BackedOff { rounds: 1 } => (Role::DecisionText, "told before, again in 1 round".to_owned()),
        DetectionAction::BackedOff { rounds } => (Role::DecisionText, format!("told before, again in {rounds} rounds")),
    };
    Styled::new(&what, role).with(" · ", Role::UiDim).with(&then, Role::DecisionText)
}

/// What happened to the plan, in a word.
pub fn plan_word(action: PlanAction) -> &'static str {
    match action {
        PlanAction::None => "none is needed",
        PlanAction::Create => "made",
        PlanAction::Advance => "a phase is done",
        PlanAction::Hold => "held",
        PlanAction::Revise => "revised",
        PlanAction::Close => "closed",
        PlanAction::Archive => "put away",
    }
}

fn planned(one: &PlanDecision) -> Styled {
    if let Some(trouble) = &one.trouble {
        return Styled::new(&clean(&format!("stays as it is: {trouble}")), Role::NoticeWarning);
    }
    let role = if one.action == PlanAction::Hold { Role::NoticeWarning } else { Role::UiText };
    let mut line = Styled::new(plan_word(one.action), role);
    if !one.reason.trim().is_empty() {
        line.push(" · ", Role::UiDim);
        line.push(&clean(&one.reason), Role::DecisionText);
    }
    line
}

fn condensed(one: &Condensed) -> Styled {
    if let Some(trouble) = &one.trouble {
        return Styled::new(&clean(&format!("left whole: {trouble}")), Role::NoticeWarning);
    }
    let before: u64 = one.results.iter().map(|result| result.before).sum();
    let after: u64 = one.results.iter().map(|result| result.after).sum();
    let narrowed = one.results.iter().filter(|result| result.after < result.before).count();
    if narrowed == 0 {
        let words = crate::proto::counted(one.results.len(), "result");
        let why = one.results.iter().find_map(|result| result.trouble.as_deref());
        let why = why.map(|why| format!(": {}", clean(why))).unwrap_or_default();
        return Styled::new(&format!("{words} kept whole{why}"), Role::DecisionText);
    }
    let line = Styled::new(&format!("{} → {} tok", human::tokens(before), human::tokens(after)), Role::UiText);
    let of = match (narrowed, one.results.len()) {
        (1, 1) => one.results.first().map(|result| clean(&result.tool)).unwrap_or_default(),
        (some, all) => format!("{some} of {all} results narrowed"),
    };
    let line = line.with(" · ", Role::UiDim).with(&of, Role::DecisionText);
    match one.passed_over {
        0 => line,
        more => line.with(&format!(" · {more} more not looked at"), Role::UiDim),
    }
}

fn authorized(one: &Authorized) -> Styled {
    if !one.blocked.is_empty() {
        let names: Vec<String> = one.blocked.iter().map(|call| clean(&call.tool)).collect();
        return Styled::new(&format!("{} blocked", names.join(", ")), Role::NoticeWarning);
    }
    if let (None, Some(dropped)) = (&one.unavailable, one.dropped.first()) {
        let words = format!("an objection was not counted, so the calls ran: {dropped}");
        return Styled::new(&clean(&words), Role::NoticeWarning);
    }
    match (&one.unavailable, one.checked) {
        (Some(why), _) => Styled::new(&clean(&format!("no answer, so the calls ran: {why}")), Role::NoticeWarning),
        (None, 1) => Styled::new("1 call allowed", Role::DecisionText),
        (None, count) => Styled::new(&format!("{count} calls allowed"), Role::DecisionText),
    }
}

/// Why each call was blocked, and on whose word.
pub fn blocked(one: &Authorized, sheet: &mut Sheet) {
    for call in &one.blocked {
        let mut words = Styled::new(&clean(&call.tool), Role::ToolName).with("  ", Role::UiText);
        words.append(&plain(&call.reason));
        sheet.item("✘", Role::NoticeWarning, &words);
        sheet.under(&format!("{} {}", quoted(&call.quote), place(&call.source)), Role::UiDim);
    }
}

fn switched(one: &Switched) -> Styled {
    let value = |on: bool| if on { "on" } else { "off" };
    let line = Styled::new(&clean(short_name(&one.key)), Role::UiText).with("  ", Role::UiText);
    match &one.what {
        SwitchedHow::Flipped => line
            .with(&format!("{} → ", value(one.from)), Role::UiDim)
            .with(value(one.to), Role::UiStrong)
            .with(&format!(" · by {}", clean(&one.by)), Role::UiDim),
        SwitchedHow::Saved { file } => {
            line.with(value(one.to), Role::UiStrong).with(&format!(" · saved in {}", clean(file)), Role::UiDim)
        }
        SwitchedHow::Refused { why } => line.with(&clean(&format!("stays as it is: {why}")), Role::NoticeWarning),
    }
}
