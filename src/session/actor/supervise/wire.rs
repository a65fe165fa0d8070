//! Model calls as they went over the wire, for whoever wants to see them.

use serde_json::{Value, json};

use super::super::reply::Reply;
use super::super::{Actor, Report};
use crate::model::RawCall;
use crate::proto::{Fault, Purpose, RequestId, StopReason};
use crate::session::supervisor::wire::{Received, Sent};
use crate::supervisor::report::redacted;

/// How a reply ended.
pub(in crate::session::actor) enum Ended<'a> {
    Stopped(&'a StopReason),
    Failed(&'a Fault),
}

impl Actor {
    pub(in crate::session::actor) fn wire_sent(
        &mut self,
        request: RequestId,
        purpose: Purpose,
        model: String,
        body: Value,
    ) {
        if self.rec.journal.writes() {
            let folder = self.rec.folder();
            self.wire.sent(&folder, &self.rec.mask, Sent { request, purpose, model, body });
        }
    }

    pub(in crate::session::actor) fn wire_received(&mut self, reply: &Reply, ended: Ended<'_>) {
        let blocks: Vec<&str> = reply.reasoning.iter().map(|block| block.text.as_str()).collect();
        let (stop, fault) = match ended {
            Ended::Stopped(stop) => (Some(stop.clone()), None),
            Ended::Failed(fault) => (None, Some(fault.clone())),
        };
        let text = if reply.came.is_empty() { &reply.text } else { &reply.came };
        let received = Received {
            text: redacted(text, &reply.statuses).into_owned(),
            reasoning: blocks.join("\n\n"),
            calls: reply.calls.iter().map(call).collect(),
            usage: reply.usage,
            stop,
            fault,
        };
        self.wire_ended(reply.request, received);
    }

    pub(super) fn wire_ended(&mut self, request: RequestId, received: Received) {
        if self.rec.journal.writes() {
            let folder = self.rec.folder();
            self.wire.received(&folder, &self.rec.mask, request, received);
        }
    }

    /// Answered by an event.
    pub(in crate::session::actor) fn show_wire(&mut self, request: RequestId) {
        let (folder, report) = (self.rec.folder(), self.report.clone());
        // The session may be over; then nobody reads it.
        let tell = move |shown| drop(report.send(Report::Wire(request, shown)));
        self.wire.show(&folder, &self.rec.mask, request, tell);
    }
}

fn call(call: &RawCall) -> Value {
    let mut told = json!({ "id": call.provider_id, "name": call.name, "arguments": call.arguments });
    if let (Some(malformed), Some(fields)) = (&call.malformed, told.as_object_mut()) {
        fields.insert("malformed".to_owned(), malformed.as_str().into());
    }
    told
}
