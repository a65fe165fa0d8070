use serde_json::Value;

use super::about::{Placed, rule_of_call};
use super::program;
use super::shell::{Part, parts};
use crate::proto::{ApprovalAbout, ApprovalMode, ApprovalPart, ApprovalRule, ApprovalSays, PartStanding, counted};
use crate::text;

/// Who made the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It belongs to the session and changes nothing outside it.
    Session,
    /// It comes with this program, which knows what it does.
    Bundled,
    /// Anybody. What it says of itself is its own word.
    Other,
}

/// A call before it runs.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub origin: Origin,
    pub server: &'a str,
    pub tool: &'a str,
    /// As its server says.
    pub read_only: Option<bool>,
    pub arguments: &'a Value,
    /// The file that a bundled tool would change.
    pub file: Option<&'a str>,
    /// Changes when the tool is described otherwise.
    pub fingerprint: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Runs,
    /// It runs because the person said so before.
    Allowed,
    Asks,
    /// The person said so before.
    Refused,
}

/// How a call stands, with everything that rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    /// One sentence, small, without a stop.
    pub why: String,
    /// In one line.
    pub about: String,
    pub parts: Vec<ApprovalPart>,
    /// What a yes for the session is about.
    pub session: Vec<ApprovalAbout>,
    /// What a no for the session is about.
    pub never: Vec<ApprovalAbout>,
    pub warnings: Vec<String>,
}

/// Columns of the line about a call.
const LINE: usize = 100;

#[must_use]
pub fn judge(call: &Call<'_>, mode: ApprovalMode, rules: &[ApprovalRule]) -> Judgement {
    let tool = full_name(call);
    match (command_of(call), call.file) {
        (Some(command), _) => Command { call, tool: &tool, command, mode, rules }.judge(),
        (None, Some(file)) => {
            let about = ApprovalAbout::File { path: file.to_owned() };
            single(call, about, file.to_owned(), mode, rules)
        }
        (None, None) => {
            let about = ApprovalAbout::Tool { tool: tool.clone(), fingerprint: call.fingerprint.to_owned() };
            let line = match call.arguments {
                Value::Object(fields) if fields.is_empty() => String::new(),
                other => other.to_string(),
            };
            single(call, about, line, mode, rules)
        }
    }
}

/// Names that tools give to a command; ours takes the first of them that is there.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// Names that our shell gives to its folder.
const FOLDERS: [&str; 3] = ["cwd", "workdir", "directory"];

/// The argument that is there under the first of these names.
fn given<'a>(arguments: &'a Value, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| arguments.get(*name).filter(|value| !value.is_null()))
}

/// The shell command that the call would run.
fn command_of<'a>(call: &Call<'a>) -> Option<&'a str> {
    let bundled = match call.origin {
        Origin::Session => return None,
        Origin::Bundled => true,
        Origin::Other => false,
    };
    if bundled && call.tool != "shell" {
        return None;
    }
    given(call.arguments, &COMMANDS)?.as_str().filter(|command| !command.trim().is_empty())
}

fn full_name(call: &Call<'_>) -> String {
    if call.server.is_empty() { call.tool.to_owned() } else { format!("{}.{}", call.server, call.tool) }
}

fn line(text: &str) -> String {
    text::truncate(text::sanitize_line(text).trim(), LINE).into_owned()
}

/// A call that is one thing.
fn single(
    call: &Call<'_>,
    about: ApprovalAbout,
    line_of: String,
    mode: ApprovalMode,
    rules: &[ApprovalRule],
) -> Judgement {
    let rule = rule_of_call(rules, &about);
    let (verdict, why) = match rule {
        Some(rule) => said(rule),
        None => free_or_asks(call, mode),
    };
    let part = ApprovalPart { text: full_name(call), standing: standing(verdict), why: why.clone() };
    Judgement {
        verdict,
        why,
        about: line(&line_of),
        parts: vec![part],
        session: vec![about.clone()],
        never: vec![about],
        warnings: Vec::new(),
    }
}

