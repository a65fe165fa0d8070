//! From history to a request, by one pure function.
//!
//! Owns: [`request`] and every repair a provider would otherwise refuse the request for.
//!
//! Does not own: a provider's JSON (that is the wire modules'), or what history is.
//!
//! Invariant: the same history gives the same request. Every call has exactly one result, right
//! after the message that made it; no message is empty; call ids are unique and not empty; tool
//! names match `[A-Za-z0-9_-]{1,64}`. Each repair is one [`Decision`]. The decisions describe the
//! whole request, so a repair of an old message is named again with every request built from it.

mod calls;
mod content;
#[cfg(test)]
mod tests;

use super::history::{History, HistoryItem, Voice};
use super::{Message, Part, Replay, Request, ToolResult, ToolSpec, Traits};
use crate::config::schema::ModelProfile;
use crate::proto::{Content, Decision, Purpose, ReasoningBlock, RepairKind, ToolCall, ToolOutcome};
use calls::{Ids, Results};
use content::Media;

/// What stands around the conversation.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// `provider:model` that will get the request.
    pub model: &'a str,
    pub traits: Traits,
    pub system: &'a str,
    /// Static tools first, then dynamic ones.
    pub tools: &'a [ToolSpec],
    pub static_tools: usize,
    pub profile: &'a ModelProfile,
    pub schema: Option<&'a serde_json::Value>,
}

/// Loads a blob by its name, as text or media; `None` when it is gone.
pub type Blobs<'a> = &'a dyn Fn(&str) -> Option<Content>;

/// Builds the request and says what had to be mended.
pub fn request(history: &History, frame: &Frame<'_>, blobs: Blobs<'_>) -> (Request, Vec<Decision>) {
    let Built { request, decisions, .. } = build(history, frame, blobs);
    (request, decisions)
}

/// A request, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub request: Request,
    /// What had to be mended.
    pub decisions: Vec<Decision>,
    /// Whose words the parts of user messages are, in order.
    pub voices: Vec<Voice>,
}

/// The same, with whose words it holds.
pub fn build(history: &History, frame: &Frame<'_>, blobs: Blobs<'_>) -> Built {
    let mut builder = Builder {
        frame,
        media: Media { blobs, images: frame.traits.images },
        repairs: Repairs::default(),
        ids: Ids::default(),
        messages: Vec::new(),
        voices: Vec::new(),
    };
    let results = Results::assign(history.items());
    builder.repairs.count(RepairKind::OrphanResult, results.orphans, "left out a result that no call asked for");
    for (index, item) in history.items().iter().enumerate() {
        match item {
            HistoryItem::User { content, attachments, voice } => {
                let parts = builder.media.user(content, attachments, &mut builder.repairs);
                builder.user(parts, voice);
            }
            HistoryItem::Assistant { text, reasoning, calls, model } => {
                builder.assistant(text, reasoning, calls, model);
                builder.answers(index, calls, &results);
            }
            HistoryItem::Result { .. } => {}
        }
    }
    let profile = frame.profile;
    let request = Request {
        purpose: Purpose::Main,
        system: frame.system.to_owned(),
        tools: if frame.traits.tools { frame.tools.to_vec() } else { Vec::new() },
        static_tools: if frame.traits.tools { frame.static_tools.min(frame.tools.len()) } else { 0 },
        messages: builder.messages,
        effort: profile.reasoning_effort,
        max_tokens: profile.max_tokens,
        temperature: profile.temperature,
        top_p: profile.top_p,
        top_k: profile.top_k,
        schema: frame.schema.cloned(),
        idle_timeout: std::time::Duration::from_secs(profile.request_timeout_seconds),
    };
    Built { request, decisions: builder.repairs.into_decisions(), voices: builder.voices }
}

struct Builder<'a> {
    frame: &'a Frame<'a>,
    media: Media<'a>,
    repairs: Repairs,
    ids: Ids,
    messages: Vec<Message>,
    voices: Vec<Voice>,
}

