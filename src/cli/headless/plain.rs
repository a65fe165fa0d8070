//! Events as text: the answer on standard output as it arrives, everything else as short lines on
//! standard error.

use std::borrow::Cow;

use super::gate;
use super::json::{flat, server_trouble};
use super::output::{Ending, Output};
use crate::proto::{
    Body, Decision, Event, Level, Purpose, RequestId, ServerState, Snapshot, StartStep, StepState, StepView,
    ToolOutcome, TurnOutcome,
};
use crate::text::{clean_prefix, human, sanitize, sanitize_line, truncate};

/// Columns of a line on standard error.
const LINE: usize = 160;

/// What was written of the answer so far.
#[derive(Debug)]
pub struct Plain {
    terminal: bool,
    /// The request whose text is being written, and how many bytes of it came.
    answering: Option<(RequestId, u64)>,
    /// Text that may still turn out to steer the terminal.
    held: String,
    /// Whether standard output stands at the beginning of a line.
    line_begun: bool,
    /// The last note, tools aside.
    recent: String,
    /// Errors and what to do about them, each said once.
    errors: Vec<String>,
    /// Servers that do not work and of which no notice told yet.
    untold: Vec<(String, String)>,
    /// Something was sent, or a session taken up: there is a session to speak of.
    begun: bool,
}

impl Plain {
    pub fn new(terminal: bool) -> Self {
        Self {
            terminal,
            answering: None,
            held: String::new(),
            line_begun: false,
            recent: String::new(),
            errors: Vec::new(),
            untold: Vec::new(),
            begun: false,
        }
    }

    pub fn event(&mut self, event: &Event, output: &mut Output) {
        match &event.body {
            Body::TextDelta { request, offset, text } => self.delta(*request, *offset, text, output),
            Body::AssistantMessage { request, text, .. } => {
                self.complete(*request, text, output);
                self.finish_line(output);
            }
            Body::RequestFailed { purpose: Purpose::Main, fault, .. } => {
                self.finish_line(output);
                self.note("error", &fault.message, output);
                if let Some(detail) = fault.detail.as_deref().filter(|detail| !fault.message.contains(detail)) {
                    self.note("detail", detail, output);
                }
                self.note("hint", &fault.advice, output);
            }
            Body::RequestStarted { .. } => self.begun = true,
            Body::ToolStarted { server, tool, arguments, .. } => {
                let name = if server.is_empty() { tool.clone() } else { format!("{server}.{tool}") };
                self.note("tool", &format!("{name} {arguments}"), output);
            }
            Body::ToolFinished { outcome, content, full_bytes, elapsed_ms, .. } => {
                self.finished(*outcome, &flat(content), *full_bytes, *elapsed_ms, output);
            }
            // A notice tells of it, and of others that fail for the same reason.
            Body::ServerChanged { server, state: state @ ServerState::Failed { .. }, .. } => {
                let trouble = server_trouble(state).unwrap_or_default();
                self.untold.push((server.clone(), trouble));
            }
            Body::ServerChanged { server, state, .. } => {
                if let Some(trouble) = server_trouble(state) {
                    self.note(server, &trouble, output);
                }
            }
            Body::Decided(Decision::Gate(verdict)) => self.note("gate", &gate::told(verdict), output),
            // The calls ran though they were to be looked at: nobody may miss that.
            Body::Decided(Decision::Authorized(one)) if one.blocked.is_empty() => {
                if let (Level::Warning, source, headline) = one.headline() {
                    self.note("warning", &format!("{source}: {headline}"), output);
                }
            }
            Body::Decided(decision) => {
                let (level, source, headline) = decision.headline();
                if level > Level::Info {
                    self.note(source, &headline, output);
                }
            }
            Body::Notice { level, text, hint, .. } => {
                self.untold.retain(|(server, _)| !text.contains(server.as_str()));
                self.note(word(*level), text, output);
                if let Some(hint) = hint {
                    self.note("hint", hint, output);
                }
            }
            Body::StartStep { step } if step.step == StartStep::Deps => self.script(step, output),
            Body::StartOutput { line, .. } => {
                output.err.push_str(&shortened(&format!("  | {}", sanitize_line(line))));
                output.err.push('\n');
            }
            Body::CommandOutput { output: answer, .. } => self.whole(answer, output),
            Body::SessionResumed { .. } => self.begun = true,
            Body::TurnEnded { outcome, .. } => {
                self.finish_line(output);
                if let TurnOutcome::Stopped(why) = outcome {
                    self.note("stopped", why, output);
                }
            }
            _ => {}
        }
    }

    /// A script of a tap may take minutes.
    fn script(&mut self, step: &StepView, output: &mut Output) {
        let (detail, elapsed) = (&step.detail, human::duration_ms(step.elapsed_ms));
        let line = match step.state {
            StepState::Running if detail.is_empty() => return,
            StepState::Running => format!("{detail} runs"),
            StepState::Skipped => return,
            StepState::Done => format!("{detail} done after {elapsed}"),
            StepState::Doubtful | StepState::Failed | StepState::Cancelled => format!("{detail} ({elapsed})"),
        };
        self.note("script", &line, output);
    }