fn standing(verdict: Verdict) -> PartStanding {
    match verdict {
        Verdict::Runs => PartStanding::Reads,
        Verdict::Allowed => PartStanding::Allowed,
        Verdict::Asks => PartStanding::Asks,
        Verdict::Refused => PartStanding::Refused,
    }
}

/// What the person said before.
fn said(rule: &ApprovalRule) -> (Verdict, String) {
    let verdict = if rule.says == ApprovalSays::Allow { Verdict::Allowed } else { Verdict::Refused };
    (verdict, format!("you {} {} for this session", rule.says.word(), rule.about.words()))
}

fn free_or_asks(call: &Call<'_>, mode: ApprovalMode) -> (Verdict, String) {
    let reads = call.read_only == Some(true);
    let (verdict, why) = match (mode, call.origin) {
        (ApprovalMode::Off, _) => (Verdict::Runs, "nothing is asked about"),
        (ApprovalMode::All, _) => (Verdict::Asks, "every call is asked about"),
        (ApprovalMode::Writes, Origin::Session) => (Verdict::Runs, "it changes nothing outside the session"),
        (ApprovalMode::Writes, Origin::Bundled) if reads => (Verdict::Runs, "it only reads"),
        (ApprovalMode::Writes, Origin::Bundled) => (Verdict::Asks, "it changes a file"),
        (ApprovalMode::Writes, Origin::Other) if reads => {
            (Verdict::Asks, "its server says it only reads, and that is the server's word alone")
        }
        (ApprovalMode::Writes, Origin::Other) => (Verdict::Asks, "it may change something"),
    };
    (verdict, why.to_owned())
}

struct Command<'a> {
    call: &'a Call<'a>,
    tool: &'a str,
    command: &'a str,
    mode: ApprovalMode,
    rules: &'a [ApprovalRule],
}

