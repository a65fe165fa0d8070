//! The panes read out: commands that only this front end has.

use super::words::{self, line};
use crate::proto::{Cause, EntryKind, PhaseState, RouteOutcome, ServerState, Snapshot, Stage, counted};
use crate::surface::explain::{Passed, explain};
use crate::text::{self, human};

/// Notes read out at most, the latest.
const NOTES: usize = 40;

/// What the commands of this mode are, behind those that every front end has.
pub const HELP: &str = "\
In this mode there are also:
/surface tells which tools there are and why they came.
/scores tells how the last message was compared with the capabilities.
/notes tells what the supervisor and the session noted.
/why NAME tells why a tool, capability or skill is here or is not.
/read tells the last tool's output whole; /read N tells the last N entries.
/stop stops the running turn; so does ctrl-c. /retry tries again at once.
/ask tells the open question again. An exclamation mark before a command runs it in the shell.
A backslash at the end of a line goes on in the next one. ctrl-d leaves.
";

/// What such a command says. `None` for a line that is none.
pub fn answer(snapshot: &Snapshot, typed: &str) -> Option<String> {
    let rest = typed.trim().strip_prefix('/')?;
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(match name {
        "surface" => surface(snapshot),
        "scores" => scores(snapshot),
        "notes" => notes(snapshot),
        "plan" if argument.trim().is_empty() => plan(snapshot),
        "why" => why(snapshot, argument.trim()),
        "read" => read(snapshot, argument.trim()),
        _ => return None,
    })
}

fn surface(snapshot: &Snapshot) -> String {
    let surface = &snapshot.surface;
    let mut said = String::new();
    let tools: usize = snapshot.servers.iter().map(|server| server.tools.len()).sum();
    said.push_str(&format!("{} from {}.\n", counted(tools, "tool"), counted(snapshot.servers.len(), "server")));
    for server in &snapshot.servers {
        let names: Vec<String> = server.tools.iter().map(|tool| line(&tool.name)).collect();
        let tools = if names.is_empty() { "no tools".to_owned() } else { names.join(", ") };
        said.push_str(&format!("Server {}, {}: {tools}.\n", line(&server.name), server_state(&server.state)));
    }
    for one in &surface.fixed {
        said.push_str(&format!("Capability {}: always here, named by the role.\n", line(&one.name)));
    }
    let last = surface.dynamic.len();
    for (index, one) in surface.dynamic.iter().chain(&surface.held).enumerate() {
        let mut facts = vec![cause(&one.cause)];
        facts.extend(one.score.map(|score| format!("score {score:.2}")));
        if one.pinned {
            facts.push("pinned".to_owned());
        }
        if index == 0 && last > 1 {
            facts.push("goes next when room is needed".to_owned());
        }
        said.push_str(&format!("Capability {}: {}.\n", line(&one.name), facts.join(", ")));
    }
    for skill in &snapshot.skills {
        said.push_str(&format!("Skill {}: {}\n", line(&skill.name), line(&skill.description)));
    }
    said.push_str(&format!(
        "Not here: {}. /why NAME tells why.\n",
        counted(surface.absent as usize, "known capability")
    ));
    said.replace("capabilitys", "capabilities")
}

fn server_state(state: &ServerState) -> String {
    match state {
        ServerState::Starting { attempt, .. } => format!("starting, attempt {attempt}"),
        ServerState::Ready { .. } => "ready".to_owned(),
        ServerState::Waiting { reason, .. } => format!("waiting, {}", line(reason)),
        ServerState::Failed { reason, advice } => format!("failed, {}, what to do: {}", line(reason), line(advice)),
        ServerState::NeedsSignIn { reason } => format!("needs a sign-in, {}", line(reason)),
        ServerState::Disabled { by } => format!("turned off by {}", line(by)),
        ServerState::Stopped => "stopped".to_owned(),
    }
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Role => "by the role".to_owned(),
        Cause::Auto => "by the message".to_owned(),
        Cause::Person => "by you".to_owned(),
        Cause::Model => "by the model".to_owned(),
        Cause::Environment => "by the environment".to_owned(),
        Cause::Skill { skill } => format!("by skill {}", line(skill)),
    }
}

fn scores(snapshot: &Snapshot) -> String {
    let Some(routing) = snapshot.last_routing() else {
        return "No message was compared with the capabilities yet.\n".to_owned();
    };
    let mut said = format!("Compared: {}\n", line(&routing.excerpt));
    said.push_str(&match &routing.outcome {
        RouteOutcome::Skipped(_) => "Nothing was compared.\n".to_owned(),
        RouteOutcome::BelowThreshold => format!("The best stayed below the gate of {:.2}.\n", routing.threshold),
        RouteOutcome::NarrowMargin => format!(
            "The best was only {:.2} ahead of the next; {:.2} is needed.\n",
            routing.margin, routing.needed_margin
        ),
        _ => format!(
            "The best was above the gate of {:.2}, {:.2} ahead of the next.\n",
            routing.threshold, routing.margin
        ),
    });
    for (place, score) in routing.scores.iter().enumerate() {
        said.push_str(&format!("{}. {}: {:.2}\n", place + 1, line(&score.capability), score.score));
    }
    for one in &routing.ineligible {
        let why = match &one.stage {
            Stage::Unresolved { why } => line(why),
            Stage::NoTriggers => "it has no phrases".to_owned(),
            Stage::Active => "it is here already".to_owned(),
            Stage::OutOfDomain { domains, .. } => format!("it is only for {}", line(&domains.join(", "))),
            Stage::EnvironmentUnready { missing } => format!("{} is not set", line(&missing.join(", "))),
            Stage::PhrasesUnready => "its phrases are not read yet".to_owned(),
        };
        said.push_str(&format!("Not compared: {}, {why}.\n", line(&one.capability)));
    }
    said
}

