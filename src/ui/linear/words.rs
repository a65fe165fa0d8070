//! An entry of the transcript in words.

use crate::proto::{
    Content, EntryKind, Level, ShellEnd, ShellState, StartStep, StepState, StepView, ToolOutcome, ToolState, WELCOME,
    counted,
};
use crate::text::{self, human};
use crate::ui::transcript::cell;

/// Lines of an output that are read out; of a failure, so many from its end.
const OK_LINES: usize = 8;
const ERROR_LINES: usize = 40;

/// Columns of one argument.
const ARGUMENT: usize = 200;

/// One line in words: dots that only part things are read as commas.
pub fn line(text: &str) -> String {
    text::sanitize_line(text).trim().replace(" · ", ", ")
}

pub fn level(level: Level) -> &'static str {
    match level {
        Level::Info => "Note",
        Level::Warning => "Warning",
        Level::Error => "Error",
    }
}

pub fn tool_name(server: &str, tool: &str) -> String {
    if server.is_empty() { line(tool) } else { format!("{} of {}", line(tool), line(server)) }
}

pub fn tool_started(server: &str, tool: &str, arguments: &serde_json::Value) -> String {
    let mut said = format!("Tool {} started", tool_name(server, tool));
    let told: Vec<String> = match arguments {
        serde_json::Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                format!("{} {}", line(name), text::truncate(&line(&value), ARGUMENT))
            })
            .collect(),
        serde_json::Value::Null => Vec::new(),
        other => vec![text::truncate(&line(&other.to_string()), ARGUMENT).into_owned()],
    };
    match told.is_empty() {
        true => said.push('.'),
        // What was given may end in a full stop of its own: none is added.
        false => said.push_str(&format!(": {}", told.join("; "))),
    }
    said + "\n"
}

pub fn tool_finished(server: &str, tool: &str, state: &ToolState) -> String {
    let ToolState::Finished { outcome, elapsed_ms, content, full_bytes, .. } = state else { return String::new() };
    let took = human::duration_ms(*elapsed_ms);
    let name = tool_name(server, tool);
    let head = match outcome {
        ToolOutcome::Ok => format!("Tool {name} finished after {took}."),
        ToolOutcome::Error => format!("Tool {name} failed after {took}."),
        ToolOutcome::Cancelled => format!("Tool {name} was stopped after {took}."),
        ToolOutcome::TimedOut => format!("Tool {name} took too long and was ended after {took}."),
        ToolOutcome::Refused => format!("Tool {name} was refused."),
        ToolOutcome::Lost => format!("Tool {name} was lost with its server."),
    };
    format!("{head}\n{}", output(content, *full_bytes, *outcome == ToolOutcome::Ok))
}

/// The lines of an output and how much there is of it in all.
fn output(content: &Content, full_bytes: u64, fine: bool) -> String {
    let raw = cell::tool::content_text(content);
    let clean = text::sanitize(raw.trim_end());
    let lines: Vec<&str> = clean.lines().collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        return String::new();
    }
    let most = if fine { OK_LINES } else { ERROR_LINES };
    let size = human::bytes(full_bytes.max(content.bytes()));
    let hidden = lines.len().saturating_sub(most);
    let mut said = if hidden == 0 {
        format!("Output, {}:\n", counted(lines.len(), "line"))
    } else if fine {
        format!("Output, the first {most} of {} lines, {size}; /read tells all:\n", lines.len())
    } else {
        format!("Output, the last {most} of {} lines, {size}; /read tells all:\n", lines.len())
    };
    let shown = if fine { &lines[..lines.len() - hidden] } else { &lines[hidden..] };
    for line in shown {
        said.push_str("  ");
        said.push_str(line);
        said.push('\n');
    }
    said
}

pub fn shell_finished(command: &str, state: &ShellState) -> String {
    let ShellState::Finished { end, content, full_bytes, elapsed_ms, .. } = state else { return String::new() };
    let took = human::duration_ms(*elapsed_ms);
    let command = line(command);
    let head = match end {
        ShellEnd::Exited(0) => format!("Command {command} ended well after {took}."),
        ShellEnd::Exited(code) => format!("Command {command} failed with exit code {code} after {took}."),
        ShellEnd::Signal(signal) => format!("Command {command} was ended by signal {signal} after {took}."),
        ShellEnd::Stopped => format!("Command {command} was stopped after {took}."),
        ShellEnd::Lost(why) => format!("Command {command} was lost: {}.", line(why)),
    };
    format!("{head}\n{}", output(content, *full_bytes, *end == ShellEnd::Exited(0)))
}

pub fn step(step: &StepView) -> String {
    let what = match step.step {
        StartStep::Tag => "agent",
        StartStep::Tap => "tap",
        StartStep::Manifest => "manifest",
        StartStep::Capabilities => "capabilities",
        StartStep::Placeholders => "placeholders",
        StartStep::Deps => "preparations",
        StartStep::Servers => "servers",
        StartStep::Triggers => "phrases",
    };
    let how = match step.state {
        StepState::Running | StepState::Skipped => return String::new(),
        StepState::Done => "done",
        StepState::Doubtful => "done, but not as it should",
        StepState::Failed => "failed",
        StepState::Cancelled => "stopped",
    };
    let detail = line(&step.detail).trim_end_matches([':', '.', ' ']).to_owned();
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    format!("Start, {what} {how}{detail}.\n")
}

/// An entry that says all it has at once.
pub fn whole(kind: &EntryKind) -> String {
    match kind {
        EntryKind::Decision(decision) => {
            let (level, source, headline) = decision.headline();
            format!("{}, {}: {}\n", self::level(level), line(source), line(&headline))
        }
        EntryKind::Notice { source, text, .. } if source == WELCOME => format!("{}\n", text::sanitize(text.trim_end())),
        EntryKind::Notice { level, source, text, hint } => {
            let mut said = format!("{}, {}: {}\n", self::level(*level), line(source), text::sanitize(text.trim_end()));
            if let Some(hint) = hint {
                said.push_str(&format!("What to do: {}\n", line(hint)));
            }
            said
        }
        EntryKind::Fault(fault) => format!("Error: {}\nWhat to do: {}\n", line(&fault.message), line(&fault.advice)),
        EntryKind::Skill { skill, forgotten } => {
            let how = if *forgotten { "is forgotten" } else { "is active" };
            format!("Skill {} {how}: {}\n", line(&skill.name), line(&skill.description))
        }
        EntryKind::Command { output, .. } => format!("{}\n", text::sanitize(output.trim_end())),
        EntryKind::Rewound(_) => String::new(),
        EntryKind::User { text, .. } => format!("{}\n", text::sanitize(text.trim_end())),
        EntryKind::Assistant { .. }
        | EntryKind::Thinking { .. }
        | EntryKind::Tool { .. }
        | EntryKind::StartUp { .. }
        | EntryKind::Shell(_)
        | EntryKind::Asked { .. } => String::new(),
    }
}