    fn finished(&mut self, outcome: ToolOutcome, content: &str, bytes: u64, elapsed: u64, output: &mut Output) {
        let facts = format!("{}, {}", human::bytes(bytes), human::duration_ms(elapsed));
        let first = content.lines().next().unwrap_or_default();
        let line = match outcome {
            ToolOutcome::Ok => format!("done: {facts}"),
            ToolOutcome::Error => format!("failed: {first} ({facts})"),
            ToolOutcome::Cancelled => "cancelled".to_owned(),
            ToolOutcome::TimedOut => format!("timed out after {}", human::duration_ms(elapsed)),
            ToolOutcome::Refused => format!("refused: {first}"),
            ToolOutcome::Lost => format!("lost: the server went away ({facts})"),
        };
        self.note("tool", &line, output);
    }

    fn delta(&mut self, request: RequestId, offset: u64, text: &str, output: &mut Output) {
        let known = match self.answering {
            Some((same, known)) if same == request => known,
            _ => {
                self.finish_line(output);
                0
            }
        };
        // A delta that was delivered before, or a gap: the whole message settles it.
        if offset == known {
            self.answering = Some((request, known + text.len() as u64));
            self.write(text, output);
        }
    }

    /// The whole message came: what the deltas did not bring is written now.
    fn complete(&mut self, request: RequestId, text: &str, output: &mut Output) {
        let known = match self.answering.take() {
            Some((same, known)) if same == request => usize::try_from(known).unwrap_or(usize::MAX),
            _ => {
                self.finish_line(output);
                0
            }
        };
        if let Some(rest) = text.get(known..) {
            self.write(rest, output);
        }
    }

    /// A text of its own.
    pub fn whole(&mut self, text: &str, output: &mut Output) {
        self.finish_line(output);
        self.write(text, output);
        self.finish_line(output);
    }

    fn write(&mut self, text: &str, output: &mut Output) {
        if text.is_empty() {
            return;
        }
        let before = output.out.len();
        if self.terminal {
            self.held.push_str(text);
            let complete = self.held.rfind('\n').map_or(0, |at| at + 1);
            output.out.push_str(&sanitize(&self.held[..complete]));
            let rest = &self.held[complete..];
            let clean = clean_prefix(rest);
            output.out.push_str(&rest[..clean]);
            self.held = rest[clean..].to_owned();
        } else {
            output.out.push_str(text);
        }
        self.moved(before, output);
    }

    /// Ends the line of the answer if one is begun.
    fn finish_line(&mut self, output: &mut Output) {
        let before = output.out.len();
        let held = std::mem::take(&mut self.held);
        output.out.push_str(&sanitize(&held));
        self.moved(before, output);
        if self.line_begun {
            output.out.push('\n');
            self.line_begun = false;
        }
    }

    fn moved(&mut self, before: usize, output: &Output) {
        if let Some(last) = output.out[before..].chars().next_back() {
            self.line_begun = last != '\n';
        }
    }

    pub fn note(&mut self, source: &str, text: &str, output: &mut Output) {
        if text.is_empty() {
            return;
        }
        let line = line(source, text);
        match source {
            // What a tool was given and said may be long; of an error every word counts.
            "tool" => output.err.push_str(&shortened(&line)),
            "error" | "detail" | "hint" if self.errors.contains(&line) => return,
            // States of a server repeat.
            _ if self.recent == line => return,
            _ => output.err.push_str(&line),
        }
        output.err.push('\n');
        match source {
            "tool" => {}
            "error" | "detail" | "hint" => self.errors.push(line),
            _ => self.recent = line,
        }
    }

    pub fn end(&mut self, ending: &Ending<'_>, after: &Snapshot, output: &mut Output) {
        let Ending { code, reason, warning, .. } = ending;
        self.finish_line(output);
        for (server, trouble) in std::mem::take(&mut self.untold) {
            self.note(&server, &trouble, output);
        }
        self.note("warning", warning.as_deref().unwrap_or_default(), output);
        if *code != 0 && !self.errors.contains(&line("error", reason)) {
            self.note("octomind", reason, output);
        }
        if !self.begun {
            return;
        }
        let total = after.totals.all();
        let mut facts = format!("{} · {} tok", after.session.name, human::tokens(total.input + total.output));
        if let Some(cost) = total.cost {
            facts.push_str(&format!(" · {}", human::dollars(cost)));
        }
        self.note("session", &facts, output);
    }
}

/// Commands are typed by a person; a run without one has flags for the same.
pub fn without_person(hint: &str) -> Cow<'_, str> {
    if !hint.contains('/') {
        return Cow::Borrowed(hint);
    }
    let said = hint.replace("another model with /model", "another model with --model");
    Cow::Owned(
        said.replace("another with /model", "another with --model")
            .replace("start anew with /new", "start a new session"),
    )
}

/// A note; each further line of the text is one of its own, indented. Of a tool only one is shown.
fn line(source: &str, text: &str) -> String {
    let source = sanitize_line(source);
    if source == "tool" {
        return format!("{source}: {}", without_person(&sanitize_line(text)));
    }
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let mut note = format!("{source}: {}", without_person(&sanitize_line(lines.next().unwrap_or_default())));
    for line in lines {
        note.push_str("\n  ");
        note.push_str(&without_person(sanitize_line(line).trim_start()));
    }
    note
}

fn shortened(line: &str) -> Cow<'_, str> {
    truncate(line, LINE)
}

fn word(level: Level) -> &'static str {
    match level {
        Level::Info => "note",
        Level::Warning => "warning",
        Level::Error => "error",
    }
}

#[cfg(test)]
mod tests;
