//! Large results are narrowed before the model reads them.

use std::collections::HashMap;

use super::super::Actor;
use super::{Answer, Ticket};
use crate::mcp::ToolDefinition;
use crate::model::HistoryItem;
use crate::proto::{
    Body, CallId, Condensed, CondensedResult, Content, Decision, Mechanic, RequestId, ServerKind, Snapshot,
};
use crate::session::journal::{create_private_folder, write_private};
use crate::supervisor::condense::{Narrowed, Need, Offered, Round, multiplier_after, threshold};

/// Tools that read a file of this machine back, by what servers call them.
const READERS: &[&str] =
    &["view", "read", "read_file", "read_text_file", "view_file", "open_file", "fs_read", "text_editor", "cat"];

pub(super) struct Condensing {
    /// Moves the threshold when it is adaptive.
    multiplier: f32,
    waiting: Option<Waiting>,
}

impl Default for Condensing {
    fn default() -> Self {
        Self { multiplier: 1.0, waiting: None }
    }
}

/// A round that is looked at.
struct Waiting {
    ticket: Ticket,
    round: Round,
    threshold: u64,
}

impl Actor {
    /// Why results stay whole in this role though the switch is on.
    pub(super) fn condense_idle(&self) -> Option<&'static str> {
        if self.supervise.values.condense.tokens_threshold == 0 {
            return Some("tokens_threshold is 0");
        }
        let snapshot = self.rec.hub.snapshot();
        let reads = self.catalog().iter().any(|tool| reads_files(tool, &snapshot));
        (!reads).then_some("the role has no tool that reads local files")
    }

    /// The results of the round are the last ones of the history. True when the turn waits;
    /// [`Actor::round_condensed`] lets it go on.
    pub(super) fn condense_round(&mut self) -> bool {
        if !self.has_mechanic(Mechanic::Condense) || self.condense_idle().is_some() {
            return false;
        }
        let multiplier = self.condense_multiplier();
        let Some(threshold) = threshold(self.supervise.values.condense.tokens_threshold, multiplier) else {
            return false;
        };
        let (intent, offered) = self.results_of_round();
        let snapshot = self.rec.hub.snapshot();
        let goal = self.supervise.watch.goal(self.turns);
        let need = Need { goal: &goal, plan: &snapshot.supervisor.plan, intent };
        let Some(round) = Round::new(&offered, threshold, &need) else { return false };
        let ticket = self.ask_supervisor(round.ask());
        self.supervise.condense.waiting = Some(Waiting { ticket, round, threshold });
        true
    }

    fn condense_multiplier(&self) -> f32 {
        if self.supervise.values.condense.adaptive { self.supervise.condense.multiplier } else { 1.0 }
    }

    /// What the model wrote when it made the calls, and what came of each.
    fn results_of_round(&self) -> (&str, Vec<Offered<'_>>) {
        let items = self.rec.history.items();
        let asked = items.iter().rposition(|item| matches!(item, HistoryItem::Assistant { .. }));
        let Some((HistoryItem::Assistant { text, calls, .. }, after)) =
            asked.and_then(|at| Some((items.get(at)?, items.get(at + 1..)?)))
        else {
            return ("", Vec::new());
        };
        let given = after.iter().filter_map(|item| {
            let HistoryItem::Result { call, content, outcome } = item else { return None };
            let tool = &calls.iter().find(|made| made.id == *call)?.wire_name;
            Some(Offered { call, tool, outcome: *outcome, text: plain(content) })
        });
        (text, given.collect())
    }

    pub(super) fn condense_answered(&mut self, ticket: Ticket, answer: Answer) {
        let Some(mut waiting) = self.supervise.condense.waiting.take_if(|waiting| waiting.ticket == ticket) else {
            return;
        };
        let reply = answer.result.as_deref().map_err(|fault| fault.message.as_str());
        match waiting.round.answered(reply) {
            Ok(calls) => {
                let spills: HashMap<CallId, String> =
                    calls.into_iter().filter_map(|call| Some((call.clone(), self.spilled(&call, &waiting)?))).collect();
                let narrowed = waiting.round.narrowed(&|call| spills.get(call).cloned());
                self.narrow(narrowed, &waiting, answer.request);
            }
            Err(trouble) => {
                self.say_condensed(Vec::new(), &waiting, Some(answer.request), Some(trouble));
            }
        }
        self.round_condensed();
    }

    /// The file with the whole of a result, as the model would have got it; one that was cut before has
    /// another with what it was before that.
    fn spilled(&self, call: &CallId, waiting: &Waiting) -> Option<String> {
        let text = waiting.round.text(call)?;
        let folder = self.rec.folder().join("spill");
        let cut = folder.join(format!("{call}.txt")).exists();
        let path = folder.join(if cut { format!("{call}-cut.txt") } else { format!("{call}.txt") });
        create_private_folder(&folder).and_then(|()| write_private(&path, text.as_bytes())).ok()?;
        Some(path.display().to_string())
    }

    fn narrow(&mut self, narrowed: Vec<Narrowed>, waiting: &Waiting, request: RequestId) {
        let mut records = Vec::new();
        for Narrowed { record, text } in narrowed {
            if let Some(text) = text {
                let (call, spill) = (record.call.clone(), record.spill.clone());
                self.rec.emit(Body::ResultNarrowed { call, content: Content::Text(text), spill });
            }
            records.push(record);
        }
        self.say_condensed(records, waiting, Some(request), None);
    }

    fn say_condensed(
        &mut self,
        results: Vec<CondensedResult>,
        waiting: &Waiting,
        request: Option<RequestId>,
        trouble: Option<String>,
    ) {
        let multiplier = self.condense_multiplier();
        let sum = |of: fn(&CondensedResult) -> u64| results.iter().map(of).sum::<u64>();
        if self.supervise.values.condense.adaptive && trouble.is_none() {
            let (before, after) = (sum(|result| result.before), sum(|result| result.after));
            self.supervise.condense.multiplier = multiplier_after(multiplier, before, after);
        }
        let multiplier_after = self.condense_multiplier();
        let (threshold, passed_over) = (waiting.threshold, waiting.round.passed_over);
        let condensed = Condensed { request, threshold, multiplier, multiplier_after, results, passed_over, trouble };
        self.rec.cell(Body::Decided(Decision::Condensed(Box::new(condensed))));
    }

    pub(super) fn condense_overdue(&mut self) {
        self.cancel_asks(|mechanic| mechanic == Mechanic::Condense);
        self.condense_stopped(&format!("no answer in {} s", super::CONDENSE_WAIT.as_secs()));
        self.round_condensed();
    }

    /// Nothing more is waited for; the results stay whole.
    pub(super) fn condense_stopped(&mut self, why: &str) {
        if let Some(waiting) = self.supervise.condense.waiting.take() {
            self.say_condensed(Vec::new(), &waiting, None, Some(why.to_owned()));
        }
    }
}

/// `None` when it is not plain text alone.
fn plain(content: &Content) -> Option<&str> {
    match content {
        Content::Text(text) => Some(text),
        Content::Parts(parts) => match parts.as_slice() {
            [only] => plain(only),
            _ => None,
        },
        Content::Blob { .. } | Content::Media { .. } => None,
    }
}

/// A far server's files are not those of this machine.
fn reads_files(tool: &ToolDefinition, snapshot: &Snapshot) -> bool {
    let far = |name: &str| snapshot.servers.iter().any(|view| view.name == name && view.kind == ServerKind::Http);
    tool.info.exposed() && READERS.contains(&tool.name.as_str()) && !far(&tool.server)
}
