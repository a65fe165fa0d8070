use super::layout::{row, table};
use crate::proto::{Assumption, AssumptionState, Mechanic, PhaseState, PhaseView, PlanView};
use crate::session::actor::Actor;
use crate::text;

/// Columns of the request that a plan is for.
const GOAL: usize = 72;

impl Actor {
    pub(super) fn slash_plan(&self) -> String {
        plan(&self.rec.hub.snapshot().supervisor.plan, self.has_mechanic(Mechanic::Plan))
    }
}

/// The plan as it stands; `kept` = something keeps it.
fn plan(plan: &PlanView, kept: bool) -> String {
    let off = "Nothing keeps a plan: it is off (/supervisor plan tells why).";
    if plan.phases.is_empty() {
        let none = "There is no plan. The agent asks for one when a task needs it.";
        return if kept { none.to_owned() } else { off.to_owned() };
    }
    let goal = text::sanitize_line(plan.goal.trim()).into_owned();
    let closed = match plan.closed() {
        0 => String::new(),
        count => format!(" · {count} closed without evidence"),
    };
    let done = format!("{} of {} done{closed} · revision {}", plan.done(), plan.phases.len(), plan.revision);
    let mut head = vec![row(["plan", &done]), row(["goal", &text::truncate(&goal, GOAL)])];
    if !plan.reason.trim().is_empty() {
        head.push(row(["why so", &text::sanitize_line(plan.reason.trim())]));
    }
    let phases = plan.phases.iter().enumerate().map(|(position, known)| phase(position + 1, known));
    let mut parts: Vec<String> = std::iter::once(table(&head)).chain(phases).collect();
    if !kept {
        parts.push(off.to_owned());
    }
    parts.join("\n\n")
}

fn phase(number: usize, phase: &PhaseView) -> String {
    let mark = match phase.state {
        PhaseState::Done => "✔",
        PhaseState::Active => "▸",
        PhaseState::Held { .. } => "!",
        PhaseState::Closed { .. } => "○",
        PhaseState::Open => "·",
    };
    let mut rows = vec![row(["done when", &text::sanitize_line(&phase.done_when)])];
    if let PhaseState::Held { why } = &phase.state {
        rows.push(row(["held", &text::sanitize_line(why)]));
    }
    if let PhaseState::Closed { why } = &phase.state {
        rows.push(row(["closed", &format!("{}; nothing of its own shows that it is done", text::sanitize_line(why))]));
    }
    rows.extend(phase.evidence.iter().map(|line| row(["shown by", &text::sanitize_line(line)])));
    rows.extend(phase.assumptions.iter().map(assumption));
    let rows: Vec<String> = table(&rows).lines().map(|line| format!("     {line}")).collect();
    format!("{mark} {number}. {}\n{}", text::sanitize_line(&phase.title), rows.join("\n"))
}

fn assumption(assumption: &Assumption) -> Vec<String> {
    let state = match &assumption.state {
        AssumptionState::Holds => "holds".to_owned(),
        AssumptionState::Broken => "does not hold".to_owned(),
        AssumptionState::Unknown { why } => format!("not known: {}", text::sanitize_line(why)),
    };
    row(["assumes", &format!("{} ({state})", text::sanitize_line(&assumption.text))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_laid_out() {
        let phase = |title: &str, done_when: &str, state| PhaseView {
            title: title.into(),
            done_when: done_when.into(),
            state,
            ..PhaseView::default()
        };
        let of = |text: &str, state| Assumption { text: text.into(), state };
        let why = "runtime evidence does not yet show: the tests pass".to_owned();
        let mut phases = vec![
            phase("Read the code", "the parser is understood", PhaseState::Done),
            phase("Change\x1b[31m it", "the tests pass", PhaseState::Held { why }),
            phase("Write it down", "README says so", PhaseState::Open),
        ];
        phases[0].evidence = vec!["view src/parser.rs".into()];
        phases[1].assumptions = vec![
            of("file_exists: src/parser.rs", AssumptionState::Holds),
            of("branch_is: main", AssumptionState::Broken),
            of("moon: full", AssumptionState::Unknown { why: "moon is no kind of assumption".into() }),
        ];
        let view = PlanView {
            revision: 2,
            goal: "Make the parser faster\nplease".into(),
            phases,
            reason: "Two steps.".into(),
        };
        insta::assert_snapshot!(plan(&view, true), @r"
        plan    1 of 3 done · revision 2
        goal    Make the parser faster please
        why so  Two steps.

        ✔ 1. Read the code
             done when  the parser is understood
             shown by   view src/parser.rs

        ! 2. Change it
             done when  the tests pass
             held       runtime evidence does not yet show: the tests pass
             assumes    file_exists: src/parser.rs (holds)
             assumes    branch_is: main (does not hold)
             assumes    moon: full (not known: moon is no kind of assumption)

        · 3. Write it down
             done when  README says so
        ");
        assert!(plan(&view, false).ends_with("/supervisor plan tells why)."));
    }

    #[test]
    fn no_plan_is_said_in_words() {
        assert_eq!(plan(&PlanView::default(), true), "There is no plan. The agent asks for one when a task needs it.");
        assert!(plan(&PlanView::default(), false).contains("it is off"));
    }
}