impl Builder<'_> {
    fn user(&mut self, parts: Vec<Part>, voice: &Voice) {
        if parts.is_empty() {
            self.repairs.add(RepairKind::EmptyMessage, "left out an empty message");
            return;
        }
        self.voices.extend(parts.iter().map(|_| voice.clone()));
        // Chat templates of local models refuse two user messages in a row.
        if let Some(Message::User(before)) = self.messages.last_mut() {
            before.extend(parts);
        } else {
            self.messages.push(Message::User(parts));
        }
    }

    fn assistant(&mut self, text: &str, reasoning: &[ReasoningBlock], calls: &[ToolCall], model: &str) {
        let text = if text.trim().is_empty() { String::new() } else { text.to_owned() };
        let mut kept = Vec::new();
        if self.frame.traits.reasoning != Replay::Never && model == self.frame.model {
            kept = reasoning.to_vec();
        } else if self.frame.traits.reasoning != Replay::Never && !reasoning.is_empty() {
            self.repairs.add(RepairKind::Reasoning, "left out reasoning that another model wrote");
        }
        if kept.is_empty() && !calls.is_empty() && self.frame.traits.reasoning == Replay::Demanded {
            self.repairs.add(RepairKind::Reasoning, "put empty reasoning where the provider demands some");
            kept.push(ReasoningBlock::default());
        }
        if text.is_empty() && calls.is_empty() {
            self.repairs.add(RepairKind::EmptyMessage, "left out an empty message");
            return;
        }
        let calls = calls.iter().map(|call| self.call(call)).collect();
        self.messages.push(Message::Assistant { text, reasoning: kept, calls, model: model.to_owned() });
    }

    fn call(&mut self, call: &ToolCall) -> ToolCall {
        let provider_id = self.ids.unique(&call.provider_id, &mut self.repairs);
        let wire_name = calls::wire_name(&call.wire_name);
        if wire_name != call.wire_name {
            self.repairs.add(RepairKind::ToolName, "changed a tool name that the provider would refuse");
        }
        let arguments = match &call.arguments {
            object @ serde_json::Value::Object(_) => object.clone(),
            other => serde_json::json!({ "unparsed": calls::raw_text(other) }),
        };
        ToolCall { provider_id, wire_name, arguments, ..call.clone() }
    }

    /// The results of the message at `index`, in call order, dangling calls filled in.
    fn answers(&mut self, index: usize, calls: &[ToolCall], results: &Results<'_>) {
        let Some(Message::Assistant { calls: sent, .. }) = self.messages.last() else { return };
        if calls.is_empty() {
            return;
        }
        let sent: Vec<(String, String)> =
            sent.iter().map(|call| (call.provider_id.clone(), call.wire_name.clone())).collect();
        let mut answers = Vec::with_capacity(sent.len());
        for (position, (provider_id, wire_name)) in sent.into_iter().enumerate() {
            let (parts, error) = match results.of(index, position) {
                Some((content, outcome)) => (self.media.result(content, &mut self.repairs), outcome != ToolOutcome::Ok),
                None => {
                    self.repairs.add(RepairKind::DanglingCall, "gave an interrupted call the result it never got");
                    (vec![Part::Text(INTERRUPTED.to_owned())], true)
                }
            };
            answers.push(ToolResult { provider_id, wire_name, parts, error });
        }
        self.messages.push(Message::Tools(answers));
    }
}

/// What the model is told of a call that never came back.
pub const INTERRUPTED: &str =
    "Interrupted: this call did not finish and its effect is not known. Check before you repeat it.";

/// Repairs of one kind and wording, counted, in the order they were first needed.
#[derive(Debug, Default)]
struct Repairs(Vec<(RepairKind, &'static str, u32)>);

impl Repairs {
    fn add(&mut self, kind: RepairKind, detail: &'static str) {
        self.count(kind, 1, detail);
    }

    fn count(&mut self, kind: RepairKind, by: u32, detail: &'static str) {
        if by == 0 {
            return;
        }
        match self.0.iter_mut().find(|(k, d, _)| *k == kind && *d == detail) {
            Some((_, _, count)) => *count += by,
            None => self.0.push((kind, detail, by)),
        }
    }

    fn into_decisions(self) -> Vec<Decision> {
        let decide = |(kind, detail, count): (RepairKind, &str, u32)| Decision::RequestRepaired {
            kind,
            count,
            detail: detail.to_owned(),
        };
        self.0.into_iter().map(decide).collect()
    }
}

/// Plain text of a content, blobs loaded, media named.
pub fn plain(content: &Content, blobs: Blobs<'_>) -> String {
    let media = Media { blobs, images: false };
    let parts = media.result(content, &mut Repairs::default());
    let texts: Vec<String> = parts
        .into_iter()
        .map(|part| match part {
            Part::Text(text) => text,
            Part::Media { media_type, .. } => format!("[{media_type}]"),
        })
        .collect();
    texts.join("\n")
}
