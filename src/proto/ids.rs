use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC. Passed in by whoever owns a clock.
pub type Timestamp = u64;

/// Position of an event in its session, from 1. Gaps are allowed (dropped progress), repeats are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub u64);

/// A turn: one user message and everything done about it. From 1; 0 is before the first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub u32);

/// One call of a model, of any purpose. From 1 within a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// A tool call, unique within the session whatever id the provider sent (providers repeat ids).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

/// A message waiting in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueueId(pub u32);

/// A question put to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AskId(pub u32);

/// Where a transcript entry stands, and its identity: entries sort by this key, whatever order their
/// events arrive in (parallel tools finish out of order; a lagging reader sees only completions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct Order {
    pub turn: u32,
    /// Model request within the turn; 0 is before the first request.
    pub round: u32,
    /// Position within the round, handed out in the order things begin.
    pub slot: u32,
}

impl From<(u32, u32, u32)> for Order {
    fn from((turn, round, slot): (u32, u32, u32)) -> Self {
        Self { turn, round, slot }
    }
}

impl From<Order> for (u32, u32, u32) {
    fn from(order: Order) -> Self {
        (order.turn, order.round, order.slot)
    }
}

impl std::fmt::Display for CallId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Order {
    /// The slot just before, where a message's reasoning stands. `None` at the first slot.
    pub fn before(self) -> Option<Self> {
        Some(Self { slot: self.slot.checked_sub(1)?, ..self })
    }
}
