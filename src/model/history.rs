use std::collections::BTreeSet;

use crate::proto::{
    Attachment, Body, CallId, Content, Event, Origin, ReasoningBlock, RewindEvent, RewindTo, ToolCall, ToolOutcome,
    TurnId, TurnOutcome,
};

/// The conversation, folded from a session's events. What a request is built from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    items: Vec<HistoryItem>,
    /// Positions of the person's messages in the running turn that no reply has followed yet.
    unanswered: Vec<usize>,
    /// Where each turn begins.
    starts: Vec<(TurnId, usize)>,
    aside: Option<Aside>,
}

/// What the last rewind took out of the conversation, or put back into it.
#[derive(Debug, Clone, PartialEq)]
struct Aside {
    turn: TurnId,
    /// Where it was taken out.
    at: usize,
    items: Vec<HistoryItem>,
    starts: Vec<(TurnId, usize)>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HistoryItem {
    User { content: Content, attachments: Vec<Attachment>, voice: Voice },
    Assistant { text: String, reasoning: Vec<ReasoningBlock>, calls: Vec<ToolCall>, model: String },
    Result { call: CallId, content: Content, outcome: ToolOutcome },
}

/// Whose words stand in the person's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voice {
    Person,
    Skill(String),
    /// The runtime's, by the kind of its message.
    Runtime(String),
}

impl From<&Origin> for Voice {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::Person => Self::Person,
            Origin::System { kind, .. } => Self::Runtime(kind.clone()),
        }
    }
}

impl History {
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut history = Self::default();
        for event in events {
            history.apply(&event.body);
        }
        history
    }

    /// Takes up what belongs to the conversation; all other events change nothing.
    pub fn apply(&mut self, body: &Body) {
        match body {
            Body::TurnStarted { turn } => {
                self.unanswered.clear();
                self.starts.push((*turn, self.items.len()));
            }
            // What a failed turn never got an answer to would be said again with the next message.
            Body::TurnEnded { outcome: TurnOutcome::Failed(_), .. } => {
                for position in std::mem::take(&mut self.unanswered).into_iter().rev() {
                    self.items.remove(position);
                }
            }
            Body::TurnEnded { .. } => self.unanswered.clear(),
            Body::UserMessage { content, attachments, origin } => {
                if *origin == Origin::Person {
                    self.unanswered.push(self.items.len());
                }
                self.items.push(HistoryItem::User {
                    content: content.clone(),
                    attachments: attachments.clone(),
                    voice: origin.into(),
                })
            }
            Body::SkillActivated { text, skill } => {
                self.items.push(HistoryItem::User {
                    content: text.clone(),
                    attachments: Vec::new(),
                    voice: Voice::Skill(skill.name.clone()),
                });
            }
            Body::AssistantMessage { text, reasoning, calls, model, .. } => {
                if !text.trim().is_empty() || !calls.is_empty() {
                    self.unanswered.clear();
                }
                self.items.push(HistoryItem::Assistant {
                    text: text.clone(),
                    reasoning: reasoning.clone(),
                    calls: calls.clone(),
                    model: model.clone(),
                });
            }
            Body::ToolFinished { call, content, outcome, .. } => {
                self.items.push(HistoryItem::Result { call: call.clone(), content: content.clone(), outcome: *outcome })
            }
            Body::ResultNarrowed { call, content, .. } => self.narrow(call, content),
            Body::Rewind(RewindEvent::Rewound(rewound)) if rewound.what.conversation() => self.rewind(rewound.to),
            _ => {}
        }
    }

    /// Takes out what the turn and later ones brought, or changes it for what was taken out before.
    fn rewind(&mut self, to: RewindTo) {
        let aside = match (to, self.aside.take()) {
            (RewindTo::Before, Some(aside)) => aside,
            (RewindTo::Before, None) => return,
            (RewindTo::Turn(turn), _) => {
                Aside { turn, at: self.turn_start(turn), items: Vec::new(), starts: Vec::new() }
            }
        };
        self.unanswered.clear();
        let items = self.items.split_off(aside.at.min(self.items.len()));
        let starts = self.starts.split_off(self.starts.partition_point(|(begun, _)| *begun < aside.turn));
        self.items.extend(aside.items);
        self.starts.extend(aside.starts);
        self.aside = Some(Aside { items, starts, ..aside });
    }

    /// Where the turn begins; the end when there is none so late.
    fn turn_start(&self, turn: TurnId) -> usize {
        let found = self.starts.iter().find(|(begun, _)| *begun >= turn);
        found.map_or(self.items.len(), |(_, at)| (*at).min(self.items.len()))
    }

    /// Messages that a rewind would take out of the conversation, or bring back to it.
    pub fn messages_of(&self, to: RewindTo) -> u32 {
        let items = match to {
            RewindTo::Turn(turn) => &self.items[self.turn_start(turn)..],
            RewindTo::Before => self.aside.as_ref().map_or(&[][..], |aside| aside.items.as_slice()),
        };
        items.iter().filter(|item| !matches!(item, HistoryItem::Result { .. })).count() as u32
    }

    fn narrow(&mut self, narrowed: &CallId, now: &Content) {
        let result = self.items.iter_mut().rev().find_map(|item| match item {
            HistoryItem::Result { call, content, .. } if call == narrowed => Some(content),
            _ => None,
        });
        if let Some(content) = result {
            content.clone_from(now);
        }
    }

    pub fn items(&self) -> &[HistoryItem] {
        &self.items
    }

    /// Whether the running turn has a message of the person that no reply followed.
    pub fn has_unanswered(&self) -> bool {
        !self.unanswered.is_empty()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Calls of the last assistant message that have no result yet.
    pub fn unanswered(&self) -> Vec<ToolCall> {
        let mut answered = BTreeSet::new();
        for item in self.items.iter().rev() {
            match item {
                HistoryItem::Result { call, .. } => {
                    answered.insert(call);
                }
                HistoryItem::Assistant { calls, .. } => {
                    return calls.iter().filter(|call| !answered.contains(&call.id)).cloned().collect();
                }
                HistoryItem::User { .. } => {}
            }
        }
        Vec::new()
    }
}