fn plan(snapshot: &Snapshot) -> String {
    let plan = &snapshot.supervisor.plan;
    if plan.phases.is_empty() {
        return "There is no plan.\n".to_owned();
    }
    let mut said = format!("Plan for: {}\n{} of {} done.\n", line(&plan.goal), plan.done(), plan.phases.len());
    for (place, phase) in plan.phases.iter().enumerate() {
        let state = match &phase.state {
            PhaseState::Done => "done".to_owned(),
            PhaseState::Active => "being worked on".to_owned(),
            PhaseState::Held { why } => format!("held, {}", line(why)),
            PhaseState::Closed { why } => format!("closed without evidence, {}", line(why)),
            PhaseState::Open => "open".to_owned(),
        };
        said.push_str(&format!("Phase {}, {state}: {}\n", place + 1, line(&phase.title)));
        said.push_str(&format!("  Done when: {}\n", line(&phase.done_when)));
        for evidence in &phase.evidence {
            said.push_str(&format!("  Shown by: {}\n", line(evidence)));
        }
    }
    said
}

fn notes(snapshot: &Snapshot) -> String {
    if snapshot.notes.is_empty() {
        return "Nothing was noted yet.\n".to_owned();
    }
    let before = snapshot.notes.len().saturating_sub(NOTES);
    let mut said = if before > 0 { format!("{} before these.\n", counted(before, "note")) } else { String::new() };
    for note in &snapshot.notes[before..] {
        let level = words::level(note.level);
        said.push_str(&format!("Turn {}, {level}, {}: {}\n", note.turn.0, line(&note.source), line(&note.text)));
    }
    said
}

fn why(snapshot: &Snapshot, name: &str) -> String {
    if name.is_empty() {
        return "Say what: /why NAME, where NAME is a tool, a capability or a skill.\n".to_owned();
    }
    let told = explain(snapshot, name);
    let mut said = format!("{}\n", line(&told.headline));
    if !told.answer.trim().is_empty() && told.answer != told.headline {
        said.push_str(&format!("{}\n", text::sanitize(&told.answer)));
    }
    if let Some(fix) = &told.fix {
        said.push_str(&format!("What to do: {}\n", text::sanitize(fix)));
    }
    if !told.nearest.is_empty() {
        said.push_str(&format!("Nearest names: {}.\n", line(&told.nearest.join(", "))));
    }
    for stage in &told.stages {
        let passed = match stage.passed {
            Passed::Yes => "passed",
            Passed::No => "not passed",
            Passed::NotReached => "not reached",
            Passed::Unknown => "not recorded",
        };
        let evidence = line(&stage.evidence.join("; "));
        let evidence = if evidence.is_empty() { String::new() } else { format!(": {evidence}") };
        said.push_str(&format!("Stage {}, {passed}{evidence}\n", line(&stage.stage)));
    }
    said
}

/// The last output, or the last entries, whole.
fn read(snapshot: &Snapshot, argument: &str) -> String {
    let entries = snapshot.transcript.entries();
    let whole = |entry: &crate::proto::Entry| crate::ui::transcript_text::one(entry);
    if argument.is_empty() {
        let last =
            entries.iter().rev().find(|entry| matches!(entry.kind, EntryKind::Tool { .. } | EntryKind::Shell(_)));
        return last
            .map_or_else(|| "No tool was used yet.\n".to_owned(), |entry| format!("{}\n", whole(entry).trim_end()));
    }
    let Ok(many) = argument.parse::<usize>() else { return "Say how many: /read 5.\n".to_owned() };
    let spoken = |entry: &&std::sync::Arc<crate::proto::Entry>| {
        use EntryKind::{Assistant, Fault, Shell, Tool, User};
        matches!(entry.kind, User { .. } | Assistant { .. } | Tool { .. } | Shell(_) | Fault(_))
    };
    let mut last: Vec<_> = entries.iter().rev().filter(spoken).take(many).collect();
    last.reverse();
    last.iter().map(|entry| format!("{}:\n{}\n", who(&entry.kind), whole(entry).trim_end())).collect()
}

fn who(kind: &EntryKind) -> String {
    match kind {
        EntryKind::User { .. } => "You".to_owned(),
        EntryKind::Assistant { .. } => "Assistant".to_owned(),
        EntryKind::Thinking { .. } => "Thought".to_owned(),
        EntryKind::Tool { server, tool, .. } => format!("Tool {}", words::tool_name(server, tool)),
        EntryKind::Shell(_) => "Command".to_owned(),
        EntryKind::Fault(_) => "Error".to_owned(),
        _ => "Note".to_owned(),
    }
}

/// What a turn came to: tokens, money.
pub fn totals(snapshot: &Snapshot) -> String {
    let mut total = snapshot.totals.main;
    total.add(&snapshot.totals.auxiliary);
    let mut said = format!("{} tokens so far", human::tokens(total.input + total.output));
    if let Some(cost) = total.cost {
        said.push_str(&format!(", {}", human::dollars(cost)));
    }
    said
}