impl Command<'_> {
    fn judge(&self) -> Judgement {
        let place = self.place();
        let whole = ApprovalAbout::Command {
            tool: self.tool.to_owned(),
            text: self.command.trim().to_owned(),
            place: place.clone(),
        };
        let told = parts(self.command).ok().filter(|parts| !parts.is_empty());
        let refused = rule_of_call(self.rules, &whole).filter(|rule| rule.says == ApprovalSays::Refuse);
        match told {
            Some(told) if refused.is_none() => self.of_parts(&told, place.as_deref(), whole),
            told => self.as_a_whole(whole, told.is_some()),
        }
    }

    /// Where it runs, as far as that makes a difference.
    fn place(&self) -> Option<String> {
        if self.call.origin == Origin::Bundled {
            let folder = given(self.call.arguments, &FOLDERS)?;
            let folder = folder.as_str().map_or_else(|| folder.to_string(), |folder| folder.trim().to_owned());
            return (!matches!(folder.as_str(), "" | "." | "./")).then(|| format!("in {folder}"));
        }
        let mut rest = self.call.arguments.as_object()?.clone();
        rest.retain(|name, value| !COMMANDS.contains(&name.as_str()) && !value.is_null());
        (!rest.is_empty()).then(|| format!("with {}", Value::Object(rest)))
    }

    /// One that was refused as it stands, or is not understood.
    fn as_a_whole(&self, about: ApprovalAbout, understood: bool) -> Judgement {
        let (verdict, why) = match rule_of_call(self.rules, &about) {
            Some(rule) => said(rule),
            None if self.mode == ApprovalMode::Off => free_or_asks(self.call, self.mode),
            None => {
                let unclear = parts(self.command).err().map_or_else(|| "it is empty".to_owned(), |why| why.to_string());
                (Verdict::Asks, format!("it cannot be told apart into its commands: {unclear}"))
            }
        };
        let part = ApprovalPart { text: self.command.trim().to_owned(), standing: standing(verdict), why: why.clone() };
        let unclear = "It is taken as one: an answer for the session is about exactly this text.".to_owned();
        Judgement {
            verdict,
            why,
            about: line(self.command),
            parts: vec![part],
            session: vec![about.clone()],
            never: vec![about],
            warnings: if understood { Vec::new() } else { vec![unclear] },
        }
    }

    fn of_parts(&self, told: &[Part], place: Option<&str>, whole: ApprovalAbout) -> Judgement {
        let mut judged = Vec::new();
        let (mut session, mut warnings) = (Vec::new(), Vec::new());
        for part in told {
            let placed = Placed { tool: self.tool, part, place };
            let (standing, why) = self.part(&placed);
            if standing == PartStanding::Asks {
                let about = placed.about();
                if !session.contains(&about) {
                    session.push(about);
                }
                if let Some(warning) = warning(part).filter(|warning| !warnings.contains(warning)) {
                    warnings.push(warning);
                }
            }
            let why = part.inside.map_or_else(|| why.clone(), |inside| format!("{why}; run by {inside}"));
            judged.push(ApprovalPart { text: part.text.clone(), standing, why });
        }
        let count = |wanted| judged.iter().filter(|part| part.standing == wanted).count();
        let (asks, refused, allowed) =
            (count(PartStanding::Asks), count(PartStanding::Refused), count(PartStanding::Allowed));
        let (verdict, why) = match judged.iter().find(|part| part.standing == PartStanding::Refused) {
            Some(part) if refused > 0 => (Verdict::Refused, part.why.clone()),
            _ if asks > 0 => (Verdict::Asks, self.asked(asks, judged.len())),
            _ if allowed > 0 => (Verdict::Allowed, "you allowed what of it needs a yes for this session".to_owned()),
            _ if self.mode == ApprovalMode::Off => free_or_asks(self.call, self.mode),
            _ => (Verdict::Runs, "it only reads".to_owned()),
        };
        // Of several parts nobody can say which one is meant.
        let never = if session.len() == 1 { session.clone() } else { vec![whole] };
        Judgement { verdict, why, about: line(self.command), parts: judged, session, never, warnings }
    }

    fn asked(&self, asks: usize, of: usize) -> String {
        match (self.mode, self.call.origin) {
            (ApprovalMode::All, _) => "every call is asked about".to_owned(),
            (_, Origin::Other) => "it is run by a tool that others made".to_owned(),
            _ if asks == of && of > 1 => format!("each of its {of} commands may change something"),
            _ if of == 1 => "it may change something".to_owned(),
            _ => format!("{asks} of {} may change something", counted(of, "command")),
        }
    }

    fn part(&self, placed: &Placed<'_>) -> (PartStanding, String) {
        if let Some(rule) = placed.rule(self.rules) {
            let (verdict, why) = said(rule);
            return (standing(verdict), why);
        }
        let reads = self.call.origin == Origin::Bundled && program::reads(placed.part);
        match self.mode {
            ApprovalMode::Off => (PartStanding::Reads, "nothing is asked about".to_owned()),
            ApprovalMode::Writes if reads => (PartStanding::Reads, "only reads".to_owned()),
            ApprovalMode::Writes | ApprovalMode::All => {
                let why = match (placed.part.writes.as_slice(), program::stem(placed.part)) {
                    ([], _) if reads => "only reads".to_owned(),
                    ([], Err(why)) => why.to_owned(),
                    ([], Ok(_)) => "may change something".to_owned(),
                    (files, _) => format!("writes {}", files.join(", ")),
                };
                (PartStanding::Asks, why)
            }
        }
    }
}

/// Why less is remembered of the part than its program.
fn warning(part: &Part) -> Option<String> {
    let why = program::stem(part).err()?;
    let text = line(&part.text);
    Some(format!("`{text}`: {why}, so an answer for the session is about exactly this text."))
}

#[cfg(test)]
mod tests;
