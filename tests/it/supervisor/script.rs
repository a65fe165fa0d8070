//! Scripts for the model, written down by what is said.

use std::fmt::Write as _;

use serde_json::Value;

/// A script that grows call by call.
#[derive(Default)]
pub struct Script(String);

/// Text as TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

impl Script {
    /// What follows answers messages that fit.
    pub fn on(mut self, pattern: &str) -> Self {
        let _ = write!(self.0, "[[turn]]\nmatch = {}\n\n", quoted(pattern));
        self
    }

    pub fn says(mut self, text: &str) -> Self {
        let _ = write!(self.0, "[[turn.reply]]\ntext = {}\n\n", quoted(text));
        self
    }

    /// A reply with calls: tool and arguments.
    pub fn calls(mut self, text: &str, calls: &[(&str, Value)]) -> Self {
        let call = |(tool, arguments): &(&str, Value)| {
            format!("{{ tool = {}, raw = {} }}", quoted(tool), quoted(&arguments.to_string()))
        };
        let calls: Vec<String> = calls.iter().map(call).collect();
        let _ = write!(self.0, "[[turn.reply]]\ntext = {}\ncalls = [{}]\n\n", quoted(text), calls.join(", "));
        self
    }

    /// How often a file is to be looked at, each in a round of its own.
    pub fn rounds(self, count: usize, tool: &str, arguments: &Value) -> Self {
        (0..count).fold(self, |script, _| script.calls("Once more.", &[(tool, arguments.clone())]))
    }

    /// Every question of this kind is answered so, unless an earlier answer fits.
    pub fn judge(self, asks: &str, reply: &Value) -> Self {
        self.judge_where(asks, "", None, &reply.to_string())
    }

    /// As [`Self::judge`], so many times.
    pub fn judge_times(self, asks: &str, times: u32, reply: &Value) -> Self {
        self.judge_where(asks, "", Some(times), &reply.to_string())
    }

    /// `{{1}}` in the reply is a group of the pattern, which is on the text of the question.
    pub fn judge_where(mut self, asks: &str, pattern: &str, times: Option<u32>, reply: &str) -> Self {
        let _ = writeln!(self.0, "[[supervise]]\nasks = \"{asks}\"");
        if !pattern.is_empty() {
            let _ = writeln!(self.0, "match = {}", quoted(pattern));
        }
        if let Some(times) = times {
            let _ = writeln!(self.0, "times = {times}");
        }
        let _ = write!(self.0, "reply = {}\n\n", quoted(reply));
        self
    }

    /// The question fails.
    pub fn judge_fails(mut self, asks: &str, kind: &str) -> Self {
        let _ = write!(self.0, "[[supervise]]\nasks = \"{asks}\"\nfault = {{ kind = \"{kind}\" }}\n\n");
        self
    }

    pub fn text(self) -> String {
        self.0
    }
}

/// `text` with a status behind it.
pub fn status(text: &str, state: &str) -> String {
    format!("{text}\n<sup>{{\"state\":\"{state}\",\"focus\":\"scripted\",\"next\":\"\",\"carry\":[]}}</sup>")
}

/// `text` with a status that says something of the plan.
pub fn signal(text: &str, state: &str, signal: &str) -> String {
    let plan = format!("{{\"signal\":\"{signal}\",\"note\":\"as said\"}}");
    format!(
        "{text}\n<sup>{{\"state\":\"{state}\",\"focus\":\"scripted\",\"next\":\"\",\"carry\":[],\"plan\":{plan}}}</sup>"
    )
}

/// Fits a question about the turn with this message.
pub fn about(message: &str) -> String {
    format!("\"request\":\\s*\"{message}\"")
}
